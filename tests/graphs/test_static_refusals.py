"""Shapes that cannot fit are refused when a graph is built, with the op, both shapes and the user's line."""

import numpy as np
import pytest

import tapeviz as tf

CASES = {
    "reshape": (lambda x: tf.reshape(x, [2, 2]), [None, 3], "Reshape", ["[?,3]", "[2,2]"]),
    "bias_add": (lambda x: tf.nn.bias_add(x, np.ones(4, np.float32)), [None, 3], "BiasAdd", ["[?,3]", "[4]"]),
    "broadcast_to": (lambda x: tf.broadcast_to(x, [2, 4]), [None, 3], "BroadcastTo", ["[?,3]", "[2,4]"]),
    "ensure_shape": (lambda x: tf.ensure_shape(x, [None, 4]), [None, 3], "EnsureShape", ["[?,3]", "[?,4]"]),
    "einsum": (lambda x: tf.einsum("ij,jk->ik", x, tf.ones([4, 2])), [None, 3], "Einsum", ["3", "[4, 2]"]),
    "pad": (lambda x: tf.pad(x, [[1, 1]]), [None, 3], "Pad", ["[?,3]", "((1, 1),)"]),
    "matrix_solve": (lambda x: tf.linalg.solve(x, tf.ones([4, 1])), [3, None], "MatrixSolve", ["[3,3]", "[4,1]"]),
    "sparse_softmax": (
        lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(tf.constant([1, 0]), x), [3, None],
        "SparseSoftmaxCrossEntropyWithLogits", ["2", "[3"],
    ),
    "split": (lambda x: tf.split(x, 2, axis=1), [None, 3], "Split", ["3", "2"]),
    "unstack": (lambda x: tf.unstack(x, num=2, axis=1), [None, 3], "Unpack", ["3", "2"]),
    "matmul": (lambda x: tf.matmul(x, tf.ones([4, 2])), [None, 3], "MatMul", ["[?,3]", "[4,2]"]),
    "less": (lambda x: x < tf.ones([2, 4]), [None, 3], "Less", ["[?,3]", "[2,4]"]),
    "concat": (lambda x: tf.concat([x, tf.ones([2, 4])], 0), [None, 3], "ConcatV2", ["3", "[2, 4]"]),
    "gather_nd": (lambda x: tf.gather_nd(x, [[0, 1, 2]]), [None, 3], "GatherNd", ["[?,3]", "3"]),
    "conv2d": (
        lambda x: tf.nn.conv2d(x, tf.ones([3, 3, 2, 1]), 1, "SAME"), [None, 8, 8, 3], "Conv2D", ["[?,8,8,3]", "2"],
    ),
}  # fmt: skip


def in_function(call, shape):
    tf.function(call, autograph=False).get_concrete_function(tf.TensorSpec(shape))


def in_session_graph(call, shape):
    with tf.Graph().as_default():
        call(tf.compat.v1.placeholder(tf.float32, shape))


def in_model(call, shape):
    call(tf.keras.Input(batch_shape=shape))


@pytest.mark.parametrize("build", [in_function, in_session_graph, in_model])
@pytest.mark.parametrize("name", CASES)
def test_a_mismatch_is_refused_when_built(build, name):
    call, shape, kernel, texts = CASES[name]
    with pytest.raises(ValueError, match=kernel) as caught:
        build(call, shape)
    message = str(caught.value)
    assert all(text in message for text in texts), message
    if build is not in_model:
        assert "test_static_refusals.py" in message


@pytest.mark.parametrize("name", CASES)
def test_sizes_that_may_fit_are_taken(name):
    call, shape, _, _ = CASES[name]
    if name not in ("pad", "gather_nd"):
        in_function(call, [None] * len(shape))


def test_the_size_of_a_part_from_tensors_is_not_known():
    @tf.function
    def part(x, begin, size):
        y = tf.slice(x, begin, size)
        return y, tf.shape(y)

    spec = [tf.TensorSpec([None, None]), tf.TensorSpec([2], tf.int32), tf.TensorSpec([2], tf.int32)]
    assert part.get_concrete_function(*spec).output_shapes[0] == [None, None]
    y, shape = part(tf.ones([4, 5]), tf.constant([1, 2]), tf.constant([2, -1]))
    assert y.shape == [2, 3]
    assert shape.numpy().tolist() == [2, 3]


def test_a_single_band_is_no_row():
    found = tf.linalg.banded_triangular_solve([[2.0, 4.0]], [[2.0], [8.0]])
    np.testing.assert_array_equal(found.numpy(), [[1.0], [2.0]])


def test_assert_shapes_of_sizes_that_are_not_known_is_checked_at_the_run():
    @tf.function(input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec([None])])
    def check(x, y):
        tf.debugging.assert_shapes([(x, ("N", 3)), (y, ("N",))])
        return x

    check(tf.ones([2, 3]), tf.ones([2]))
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match="must have size"):
        check(tf.ones([2, 3]), tf.ones([4]))


def test_a_part_of_a_split_along_an_axis_from_a_tensor():
    @tf.function
    def parts(x, axis, sizes):
        return tf.split(x, 2, axis), tf.split(x, sizes, axis), tf.split(x, [1, -1], axis=tf.constant(1))

    x = tf.reshape(tf.range(24), [4, 6])
    halves, given, constant = parts(x, tf.constant(1), tf.constant([2, 4]))
    for found, splits in ((halves, 2), (given, [2, 4]), (constant, [1, -1])):
        wanted = tf.split(x, splits, 1)
        assert [one.numpy().tolist() for one in found] == [one.numpy().tolist() for one in wanted]
