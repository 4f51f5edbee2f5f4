"""Kernels of rows and columns give what NumPy's steps give, to the bit, on any number of threads and in graphs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tapeviz as tf
from tapeviz.backends import blocks
from tests.backends.compilation import compiled_kernels
from tests.backends.test_rows import bits, drawn

COUNTS = (1, 2, 3, 16)
FUNCTIONS = {
    "sum": lambda x: tf.reduce_sum(x, -1),
    "sum of columns": lambda x: tf.reduce_sum(x, 0),
    "sum of all": tf.reduce_sum,
    "largest": lambda x: tf.reduce_max(x, -1),
    "smallest": lambda x: tf.reduce_min(x, -1),
    "softmax": tf.nn.softmax,
    "log_softmax": tf.nn.log_softmax,
    "loss": lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(np.arange(x.shape[0], dtype="i4") % x.shape[1], x),
}
SHAPES = ((40_000, 3), (2000, 63), (1100, 64), (700, 257), (70, 1000), (66, 1025), (20, 4003), (2, 40_000), (1, 70_001))


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    yield
    blocks.set_threads(0)


def everywhere(function, x) -> list[list[bytes]]:
    """Return what NumPy's steps, kernels on several threads, and graphs give."""
    with compiled_kernels(wanted=False):
        found = [bits(function, x)]
    with compiled_kernels(wanted=True):
        for count in COUNTS:
            blocks.set_threads(count)
            found.append(bits(function, x))
        found += [bits(tf.function(function, jit_compile=compiled), x) for compiled in (False, True)]
    return found


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_kernels_give_what_numpy_gives_to_the_bit(name, shape, dtype):
    found = everywhere(FUNCTIONS[name], drawn(shape, dtype))
    assert found[1:] == found[:1] * (len(found) - 1)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_kernels_are_used(name):
    x = tf.constant(drawn((90, 1000)))
    with compiled_kernels(wanted=True) as used:
        FUNCTIONS[name](x)
    assert used


@settings(max_examples=40, deadline=None)
@given(
    columns=st.integers(1, 3000), dtype=st.sampled_from(["f4", "f8"]), name=st.sampled_from(sorted(FUNCTIONS)),
    special=st.lists(st.sampled_from([np.inf, -np.inf, np.nan, 0.0, -0.0, 1e-45, 1e-310, 3e38, -3e38]), max_size=6),
    seed=st.integers(0, 2**32 - 1),
)  # fmt: skip
def test_random_rows_with_ends_zeros_and_nans(columns, dtype, name, special, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(-(-blocks.LARGE // columns), columns)).astype(dtype)
    with np.errstate(over="ignore"):
        for value in special:
            x[rng.integers(len(x)), rng.integers(columns)] = value
    with compiled_kernels(wanted=False):
        wanted = np.asarray(FUNCTIONS[name](tf.constant(x)))
    with compiled_kernels(wanted=True):
        found = np.asarray(FUNCTIONS[name](tf.constant(x)))
    # Which of several nans comes out is open, as it is in IEEE 754.
    assert np.array_equal(np.isnan(found), np.isnan(wanted))
    assert np.where(np.isnan(found), 0, found).tobytes() == np.where(np.isnan(wanted), 0, wanted).tobytes()


@pytest.mark.parametrize("zeros", [[0.0, -0.0], [-0.0, 0.0], [-0.0, -0.0]])
def test_the_largest_of_zeros_is_the_same_wherever_they_stand(zeros):
    x = np.full((1000, 100), -1, "f4")
    x[:, [3, 40]] = zeros
    for wanted in (False, True):
        with compiled_kernels(wanted=wanted):
            assert not np.signbit(np.asarray(tf.reduce_max(x, 1))).any()
            assert not np.signbit(np.asarray(tf.reduce_min(-x, 1))).any()
