"""``tf.sparse``: the values are those of TensorFlow 2.21, and gradients go to the elements."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz as tf

M = ([[0, 1], [1, 0], [1, 1]], [13, 15, 17], [2, 2])
ST = """SparseTensor(indices=tf.Tensor(
[[0 3]
 [2 4]], shape=(2, 2), dtype=int64), values=tf.Tensor([10 20], shape=(2,), dtype=int32), \
dense_shape=tf.Tensor([ 3 10], shape=(2,), dtype=int64))"""


def matrix(values=None):
    return tf.sparse.SparseTensor(M[0], M[1] if values is None else values, M[2])


def parts(sparse):
    return [part.numpy().tolist() for part in (sparse.indices, sparse.values, sparse.dense_shape)]


CASES = {
    "add": (lambda m: tf.sparse.add(m, tf.sparse.SparseTensor([[0, 0], [1, 1]], [5, 7], [2, 2])),
            [[[0, 0], [0, 1], [1, 0], [1, 1]], [5, 13, 15, 24], [2, 2]]),
    "add_above": (lambda m: tf.sparse.add(m, tf.sparse.SparseTensor([[0, 1]], [-12], [2, 2]), threshold=2),
                  [[[1, 0], [1, 1]], [15, 17], [2, 2]]),
    "concat": (lambda m: tf.sparse.concat(1, [m, m]),
               [[[0, 1], [0, 3], [1, 0], [1, 1], [1, 2], [1, 3]], [13, 13, 15, 17, 15, 17], [2, 4]]),
    "slice": (lambda m: tf.sparse.slice(m, [0, 1], [2, 5]), [[[0, 0], [1, 0]], [13, 17], [2, 1]]),
    "product": (lambda m: m * tf.constant([[1, 2], [3, 4]]), [M[0], [26, 45, 68], M[2]]),
    "quotient": (lambda m: m / 2, [M[0], [6.5, 7.5, 8.5], M[2]]),
    "map": (lambda m: tf.sparse.map_values(tf.add, m, 5), [M[0], [18, 20, 22], M[2]]),
    "square": (tf.square, [M[0], [169, 225, 289], M[2]]),
    "transpose": (tf.sparse.transpose, [M[0], [15, 13, 17], M[2]]),
    "reshape": (lambda m: tf.sparse.reshape(m, [4, -1]), [[[1, 0], [2, 0], [3, 0]], M[1], [4, 1]]),
    "expand_dims": (lambda m: tf.sparse.expand_dims(m, 0), [[[0, 0, 1], [0, 1, 0], [0, 1, 1]], M[1], [1, 2, 2]]),
    "retain": (lambda m: tf.sparse.retain(m, [True, False, True]), [[[0, 1], [1, 1]], [13, 17], [2, 2]]),
    "reorder": (lambda m: tf.sparse.reorder(tf.sparse.SparseTensor(m.indices[::-1], m.values, m.dense_shape)),
                [M[0], [17, 15, 13], M[2]]),
}  # fmt: skip
DENSE = {
    "matmul": (lambda m: tf.sparse.sparse_dense_matmul(m, [[4], [6]]), [[78], [162]]),
    "matmul_adjoint": (lambda m: tf.sparse.sparse_dense_matmul(m, [[4, 6]], True, True), [[90], [154]]),
    "matmul_right": (lambda m: tf.sparse.sparse_dense_matmul([[4, 6]], m), [[90, 154]]),
    "sum": (lambda m: tf.sparse.reduce_sum(m, axis=1), [13, 32]),
    "sum_of_all": (tf.sparse.reduce_sum, 45),
    "max": (lambda m: tf.sparse.reduce_max(m, axis=0, keepdims=True), [[15, 17]]),
    "to_dense": (lambda m: tf.sparse.to_dense(m, default_value=-1), [[-1, 13], [15, 17]]),
    "add_dense": (lambda m: tf.sparse.add(m, tf.ones([2, 2], "int32")), [[1, 14], [16, 18]]),
    "back": (lambda m: tf.sparse.to_dense(tf.sparse.from_dense(tf.sparse.to_dense(m))), [[0, 13], [15, 17]]),
}
ways = pytest.mark.parametrize("wrap", [lambda run: run, tf.function], ids=["eager", "traced"])


@ways
@pytest.mark.parametrize("name", CASES)
def test_what_gives_a_sparse_tensor(name, wrap):
    run, expected = CASES[name]
    found = wrap(run)(matrix())
    assert parts(found) == expected
    assert isinstance(found, tf.SparseTensor)


@ways
@pytest.mark.parametrize("name", DENSE)
def test_what_gives_a_dense_tensor(name, wrap):
    run, expected = DENSE[name]
    assert wrap(run)(matrix()).numpy().tolist() == expected


def test_how_it_looks():
    made = tf.sparse.SparseTensor(indices=[[0, 3], [2, 4]], values=[10, 20], dense_shape=[3, 10])
    assert repr(made) == str(made) == ST
    assert (made.shape, made.dtype, tf.is_tensor(made)) == ((3, 10), tf.int32, True)
    assert repr(tf.SparseTensorSpec([None, 2], tf.int32)) == "SparseTensorSpec(TensorShape([None, 2]), tf.int32)"
    assert parts(tf.sparse.eye(2, 3)) == [[[0, 0], [1, 1]], [1.0, 1.0], [2, 3]]


@ways
def test_gradients_go_to_the_elements_and_to_the_dense_factor(wrap):
    values, dense = tf.constant([13.0, 15.0, 17.0]), tf.constant([[4.0], [6.0]])

    def loss(values, dense):
        with tf.GradientTape() as tape:
            tape.watch([values, dense])
            product = tf.sparse.sparse_dense_matmul(tf.sparse.SparseTensor(M[0], values, M[2]), dense)
            total = tf.reduce_sum(product * [[1.0], [2.0]])
        return tape.gradient(total, [values, dense])

    by_values, by_dense = wrap(loss)(values, dense)
    assert by_values.numpy().tolist() == [6.0, 8.0, 12.0]
    assert by_dense.numpy().tolist() == [[30.0], [47.0]]


def test_strings_and_indicators():
    words = tf.sparse.from_dense([["a", ""], ["", "b"]])
    assert parts(words) == [[[0, 0], [1, 1]], [b"a", b"b"], [2, 2]]
    assert tf.sparse.to_dense(words).numpy().tolist() == [[b"a", b""], [b"", b"b"]]
    numbers = tf.sparse.SparseTensor([[0, 0], [1, 0]], tf.constant([1, 2], tf.int64), [2, 1])
    assert tf.sparse.to_indicator(numbers, 4).numpy().astype(int).tolist() == [[0, 1, 0, 0], [0, 0, 1, 0]]


@pytest.mark.parametrize(
    ("run", "error", "message"),
    [
        (lambda: tf.sparse.SparseTensor([[0, 1]], [1, 2], [2, 2]), ValueError, "Dimensions 1 and 2 are not compatible"),
        (lambda: tf.sparse.SparseTensor([0, 1], [1, 2], [2, 2]), ValueError, r"Shape \(2,\) must have rank 2"),
        (lambda: tf.sparse.to_dense(tf.sparse.SparseTensor([[1, 1], [0, 0]], [1, 2], [2, 2])),
         tf.errors.InvalidArgumentError, r"indices\[1\] = \[0,0\] is out of order.*\n.*Use `tf.sparse.reorder`"),
        (lambda: tf.sparse.to_dense(tf.sparse.SparseTensor([[1, 1], [1, 1]], [1, 2], [2, 2])),
         tf.errors.InvalidArgumentError, r"indices\[1\] = \[1,1\] is repeated"),
        (lambda: tf.sparse.to_dense(tf.sparse.SparseTensor([[0, 5]], [1], [2, 2])),
         tf.errors.InvalidArgumentError, r"indices\[0\] = \[0,5\] is out of bounds: need 0 <= index < \[2,2\]"),
        (lambda: tf.sparse.sparse_dense_matmul(matrix(), tf.ones([3, 1], "int32")),
         tf.errors.InvalidArgumentError, "inner dimension does not match: 2 vs. 3.  Did you forget a transpose"),
        (lambda: tf.add(matrix(), 1), ValueError, "unsupported type .*takes dense tensors; tf.sparse.to_dense gives"),
        (lambda: tf.convert_to_tensor(matrix()), ValueError, "Attempt to convert a value"),
        (lambda: matrix() + matrix(), TypeError, "unsupported operand"),
    ],
)  # fmt: skip
def test_what_does_not_fit(run, error, message):
    with pytest.raises(error, match=message):
        run()


def test_it_passes_through_structures_and_loops():
    sparse = matrix()
    doubled = tf.function(lambda pair: {"a": tf.sparse.map_values(tf.add, pair[0], pair[0]), "n": pair[1]})
    found = doubled((sparse, tf.constant(3)))
    assert parts(found["a"])[1] == [26, 30, 34]
    assert found["n"].numpy() == 3
    assert doubled.experimental_get_tracing_count() == 1
    doubled((matrix([1, 2, 3]), tf.constant(4)))
    assert doubled.experimental_get_tracing_count() == 1
    assert np.shape(tf.nest.flatten(sparse)[0]) == (3, 2)
