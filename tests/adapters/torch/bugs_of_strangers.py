"""Bugs as more people had them: of each kind one whose thread is no other's in these sets."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from tests.adapters.torch.catalogue import bug


def data(rows=16, features=4):
    torch.manual_seed(0)
    return torch.randn(rows, features), torch.randn(rows, 1)


# Numbers that are lost.


@bug("https://github.com/pytorch/pytorch/issues/8069", "About Nan error using acos() function", "clamp", "inside", "1")
def angle_of_a_cosine_of_one():
    u = torch.tensor([[1.0, 0.0], [0.6, 0.8]], requires_grad=True)
    v = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    cosine = (u * v).sum(dim=1)
    angle = torch.acos(cosine)  # bug
    angle.sum().backward()


@bug(
    "https://github.com/TreB1eN/InsightFace_Pytorch/issues/93",
    "Loss became nan after the loss.backward",
    "above 0",
    "1e-",
)
def sine_from_a_cosine_of_one():
    cosine = torch.tensor([1.0, 0.3], requires_grad=True)
    square = 1 - cosine**2
    sine = torch.sqrt(square)  # bug
    sine.sum().backward()


@bug("https://github.com/pytorch/pytorch/issues/4320", "torch.std NaN gradient", "unbiased")
def deviation_of_one_example():
    w = torch.ones(1, 3, requires_grad=True)
    spread = (w * 2).std(dim=0)  # bug
    spread.sum().backward()


@bug(
    "https://github.com/huggingface/trl/issues/7221", "entropy returns NaN for zero-probability tokens", "large number"
)
def entropy_of_masked_scores():
    scores = torch.tensor([[0.5, 1.0, -0.5]], requires_grad=True)
    masked = scores.masked_fill(torch.tensor([[False, True, False]]), float("-inf"))
    logs = F.log_softmax(masked, dim=1)
    entropy = -(logs.exp() * logs).sum()  # bug
    entropy.backward()


@bug("https://github.com/summerlvsong/Aggregation-Cross-Entropy/issues/2", "Need Help! Loss nan", "log")
def log_of_a_count_of_zero():
    scores = torch.tensor([[0.0, -150.0], [1.0, -150.0]], requires_grad=True)
    shares = torch.softmax(scores, dim=1).mean(dim=0)
    loss = -(torch.tensor([0.5, 0.5]) * torch.log(shares)).sum()  # bug
    loss.backward()


@bug("https://github.com/akanazawa/cmr/issues/11", "triangle_loss_fn returns 'nan'", "above 0", "1e-")
def length_of_an_edge_without_length():
    points = torch.tensor([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0]], requires_grad=True)
    edges = points[1:] - points[:-1]
    lengths = edges.pow(2).sum(dim=1).sqrt()  # bug
    lengths.sum().backward()


@bug("https://github.com/pytorch/pytorch/issues/23156", "Pruning off NaN values still produces NaN gradients", "input")
def rows_of_nan_masked_in_the_loss():
    x, _ = data(3)
    x[2] = float("nan")  # bug
    model = nn.Linear(4, 2)
    out = model(x)
    out = out.masked_fill(torch.isnan(out), 0.0)
    out.sum().backward()


@bug(
    "https://github.com/pytorch/pytorch/issues/41508",
    "MultiheadAttention causes gradients to become NaN",
    "mask",
    "inf",
)
def attention_to_nothing():
    torch.manual_seed(0)
    q = torch.randn(2, 3, 4, requires_grad=True)
    keep = torch.tensor([[True, True, False], [False, False, False]])
    scores = q @ q.transpose(1, 2)
    scores = scores.masked_fill(~keep[:, None], float("-inf"))
    weights = torch.softmax(scores, dim=-1)  # bug
    weights.pow(2).sum().backward()


# Losses that get something else than they expect.


@bug("https://github.com/AnubhavGupta3377/Text-Classification-Models-Pytorch/issues/9", "NLLLoss", "log_softmax")
def probabilities_into_nll_loss():
    x, _ = data()
    y = torch.randint(0, 3, (16,))
    model = nn.Linear(4, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = F.nll_loss(torch.softmax(model(x), dim=1), y)  # bug
        loss.backward()
        optimizer.step()


@bug(
    "https://github.com/yanx27/Pointnet_Pointnet2_pytorch/issues/30", "wrong label loss in PointNetLoss", "log_softmax"
)
def scores_into_nll_loss():
    x, _ = data()
    y = torch.randint(0, 3, (16,))
    model = nn.Linear(4, 3)
    criterion = nn.NLLLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = criterion(model(x), y)  # bug
        loss.backward()
        optimizer.step()


@bug("https://github.com/avBuffer/UNet3plus_pth/issues/23", "bug: bceloss not decrease", "sigmoid")
def sigmoid_twice():
    x, y = data()
    y = (y > 0).float()
    model = nn.Sequential(nn.Linear(4, 1), nn.Sigmoid())
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = criterion(model(x), y)  # bug
        loss.backward()
        optimizer.step()


@bug(
    "https://github.com/zhouhaoyi/Informer2020/issues/59",
    "why is torch.tensor.view used to change the order",
    "transpose",
    "permute",
)
def heads_by_view():
    torch.manual_seed(0)
    batch, steps, heads, size = 2, 5, 3, 4
    project = nn.Linear(12, 12)
    optimizer = torch.optim.SGD(project.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        q = project(torch.randn(batch, steps, heads * size)).view(batch, steps, heads, size)
        q = q.view(batch, heads, steps, size)  # bug
        out = torch.softmax(q @ q.transpose(-1, -2), dim=-1) @ q
        out.pow(2).mean().backward()
        optimizer.step()


# Training loops.


@bug(
    "https://github.com/pytorch/tutorials/issues/2799",
    "zero_grad() should go before loss.backward()",
    "zero_grad",
    "before",
)
def gradients_zeroed_before_the_step():
    x, y = data()
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        loss = F.mse_loss(model(x), y)
        loss.backward()
        optimizer.zero_grad()
        optimizer.step()  # bug


@bug("https://github.com/shubhamagarwal92/mmd/issues/14", "model.eval() in train.py", "train()")
def trained_on_after_eval():
    x, y = data()
    model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()  # bug
        optimizer.step()
        model.eval()
        with torch.no_grad():
            model(x)


@bug("https://github.com/pytorch/pytorch/issues/26338", "Behavior of F.dropout in eval mode", "training")
def dropout_that_eval_does_not_end():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(4, 8), nn.Linear(8, 1)

        def forward(self, x):
            h = F.dropout(torch.relu(self.a(x)), 0.5)  # bug
            return self.b(h)

    x, y = data()
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(3):
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        model(x)


@bug("https://github.com/pytorch/pytorch/issues/54765", "I wonder if I need to reset optimizer function", "optimizer")
def optimizer_of_the_network_before():
    x, y = data()
    model = nn.Linear(4, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.03)
    model = nn.Linear(4, 1)
    for _ in range(3):
        optimizer.zero_grad()
        out = model(x)
        F.mse_loss(out, y).backward()
        optimizer.step()  # bug


@bug(
    "https://github.com/pytorch/pytorch/issues/632",
    "parameters not registered in module",
    "ParameterDict",
    "ParameterList",
    "ModuleDict",
)
def parameters_in_a_dict():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.scales = {"a": nn.Parameter(torch.ones(4)), "b": nn.Parameter(torch.zeros(4))}
            self.head = nn.Linear(4, 1)

        def forward(self, x):
            x = x * self.scales["a"] + self.scales["b"]  # bug
            return self.head(x)

    x, y = data()
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()


@bug("https://github.com/ronghuaiyang/arcface-pytorch/issues/20", "weight update", "optimizer")
def margin_of_no_optimizer():
    x, _ = data()
    y = torch.randint(0, 3, (16,))
    backbone, margin = nn.Linear(4, 8), nn.Linear(8, 3)
    optimizer = torch.optim.SGD(backbone.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        features = torch.tanh(backbone(x))
        loss = F.cross_entropy(margin(features), y)  # bug
        loss.backward()
        optimizer.step()


@bug(
    "https://github.com/yandexdataschool/Practical_RL/issues/153",
    "Do not initialize weights with zeros",
    "random",
    "init",
)
def all_weights_alike():
    x, y = data()
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
    for layer in (model[0], model[2]):
        nn.init.constant_(layer.weight, 0.5)
        nn.init.zeros_(layer.bias)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(4):
        optimizer.zero_grad()
        out = model(x)  # bug
        F.mse_loss(out, y).backward()
        optimizer.step()


@bug(
    "https://github.com/nikhilsinghmus/image2reverb/issues/37",
    "Is fake_spec.detach() in Generator training intentional?",
    "detach",
)
def generator_cut_off():
    torch.manual_seed(0)
    g, d = nn.Linear(2, 3), nn.Linear(3, 1)
    of_g = torch.optim.Adam(g.parameters())
    of_d = torch.optim.Adam(d.parameters())
    for _ in range(3):
        fake = g(torch.randn(8, 2))
        of_d.zero_grad()
        (F.softplus(-d(torch.randn(8, 3))).mean() + F.softplus(d(fake.detach())).mean()).backward()
        of_d.step()
        of_g.zero_grad()
        F.softplus(-d(fake.detach())).mean().backward()  # bug
        of_g.step()


# Passes that raise.


@bug("https://github.com/tamarott/SinGAN/pull/117", "Fix for PyTorch 1.6", "detach", "again", "step")
def generator_step_over_an_old_discriminator():
    torch.manual_seed(0)
    g, d = nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    of_g, of_d = torch.optim.SGD(g.parameters(), lr=0.1), torch.optim.SGD(d.parameters(), lr=0.1)
    judged = d(g(torch.randn(8, 2)))
    F.softplus(judged).mean().backward(retain_graph=True)
    of_d.step()  # bug
    of_g.zero_grad()
    F.softplus(-judged).mean().backward()
    of_g.step()


@bug(
    "https://github.com/pytorch/pytorch/issues/17568",
    "GPU memory leak on Pytorch 1.0? running_loss.backward()",
    "detach",
    "item",
    "again",
)
def losses_summed_and_differentiated():
    x, y = data()
    model = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
    total = torch.zeros(())
    for part, target in zip(x.split(8), y.split(8), strict=True):
        total = total + F.mse_loss(model(part), target)
        total.backward()  # bug


@bug(
    "https://isolution.pro/pl/q/so70246575/funkcja-wsteczna-w-pytorch",
    "backward of a loss that is no scalar",
    ".mean()",
    ".sum()",
)
def loss_of_each_example():
    x, y = data()
    model = nn.Linear(4, 1)
    loss = F.mse_loss(model(x), y, reduction="none")
    loss.backward()  # bug


@bug("https://github.com/Jee-King/TSAN/issues/3", "modified by an inplace operation", "out of place", "= ", "clone")
def shortcut_changed_below():
    torch.manual_seed(0)
    conv = nn.Conv1d(2, 2, 3, padding=1)
    x = torch.randn(1, 2, 6, requires_grad=True)
    out = torch.tanh(conv(x))
    out *= 0.1  # bug
    (out + x).sum().backward()


@bug(
    "https://github.com/tamakoji/pytorch-syncbn/issues/4",
    "modified by an inplace operation",
    "out of place",
    "= ",
    "clone",
)
def cell_memory_changed():
    torch.manual_seed(0)
    w = nn.Parameter(torch.randn(3, 3))
    memory = torch.zeros(2, 3)
    for _ in range(3):
        gate = torch.sigmoid(memory @ w)
        memory = memory + gate
        gate.clamp_(0.1, 0.9)  # bug
    memory.sum().backward()


@bug("https://duoke360.com/post/34567", "grad is None after backward", "requires_grad")
def grad_of_a_plain_tensor():
    x = torch.tensor([1.0, 2.0])
    w = torch.tensor([0.5, 0.5], requires_grad=True)
    (x * w).sum().backward()  # bug
    print(x.grad)


@bug(
    "https://github.com/pytorch/pytorch/issues/13112",
    "why grad is disappear when put data to cuda?",
    "leaf",
    "requires_grad_()",
)
def cast_after_requires_grad():
    w = torch.ones(3, requires_grad=True).double()  # bug
    (w * 2).sum().backward()
    print(w.grad)
