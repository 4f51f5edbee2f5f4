"""Each program of the table gives the same eager, traced and differentiated."""

import pytest

import tapeviz as tf
from tests.autograph.every_program import assert_same, ids, programs, tensors
from tests.autograph.tracing import traced


def gradients(function, x, *others):
    """The results, and the gradient of the sum of what is floating among them by the first argument."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        results = function(x, *others)
        floats = [part for part in tf.nest.flatten(results) if tf.is_tensor(part) and part.dtype.is_floating]
        total = tf.add_n([tf.reduce_sum(part) for part in floats])
    return results, tape.gradient(total, x, unconnected_gradients="zero")


@pytest.mark.parametrize("program", programs, ids=ids)
def test_eager_as_traced_as_differentiated(program):
    graph = traced(program.function)
    inside = traced(lambda *given: gradients(program.function, *given))
    for arguments in program.calls:
        given = tensors(program, arguments)
        assert_same(graph(*given), program.function(*given))
        if program.differentiable:
            wanted = gradients(program.function, *given)
            assert_same(gradients(graph, *given), wanted)
            assert_same(inside(*given), wanted)
