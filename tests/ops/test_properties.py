"""What holds for every op, by its own samples: adding an op adds these tests and no test code."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.backends import register
from tapeviz.backends.strict import StrictBackend
from tapeviz.engine import rules
from tapeviz.engine.state import observing, placed_on
from tapeviz.engine.tensor import wrap
from tests.ops.catalogue import SEED, drawn, gradients, host, outputs, rows, same, sources, spec, steps, weights

STEP = 1e-6
STRICT = StrictBackend()
register(STRICT)


@pytest.fixture
def rng():
    return np.random.default_rng(SEED + 1)


@pytest.mark.parametrize(("op", "inputs", "attrs"), rows())
def test_the_inferred_spec_is_the_values_spec(op, inputs, attrs):
    tensors = [host(array) for array in inputs]
    inferred = op.infer(*map(spec, tensors), **attrs)
    for wanted, result in zip(inferred if op.many else (inferred,), outputs(op, tensors, attrs), strict=True):
        got = spec(result)
        assert got.dtype == wanted.dtype
        assert len(got.shape) == len(wanted.shape)
        known = [size != rules.UNKNOWN for size in wanted.shape]
        assert [s for s, k in zip(got.shape, known, strict=True) if k] == [
            s for s in wanted.shape if s != rules.UNKNOWN
        ]


def _moved(inputs, chosen, directions, step):
    arrays = list(inputs)
    for position, direction in zip(chosen, directions, strict=True):
        arrays[position] = arrays[position] + step * direction
    return [host(array) for array in arrays]


def _slope(function, inputs, chosen, directions):
    """Return the directional derivative of a number by a central difference."""
    ahead, behind = (function(_moved(inputs, chosen, directions, step)) for step in (STEP, -STEP))
    return (ahead - behind) / (2 * STEP)


def _along(found, directions):
    """Return what the step in these directions adds: for complex numbers the real part, as TensorFlow's gradients."""
    return sum(float(np.vdot(g, d).real) for g, d in zip(found, directions, strict=True) if g is not None)


@pytest.mark.parametrize(("op", "inputs", "attrs"), rows(lambda op: op.vjp))
def test_the_gradient_is_the_slope(op, inputs, attrs, rng):
    tensors = [host(array) for array in inputs]
    chosen = sources(op, tensors)
    upstream = weights(outputs(op, tensors, attrs), rng)
    directions = steps(op, inputs, chosen, rng)

    def value(moved):
        return _along(outputs(op, moved, attrs), upstream)

    assert chosen
    found = gradients(op, tensors, attrs, upstream)
    assert [g.shape for g in found] == [tensors[i].shape for i in chosen]
    assert [g.dtype for g in found] == [tensors[i].dtype for i in chosen]
    assert _along(found, directions) == pytest.approx(_slope(value, inputs, chosen, directions), rel=1e-6, abs=1e-7)


@pytest.mark.parametrize(("op", "inputs", "attrs"), rows(lambda op: op.vjp))
def test_the_second_gradient_is_the_slope_of_the_first(op, inputs, attrs, rng):
    tensors = [host(array) for array in inputs]
    chosen = sources(op, tensors)
    upstream = weights(outputs(op, tensors, attrs), rng)
    factors = [drawn(rng.normal, inputs[i].shape, inputs[i].dtype) for i in chosen]
    directions = steps(op, inputs, chosen, rng)

    def value(moved):
        return _along(gradients(op, moved, attrs, upstream), factors)

    watched = [tensors[i] for i in chosen]
    with tf.GradientTape() as outer:
        outer.watch(watched)
        first = gradients(op, tensors, attrs, upstream)
        total = tf.add_n([tf.reduce_sum(tf.math.real(g * f.conj())) for g, f in zip(first, factors, strict=True)])
    second = outer.gradient(total, watched)
    assert _along(second, directions) == pytest.approx(_slope(value, inputs, chosen, directions), rel=1e-5, abs=1e-6)


@pytest.mark.parametrize(("op", "inputs", "attrs"), rows(lambda op: op.vjp))
def test_forward_mode_is_the_slope_and_the_transpose_of_the_gradient(op, inputs, attrs, rng):
    tensors = [host(array) for array in inputs]
    chosen = sources(op, tensors)
    directions = steps(op, inputs, chosen, rng)
    with tf.autodiff.ForwardAccumulator([tensors[i] for i in chosen], directions) as accumulator:
        results = outputs(op, tensors, attrs)
    upstream = weights(results, rng)

    def value(moved):
        return _along(outputs(op, moved, attrs), upstream)

    forward = _along(accumulator.jvp(list(results)), upstream)
    assert forward == pytest.approx(_along(gradients(op, tensors, attrs, upstream), directions), rel=1e-9, abs=1e-12)
    assert forward == pytest.approx(_slope(value, inputs, chosen, directions), rel=1e-6, abs=1e-7)


class Nobody:
    """An observer that is told everything and does nothing."""

    on_addend = None

    def __getattr__(self, _name):
        return lambda *_args: None


@pytest.mark.parametrize(("op", "inputs", "attrs"), rows())
def test_watched_is_unwatched_to_the_bit(op, inputs, attrs, rng):
    tensors = [host(array) for array in inputs]
    plain = outputs(op, tensors, attrs)
    with observing(Nobody()):
        observed = outputs(op, tensors, attrs)
    with tf.GradientTape() as tape:
        tape.watch([tensor for tensor in tensors if tensor.dtype.is_differentiable])
        taped = outputs(op, tensors, attrs)
    for one, other, third in zip(plain, observed, taped, strict=True):
        assert same(one.numpy(), other.numpy())
        assert same(one.numpy(), third.numpy())
    if op.vjp:
        upstream = weights(plain, rng)
        alone = gradients(op, tensors, attrs, upstream)
        with observing(Nobody()):
            seen = gradients(op, tensors, attrs, upstream)
        with tf.GradientTape():  # an outer tape makes the backward pass run on recorded ops
            recorded = gradients(op, tensors, attrs, upstream)
        for one, other, third in zip(alone, seen, recorded, strict=True):
            assert same(one.numpy(), other.numpy())
            assert same(one.numpy(), third.numpy())


@pytest.mark.parametrize(("op", "inputs", "attrs"), rows())
def test_the_strict_device_gives_the_hosts_bits(op, inputs, attrs, rng):
    tensors = [host(array) for array in inputs]
    plain = outputs(op, tensors, attrs)
    upstream = weights(plain, rng)
    with placed_on(STRICT):
        there = [wrap(STRICT.from_host(array)) for array in inputs]
        results = outputs(op, there, attrs)
        assert {result.device for result in results} == {STRICT.device}
        for one, other in zip(plain, results, strict=True):
            assert same(one.numpy(), other.numpy())
        if op.vjp:
            sent = [wrap(STRICT.from_host(w)) for w in upstream]
            found = gradients(op, there, attrs, sent)
            with tf.GradientTape():
                recorded = gradients(op, there, attrs, sent)
    if op.vjp:
        for one, other, third in zip(gradients(op, tensors, attrs, upstream), found, recorded, strict=True):
            assert same(one.numpy(), other.numpy())
            assert same(one.numpy(), third.numpy())


def test_a_recording_changes_no_bit_of_any_op():
    samples = [row.values for row in rows(lambda op: op.family != "variable")]
    plain = [[y.numpy() for y in outputs(op, map(host, inputs), attrs)] for op, inputs, attrs in samples]
    with tf.record(values="stats"):
        recorded = [outputs(op, [host(array) for array in inputs], attrs) for op, inputs, attrs in samples]
    for one, other in zip(plain, recorded, strict=True):
        assert all(same(x, y.numpy()) for x, y in zip(one, other, strict=True))


def _in_less_precision():
    return [
        pytest.param(*row.values, dtype, id=f"{row.id}-{dtype.name}")
        for row in rows(lambda op: op.family != "variable")
        for dtype in (np.dtype(np.float32), np.dtype(np.float16))
        if any(array.dtype == np.float64 for array in row.values[1]) and _takes(row.values[0], dtype)
    ]


def _takes(op, dtype):
    """Tell whether the op takes ``dtype`` for all inputs that can be float64."""
    sets = [types for types in op.types.values() if isinstance(types, frozenset) and np.dtype(np.float64) in types]
    return all(dtype in types for types in sets)


@pytest.mark.parametrize(("op", "inputs", "attrs", "dtype"), _in_less_precision())
def test_no_dtype_is_widened_on_the_way(op, inputs, attrs, dtype, rng):
    tensors = [host(array.astype(dtype) if array.dtype == np.float64 else array) for array in inputs]
    results = outputs(op, tensors, attrs)
    inferred = op.infer(*map(spec, tensors), **attrs)
    assert [y.dtype.numpy for y in results] == [s.dtype for s in (inferred if op.many else (inferred,))]
    if op.vjp and all(y.dtype.is_floating for y in results):
        upstream = weights(results, rng)
        with tf.GradientTape():
            recorded = gradients(op, tensors, attrs, upstream)
        for found in (gradients(op, tensors, attrs, upstream), recorded):
            assert {g.dtype for g in found} == {tensors[i].dtype for i in sources(op, tensors)}


@pytest.mark.parametrize(("op", "inputs", "attrs"), [row for row in rows() if any(a.ndim > 1 for a in row.values[1])])
def test_the_layout_in_memory_makes_no_difference(op, inputs, attrs, rng):
    plain = [host(array) for array in inputs]
    strange = [wrap(np.asfortranarray(np.repeat(array, 2, -1)[..., ::2]) if array.ndim else array) for array in inputs]
    results, others = outputs(op, plain, attrs), outputs(op, strange, attrs)
    for one, other in zip(results, others, strict=True):
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-13)
    if op.vjp:
        upstream = weights(results, rng)
        found = zip(gradients(op, plain, attrs, upstream), gradients(op, strange, attrs, upstream), strict=True)
        for one, other in found:
            np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(("op", "inputs", "attrs"), rows(lambda op: op.vjp and not op.effects))
def test_gradients_have_the_dtype_of_their_inputs(op, inputs, attrs):
    for dtype in (tf.bfloat16, tf.float16):
        tensors = [tf.cast(tf.constant(x), dtype) if x.dtype == np.float64 else tf.constant(x) for x in inputs]
        watched = [tensor for tensor in tensors if tensor.dtype is dtype]
        try:
            with tf.GradientTape() as tape:
                tape.watch(watched)
                results = outputs(op, tensors, attrs)
        except (TypeError, ValueError, tf.errors.OpError):
            continue  # it has no such dtype
        found = tape.gradient(list(results), watched)
        assert [gradient.dtype for gradient in found if gradient is not None] == [
            dtype for gradient in found if gradient is not None
        ]
