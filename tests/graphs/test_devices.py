"""Graphs on another device than the host: every op traced there gives what it gives eagerly, and stays there."""

import numpy as np
import pytest

from tapeviz.backends import register
from tapeviz.backends.strict import StrictBackend
from tapeviz.engine.tensor import wrap
from tapeviz.functions.function import function
from tests.ops.catalogue import SEED, gradients, host, outputs, rows, same, sources, weights

STRICT = StrictBackend()
register(STRICT)
TAKEN = [
    row for row in rows(lambda op: bool(op.inputs))
    if row.values[1] and all(STRICT.takes(np.asarray(array).dtype) for array in row.values[1])
]  # fmt: skip


def there(arrays):
    return [wrap(STRICT.from_host(np.array(array))) for array in arrays]


@pytest.mark.slow
@pytest.mark.parametrize(("op", "inputs", "attrs"), TAKEN)
def test_values_and_gradients(op, inputs, attrs):
    tensors = there(inputs)
    wanted = outputs(op, [host(array) for array in inputs], attrs)
    eager = outputs(op, tensors, attrs)
    found = function(lambda *xs: list(outputs(op, xs, attrs)))(*tensors)
    for one, other, reference in zip(found, eager, wanted, strict=True):
        assert one._backend is other._backend
        assert same(one._host(), reference._host())
    if not op.vjp or not sources(op, tensors):
        return
    upstream = there(weights(wanted, np.random.default_rng(SEED)))
    inside = function(lambda *xs: gradients(op, xs[: len(tensors)], attrs, list(xs[len(tensors) :])))
    for one, other in zip(inside(*tensors, *upstream), gradients(op, tensors, attrs, upstream), strict=True):
        assert (one is None) == (other is None)
        assert one is None or same(one._host(), other._host())
