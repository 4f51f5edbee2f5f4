"""Indexing is NumPy's where TensorFlow has it, forward and backward."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import tapeviz as tf
from tests.against_numpy.example_counts import agree, amounts, explore, numbers, seeds

shapes = npst.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=5)


@st.composite
def indexed(draw):
    """Return a shape and an index with numbers, slices, ``...`` and new axes."""
    shape = draw(shapes)
    return shape, draw(npst.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True, max_dims=6))


@amounts
def test_values_and_gradients_of_indexing(examples):
    def check(example, seed):
        shape, index = example
        array = numbers(seed, shape)
        tensor = tf.constant(array)
        with tf.GradientTape() as tape:
            tape.watch(tensor)
            part = tensor[index]
        agree(part, array[index])
        upstream = numbers(seed + 1, np.shape(array[index]))
        wanted = np.zeros(shape)
        wanted[index] += upstream
        found = tape.gradient(part, tensor, upstream)
        agree(found, wanted)

    explore(examples, check, indexed(), seeds)


@st.composite
def gathered(draw):
    """Return a shape, an axis and positions along it, in any shape and any number of times."""
    shape = draw(shapes)
    axis = draw(st.integers(-len(shape), len(shape) - 1))
    positions = st.integers(0, shape[axis] - 1)
    wanted = npst.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=4)
    return shape, axis, draw(npst.arrays(np.int64, wanted, elements=positions))


@amounts
def test_values_and_gradients_of_gather(examples):
    def check(example, seed):
        shape, axis, positions = example
        array = numbers(seed, shape)
        tensor = tf.constant(array)
        with tf.GradientTape() as tape:
            tape.watch(tensor)
            taken = tf.gather(tensor, positions, axis=axis)
        agree(taken, np.take(array, positions, axis))
        upstream = numbers(seed + 1, tuple(taken.shape))
        wanted = np.zeros(shape)
        flat = (
            upstream.reshape(*shape[: axis % len(shape)], -1, *shape[axis % len(shape) + 1 :])
            if upstream.size
            else None
        )
        if flat is not None:
            np.add.at(np.moveaxis(wanted, axis, 0), positions.reshape(-1), np.moveaxis(flat, axis % len(shape), 0))
        agree(tf.convert_to_tensor(tape.gradient(taken, tensor, upstream)), wanted, exact=False)

    explore(examples, check, gathered(), seeds)


@amounts
def test_boolean_mask(examples):
    def check(shape, axes, seed):
        array = numbers(seed, shape)
        mask = numbers(seed + 1, shape[: 1 + axes % len(shape)]) > 0
        agree(tf.boolean_mask(array, mask), array[mask])

    explore(examples, check, shapes, st.integers(0, 3), seeds)


@amounts
def test_where_gives_the_places(examples):
    def check(shape, seed):
        mask = numbers(seed, shape) > 0
        agree(tf.where(mask), np.argwhere(mask))

    explore(examples, check, shapes, seeds)
