"""Products of long vectors: the same to the bit on any number of threads and in graphs, and near the exact ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.backends import blocks
from tapeviz.backends.vector_products import long_product


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    yield
    blocks.set_threads(0)


def drawn(count: int, dtype: str, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=count).astype(dtype)


def product_and_slopes(x: Any, y: Any) -> list[Any]:
    with tf.GradientTape() as tape:
        tape.watch((x, y))
        z = tf.tensordot(x, y, 1)
    return [z, *tape.gradient(z, (x, y))]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("count", [blocks.LARGE // 2, blocks.LARGE, 1 << 18, 300_001, 1_000_000])
def test_a_dot_product_is_the_same_on_any_number_of_threads_and_in_graphs(count, dtype):
    x, y = tf.constant(drawn(count, dtype)), tf.constant(drawn(count, dtype, 1))
    found = []
    for number in (1, 2, 3, 16):
        blocks.set_threads(number)
        found.append([np.asarray(one).tobytes() for one in product_and_slopes(x, y)])
    for compiled in (False, True):
        traced = tf.function(product_and_slopes, jit_compile=compiled)
        found.append([np.asarray(one).tobytes() for one in traced(x, y)])
    assert found[1:] == found[:1] * 5
    value, by_x, by_y = product_and_slopes(x, y)
    exact = np.dot(np.asarray(x, "f8"), np.asarray(y, "f8"))
    np.testing.assert_allclose(value, exact, atol=1e-6 * count**0.5 if dtype == "f4" else 1e-9)
    np.testing.assert_array_equal(by_x, y)
    np.testing.assert_array_equal(by_y, x)


def test_what_is_no_product_of_long_vectors_is_left_to_blas():
    row, column = drawn(300_000, "f4")[None], drawn(300_000, "f4")[:, None]
    assert long_product(row, column) is not None
    assert long_product(np.ones((1, 1), "f4"), row) is not None
    assert long_product(column, np.ones((1, 1), "f4")) is not None
    for a, b in (
        (row[:, :100], column[:100]), (row[:, ::2], column[::2]), (row.astype("c8"), column.astype("c8")),
        (row, np.ones((1, 1), "f4")), (np.ones((1, 1), "f4"), column),
        (row, np.ones((300_000, 2), "f4")), (column, np.ones((1, 2), "f4")), (row, column.astype("f8")),
        (np.ones((1, 1), "f4"), np.ones((1, 1), "f4")), (np.ones((400, 400), "f4"), np.ones((400, 400), "f4")),
    ):  # fmt: skip
        assert long_product(a, b) is None


def test_long_vectors_whose_sizes_differ_are_refused():
    for a, b in (((1, 300_000), (1, 1)), ((1, 1), (300_000, 1)), ((1, 300_000), (300_001, 1))):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Matrix size-incompatible"):
            tf.matmul(tf.ones(a), tf.ones(b))
