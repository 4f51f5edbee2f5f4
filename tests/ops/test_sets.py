"""``tf.sets``: sets in the last axis."""

from __future__ import annotations

import pytest

import tapeviz as tf
from tapeviz.errors import InvalidArgumentError

A, B = [[1, 5, 9], [2, 2, 7]], [[5, 6, 9, 11], [1, 2, 3, 4]]


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(("combine", "values", "shape"), [
    (tf.sets.union, [1, 5, 6, 9, 11, 1, 2, 3, 4, 7], [2, 5]), (tf.sets.intersection, [5, 9, 2], [2, 2]),
    (tf.sets.difference, [1, 7], [2, 1]),
    (lambda a, b: tf.sets.difference(a, b, aminusb=False), [6, 11, 1, 3, 4], [2, 3]),
])  # fmt: skip
def test_rows_are_combined_in_order(combine, values, shape, sparse):
    a, b = map(tf.sparse.from_dense, (A, B)) if sparse else (tf.constant(A), tf.constant(B))
    found = combine(a, b)
    assert found.values.numpy().tolist() == values
    assert found.dense_shape.numpy().tolist() == shape
    assert found.dtype == tf.int32


def test_rows_without_elements_and_strings():
    words = tf.sets.intersection(tf.constant([["a", "b"], ["c", "d"]]), tf.constant([["b", "a"], ["x", "y"]]))
    assert words.values.numpy().tolist() == [b"a", b"b"]
    assert words.indices.numpy().tolist() == [[0, 0], [0, 1]]
    assert tf.sets.size(words).numpy().tolist() == [2, 0]


def test_what_does_not_go_together():
    with pytest.raises(InvalidArgumentError, match=r"\(1,\) and \(2,\)"):
        tf.sets.union([[1, 2]], [[1], [2]])
    with pytest.raises(InvalidArgumentError, match="two axes or more"):
        tf.sets.union([1], [1])
