"""How a training step of an example runs: op by op, as one traced function, or by `fit`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tapeviz as tf
from tests.zoo.models import Example

__all__ = ["WAYS", "eager", "fitted", "traced"]


def eager(example: Example) -> Callable[[], Any]:
    """Return a function that takes one step, op by op; its first call makes the variables."""
    model = example.model

    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = example.objective(example.inputs, example.targets)
        variables = model.trainable_variables
        model.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    return step


def traced(example: Example) -> Callable[[], Any]:
    """Return a function that takes the same step as one graph; its first call traces it."""
    return tf.function(eager(example))


def fitted(example: Example) -> Callable[[], Any]:
    """Return a function that trains one epoch of one batch by `fit`; its first call traces the step."""
    batch = len(example.inputs)

    def fit() -> Any:
        return example.model.fit(example.inputs, example.targets, batch_size=batch, epochs=1, verbose=0)

    return fit


WAYS: dict[str, Callable[[Example], Callable[[], Any]]] = {"eager": eager, "traced": traced, "fit": fitted}
