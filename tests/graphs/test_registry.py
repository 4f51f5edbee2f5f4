"""Traced is eager: every op, by its own samples, with sizes known while tracing and with sizes that are not.

Each twice: the first call runs node by node, the second what was written from a plan.
"""

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.functions.function import function
from tests.ops.catalogue import SEED, gradients, host, outputs, rows, same, sources, weights


def traced(call, tensors, *, open_sizes):
    """Return the call as a graph's results, traced for these tensors or for any sizes of their axes."""
    if not open_sizes:
        return function(call)
    return function(call, input_signature=[tf.TensorSpec([None] * x.ndim, x.dtype) for x in tensors])


def check_same(got, wanted):
    assert len(got) == len(wanted)
    for one, other in zip(got, wanted, strict=True):
        if other is None:
            assert one is None
            continue
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        assert same(one._host(), other._host())


@pytest.mark.parametrize("open_sizes", [False, True], ids=["static", "open"])
@pytest.mark.parametrize(("op", "inputs", "attrs"), rows())
def test_values(op, inputs, attrs, open_sizes):
    tensors = [host(array) for array in inputs]
    graph = traced(lambda *xs: list(outputs(op, xs, attrs)), tensors, open_sizes=open_sizes)
    try:
        first = graph(*tensors)
    except ValueError as error:
        # How many tensors come out is a matter of the graph itself.
        if not (open_sizes and op.many and "Cannot infer argument" in str(error)):
            raise
        return
    wanted = outputs(op, tensors, attrs)
    check_same(first, wanted)
    check_same(graph(*tensors), wanted)


@pytest.mark.slow
@pytest.mark.parametrize("open_sizes", [False, True], ids=["static", "open"])
@pytest.mark.parametrize(("op", "inputs", "attrs"), rows(lambda op: op.vjp))
def test_gradients(op, inputs, attrs, open_sizes):
    tensors = [host(array) for array in inputs]
    rng = np.random.default_rng(SEED)
    upstream = [host(array) for array in weights(outputs(op, tensors, attrs), rng)]
    if not sources(op, tensors):
        return
    wanted = gradients(op, tensors, attrs, upstream)
    inside = traced(lambda *xs: gradients(op, xs[: len(tensors)], attrs, list(xs[len(tensors) :])),
                    [*tensors, *upstream], open_sizes=open_sizes)  # fmt: skip
    try:
        first = inside(*tensors, *upstream)
    except ValueError as error:
        if not (open_sizes and op.many and "Cannot infer argument" in str(error)):
            raise
        return
    check_same(first, wanted)
    check_same(inside(*tensors, *upstream), wanted)
    around = traced(lambda *xs: list(outputs(op, xs, attrs)), tensors, open_sizes=open_sizes)
    chosen = [tensors[i] for i in sources(op, tensors)]
    for _ in range(2):
        with tf.GradientTape() as tape:
            tape.watch(chosen)
            results = around(*tensors)
        check_same(tape.gradient(results, chosen, output_gradients=upstream), wanted)
