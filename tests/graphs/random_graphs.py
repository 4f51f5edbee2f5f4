"""Random graphs for the tests of passes and programs: up to fifty ops on a few tensors of small shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

import tapeviz as tf

SHAPES = [(), (1,), (3,), (2, 3), (3, 2), (3, 3), (1, 3), (2, 1, 3)]
SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 0.5, 2.0, -3.25], np.float32)

UNARY = [
    tf.negative, tf.abs, tf.exp, tf.tanh, tf.sqrt, tf.square, tf.nn.relu, tf.sigmoid, tf.identity, tf.stop_gradient,
    tf.sign, tf.floor, tf.math.log1p, tf.math.reciprocal, tf.nn.softplus, tf.ones_like, tf.zeros_like,
    lambda x: tf.cast(x, tf.float32), lambda x: tf.cast(tf.cast(x, tf.float64), tf.float32),
    lambda x: tf.negative(tf.negative(x)), lambda x: x * 1.0, lambda x: 1.0 * x, lambda x: x + 0.0, lambda x: x - 0.0,
    lambda x: x + (-0.0), lambda x: x / 1.0, lambda x: x * 2.0 + 1.0, tf.transpose, lambda x: tf.reshape(x, [-1]),
    lambda x: tf.reshape(tf.reshape(x, [-1]), x.shape), lambda x: tf.transpose(tf.transpose(x)),
    lambda x: tf.expand_dims(x, 0), tf.squeeze, lambda x: tf.broadcast_to(x, x.shape), tf.math.is_nan,
    lambda x: tf.nn.softmax(tf.reshape(x, [1, -1])), lambda x: tf.where(x > 0.0, x, tf.zeros_like(x)),
    lambda x: tf.constant([1.0, 2.0, 3.0]) * tf.constant(2.0) + tf.reduce_sum(x),
]  # fmt: skip
REDUCTIONS = [tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_prod]
BINARY = [
    tf.add, tf.subtract, tf.multiply, tf.divide, tf.maximum, tf.minimum, tf.math.squared_difference, tf.less, tf.equal,
    tf.atan2, tf.math.multiply_no_nan,
]  # fmt: skip


def floats(x: Any) -> Any:
    """Return the tensor, truth values as numbers."""
    return x if x.dtype == tf.float32 else tf.cast(x, tf.float32)


def _broadcast(x: Any, y: Any) -> bool:
    try:
        np.broadcast_shapes(tuple(x.shape), tuple(y.shape))
    except ValueError:
        return False
    return True


def apply(recipe: list[tuple[int, int, int, int]], inputs: list[Any]) -> list[Any]:
    """Run a recipe: each line is a kind of op, which one, and which of the tensors so far it takes."""
    made = [floats(tf.convert_to_tensor(x)) for x in inputs]
    for kind, which, first, second in recipe:
        x, y = made[first % len(made)], made[second % len(made)]
        if kind == 0:
            new = UNARY[which % len(UNARY)](x)
        elif kind == 1 and _broadcast(x, y):
            new = BINARY[which % len(BINARY)](x, y)
        elif kind == 2 and x.shape.rank:
            axis = which % x.shape.rank
            new = REDUCTIONS[which % len(REDUCTIONS)](x, axis=axis, keepdims=bool(second % 2))
        elif kind == 3 and x.shape.rank == y.shape.rank == 2:
            flags = {"transpose_a": bool(which & 1), "transpose_b": bool(which & 2)}
            rows = x.shape[0] if flags["transpose_a"] else x.shape[1]
            columns = y.shape[1] if flags["transpose_b"] else y.shape[0]
            new = tf.matmul(x, y, **flags) if rows == columns else tf.matmul(x, tf.transpose(x))
        else:
            new = x + 1.0
        made.append(floats(new))
    return made


@st.composite
def graphs(draw: Any, *, most: int = 50) -> tuple[list[np.ndarray], list[tuple[int, int, int, int]], list[int]]:
    """Draw inputs, a recipe and which of the tensors are the outputs."""
    seed = draw(st.integers(0, 2**16))
    rng = np.random.default_rng(seed)
    shapes = draw(st.lists(st.sampled_from(SHAPES), min_size=1, max_size=4))
    inputs = [
        np.where(rng.random(shape) < 0.2, rng.choice(SPECIAL, shape), rng.normal(size=shape)).astype(np.float32)
        for shape in shapes
    ]
    number = st.integers(0, 63)
    kinds = st.sampled_from([0, 0, 1, 1, 1, 2, 3])
    recipe = draw(st.lists(st.tuples(kinds, number, number, number), min_size=1, max_size=most))
    outputs = draw(st.lists(st.integers(0, len(recipe) + len(inputs) - 1), min_size=1, max_size=4))
    return inputs, recipe, outputs
