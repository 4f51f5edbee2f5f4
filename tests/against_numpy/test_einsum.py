"""Einstein sums are NumPy's, in any number of operands, with repeated letters, ``...`` and implicit results."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

import tapeviz as tf
from tests.against_numpy.example_counts import agree, amounts, explore, numbers, seeds

LETTERS = "abcd"


@st.composite
def equations(draw):
    """Return an equation and the shapes of its operands."""
    sizes = {letter: draw(st.integers(1, 3)) for letter in LETTERS}
    terms = draw(st.lists(st.text(LETTERS, min_size=0, max_size=3), min_size=1, max_size=3))
    used = sorted(set("".join(terms)))
    result = "".join(draw(st.lists(st.sampled_from(used), unique=True)) if used else [])
    equation = ",".join(terms) + (f"->{result}" if draw(st.booleans()) or not any(terms) else "")
    return equation, [tuple(sizes[letter] for letter in term) for term in terms]


@amounts
def test_values(examples):
    def check(example, seed):
        equation, shapes = example
        arrays = [numbers(seed + i, shape) for i, shape in enumerate(shapes)]
        agree(tf.einsum(equation, *arrays), np.einsum(equation, *arrays), exact=False)

    explore(examples, check, equations(), seeds)


@amounts
def test_gradients_are_slopes(examples):
    def check(example, seed):
        equation, shapes = example
        tensors = [tf.constant(numbers(seed + i, shape)) for i, shape in enumerate(shapes)]
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            result = tf.einsum(equation, *tensors)
        upstream = numbers(seed + 7, tuple(result.shape))
        found = tape.gradient(result, tensors, upstream)
        # An Einstein sum is linear in each operand: its value is what the gradient by that operand says of it.
        value = float(np.sum(result.numpy() * upstream))
        for tensor, gradient in zip(tensors, found, strict=True):
            assert gradient.shape == tensor.shape
            np.testing.assert_allclose(np.sum(gradient.numpy() * tensor.numpy()), value, rtol=1e-9, atol=1e-9)

    explore(examples, check, equations(), seeds)
