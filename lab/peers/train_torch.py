#!/usr/bin/python3
"""The PyTorch side of `amble bench train`: one iteration (forward, loss, backward, optimiser) of each shape.

Speaks the peers' protocol: a line in, a line out. `hello THREADS POLICY` comes first, since OpenMP and OpenBLAS read
their settings when they are loaded (POLICY is what OpenMP's threads do while they wait, active or passive), and is
answered with the version; `SHAPE BATCH ROUNDS` with `ok LOSS WALL_US CPU_US ...`, two times of each round. Data and
weights are random: only the time matters. One process a measurement: threads of an earlier one would spin beside it.
"""
import glob
import os
import sys
import time

# Debian's PyTorch brings its own OpenMP threads; with the pthread flavour of OpenBLAS below it, two teams fight for the
# processors and two threads are no faster than one. The OpenMP flavour shares one team: up to 1.9 times as fast.
FOLDERS = glob.glob("/usr/lib/*/openblas-openmp")
if FOLDERS and FOLDERS[0] not in os.environ.get("LD_LIBRARY_PATH", ""):
    os.environ["LD_LIBRARY_PATH"] = FOLDERS[0]
    os.execv(sys.executable, [sys.executable] + sys.argv)

HELLO = sys.stdin.readline().split()
THREADS = int(HELLO[1]) if len(HELLO) > 1 else 1
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = str(THREADS)
os.environ["OMP_WAIT_POLICY"] = HELLO[2] if len(HELLO) > 2 else "passive"
# Debian's OpenBLAS 0.3.21 picks its slowest kernels on processors younger than itself: PyTorch gets the right ones.
with open("/proc/cpuinfo", encoding="ascii", errors="replace") as cpuinfo:
    FLAGS = next((line for line in cpuinfo if line.startswith("flags")), "").split()
if "avx512vl" in FLAGS:
    os.environ.setdefault("OPENBLAS_CORETYPE", "SkylakeX")
try:
    import torch
    from torch import nn
except ImportError:
    print("error PyTorch is not installed (python3-torch)", flush=True)
    sys.exit(0)


def mlp(sizes, activation):
    layers = []
    for i in range(len(sizes) - 1):
        layers.append(nn.Linear(sizes[i], sizes[i + 1]))
        if i + 2 < len(sizes):
            layers.append(activation())
    return nn.Sequential(*layers)


class Flow(nn.Module):
    """Operators 4.3: eight hidden layers of 800, GELU, layer norm before each inner linear layer, input skips."""

    def __init__(self, n_in=285, hidden=800, layers=8, n_out=128):
        super().__init__()
        self.first = nn.Linear(n_in, hidden)
        self.norms = nn.ModuleList(nn.LayerNorm(hidden) for _ in range(layers - 1))
        self.inner = nn.ModuleList(nn.Linear(hidden + n_in, hidden) for _ in range(layers - 1))
        self.last = nn.Linear(hidden, n_out)

    def forward(self, x):
        h = nn.functional.gelu(self.first(x))
        for norm, linear in zip(self.norms, self.inner):
            h = nn.functional.gelu(linear(torch.cat((norm(h), x), 1)))
        return self.last(h)


def make(shape, batch):
    """The network and the loss of one iteration."""
    if shape == "stepper":
        net = mlp([59, 512, 512, 59], nn.ReLU)
        target = torch.randn(20, batch, 59)
        start = torch.randn(batch, 59)

        def loss():
            x, total = start, 0.0
            for t in range(20):
                x = x + net(x) * (1.0 / 60.0)
                total = total + torch.mean((x - target[t]) ** 2)
            return total / 20.0

        return net, loss
    n_in, n_out, net = {
        "decompressor": lambda: (59, 420, mlp([59, 512, 420], nn.ReLU)),
        "projector": lambda: (27, 59, mlp([27, 512, 512, 512, 512, 59], nn.ReLU)),
        "autoencoder": lambda: (400, 400, mlp([400, 512, 128, 512, 400], nn.ELU)),
        "flow": lambda: (285, 128, Flow()),
    }[shape]()
    x, y = torch.randn(batch, n_in), torch.randn(batch, n_out)
    return net, lambda: torch.mean((net(x) - y) ** 2)


def time_rounds(shape, batch, rounds, forget):
    torch.manual_seed(1)
    net, loss = make(shape, batch)
    optimiser = torch.optim.Adam(net.parameters(), lr=0.001)
    times, value = [], 0.0
    for i in range(rounds + 3):  # three to warm up
        begun, computed = time.perf_counter(), time.process_time()
        optimiser.zero_grad(set_to_none=forget)
        value = loss()
        value.backward()
        optimiser.step()
        if i >= 3:
            times.append((time.perf_counter() - begun) * 1e6)
            times.append((time.process_time() - computed) * 1e6)
    return float(value), times


def measure(shape, batch, rounds):
    """Gradients set to zero or forgotten, whichever is faster: the first for large networks, the second for small."""
    ways = [time_rounds(shape, batch, rounds, forget) for forget in (False, True)]
    return min(ways, key=lambda way: min(way[1][::2]))


torch.set_num_threads(THREADS)
print("ok torch", torch.__version__, flush=True)
for line in sys.stdin:
    words = line.split()
    if not words:
        continue
    value, times = measure(words[0], int(words[1]), int(words[2]))
    print("ok %g" % value, " ".join("%.1f" % t for t in times), flush=True)
