"""Every op with numbers that are only known when the graph runs: traced is eager for *several* values of them.

A number of an attribute (a bound, an axis, a size) is a tensor; or the sizes of the inputs' axes are open. What is said
of shapes while tracing must hold for every value, not only for that of the sample.
"""

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.functions.function import function
from tapeviz.graphs.ir import shape_probing
from tests.ops.catalogue import gradients, host, outputs, rows, same, sources

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::scipy.linalg.LinAlgWarning")]

REFUSALS = (tf.errors.OpError, ValueError, TypeError, IndexError, NotImplementedError, MemoryError,
            RuntimeError, ArithmeticError)  # fmt: skip
"""What ops raise that do not take a number."""
UNKNOWN = ("only known when the graph runs", "known while tracing", "Cannot infer argument", "is not known")
"""What tracing says of a number that it needs."""

PLAIN = ("seed", "kind", "batch_dims", "order")
"""Attributes for which public functions take Python's numbers alone."""


def places(value, at=()):
    """Give where whole numbers are in attributes, however deep."""
    if isinstance(value, bool):
        return
    if isinstance(value, int):
        yield at
    elif isinstance(value, dict):
        for key, part in value.items():
            if key not in PLAIN:
                yield from places(part, (*at, key))
    elif isinstance(value, (tuple, list)):
        for key, part in enumerate(value):
            yield from places(part, (*at, key))
    elif isinstance(value, slice):
        for key in ("start", "stop", "step"):
            yield from places(getattr(value, key), (*at, key))


def changed(value, at, number):
    """Return attributes with another number in one place."""
    if not at:
        return number
    key, *rest = at
    if isinstance(value, slice):
        bounds = {name: getattr(value, name) for name in ("start", "stop", "step")}
        bounds[key] = changed(bounds[key], rest, number)
        return slice(bounds["start"], bounds["stop"], bounds["step"])
    if isinstance(value, dict):
        return {**value, key: changed(value[key], rest, number)}
    return type(value)(changed(part, rest, number) if place == key else part for place, part in enumerate(value))


def found_at(value, at):
    for key in at:
        value = getattr(value, key) if isinstance(value, slice) else value[key]
    return value


def thinned(table):
    """Return every fourth row as it is, the others for the night."""
    return [
        row if not place % 4 else pytest.param(*row.values, id=row.id, marks=pytest.mark.nightly)
        for place, row in enumerate(table)
    ]


def of_attributes():
    """Return a row for each number in the attributes of each sample."""
    return [
        pytest.param(*row.values, at, id=f"{row.id}-{'.'.join(map(str, at))}")
        for row in rows(lambda op: not op.effects)
        for at in places(row.values[2])
        if (row.values[0].name, *at) != ("unstack", "axis")
    ]


def computed(op, tensors, attrs):
    """Return results and gradients of them, None where the op refuses."""
    try:
        results = list(outputs(op, tensors, attrs))
        return [*results, *_gradients(op, tensors, attrs, results)]
    except REFUSALS:
        return None


def _gradients(op, tensors, attrs, results):
    if not op.vjp or not sources(op, tensors) or not all(result.dtype.is_differentiable for result in results):
        return []
    upstream = [tf.cast(tf.ones_like(result), result.dtype) for result in results]
    return [g for g in gradients(op, tensors, attrs, upstream) if g is not None]


def trace(call, specs):
    """Trace a call for tensors of these forms; None where it says that it must know a number."""
    try:
        return function(call, autograph=False).get_concrete_function(*specs)
    except REFUSALS as error:
        said = str(error)
        if any(text in said for text in UNKNOWN):
            return None
        raise


def check(concrete, given, wanted):
    """Check that what is traced gives what is wanted, twice, and has said nothing else of the shapes."""
    for _ in range(2):
        found = tf.nest.flatten(concrete(*given))
        assert len(found) == len(wanted)
        for one, other, said in zip(found, wanted, tf.nest.flatten(concrete.structured_outputs), strict=True):
            assert one.dtype == other.dtype
            assert said.shape.is_compatible_with(other.shape), f"{said.shape} was said of {other.shape}"
            assert same(one._host(), other._host())


@pytest.mark.parametrize(("op", "inputs", "attrs", "at"), thinned(of_attributes()))
def test_a_number_of_an_attribute_as_a_tensor(op, inputs, attrs, at):
    tensors = [host(array) for array in inputs]
    specs = [tf.TensorSpec([], tf.int32), *(tf.TensorSpec(x.shape, x.dtype) for x in tensors)]

    def call(number, *xs):
        given = changed(attrs, at, number._numbers()[0])
        results = list(outputs(op, xs, given))
        return [*results, *_gradients(op, xs, given, results)]

    concrete = trace(call, specs)
    if concrete is None:
        return
    known = found_at(attrs, at)
    for value in dict.fromkeys((known, known - 1, known + 1, 0, 1, 2, -1)):
        wanted = computed(op, tensors, changed(attrs, at, value))
        if wanted is not None:
            check(concrete, [tf.constant(value), *tensors], wanted)


def resized(array, sizes):
    """Return an array of other sizes: rows repeated, or left out."""
    for axis, size in enumerate(sizes):
        array = np.take(array, np.arange(size) % max(1, array.shape[axis]), axis=axis) if array.shape[axis] else array
    return array


def other_sizes(inputs):
    """Give the inputs with every axis of one size longer, shorter, of one element, or of none."""
    met = sorted({size for array in inputs for size in array.shape})
    for size in met:
        for new in dict.fromkeys((size - 1, size + 1, 2 * size, 1, 0)):
            if new >= 0:
                yield [resized(array, [new if each == size else each for each in array.shape]) for array in inputs]
    for place, array in enumerate(inputs):
        for axis, size in enumerate(array.shape):
            sizes = [*array.shape[:axis], size + 1, *array.shape[axis + 1 :]]
            yield [*inputs[:place], resized(array, sizes), *inputs[place + 1 :]]


@pytest.mark.parametrize(("op", "inputs", "attrs"), thinned(rows(lambda op: not op.effects)))
def test_what_is_said_of_open_sizes_holds_for_any(op, inputs, attrs):
    tensors = [host(array) for array in inputs]
    if not any(array.shape for array in inputs):
        return

    def call(*xs):
        results = list(outputs(op, xs, attrs))
        return [*results, *_gradients(op, xs, attrs, results)]

    concrete = trace(call, [tf.TensorSpec([None] * x.ndim, x.dtype) for x in tensors])
    if concrete is None:
        return
    for arrays in [inputs, *other_sizes(inputs)]:
        given = [host(array) for array in arrays]
        wanted = computed(op, given, attrs)
        if wanted is not None:
            check(concrete, given, wanted)


def test_what_a_rule_says_of_small_numbers_is_asked_once(monkeypatch):
    asked = []
    tried = shape_probing._tried

    def count(*args):
        asked.append(args)
        return tried(*args)

    def traced(width):
        function = tf.function(lambda x: tf.transpose(tf.concat([x, x], 0)), [tf.TensorSpec([None, width])])
        return function.get_concrete_function().outputs[0].shape.as_list()

    monkeypatch.setattr(shape_probing, "_tried", count)
    monkeypatch.setattr(shape_probing, "_kept", {})
    assert traced(3) == [3, None]
    once = len(asked)
    assert once > 0
    assert traced(3) == [3, None]
    assert len(asked) == once
    assert traced(4) == [4, None]
    assert len(asked) == 2 * once
