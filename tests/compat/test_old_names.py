"""Functions under the names, and with the arguments, that they had in TensorFlow 1."""

import numpy as np
import pytest

import tapeviz.compat.v1 as tf
from tapeviz.errors import InvalidArgumentError


def run(fetches, feeds=None):
    with tf.Session() as session:
        return session.run(fetches, feeds)


def test_old_names_of_arguments():
    x = tf.constant([[1.0, 2.0], [3.0, 5.0]])
    assert run(tf.reduce_sum(x, reduction_indices=1, keep_dims=True)).tolist() == [[3.0], [8.0]]
    assert run(tf.reduce_mean(x, keepdims=None)) == 2.75
    assert run(tf.argmax(x, dimension=1)).tolist() == [1, 1]
    assert tf.expand_dims(x, dim=0).shape == (1, 2, 2)
    assert tf.squeeze(tf.ones([1, 2, 1]), squeeze_dims=[0]).shape == (2, 1)
    np.testing.assert_allclose(run(tf.nn.softmax(x, dim=0)).sum(0), [1.0, 1.0], rtol=1e-6)
    assert tf.nn.l2_normalize(x, dim=0).shape == (2, 2)
    with pytest.raises(ValueError, match="Cannot specify both 'reduction_indices' and 'axis'"):
        tf.reduce_sum(x, axis=0, reduction_indices=1)


def test_old_names_of_functions():
    x = tf.constant([1.0, 4.0], name="x")
    for made, value in [
        (tf.log(x), np.log([1.0, 4.0])), (tf.rsqrt(x), [1.0, 0.5]), (tf.to_int32(x), [1, 4]),
            (tf.to_float([1, 2]), [1, 2]),
        (tf.mod(7, 4), 3), (tf.matrix_inverse([[2.0]]), [[0.5]]), (tf.is_nan(x), [False, False]), (tf.ceil(x), [1, 4]),
        (tf.lin_space(0.0, 1.0, 3), [0.0, 0.5, 1.0]), (tf.squared_difference(x, 1.0), [0.0, 9.0]),
        (tf.matrix_band_part([[1.0, 2.0], [3.0, 4.0]], 0, -1), [[1.0, 2.0], [0.0, 4.0]]),
    ]:  # fmt: skip
        np.testing.assert_allclose(run(made), value, rtol=1e-6)
    assert run([tf.div(7, 2), tf.div(-7, 2), tf.div(7.0, 2.0)]) == [3, -4, 3.5]
    assert tf.to_double(x).dtype == tf.float64
    assert tf.truncated_normal([3]).shape == (3,)


def test_random_numbers_can_be_had_again():
    tf.set_random_seed(3)
    drawn = tf.random_uniform([4], seed=5), tf.random_normal([4])
    first, second = run(drawn), run(drawn)
    assert not np.array_equal(first[0], second[0])  # each run draws
    tf.set_random_seed(3)
    np.testing.assert_array_equal(run(drawn), first)


def test_dropout_by_what_is_kept():
    x = tf.ones([1000])
    kept = tf.placeholder(tf.float32, [])
    fixed, fed = tf.nn.dropout(x, 0.75, seed=1), tf.nn.dropout(x, keep_prob=kept)
    value = run(fixed)
    assert set(value) == {np.float32(0.0), np.float32(1.0) / np.float32(0.75)}
    assert 0.65 < np.count_nonzero(value) / 1000 < 0.85
    assert run(fed, {kept: 1.0}).tolist() == [1.0] * 1000
    assert set(run(fed, {kept: 0.5})) == {0.0, 2.0}
    assert set(run(tf.nn.dropout(x, rate=0.5))) == {0.0, 2.0}
    with pytest.raises(ValueError, match="You must provide a rate to dropout"):
        tf.nn.dropout(x)
    with pytest.raises(ValueError, match="Only one of keep_prob and rate"):
        tf.nn.dropout(x, 0.5, rate=0.5)


def test_printing_and_asserting_are_operations(capsys):
    x = tf.placeholder(tf.float32, [2], name="x")
    said = tf.print("x is", x, output_stream="file:///dev/null", name="said")
    assert (said.name, said.outputs) == ("said", ())
    assert run(said, {x: [1.0, 2.0]}) is None
    passed = tf.Print(x * 2.0, [x, tf.constant("text")], "seen: ", first_n=1, summarize=1)
    for _ in range(2):
        assert run(passed, {x: [1.0, 2.0]}).tolist() == [2.0, 4.0]
    assert capsys.readouterr().err == "seen: [1.0...][text]\n"
    assert run(tf.gradients(passed, x), {x: [1.0, 2.0]})[0].tolist() == [2.0, 2.0]
    positive = tf.Assert(tf.reduce_all(x > 0.0), [x], name="positive")
    with tf.control_dependencies([positive, tf.assert_less(x, 10.0)]):
        checked = tf.identity(x)
    assert run(checked, {x: [1.0, 2.0]}).tolist() == [1.0, 2.0]
    with pytest.raises(InvalidArgumentError, match=r"Summarized data: -1\.0, 2\.0(.|\n)*{{node positive}}"):
        run(checked, {x: [-1.0, 2.0]})
    assert run(x * 1.0, {x: [-1.0, 2.0]}).tolist() == [-1.0, 2.0]  # nobody asked for the check


def test_placeholders_with_defaults():
    x = tf.placeholder_with_default([1.0, 2.0], [None], name="x")
    assert (x.name, x.shape.as_list(), x.op.type) == ("x:0", [None], "PlaceholderWithDefault")
    doubled = x * 2.0
    assert run(doubled).tolist() == [2.0, 4.0]
    assert run(doubled, {x: [5.0]}).tolist() == [10.0]
    assert tf.placeholder_with_default(tf.constant(3.0), []).op.inputs[0].op.type == "Const"
    with pytest.raises(ValueError, match=r"Shapes must be equal: input has shape \(2,\), and shape is \(3,\)"):
        tf.placeholder_with_default([1.0, 2.0], [3])


def test_other_namespaces_build_too():
    x = tf.constant([[1.0, -2.0]])
    for made in (tf.nn.relu(x), tf.math.square(x), tf.linalg.matmul(x, x, transpose_b=True), tf.random.normal([1, 2])):
        assert made.graph is tf.get_default_graph()
    assert run(tf.nn.relu(x)).tolist() == [[1.0, 0.0]]
    assert tf.errors.InvalidArgumentError is InvalidArgumentError
    assert tf.nn.relu is tf.nn.relu
    assert "relu" in dir(tf.nn)


def test_lists_of_tensors():
    array = tf.TensorArray(tf.float32, size=2).write(0, 1.0)
    x = tf.placeholder(tf.float32, [])
    filled = array.write(1, x * 2.0)
    _, looped = tf.while_loop(
        lambda i, _: i < 3, lambda i, done: (i + 1, done.write(i, tf.cast(i, tf.float32) * x)),
        [0, tf.TensorArray(tf.float32, size=3)],
    )  # fmt: skip
    assert run([filled.stack(), filled.read(1)], {x: 3.0})[0].tolist() == [1.0, 6.0]
    assert run(looped.stack(), {x: 2.0}).tolist() == [0.0, 2.0, 4.0]
    assert run(tf.gradients(looped.stack(), x), {x: 2.0}) == [3.0]
    assert (filled.dtype, hasattr(filled, "nothing")) == (tf.float32, False)


def test_short_names_of_initializers():
    assert tf.initializers.zeros is tf.zeros_initializer
    assert run(tf.initializers.constant(3.0)([2])).tolist() == [3.0, 3.0]
    assert run(tf.initializers.identity(2.0)([2, 2])).tolist() == [[2.0, 0.0], [0.0, 2.0]]
    assert tf.initializers.global_variables is tf.global_variables_initializer
    with pytest.raises(ValueError, match="can only be used for 2D matrices"):
        tf.initializers.identity()([2])
    with pytest.raises(ValueError, match="Argument `mode` should be one of"):
        tf.initializers.variance_scaling(mode="fan")
    tf.random.set_random_seed(1)


def test_strings_in_a_sessions_graph():
    with tf.Graph().as_default(), tf.Session() as session:
        line = tf.placeholder(tf.string, [])
        parts = tf.string_split(tf.regex_replace(line, "-", " "))
        assert session.run(tf.string_to_number(parts), {line: "1-2.5"}).tolist() == [1, 2.5]


def test_in_top_k_takes_the_predictions_first():
    targets = tf.placeholder(tf.int32, None)
    found = tf.nn.in_top_k(tf.constant([[0.1, 0.9], [0.1, 0.9]]), targets, 1)
    assert run(found, {targets: [1, 0]}).tolist() == [True, False]
