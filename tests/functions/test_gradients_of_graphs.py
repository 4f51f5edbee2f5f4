"""``tf.gradients`` and ``tf.hessians`` inside a traced function, and what a concrete function says of its outputs."""

from __future__ import annotations

import pytest

import tapeviz as tf


def value(function, *args):
    found = tf.function(function)(*args)
    return [one.numpy().tolist() for one in tf.nest.flatten(found)]


def test_gradients_by_arguments_and_variables():
    weight = tf.Variable(3.0)
    three = tf.constant(3.0)
    assert value(lambda x: tf.gradients(x * x, x), three) == [6.0]
    assert value(lambda x: tf.gradients([x * x * weight, x], [x, weight]), three) == [19.0, 9.0]
    assert value(lambda x: tf.gradients(tf.gradients(x**3, x)[0], x), three) == [18.0]
    assert value(lambda x: tf.gradients(x * x, x, grad_ys=[tf.constant(2.0)]), three) == [12.0]
    assert value(lambda x: tf.gradients(x * x, [x, weight], unconnected_gradients="zero"), three) == [6.0, 0.0]


def test_what_is_held_constant_and_what_is_not_connected():
    def function(x):
        y = x * 2.0
        held = tf.gradients(y * x, x, stop_gradients=[y])
        return held + [tf.constant(-1.0) if one is None else one for one in tf.gradients(x * x, [tf.constant(1.0)])]

    assert value(function, tf.constant(3.0)) == [6.0, -1.0]


def test_through_statements_that_autograph_converts():
    def function(x):
        y = x * x if x > 0 else -x
        return tf.gradients(y, x)

    assert [value(function, tf.constant(given)) for given in (3.0, -3.0)] == [[6.0], [-1.0]]


def test_hessians():
    assert value(lambda x: tf.hessians(tf.reduce_sum(x**3), x), tf.constant([1.0, 2.0])) == [[[6.0, 0.0], [0.0, 12.0]]]


def test_eagerly_they_are_refused():
    weight = tf.Variable(3.0)
    with pytest.raises(RuntimeError, match=r"tf\.gradients is not supported when eager execution is enabled"):
        tf.gradients(weight * weight, weight)


SPEC = tf.TensorSpec([None, 2])
FORMS = {
    "one": (lambda x: x * 2.0, tf.TensorShape([None, 2]), tf.float32),
    "none": (lambda _x: None, tf.TensorShape(None), None),
    "tuple": (lambda x: (x, None, 3.0), (tf.TensorShape([None, 2]), tf.TensorShape(None), tf.TensorShape([])),
              (tf.float32, None, tf.float32)),
    "dict": (lambda x: {"a": x, "b": [tf.reduce_sum(x)]}, {"a": tf.TensorShape([None, 2]), "b": [tf.TensorShape([])]},
             {"a": tf.float32, "b": [tf.float32]}),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_shapes_and_dtypes_of_outputs_in_their_structure(form):
    function, shapes, dtypes = FORMS[form]
    concrete = tf.function(function).get_concrete_function(SPEC)
    assert str(concrete.output_shapes) == str(shapes)
    assert concrete.output_dtypes == dtypes
    flat = [None if one is None else str(one.shape) for one in tf.nest.flatten(concrete.structured_outputs)]
    assert flat == [None if dtype is None else str(shape)
                    for shape, dtype in zip(tf.nest.flatten(shapes), tf.nest.flatten(dtypes), strict=True)]  # fmt: skip


def test_a_used_tape_still_says_what_it_watched():
    still, weight = tf.Variable(1.0, trainable=False), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        product = still * weight
    tape.gradient(product, weight)
    assert tape.watched_variables() == (weight,)
    with tf.GradientTape() as tape:
        tape.watch(still)
        product = still * weight
    tape.gradient(product, weight)
    assert [variable is still for variable in tape.watched_variables()] == [True, False]


def test_a_custom_gradient_of_a_tensor_of_unknown_rank():
    @tf.custom_gradient
    def clipped(x):
        return x + 0.0, lambda dy: tf.clip_by_norm(dy, 0.5)

    run = tf.function(clipped, input_signature=[tf.TensorSpec(None, tf.float32)])
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = run(x * x)
    assert tape.gradient(y, x).numpy() == 2.0
    with tf.GradientTape() as tape:
        y = run(x * tf.ones([4]))
    assert tape.gradient(y, x).numpy() == 1.0  # four times a quarter
