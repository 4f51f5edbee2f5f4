"""Ragged tensors in ops that go element by element, and in those that do not."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.errors import InvalidArgumentError

ROWS = [[1, 2], [], [3]]
OPERATORS = [
    (lambda x: x + 3, [[4, 5], [], [6]]),
    (lambda x: 3 - x, [[2, 1], [], [0]]),
    (lambda x: x * x, [[1, 4], [], [9]]),
    (lambda x: x / 2, [[0.5, 1.0], [], [1.5]]),
    (lambda x: x // 2, [[0, 1], [], [1]]),
    (lambda x: x % 2, [[1, 0], [], [1]]),
    (lambda x: 2**x, [[2, 4], [], [8]]),
    (lambda x: -x, [[-1, -2], [], [-3]]),
    (lambda x: x < 2, [[True, False], [], [False]]),
    (lambda x: tf.add(x, 3), [[4, 5], [], [6]]),
    (lambda x: tf.add([[10], [20], [30]], x), [[11, 12], [], [33]]),
    (lambda x: tf.add(x, [[10]]), [[11, 12], [], [13]]),
    (tf.square, [[1, 4], [], [9]]),
    (lambda x: tf.equal(x, 2), [[False, True], [], [False]]),
    (lambda x: tf.cast(x, tf.float32), [[1.0, 2.0], [], [3.0]]),
]


@pytest.mark.parametrize(("operate", "rows"), OPERATORS)
def test_elements_stay_in_their_rows(operate, rows):
    found = operate(tf.ragged.constant(ROWS))
    assert isinstance(found, tf.RaggedTensor)
    assert found.to_list() == rows


def test_gradients_pass_through_the_values():
    values = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        total = tf.reduce_sum((tf.RaggedTensor.from_row_splits(values, [0, 2, 3]) ** 2.0).values)
    np.testing.assert_array_equal(tape.gradient(total, values), [2.0, 4.0, 6.0])


def test_what_does_not_go_together_says_so():
    x = tf.ragged.constant(ROWS)
    with pytest.raises(InvalidArgumentError, match=r"rows of lengths \[2, 0, 1\]"):
        x + tf.ragged.constant([[1], [2], [3]])
    with pytest.raises(InvalidArgumentError, match="do not go together"):
        tf.add(x, [1, 2, 3])
    with pytest.raises(ValueError, match="MatMul takes dense tensors; to_tensor"):
        tf.matmul(x, x)


def test_to_sparse_and_back():
    rows = tf.ragged.constant(ROWS)
    sparse = rows.to_sparse()
    assert sparse.indices.numpy().tolist() == [[0, 0], [0, 1], [2, 0]]
    assert tf.sparse.to_dense(sparse).numpy().tolist() == [[1, 2], [0, 0], [3, 0]]
    assert tf.RaggedTensor.from_sparse(sparse).to_list() == ROWS
    with pytest.raises(ValueError, match="not right-ragged"):
        tf.RaggedTensor.from_sparse(tf.sparse.from_dense([[0, 1]]))
    with pytest.raises(ValueError, match="must be 2, got 1"):
        tf.RaggedTensor.from_sparse(tf.sparse.from_dense([0, 1]))
