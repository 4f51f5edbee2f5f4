"""What the written programs call besides tapeviz: tensors drawn by seed, and layers with weights drawn by seed."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeviz as tf
from tests.ops.catalogue import SEED

SPECIAL = (0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 0.5, -2.0, 1e-30, -1e30, 3.4e38)
EXTREME = (0, 1, -1, 127, 128, -128, 255, 256, 32767, 65535, 2**31 - 1, -(2**31), 2**62)
WORDS = ("", "a", "bc", "ä b")


def tensor(seed: int, shape: list[int], dtype: str = "float32", kind: str = "usual") -> Any:
    """Return a tensor of random numbers.

    Args:
        seed: of the numbers.
        shape: its shape.
        dtype: the name of its dtype.
        kind: "usual" (floats in [-2, 2), integers in [-5, 6)), "special" (some are nan, infinite, -0.0 or at an end
            of the integers), "positive" or "index" (0 and 1).
    """
    drawn = _array(seed, shape, dtype, kind)
    return tf.constant(drawn, dtype) if dtype == "string" else tf.cast(tf.constant(drawn), dtype)


def _array(seed: int, shape: list[int], dtype: str, kind: str) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.random(shape) < 0.5
    if dtype == "string":
        return np.asarray(rng.choice(WORDS, shape)).astype(object)
    if kind == "index":
        return rng.integers(0, 2, shape)
    if dtype.startswith(("int", "uint")):
        low = 0 if dtype.startswith("u") or kind == "positive" else -5
        whole = rng.integers(low, 6, shape)
        chosen = np.where(rng.random(shape) < 0.2, rng.choice(EXTREME, shape), whole) if kind == "special" else whole
        return np.asarray(chosen).astype(dtype)
    numbers = rng.uniform(0.1 if kind == "positive" else -2.0, 2.0, shape)
    if kind == "special":
        numbers = np.where(rng.random(shape) < 0.2, rng.choice(SPECIAL, shape), numbers)
    if dtype.startswith("complex"):
        numbers = numbers + 1j * rng.uniform(-1.0, 1.0, shape)
    with np.errstate(over="ignore"):
        return np.asarray(numbers).astype("float32" if "16" in dtype else dtype)


def sample(op: str, number: int, place: int, dtype: str = "") -> Any:
    """Return an input of one of the samples with which an op is declared, perhaps as another dtype."""
    from tapeviz.engine.declaration import registry

    array = registry[op].samples(np.random.default_rng(SEED))[number][0][place]
    value = tf.constant(np.array(array))
    return tf.cast(value, dtype) if dtype else value


def built(layer: Any, call: Any, seed: int) -> Any:
    """Return the layer after a call that builds it, with weights drawn by seed."""
    call(layer)
    rng = np.random.default_rng(seed)
    drawn = [rng.uniform(-0.5, 0.5, weight.shape) for weight in layer.weights]
    variances = [np.abs(value) + 0.5 for value in drawn]
    layer.set_weights([
        (spread if "variance" in weight.name else value).astype(weight.dtype.numpy)
        if weight.dtype.is_floating else weight.numpy()
        for weight, value, spread in zip(layer.weights, drawn, variances, strict=True)
    ])  # fmt: skip
    if getattr(layer, "stateful", False):
        layer.reset_states()
    return layer


def on(device: str, make: Any) -> Any:
    """Return what the function makes on a device."""
    with tf.device(device):
        return make()
