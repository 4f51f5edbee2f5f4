"""What ``tf.constant`` takes, and whether gradients lead back through it. TensorFlow 2.21 answers the same."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz as tf


def slope(function, source, watched=True):
    with tf.GradientTape() as tape:
        if watched:
            tape.watch(source)
        result = function(source)
    return tape.gradient(result, source)


@pytest.mark.parametrize("options", [{}, {"dtype": tf.float32}, {"shape": [2]}, {"dtype": "float32", "shape": [2, 1]}])
def test_a_constant_of_a_variable_is_its_value_of_now(options):
    variable = tf.Variable([1.0, 2.0])
    made = tf.constant(variable, **options)
    variable.assign([5.0, 5.0])
    assert made.numpy().ravel().tolist() == [1.0, 2.0]
    assert slope(lambda v: tf.constant(v, **options) * 3.0, variable) is None


def test_a_constant_of_a_variable_is_one_factor_of_a_product():
    variable = tf.Variable([1.0, 2.0])
    assert slope(lambda v: tf.constant(v) * v, variable).numpy().tolist() == [1.0, 2.0]


def test_what_reads_a_variable_passes_its_gradient():
    variable = tf.Variable([1.0, 2.0])
    for read in (tf.convert_to_tensor, tf.identity, lambda v: v.value(), lambda v: tf.stack([v])):
        assert np.all(slope(lambda v, read=read: read(v) * 3.0, variable) == 3.0)


def test_a_constant_of_an_eager_tensor_is_that_tensor():
    tensor = tf.constant([1.0, 2.0])
    assert tf.constant(tensor) is tensor
    assert slope(lambda x: tf.constant(x) * 3.0, tensor).numpy().tolist() == [3.0, 3.0]


def test_a_traced_function_takes_an_eager_tensor_as_a_mere_constant():
    tensor = tf.constant([1.0, 2.0])

    @tf.function
    def traced():
        return slope(lambda x: tf.constant(x) * x, tensor)

    assert traced().numpy().tolist() == [1.0, 2.0]
    with tf.GradientTape() as tape:
        tape.watch(tensor)
        result = tf.function(lambda: tf.constant(tensor) * 3.0)()
    assert tape.gradient(result, tensor) is None


def test_a_variable_has_no_value_while_a_function_is_traced():
    variable = tf.Variable([1.0, 2.0])
    with pytest.raises(NotImplementedError, match=r"numpy\(\) is only available when eager execution is enabled"):
        tf.function(lambda: tf.constant(variable))()


@pytest.mark.parametrize("traced", [False, True])
def test_a_range_passes_no_gradient_to_its_bounds(traced):
    def slopes(first, last):
        with tf.GradientTape() as tape:
            tape.watch([first, last])
            total = tf.reduce_sum(tf.range(first, last) * first)
        return [tf.constant(-1.0) if g is None else g for g in tape.gradient(total, [first, last])]

    function = tf.function(slopes) if traced else slopes
    assert [g.numpy() for g in function(tf.constant(1.0), tf.constant(4.0))] == [6.0, -1.0]


def test_objects_of_the_programs_own_become_tensors():
    class Celsius:
        def __init__(self, degrees):
            self.degrees = degrees

        def __tf_tensor__(self, dtype=None, name=None):
            return tf.constant(self.degrees, dtype or tf.float32)

    class Pair:
        def __init__(self, *both):
            self.both = both

    tf.register_tensor_conversion_function(Pair, lambda value, dtype=None, name=None, as_ref=False: list(value.both))
    assert tf.convert_to_tensor(Celsius(3), dtype=tf.float64).dtype == tf.float64
    assert (tf.constant([1.0]) * Celsius(2.0)).numpy().tolist() == [2.0]
    assert tf.reduce_sum(Pair(1.0, 2.0)).numpy() == 3.0
    assert tf.function(lambda x: x + Pair(1.0, 2.0))(tf.constant([1.0, 1.0])).numpy().tolist() == [2.0, 3.0]
    with pytest.raises(TypeError, match="callable"):
        tf.register_tensor_conversion_function(Pair, 3)


def test_tensors_in_a_list_are_cast_to_the_dtype_asked_for():
    x = tf.constant(2, tf.int64)
    assert tf.concat([tf.constant([1]), [x]], 0).dtype is tf.int32
    nested = tf.convert_to_tensor([[x, 1], [3, x]], dtype=tf.float32)
    np.testing.assert_array_equal(nested, np.array([[2, 1], [3, 2]], np.float32))
    assert tf.convert_to_tensor([x, 1]).dtype is tf.int64
