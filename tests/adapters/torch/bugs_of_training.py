"""Programs that run and do not learn, or whose numbers are lost."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from tests.adapters.torch.catalogue import bug


def data(rows=16, features=4):
    torch.manual_seed(0)
    return torch.randn(rows, features), torch.randn(rows, 1)


@bug(
    "https://github.com/yastrebksv/TennisCourtDetector/issues/7", 'Why there is no "optimizer.zero_grad()"', "zero_grad"
)
def gradients_never_zeroed():
    x, y = data()
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(4):
        loss = F.mse_loss(model(x), y)
        loss.backward()  # bug
        optimizer.step()


@bug(
    "https://github.com/udacity/deep-learning-v2-pytorch/pull/160",
    "Add zero_grad to Transfer Learning notebook",
    "zero",
)
def hand_written_updates_without_zero():
    w = torch.ones(3, requires_grad=True)
    for _ in range(4):
        loss = (w - 3).pow(2).sum()
        loss.backward()  # bug
        with torch.no_grad():
            w -= 0.1 * w.grad


@bug("https://github.com/jindongwang/Deep-learning-activity-recognition/issues/10", "Bug in code", "softmax")
def softmax_before_cross_entropy():
    x, _ = data()
    y = torch.randint(0, 3, (16,))
    model = nn.Linear(4, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        probabilities = F.softmax(model(x), dim=1)
        loss = F.cross_entropy(probabilities, y)  # bug
        loss.backward()
        optimizer.step()


@bug(
    "https://github.com/pytorch/pytorch/issues/16045", "fail to throw error: shapes [n, 1] and [n]", "squeeze", "shape"
)
def column_against_row():
    x, y = data()
    y = y[:, 0]
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = ((model(x) - y) ** 2).mean()  # bug
        loss.backward()
        optimizer.step()


@bug("https://github.com/pytorch/pytorch/issues/2421", "Gradient of zero norm is nan", "above 0", "1e-")
def norm_by_root_of_zero():
    a = torch.zeros(3, requires_grad=True)
    distance = torch.sqrt((a * a).sum())  # bug
    distance.backward()


@bug("https://github.com/pytorch/pytorch/issues/187297", "torch.where backward propagates NaN gradient", "where")
def root_of_negative_behind_where():
    x = torch.tensor([-1.0, 4.0], requires_grad=True)
    y = torch.where(x > 0, torch.sqrt(x), x)  # bug
    y.sum().backward()


@bug("https://github.com/pytorch/pytorch/issues/16317", "NaN gradients even after removing 0/0 value", "0")
def ratio_of_zeros():
    x = torch.tensor([0.0, 1.0], requires_grad=True)
    n = torch.tensor([0.0, 2.0])
    y = x / n  # bug
    y.sum().backward()


@bug(
    "https://discuss.pytorch.org/t/cross-entropy-loss-is-not-decreasing/43814/16",
    "Cross Entropy loss is not decreasing",
    "log",
)
def log_of_a_softmax():
    scores = torch.tensor([[0.5, -200.0, 1.5]], requires_grad=True)
    p = torch.softmax(scores, dim=1)
    loss = -torch.log(p)[0, 1]  # bug
    loss.backward()


@bug("https://github.com/rish-16/tokenlearner-pytorch/issues/1", "softmax over the wrong size", "sigmoid")
def softmax_of_one_unit():
    x, y = data()
    y = (y > 0).float()
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        p = torch.softmax(model(x), dim=1)  # bug
        loss = F.binary_cross_entropy(p, y)
        loss.backward()
        optimizer.step()


@bug(
    "https://github.com/salesforce/corr_based_prediction/issues/1",
    "Does the model need accumulate the gradients?",
    "step",
)
def no_step_at_all():
    x, y = data()
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(5):
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()  # bug
