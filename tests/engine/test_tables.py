"""Tables of pandas become tensors as their arrays do, and indexed slices the tensors that they stand for."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tapeviz as tf

COLUMNS = pd.DataFrame({"a": [1, 2], "b": [1.5, 2.5]})


@pytest.mark.parametrize(
    ("table", "dtype", "value"),
    [
        (pd.Series([1, 2, 3]), tf.int64, [1, 2, 3]),
        (pd.Series([1.5, 2.5], dtype="float32"), tf.float32, [1.5, 2.5]),
        (pd.Series([True, False]), tf.bool, [True, False]),
        (pd.Series(["x", "y"]), tf.string, [b"x", b"y"]),
        (pd.Series([1, 2], dtype="Int64"), tf.int64, [1, 2]),
        (pd.Index([1, 2]), tf.int64, [1, 2]),
        (COLUMNS, tf.float64, [[1.0, 1.5], [2.0, 2.5]]),
        (COLUMNS[["a"]], tf.int64, [[1], [2]]),
    ],
)
def test_a_table_keeps_the_dtype_of_its_array(table, dtype, value):
    tensor = tf.convert_to_tensor(table)
    assert tensor.dtype == dtype
    assert tensor.numpy().tolist() == value


def test_a_table_takes_the_dtype_asked_for_or_that_of_the_other_operand():
    assert tf.constant(COLUMNS, dtype=tf.float32).dtype == tf.float32
    assert (tf.constant([1.0, 2.0]) * COLUMNS["b"]).dtype == tf.float32
    assert tf.Variable(COLUMNS).shape == (2, 2)


def test_a_table_of_mixed_columns_is_refused():
    with pytest.raises(ValueError, match="Failed to convert a NumPy array to a Tensor"):
        tf.convert_to_tensor(pd.DataFrame({"a": [1], "b": ["x"]}))


def test_a_tensor_does_not_change_with_the_table():
    table = pd.Series([1.0, 2.0])
    tensor = tf.constant(table)
    table[0] = 9.0
    assert tensor.numpy().tolist() == [1.0, 2.0]


def test_indexed_slices_are_taken_by_any_op_and_say_what_they_are():
    slices = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([1]), tf.constant([3, 2]))
    assert (slices.shape, slices.dtype) == ((3, 2), tf.float32)
    assert (tf.ones([3, 2]) + slices).numpy().tolist() == [[1.0, 1.0], [2.0, 3.0], [1.0, 1.0]]
    assert "dense_shape=tf.Tensor([3 2]" in str(slices)
    np.testing.assert_array_equal((-slices).values, [[-1.0, -2.0]])
