"""Models for the comparison with Keras: the same lines make them with either library."""

from __future__ import annotations

from typing import Any

import numpy as np


def chain(keras: Any) -> Any:
    """Layers one after the other."""
    layers = keras.layers
    return keras.Sequential(
        [keras.Input((3,)), layers.Dense(4, activation="relu", name="first"), layers.Flatten(name="flat"),
         layers.Dense(1, use_bias=False, kernel_regularizer="l2", name="last")],
        name="chain",
    )  # fmt: skip


def branches(keras: Any) -> Any:
    """Two inputs through one layer, then apart and together again."""
    layers = keras.layers
    x, y = keras.Input((3,), name="x"), keras.Input((3,), name="y")
    shared = layers.Dense(2, name="shared")
    a, b = shared(x), shared(y)
    apart = layers.Activation("tanh", name="bent")(a)
    both = layers.Dense(5, name="wide")(b)
    out = layers.Dense(2, name="out")(both)
    return keras.Model([x, y], [out, apart], name="branches")


def nested(keras: Any) -> Any:
    """A model in a model, a dict of inputs and of outputs, and a size that is not known."""
    layers = keras.layers
    inner = keras.Sequential([keras.Input((4,)), layers.Dense(3, name="inside")], name="inner")
    steps, grid = keras.Input((None, 4), name="steps"), keras.Input((2, 2), name="grid")
    y = layers.Dense(4, name="before")(steps)
    z = inner(layers.Flatten(name="rows")(grid))
    return keras.Model({"grid": grid, "steps": steps}, {"y": y, "z": z}, name="nested")


MODELS = {"chain": chain, "branches": branches, "nested": nested}
INPUTS = {
    "chain": [[[1.0, 2.0, 3.0], [0.5, -1.0, 2.0]]],
    "branches": [[[1.0, 2.0, 3.0]], [[-1.0, 0.5, 0.25]]],
    "nested": {"grid": [[[1.0, 2.0], [3.0, 4.0]]], "steps": [[[1.0, 0.0, 2.0, -1.0], [0.5, 0.5, 0.5, 0.5]]]},
}


def spread(shapes: list[tuple[int, ...]]) -> list[Any]:
    """Weights of these shapes: numbers between -1 and 1 that repeat late."""
    return [np.cos(np.arange(np.prod(shape, dtype=int)) * 1.7 + place).reshape(shape)
            for place, shape in enumerate(shapes)]  # fmt: skip
