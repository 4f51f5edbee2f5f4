"""The tour's training step: 64 pixels, 32 hidden units with relu, 10 digits, a batch of 64, in each library."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from benchmarks.harness import Sample, call
from benchmarks.peers import load

__all__ = ["peers", "tape_step"]

BATCH: Final = 64
PIXELS: Final = 64
HIDDEN: Final = 32
DIGITS: Final = 10
RATE: Final = 0.5


def _data() -> tuple[np.ndarray, ...]:
    """Return pictures with grey levels as those of load_digits (17 of them), labels, and the four parameters."""
    rng = np.random.default_rng(7)
    x = (rng.integers(0, 17, (BATCH, PIXELS)) / 16).astype("f4")
    labels = rng.integers(0, DIGITS, BATCH).astype("i4")
    w1 = rng.normal(scale=0.15, size=(PIXELS, HIDDEN)).astype("f4")
    w2 = rng.normal(scale=0.15, size=(HIDDEN, DIGITS)).astype("f4")
    return x, labels, w1, np.zeros(HIDDEN, "f4"), w2, np.zeros(DIGITS, "f4")


def tape_step(library: Any, *, update: bool = False) -> Callable[[], Any]:
    """Return the step with a gradient tape: the tour's own lines, the same for tapeviz and TensorFlow.

    Args:
        library: the module.
        update: whether the parameters learn, too.
    """
    x, t = map(library.constant, _data()[:2])
    w1, b1, w2, b2 = parameters = [library.Variable(value) for value in _data()[2:]]

    def step() -> Any:
        with library.GradientTape() as tape:
            h = library.nn.relu(x @ w1 + b1)
            scores = h @ w2 + b2
            losses = library.nn.sparse_softmax_cross_entropy_with_logits(labels=t, logits=scores)
            loss = library.reduce_mean(losses)
        gradients = tape.gradient(loss, parameters)
        if update:
            for parameter, gradient in zip(parameters, gradients, strict=True):
                parameter.assign_sub(RATE * gradient)
        return gradients

    return step


def _torch_step(torch: Any) -> Callable[[], Any]:
    x, t, w1, b1, w2, b2 = map(torch.from_numpy, _data())
    parameters = [w1, b1, w2, b2]
    for parameter in parameters:
        parameter.requires_grad_()
    t = t.long()

    def step() -> Any:
        h = torch.relu(x @ w1 + b1)
        loss = torch.nn.functional.cross_entropy(h @ w2 + b2, t)
        return torch.autograd.grad(loss, parameters)

    return step


def _autograd_step(autograd: Any, anp: Any) -> Callable[[], Any]:
    x, t, *parameters = _data()
    rows = np.arange(BATCH)

    def loss(values: Any) -> Any:
        w1, b1, w2, b2 = values
        scores = anp.maximum(x @ w1 + b1, 0) @ w2 + b2
        shifted = scores - anp.max(scores, axis=1, keepdims=True)
        return anp.mean(anp.log(anp.sum(anp.exp(shifted), axis=1)) - shifted[rows, t])

    gradient = autograd.grad(loss)
    return lambda: gradient(parameters)


def peers() -> dict[str, Sample]:
    """Return the step, without the update, in the other libraries."""
    steps: dict[str, Callable[[], Any]] = {}
    if (torch := load("torch")) is not None:
        steps["torch"] = _torch_step(torch)
    if (tensorflow := load("tensorflow")) is not None:
        steps["tensorflow"] = tape_step(tensorflow)
    if (autograd := load("autograd")) is not None:
        steps["autograd"] = _autograd_step(autograd, load("autograd.numpy"))
    return {library: call(step) for library, step in steps.items()}
