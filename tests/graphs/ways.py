"""The ways in which a program and its gradients can be computed, which must agree."""

import numpy as np

import tapeviz as tf

RTOL = 2e-5


def derived(f, tensors):
    """Return what ``f`` gives, its gradients, and the gradients of these, all as NumPy arrays."""
    with tf.GradientTape() as outer:
        outer.watch(tensors)
        with tf.GradientTape() as inner:
            inner.watch(tensors)
            results = f(*tensors)
        first = inner.gradient(results, tensors, unconnected_gradients="zero")
    return results, first, outer.gradient(first, tensors, unconnected_gradients="zero")


def agree(found, wanted):
    """Check that two structures of tensors have the same values."""
    ours, theirs = tf.nest.flatten(found), tf.nest.flatten(wanted)
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=RTOL, atol=1e-6)


def check(f, *tensors):
    """Check that ``f`` is the same eagerly, traced with its tapes, traced under tapes, and traced for any sizes."""
    wanted = derived(f, tensors)
    agree(tf.function(lambda *xs: derived(f, xs))(*tensors), wanted)
    graph = tf.function(f)
    agree(graph(*tensors), wanted[0])  # no tape asks for what gradients need
    agree(derived(graph, tensors), wanted)
    agree(graph(*tensors), wanted[0])
    signature = [tf.TensorSpec([None] * x.ndim, x.dtype) for x in tensors]
    agree(tf.function(lambda *xs: derived(f, xs), input_signature=signature)(*tensors), wanted)
