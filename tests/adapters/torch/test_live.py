"""A loop of PyTorch's that is seen while it runs."""

import numpy as np
import pytest
import torch

import tapeviz as tf
from tapeviz.analysis.step_figures import step_figures


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 8))
        self.frozen = torch.nn.Linear(8, 8).requires_grad_(requires_grad=False)
        self.head = torch.nn.Linear(8, 1)

    def forward(self, x):
        return self.head(torch.relu(self.frozen(self.body(x))))


class Trainer:
    """A loop in a method: no name of its frame stands for the model."""

    def __init__(self):
        torch.manual_seed(0)
        self.net = Net()
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.125)
        self.losses, self.norms = [], []

    def fit(self, loop):
        for x, t in loop:
            loss = torch.nn.functional.mse_loss(self.net(x), t)
            self.optimizer.zero_grad()
            loss.backward()
            with torch.no_grad():
                self.norms.append(float(sum(p.grad.square().sum() for p in self.net.head.parameters()).sqrt()))
            self.optimizer.step()
            self.losses.append(float(loss.detach()))
        return self


@pytest.fixture(scope="module")
def data():
    torch.manual_seed(1)
    return [(torch.randn(16, 4), torch.randn(16, 1)) for _ in range(6)]


def watched(trainer, data):
    return tf.live(data, model=trainer.net, optimizer=trainer.optimizer).on("nan")  # so that each step is recorded


def test_rows_are_the_layers_in_their_order(data):
    trainer = Trainer()
    loop = watched(trainer, data)
    trainer.fit(loop)
    assert loop.payload()["rows"] == ["model.body.0", "model.body.2", "model.frozen", "model.head"]
    assert loop.steps == len(data)
    latest = loop._strip.columns.latest()
    assert latest["lr"] == 0.125
    assert latest["loss"] == pytest.approx(trainer.losses[-1])


def test_figures_are_those_of_the_gradients(data):
    trainer = Trainer()
    before = [p.detach().clone() for p in trainer.net.head.parameters()]
    loop = watched(trainer, data[:1])
    trainer.fit(loop)
    tape = loop.measured[-1]
    after = [p.detach() for p in trainer.net.head.parameters()]
    moved = sum((new - old).square().sum() for new, old in zip(after, before, strict=True)).sqrt()
    length = sum(old.square().sum() for old in before).sqrt()
    found = step_figures(tape.recording, tape.elements)
    head = found.rows.index("model.head")
    assert found.measured["gradient"][head] == pytest.approx(trainer.norms[0], rel=1e-5)
    assert found.measured["update"][head] == pytest.approx(float(moved / length), rel=1e-5)
    assert found.measured["spread"][head] > 0
    assert found.losses["loss"] == pytest.approx(trainer.losses[0], rel=1e-6)


def test_training_is_the_same_to_the_bit(data):
    plain, seen = Trainer().fit(data), Trainer()
    seen.fit(watched(seen, data))
    assert seen.losses == plain.losses
    assert all(map(torch.equal, seen.net.parameters(), plain.net.parameters()))


def test_nothing_stays_when_the_loop_is_left(data):
    before = torch.nn.Module.__call__, torch.optim.SGD.step
    trainer = Trainer()
    for _ in watched(trainer, data):
        assert torch.nn.Module.__call__ is not before[0]
        break
    assert (torch.nn.Module.__call__, torch.optim.SGD.step) == before


def test_a_trigger_keeps_the_step(data):
    trainer = Trainer()
    bad = [*data[:2], (data[2][0] * np.inf, data[2][1])]
    loop = watched(trainer, bad)
    trainer.fit(loop)
    (tape,) = loop.triggered
    assert "nonfinite" in {one.kind for one in tape.verdicts()}
