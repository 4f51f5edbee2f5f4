"""Reductions are NumPy's, over any axes, also of arrays without elements."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import tapeviz as tf
from tests.against_numpy.example_counts import agree, amounts, explore, numbers, seeds

OF_NOTHING = {"reduce_sum": np.sum, "reduce_prod": np.prod}
OF_SOMETHING = {"reduce_max": np.max, "reduce_min": np.min, "reduce_mean": np.mean}


@st.composite
def reduced(draw, min_side):
    """Return a shape, axes of it (one, several or all) and whether to keep them."""
    shape = draw(npst.array_shapes(min_dims=0, max_dims=4, min_side=min_side, max_side=4))
    one = st.integers(-len(shape), len(shape) - 1) if shape else st.none()
    axes = draw(st.one_of(st.none(), one, npst.valid_tuple_axes(len(shape))))
    return shape, axes, draw(st.booleans())


@amounts
@pytest.mark.parametrize("name", [*OF_NOTHING, *OF_SOMETHING])
def test_values(name, examples):
    function = (OF_NOTHING | OF_SOMETHING)[name]

    def check(example, seed):
        shape, axes, keepdims = example
        array = numbers(seed, shape)
        got = getattr(tf, name)(tf.constant(array), axis=axes, keepdims=keepdims)
        agree(got, function(array, axis=axes, keepdims=keepdims), exact=False)

    explore(examples, check, reduced(0 if name in OF_NOTHING else 1), seeds)


@amounts
@pytest.mark.parametrize(("name", "function"), [("reduce_any", np.any), ("reduce_all", np.all)])
def test_truth_values(name, function, examples):
    def check(example, seed):
        shape, axes, keepdims = example
        array = numbers(seed, shape) > 0
        agree(getattr(tf, name)(array, axis=axes, keepdims=keepdims), function(array, axis=axes, keepdims=keepdims))

    explore(examples, check, reduced(0), seeds)


@amounts
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8])
def test_integers_stay_what_they_are(dtype, examples):
    def check(example, seed):
        shape, axes, keepdims = example
        array = numbers(seed, shape, dtype)
        got = tf.reduce_sum(array, axis=axes, keepdims=keepdims)
        agree(got, np.sum(array, axis=axes, keepdims=keepdims, dtype=dtype))

    explore(examples, check, reduced(0), seeds)


@amounts
def test_the_gradient_of_a_mean_is_shared_out(examples):
    def check(example, seed):
        shape, axes, keepdims = example
        array = numbers(seed, shape)
        tensor = tf.constant(array)
        with tf.GradientTape() as tape:
            tape.watch(tensor)
            mean = tf.reduce_mean(tensor, axis=axes, keepdims=keepdims)
        upstream = numbers(seed + 1, tuple(mean.shape))
        kept = np.mean(array, axis=axes, keepdims=True)
        share = kept.size / array.size
        wanted = np.broadcast_to(upstream.reshape(kept.shape), shape) * share
        agree(tape.gradient(mean, tensor, upstream), wanted, exact=False)

    explore(examples, check, reduced(1), seeds)


@amounts
def test_cumulative_sums_and_places_of_the_largest(examples):
    def check(example, seed):
        shape, axis = example
        array = numbers(seed, shape)
        agree(tf.cumsum(array, axis=axis), np.cumsum(array, axis=axis), exact=False)
        agree(tf.argmax(array, axis=axis), np.argmax(array, axis=axis))
        agree(tf.argmin(array, axis=axis), np.argmin(array, axis=axis))

    @st.composite
    def along(draw):
        shape = draw(npst.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=4))
        return shape, draw(st.integers(-len(shape), len(shape) - 1))

    explore(examples, check, along(), seeds)
