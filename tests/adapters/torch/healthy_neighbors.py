"""Programs that look like a bug of the other set and are none: of each the verdicts have to be silent."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from tests.adapters.torch.catalogue import sound
from tests.adapters.torch.healthy import data, trained


@sound
def nll_loss_of_log_softmax():
    x, _ = data()
    y = torch.randint(0, 3, (16,))
    trained(nn.Sequential(nn.Linear(4, 3), nn.LogSoftmax(dim=1)), x, y, F.nll_loss)


@sound
def evaluation_between_epochs():
    x, y = data()
    model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.3), nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(3):
        model.train()
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            model(x)


@sound
def dropout_that_hears_of_eval():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(4, 8), nn.Linear(8, 1)

        def forward(self, x):
            return self.b(F.dropout(torch.relu(self.a(x)), 0.3, training=self.training))

    x, y = data()
    model = trained(Net(), x, y)
    model.eval()
    with torch.no_grad():
        model(x)


@sound
def gradients_zeroed_after_the_step():
    x, y = data()
    model = nn.Linear(4, 1)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(4):
        F.mse_loss(model(x), y).backward()
        optimizer.step()
        optimizer.zero_grad()


@sound
def optimizer_made_again_for_a_new_model():
    x, y = data()
    for _ in range(2):
        model = nn.Linear(4, 1)
        trained(model, x, y, optimizer=torch.optim.Adam(model.parameters()))


@sound
def parameters_in_a_parameter_dict():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.scales = nn.ParameterDict({"a": nn.Parameter(torch.ones(4)), "b": nn.Parameter(torch.zeros(4))})
            self.head = nn.Linear(4, 1)

        def forward(self, x):
            return self.head(x * self.scales["a"] + self.scales["b"])

    x, y = data()
    trained(Net(), x, y)


@sound
def angle_of_a_clamped_cosine():
    u = torch.tensor([[1.0, 0.0], [0.6, 0.8]], requires_grad=True)
    cosine = (u * torch.tensor([[1.0, 0.0], [0.0, 1.0]])).sum(dim=1)
    torch.acos(cosine.clamp(-0.999, 0.999)).sum().backward()


@sound
def deviation_of_a_batch():
    w = torch.randn(8, 3, generator=torch.Generator().manual_seed(0)).requires_grad_()
    ((w - w.mean(dim=0)) / (w.std(dim=0) + 1e-5)).pow(3).sum().backward()


@sound
def attention_with_a_causal_mask():
    torch.manual_seed(0)
    project = nn.Linear(4, 12)
    optimizer = torch.optim.Adam(project.parameters())
    hidden = torch.ones(5, 5, dtype=torch.bool).triu(1)
    for _ in range(3):
        q, k, v = project(torch.randn(2, 5, 4)).chunk(3, dim=-1)
        weights = torch.softmax((q @ k.transpose(1, 2) / 2).masked_fill(hidden, float("-inf")), dim=-1)
        optimizer.zero_grad()
        (weights @ v).pow(2).mean().backward()
        optimizer.step()


@sound
def loss_summed_as_a_number():
    x, y = data()
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    total = 0.0
    for part, target in zip(x.split(4), y.split(4), strict=True):
        loss = F.mse_loss(model(part), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()


@sound
def fine_tuned_in_evaluation_mode():
    x, y = data()
    model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
    for _ in range(2):
        model(x)
    model.eval()
    trained(model, x, y)
