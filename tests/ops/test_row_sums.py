"""Rows added where positions say: in their order, whatever the dtype and however many they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.ops.array.row_sums import add_rows, row_sums

SIZES = [(7, (), 3), (7, (2,), 3), (9000, (), 11), (9000, (5,), 11), (500, (3, 4), 900), (5000, (), 1)]
DTYPES = ["f4", "f8", "c8", "c16", "i4", "i8"]


def drawn(many: int, inner: tuple[int, ...], dtype: str) -> np.ndarray:
    rng = np.random.default_rng(many)
    x = rng.normal(size=(many, *inner)) * 100
    return (x + 1j * rng.normal(size=x.shape)).astype(dtype) if dtype.startswith("c") else x.astype(dtype)


def one_by_one(whole: np.ndarray, rows: np.ndarray, positions: np.ndarray, sign: int) -> np.ndarray:
    for place, row in zip(positions, rows, strict=True):
        whole[place] = whole[place] + row if sign > 0 else whole[place] - row
    return whole


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("many", "inner", "count"), SIZES)
def test_rows_are_added_one_after_the_other(many, inner, count, sign, dtype):
    rows, positions = drawn(many, inner, dtype), np.random.default_rng(0).integers(0, count, many)
    expected = one_by_one(drawn(count, inner, dtype), rows, positions, sign)
    for kind in (np.int64, np.int32, np.int16):
        whole = drawn(count, inner, dtype)
        done = add_rows(np, whole, rows, positions.astype(kind), sign)
        assert done is (rows.size > 4096 and (dtype[0] != "i" or not inner))
        if done:
            assert whole.tobytes() == expected.tobytes()
        else:
            assert whole.tobytes() == drawn(count, inner, dtype).tobytes()
    change = tf.tensor_scatter_nd_add if sign > 0 else tf.tensor_scatter_nd_sub
    found = change(drawn(count, inner, dtype), positions[:, None], rows)
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-3, atol=1e-3)


def test_half_precision_is_not_added_up_in_itself():
    rows = np.full(5000, 0.25, "f2")
    assert not add_rows(np, np.zeros(1, "f2"), rows, np.zeros(5000, int))
    assert tf.tensor_scatter_nd_add(tf.zeros([1], tf.float16), np.zeros((5000, 1), int), rows).numpy() == 1250


def test_a_place_that_is_not_there_is_refused_before_anything_is_written():
    rows = drawn(2000, (4,), "f4")
    for wrong in (-1, 10, 1 << 40):
        positions = np.zeros(2000, np.int64)
        positions[1999] = wrong
        with pytest.raises(IndexError, match="a row goes to none of 10 places"):
            row_sums(np, rows, positions, 10)


def test_what_is_not_named_keeps_the_sign_of_its_zero():
    whole = tf.constant(np.full((3, 2000), -0.0, "f4"))
    found = tf.tensor_scatter_nd_add(whole, [[1], [1]], np.ones((2, 2000), "f4")).numpy()
    assert np.signbit(found[[0, 2]]).all()
    assert (found[1] == 2).all()


@pytest.mark.parametrize("negative", [False, True])
@pytest.mark.parametrize("inner", [(), (50,)])
def test_the_gradient_of_a_segment_sum_is_that_of_its_graph(negative, inner):
    ids = np.random.default_rng(0).integers(-1 if negative else 0, 9, 300)
    x, weights = tf.constant(drawn(300, inner, "f4")), tf.constant(drawn(9, inner, "f4"))

    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.math.unsorted_segment_sum(x, ids, 9) * weights)
        return tape.gradient(y, x)

    np.testing.assert_array_equal(slope(x), tf.function(slope)(x))
    expected = np.where((ids >= 0).reshape(-1, *(1 for _ in inner)), np.asarray(weights)[ids], 0)
    np.testing.assert_array_equal(slope(x), expected)


@pytest.mark.parametrize("indices", [[[0, 1], [2, 0]], [[0, 3], [3, 0]], [[-1, 0], [0, 0]]])
def test_rows_of_several_indices_are_checked_axis_by_axis(indices):
    updates = [1.0, 2.0]
    if indices == [[0, 1], [2, 0]]:
        assert tf.scatter_nd(indices, updates, [3, 3]).numpy()[2, 0] == 2
        return
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not index into shape"):
        tf.scatter_nd(indices, updates, [3, 3])
