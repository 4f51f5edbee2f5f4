"""Broadcasting is NumPy's, forward and backward."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import tapeviz as tf
from tests.against_numpy.example_counts import agree, amounts, explore, numbers, seeds

BINARY = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "maximum": np.maximum, "minimum": np.minimum,
    "less": np.less, "greater_equal": np.greater_equal, "equal": np.equal,
}  # fmt: skip
two_shapes = npst.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, min_side=0, max_side=4)
three_shapes = npst.mutually_broadcastable_shapes(num_shapes=3, max_dims=3, min_side=0, max_side=3)
dtypes = st.sampled_from([np.float64, np.float32, np.int32, np.int64, np.uint8])


@amounts
@pytest.mark.parametrize("name", BINARY)
def test_values(name, examples):
    def check(shapes, dtype, seed):
        x, y = (numbers(seed + i, shape, dtype) for i, shape in enumerate(shapes.input_shapes))
        agree(getattr(tf, name)(tf.constant(x), tf.constant(y)), BINARY[name](x, y))

    explore(examples, check, two_shapes, dtypes, seeds)


@amounts
def test_where_with_three_shapes(examples):
    def check(shapes, seed):
        condition, x, y = (numbers(seed + i, shape) for i, shape in enumerate(shapes.input_shapes))
        agree(tf.where(tf.constant(condition > 0), x, y), np.where(condition > 0, x, y))

    explore(examples, check, three_shapes, seeds)


def summed_to(array, shape):
    """Return the sum of an array over what broadcasting has repeated."""
    array = array.sum(tuple(range(array.ndim - len(shape))))
    return array.sum(tuple(i for i, size in enumerate(shape) if size == 1 != array.shape[i]), keepdims=True)


@amounts
def test_gradients_are_sums_over_what_was_repeated(examples):
    def check(shapes, seed):
        x, y = (numbers(seed + i, shape) for i, shape in enumerate(shapes.input_shapes))
        upstream = numbers(seed + 2, shapes.result_shape)
        tensors = [tf.constant(x), tf.constant(y)]
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(tensors)
            total, product = tensors[0] + tensors[1], tensors[0] * tensors[1]
        for found, wanted in zip(tape.gradient(total, tensors, upstream), (upstream, upstream), strict=True):
            agree(found, summed_to(wanted, tuple(found.shape)), exact=False)
        for found, wanted in zip(tape.gradient(product, tensors, upstream), (upstream * y, upstream * x), strict=True):
            agree(found, summed_to(wanted, tuple(found.shape)), exact=False)

    explore(examples, check, two_shapes, seeds)


@amounts
def test_broadcast_to(examples):
    def check(shapes, seed):
        x = numbers(seed, shapes.input_shapes[0])
        agree(tf.broadcast_to(x, shapes.result_shape), np.broadcast_to(x, shapes.result_shape))

    explore(examples, check, two_shapes, seeds)


@amounts
def test_shapes_that_do_not_fit_are_refused_in_both(examples):
    def check(first, second):
        x, y = np.zeros(first), np.zeros(second)
        try:
            np.broadcast_shapes(first, second)
        except ValueError:
            with pytest.raises(tf.errors.InvalidArgumentError, match="shape"):
                tf.add(x, y)
        else:
            assert tuple(tf.add(x, y).shape) == np.broadcast_shapes(first, second)

    shapes = npst.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)
    explore(examples, check, shapes, shapes)
