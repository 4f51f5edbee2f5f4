"""Every op that refuses its inputs says which op, which shapes and which axis."""

from __future__ import annotations

import re

import numpy as np
import pytest

import tapeviz as tf
import tapeviz.ops
from tapeviz.engine import rules
from tapeviz.engine.declaration import registry
from tests.ops.catalogue import SEED, host

ELEMENTWISE = [name for name, op in registry.items() if op.infer in (rules.broadcast, rules.comparison)]
TYPED = [name for name, op in registry.items() if isinstance(next(iter(op.types.values()), None), frozenset)]


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_shapes_that_do_not_broadcast(name):
    op = registry[name]
    (first, *_), attrs = op.samples(np.random.default_rng(SEED))[0]
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        op.run(host(np.ones((2, 3), first.dtype)), host(np.ones(4, first.dtype)), **attrs)
    message = str(caught.value)
    for part in (f"[Op:{op.tf_name}]", "[2,3]", "[4]", "axis -1 has sizes 3 and 4", "test_errors.py"):
        assert part in message
    assert caught.value.op == name


@pytest.mark.parametrize("name", TYPED)
def test_a_dtype_that_the_op_does_not_take(name):
    op = registry[name]
    inputs, attrs = op.samples(np.random.default_rng(SEED))[0]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"string|list of allowed values") as caught:
        op.run(tf.constant("text"), *map(host, inputs[1:]), **attrs)
    assert f"[Op:{op.tf_name}]" in str(caught.value)


@pytest.mark.parametrize(
    "name", [name for name in ELEMENTWISE if registry[name].types[registry[name].inputs[1]] is not None]
)
def test_dtypes_that_differ(name):
    op = registry[name]
    (first, second, *_), attrs = op.samples(np.random.default_rng(SEED))[0]
    other = np.int64 if first.dtype == np.int32 else np.float32
    if first.dtype == bool:
        return
    with pytest.raises(tf.errors.InvalidArgumentError, match="was expected to be a"):
        op.run(host(first), host(second.astype(other)), **attrs)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tf.gather([1.0, 2.0], 7), "indices = 7 is not in [0, 2)"),
        (lambda: tf.gather([1.0, 2.0], [0, 7]), "indices[1] = 7 is not in [0, 2)"),
        (lambda: tf.gather_nd([1.0, 2.0], [7]), "indices = [7] does not index into param shape [2]"),
        (lambda: tf.scatter_nd([9], 3.0, [4]), "indices = [9] does not index into shape [4]"),
        (lambda: tf.math.unsorted_segment_sum(3.0, 7, 4), "segment_ids = 7 is out of range [0, 4)"),
    ],
)
def test_an_index_without_axes_that_is_outside_is_named(call, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match="^" + re.escape(message)):  # the line is quoted too
        call()
