"""Sums, softmax and losses of large arrays: near the exact ones, and the same to the bit on any number of threads."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.backends import blocks, rows

COUNTS = (1, 2, 3, 16)
SHAPES = (
    (blocks.LARGE,), (1_000_003,), (1, 70_000), (2, 70_001), (3, 65_536 + 1500), (1000, 100), (1000, 1000), (700, 1025),
    (90, 2049), (40_000, 3), (3, 40_000), (66_000, 1), (30, 50, 70), (20, 4000, 2), (64, 64, 64),
)  # fmt: skip


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    yield
    blocks.set_threads(0)


def drawn(shape: tuple[int, ...], dtype: str = "f4", seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def bits(function: Callable[..., Any], *values: Any) -> list[bytes]:
    """Return the bits of a function's value and of its gradients by the floating-point ones."""
    tensors = [tf.constant(value) for value in values]
    sources = [tensor for tensor in tensors if tensor.dtype.is_floating]
    with tf.GradientTape() as tape:
        tape.watch(sources)
        y = function(*tensors)
    g = tf.constant(drawn(tuple(y.shape), y.dtype.name, 7))
    found = tape.gradient(y, sources, g)
    return [np.asarray(one).tobytes() for one in (function(*tensors), y, *found)]


def same(function: Callable[..., Any], *values: Any) -> None:
    """Compare eagerly with one thread and several, and in graphs."""
    found = []
    for count in COUNTS:
        blocks.set_threads(count)
        found.append(bits(function, *values))
    found += [bits(tf.function(function, jit_compile=compiled), *values) for compiled in (False, True)]
    assert found[1:] == found[:1] * (len(found) - 1)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("keepdims", [False, True])
def test_sums_are_the_same_to_the_bit_on_any_number_of_threads_and_in_graphs(shape, keepdims):
    x = drawn(shape)
    for axis in (None, *range(len(shape)), (0, -1), tuple(range(1, len(shape)))):
        if axis != (0, -1) or len(shape) > 1:
            same(lambda x: tf.reduce_sum(x, axis, keepdims), x)  # noqa: B023
    same(lambda x: tf.reduce_mean(x, -1, keepdims), x)
    same(lambda x: tf.reduce_max(x, -1, keepdims), x)
    same(lambda x: tf.reduce_min(x, -1, keepdims), x.astype("f8"))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_sums_round_no_more_than_numpy_does(shape):
    x = np.abs(drawn(shape)) + 1
    for axis in (None, 0, len(shape) - 1):
        exact = np.add.reduce(x, axis=axis, dtype="f8")
        ours = np.asarray(tf.reduce_sum(x, axis))
        error = np.abs(ours - exact).max() / np.abs(exact).max()
        assert error <= max(np.abs(np.add.reduce(x, axis=axis) - exact).max() / np.abs(exact).max(), 4e-7)


def test_a_row_has_the_same_sum_wherever_a_block_begins():
    for length in (64, 100, 1000, 1024, 1025, 5000, 70_000):
        x = drawn((80, length))
        whole = np.empty(80, "f4")
        rows.row_totals(x, whole)
        apart = np.empty(80, "f4")
        for place in range(0, 80, 7):
            rows.row_totals(x[place : place + 7], apart[place : place + 7])
        assert apart.tobytes() == whole.tobytes()
        assert np.asarray(tf.reduce_sum(np.concatenate([x] * 13), 1))[:80].tobytes() == whole.tobytes()


def test_integers_and_other_axes_are_added_as_numpy_does():
    whole = np.arange(200_000).reshape(2, 100_000)
    assert int(tf.reduce_sum(whole)) == whole.sum()
    x = drawn((50, 60, 70))
    assert np.asarray(tf.reduce_sum(x, 1)).tobytes() == x.sum(1).tobytes()
    turned = tf.transpose(tf.constant(drawn((300, 400))))
    np.testing.assert_allclose(tf.reduce_sum(turned, 0), np.asarray(turned).sum(0), rtol=1e-4)


@pytest.mark.parametrize("shape", [(70_000,), (1000, 70), (3, 40_000), (2, 70_001), (64, 50, 60)], ids=str)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_softmax_is_the_same_to_the_bit_on_any_number_of_threads_and_in_graphs(shape, dtype):
    x = 5 * drawn(shape, dtype)
    for axis in (-1, 0):
        same(lambda x: tf.nn.softmax(x, axis), x)  # noqa: B023
        same(lambda x: tf.nn.log_softmax(x, axis), x)  # noqa: B023
    np.testing.assert_allclose(np.asarray(tf.nn.softmax(x)).sum(-1), 1, rtol=1e-5)
    assert math.isclose(float(tf.exp(tf.nn.log_softmax(x)).numpy().sum()), math.prod(shape[:-1]), rel_tol=1e-5)


@pytest.mark.parametrize("shape", [(70_000,), (1000, 70), (3, 40_000), (64, 50, 60)], ids=str)
def test_losses_are_the_same_to_the_bit_on_any_number_of_threads_and_in_graphs(shape):
    x = 5 * drawn(shape)
    labels = np.random.default_rng(1).integers(0, shape[-1], shape[:-1])
    same(lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(labels, x), x)
    hot = np.asarray(tf.one_hot(labels, shape[-1]))
    same(lambda x: tf.nn.softmax_cross_entropy_with_logits(hot, x), x)
    sparse = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, x)
    np.testing.assert_allclose(sparse, tf.nn.softmax_cross_entropy_with_logits(hot, x), rtol=1e-5)


def test_infinite_logits_and_nan_are_what_they_are_in_small_arrays():
    x = drawn((1000, 100))
    x[0, 0], x[1, 0], x[2, 0], x[3, :] = np.inf, -np.inf, np.nan, -np.inf
    large, small = tf.nn.softmax(x).numpy()[:4], tf.nn.softmax(x[:4]).numpy()
    np.testing.assert_allclose(large, small, rtol=1e-6)
    np.testing.assert_array_equal(tf.reduce_max(x, 1)[:4], tf.reduce_max(x[:4], 1))
    np.testing.assert_array_equal(tf.reduce_sum(x, 1)[:4], np.add.reduce(x[:4], 1))


STEPS: dict[str, Callable[[Any], Any]] = {
    "exp": lambda x: tf.exp(-tf.abs(x)), "tanh": tf.tanh, "sin": tf.sin, "sigmoid": tf.sigmoid, "relu": tf.nn.relu,
    "gelu": tf.nn.gelu, "silu": tf.nn.silu, "softmax": tf.nn.softmax, "log_softmax": tf.nn.log_softmax,
    "centred": lambda x: x - tf.reduce_mean(x, -1, keepdims=True),
    "scaled": lambda x: x / (1 + tf.reduce_max(tf.abs(x), 0, keepdims=True)),
    "summed": lambda x: x + 1e-3 * tf.reduce_sum(x, 0), "whole": lambda x: x * tf.reduce_mean(tf.square(x)),
    "where": lambda x: tf.where(x > 0.1, x, 0.5 * x),
    "dot": lambda x: x + 1e-6 * tf.tensordot(tf.reshape(x, [-1]), tf.reshape(x, [-1]), 1),
    "segments": lambda x: tf.math.unsorted_segment_sum(x, np.arange(len(x)) % 7, 7)[0] + x,
}  # fmt: skip


@pytest.mark.parametrize("seed", range(12))
def test_random_programs_give_the_same_on_any_number_of_threads_and_in_graphs(seed):
    rng = np.random.default_rng(seed)
    width = int(rng.choice([3, 64, 100, 1000, 1025, 3000]))
    height = int(rng.integers(blocks.LARGE // width + 1, 3 * blocks.LARGE // width))
    names = rng.choice(list(STEPS), 5)

    def program(x: Any) -> Any:
        for name in names:
            x = STEPS[name](x)
        return x

    same(program, drawn((height, width), str(rng.choice(["f4", "f8"])), seed))
