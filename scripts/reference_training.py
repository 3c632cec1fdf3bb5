#!/usr/bin/python3
"""Makes tests/reference/training.txt: a small network's outputs, gradients and optimiser steps as PyTorch computes them.

Run by hand with the system's python3 and python3-torch; the tests only read the file. Lines are "NAME COUNT: numbers"
(%.9g, so that fp32 survives). Parameters are in the order of the graph that tests/train/test_torch.c builds.
"""
import sys
import torch
from torch import nn

torch.manual_seed(20261116)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(5, 7)
        self.norm = nn.LayerNorm(7)
        self.b = nn.Linear(12, 6)
        self.cell = nn.GRUCell(6, 4)
        self.c = nn.Linear(4, 3)
        nn.init.normal_(self.norm.weight, 1.0, 0.3)
        nn.init.normal_(self.norm.bias, 0.0, 0.3)

    def forward(self, steps):
        h = torch.zeros(steps.shape[1], 4)
        outputs = []
        for x in steps:
            u = nn.functional.gelu(self.a(x))
            u = nn.functional.elu(self.b(torch.cat((self.norm(u), x), 1)))
            h = self.cell(u, h)
            outputs.append(self.c(h))
        return torch.stack(outputs)

    def tensors(self):
        cell = self.cell
        return [self.a.weight, self.a.bias, self.norm.weight, self.norm.bias, self.b.weight, self.b.bias,
                cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh, self.c.weight, self.c.bias]


def write(out, name, tensor):
    flat = tensor.detach().reshape(-1).tolist()
    out.write("%s %d: %s\n" % (name, len(flat), " ".join("%.9g" % v for v in flat)))


net = Net()
start = [t.detach().clone() for t in net.tensors()]
x, target = torch.randn(3, 6, 5), torch.randn(3, 6, 3)
with open(sys.argv[1] if len(sys.argv) > 1 else "tests/reference/training.txt", "w", encoding="ascii") as out:
    write(out, "x", x)
    write(out, "target", target)
    for t in start:
        write(out, "weights", t)
    y = net(x)
    loss = torch.mean((y - target) ** 2)
    loss.backward()
    write(out, "y", y)
    write(out, "loss", loss)
    for t in net.tensors():
        write(out, "gradient", t.grad)
    for name, make in (("adam", torch.optim.Adam), ("radam", torch.optim.RAdam)):
        for t, first in zip(net.tensors(), start):
            t.data.copy_(first)
        optimiser = make(net.parameters(), lr=0.01)
        for _ in range(12):
            optimiser.zero_grad()
            torch.mean((net(x) - target) ** 2).backward()
            optimiser.step()
        for t in net.tensors():
            write(out, name, t)
