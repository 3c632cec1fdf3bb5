#!/usr/bin/python3
"""Makes tests/reference/layers.txt: every layer of the networks as PyTorch computes it.

Run by hand with the system's python3 and python3-torch when a layer is added; the tests only read the file. Each case
is a line "case NAME", then lines "array NAME COUNT: numbers" (%.9g, so that fp32 survives): the weights in the order
of the operation's tensors (weight0, weight1, ...), the inputs (input0, ...), the output (output0) and, of all that it
depends on smoothly, the gradients (dweight0, ..., dinput0, ...) of the sum over j of sin(1 + 0.9 j) output[j].
"""
import sys
import torch

torch.manual_seed(20261116)
torch.set_num_threads(1)
out = []


def write(kind, arrays):
    for i, array in enumerate(arrays):
        if array is not None:
            flat = array.detach().reshape(-1).tolist()
            out.append("array %s%d %d: %s" % (kind, i, len(flat), " ".join("%.9g" % x for x in flat)))


def case(name, weights, inputs, run):
    """`run` computes the output from the inputs and whatever weights it holds."""
    out.append("case " + name)
    arrays = [array.requires_grad_() if array.is_leaf else array for array in weights + inputs]
    output = run(*inputs)
    write("weight", weights)
    write("input", inputs)
    write("output", [output])
    if output.requires_grad:
        factors = torch.sin(1.0 + 0.9 * torch.arange(output.numel(), dtype=torch.float64)).float()
        loss = torch.sum(output.reshape(-1) * factors)
        gradients = torch.autograd.grad(loss, arrays, allow_unused=True)
        write("dweight", gradients[: len(weights)])
        write("dinput", gradients[len(weights) :])


def attention(x, count, heads, key, value, w):
    """Operators eq. 12; the mean over the rows in use, per head, then concatenated."""
    batch = []
    for b in range(x.shape[0]):
        rows = x[b, : int(count[b])]
        parts = []
        for h in range(heads):
            q = torch.nn.functional.linear(rows, w[0][h * key : (h + 1) * key], w[1][h * key : (h + 1) * key])
            k = torch.nn.functional.linear(rows, w[2][h * key : (h + 1) * key], w[3][h * key : (h + 1) * key])
            v = torch.nn.functional.linear(rows, w[4][h * value : (h + 1) * value], w[5][h * value : (h + 1) * value])
            a = torch.softmax(q @ k.T / key**0.5, dim=-1) @ v
            parts.append(a.mean(dim=0) if len(rows) else torch.zeros(value))
        batch.append(torch.cat(parts))
    return torch.stack(batch)


x = torch.randn(5, 37)
linear = torch.nn.Linear(37, 29)
case("linear", [linear.weight, linear.bias], [x], linear)
wide = torch.randn(5, 37) * 4.0
case("relu", [], [wide], torch.relu)
case("elu", [], [wide], torch.nn.functional.elu)
case("gelu", [], [wide], torch.nn.functional.gelu)
case("tanh", [], [wide], torch.tanh)
case("sigmoid", [], [wide], torch.sigmoid)
norm = torch.nn.LayerNorm(37)
torch.nn.init.normal_(norm.weight)
torch.nn.init.normal_(norm.bias)
case("layer norm", [norm.weight, norm.bias], [(x * 3.0 + 1.0).detach()], norm)
y = torch.randn(5, 11)
case("concat", [], [x, y], lambda a, b: torch.cat([a, b], dim=1))
z = torch.randn(5, 37)
case("add", [], [x, z], torch.add)
mean, scale = torch.randn(37), torch.rand(37) + 0.5
case("normalise", [mean, scale], [x], lambda a: (a - mean) * scale)
case("restore", [mean, scale], [x], lambda a: a * scale + mean)
gru = torch.nn.GRUCell(7, 19)
steps = torch.randn(4, 3, 7)


def run_gru(inputs):
    h = torch.zeros(3, 19)
    states = []
    for t in range(4):
        h = gru(inputs[t], h)
        states.append(h)
    return torch.stack(states)


case("gru", [gru.weight_ih, gru.weight_hh, gru.bias_ih, gru.bias_hh], [steps], run_gru)
heads, key, value, rows, width = 3, 5, 7, 6, 10
w = []
for r in (heads * key, heads * key, heads * value):
    w += [torch.randn(r, width) * 0.4, torch.randn(r) * 0.4]
sets, counts = torch.randn(5, rows, width), torch.tensor([6.0, 3.0, 1.0, 0.0, 5.0])
case("attention", w, [sets, counts], lambda a, n: attention(a, n, heads, key, value, w))
index = torch.tensor([0.0, 3.0, 6.0, 2.0, 1.0])
case("one-hot", [], [index], lambda a: torch.nn.functional.one_hot(a.long(), 7).float())
case("count", [], [index], lambda a: (torch.arange(7)[None] < a[:, None]).float())
case("fraction", [], [index], lambda a: a / 7.0)
f = torch.tensor([1000.0]) ** (-(torch.arange(8) // 2 * 2) / 8.0)


def waves(a):
    angle = a[:, None] * f[None]
    return torch.where(torch.arange(8)[None] % 2 == 1, torch.cos(angle), torch.sin(angle))


case("waves", [], [index], waves)
flow_x = torch.randn(4, 11)
layers = [torch.nn.Linear(11, 18)] + [torch.nn.Linear(29, 18) for _ in range(2)] + [torch.nn.Linear(29, 9)]
norms = [torch.nn.LayerNorm(29) for _ in range(3)]


def flow(a):
    hidden = torch.nn.functional.gelu(layers[0](a))
    for i in range(3):
        hidden = layers[i + 1](norms[i](torch.cat([hidden, a], dim=1)))
        hidden = torch.nn.functional.gelu(hidden) if i < 2 else hidden
    return hidden


weights = [layers[0].weight, layers[0].bias]
for i in range(3):
    weights += [norms[i].weight, norms[i].bias, layers[i + 1].weight, layers[i + 1].bias]
case("flow", weights, [flow_x], flow)
open(sys.argv[1] if len(sys.argv) > 1 else "tests/reference/layers.txt", "w").write("\n".join(out) + "\n")
