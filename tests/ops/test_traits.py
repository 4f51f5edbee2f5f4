"""What a declaration says of its op is true of the arrays: each trait against each sample of each op that has it."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.backends import NUMPY
from tapeviz.engine.declaration import Op, registry
from tapeviz.engine.kernels import kernel_of
from tapeviz.engine.tape import GradientTape
from tapeviz.engine.traits import HINTS, TRAITS
from tapeviz.graphs.ir import special_nodes
from tests.ops.catalogue import host, outputs, rows

Arrays = list[np.ndarray]
FAR, LARGE, NOTHING = 1e4, 1e30, 1e-3


def run(op: Op, arrays: Any, attrs: dict[str, Any]) -> Arrays:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [np.asarray(result._a) for result in outputs(op, [host(np.asarray(array)) for array in arrays], attrs)]


def with_numbers(arrays: Any, change: Callable[[np.ndarray, int], Any]) -> Arrays:
    """Return the inputs with those of floating-point or complex numbers changed."""
    floats = [place for place, array in enumerate(arrays) if array.dtype.kind in "fc"]
    return [change(a, k).astype(a.dtype) if k in floats else a for k, a in enumerate(arrays)]


def whole(array: np.ndarray, _slot: int = 0) -> np.ndarray:
    return np.round(array * 8)


def same(found: Arrays, expected: Any) -> None:
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def slopes(op: Op, arrays: Arrays, attrs: dict[str, Any], upstream: Any = None) -> Arrays:
    """Return the gradients by the inputs that have one."""
    tensors = [host(array) for array in arrays]
    with warnings.catch_warnings(), GradientTape() as tape:
        warnings.simplefilter("ignore")
        for tensor in tensors:
            if tensor.dtype.is_differentiable:
                tape.watch(tensor)
        y = outputs(op, tensors, attrs)[0]
        found = tape.gradient(y, tensors, output_gradients=None if upstream is None else upstream(y.numpy()))
    return [gradient.numpy() for gradient in found if gradient is not None]


# What it does with its elements.


def moves(op: Op, arrays: Arrays, attrs: dict[str, Any]) -> None:
    for made in run(op, arrays, attrs):
        pool = [array.ravel() for array in arrays if array.dtype == made.dtype]
        assert made.size == 0 or np.isin(made, np.concatenate(pool)).all()


def identity(op: Op, arrays: Arrays, attrs: dict[str, Any]) -> None:
    np.testing.assert_array_equal(run(op, arrays, attrs)[0], arrays[0], strict=True)


def reshapes(op: Op, arrays: Arrays, attrs: dict[str, Any]) -> None:
    np.testing.assert_array_equal(run(op, arrays, attrs)[0].ravel(), arrays[0].ravel(), strict=True)


def cast(op: Op, arrays: Arrays, attrs: dict[str, Any]) -> None:
    (made,) = run(op, arrays, attrs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_array_equal(made, arrays[0].astype(made.dtype), strict=True)


def selects(op: Op, arrays: Arrays, attrs: dict[str, Any]) -> None:
    np.testing.assert_array_equal(run(op, arrays, attrs)[0], np.where(*arrays))


def indexes(op: Op, arrays: Arrays, _attrs: dict[str, Any]) -> None:
    numbers = [place for place, array in enumerate(arrays) if array.dtype.kind in "iu"]
    assert numbers
    assert not any(op.inputs[place] in op.vjp for place in numbers)


def shape_only(op: Op, arrays: Arrays, attrs: dict[str, Any]) -> None:
    others = [np.roll(array, 1) if array.dtype.kind in "OSUb" else array + array.dtype.type(3) for array in arrays]
    for one, other in zip(run(op, arrays, attrs), run(op, others, attrs), strict=True):
        np.testing.assert_array_equal(one, other, strict=True)


# What it computes.


def total(op: Op, arrays: Arrays, attrs: dict[str, Any]) -> None:
    first, second = with_numbers(arrays, whole), with_numbers(arrays, lambda a, _: whole(a[::-1] if a.ndim else a))
    both = with_numbers(arrays, lambda _, k: first[k] + second[k])
    made = run(op, first, attrs)
    same(run(op, both, attrs), [one + other for one, other in zip(made, run(op, second, attrs), strict=True)])
    if any(array.dtype.kind in "fc" for array in arrays):
        assert all((np.round(part) == part).all() for part in made)


def mean(op: Op, arrays: Arrays, attrs: dict[str, Any]) -> None:
    (made,) = run(op, with_numbers(arrays, lambda a, _: np.full_like(a, 7)), attrs)
    if arrays[0].dtype.kind in "fc":
        assert set(np.unique(made)) <= {7.0, 0.0}  # an empty segment has 0


def product(op: Op, arrays: Arrays, attrs: dict[str, Any]) -> None:
    made = run(op, arrays, attrs)
    for slot, array in enumerate(arrays):
        if array.dtype.kind in "fc":
            doubled = [2 * other if place == slot else other for place, other in enumerate(arrays)]
            same(run(op, doubled, attrs), [2 * part for part in made])


def factors(op: Op, arrays: Arrays, attrs: dict[str, Any]) -> None:
    if any(array.dtype.kind == "c" for array in arrays):
        return
    first = np.abs(arrays[0].astype(np.float64)) + 0.5
    rest = [array.astype(np.float64) if array.dtype.kind in "fc" else array for array in arrays[1:]]
    one, two, three, six = (run(op, [first * factor, *rest], attrs)[0] for factor in (1.0, 2.0, 3.0, 6.0))
    np.testing.assert_allclose(six * one, two * three, rtol=1e-9)


def power(op: Op, arrays: Arrays, attrs: dict[str, Any]) -> None:
    if arrays[0].dtype.kind == "f":
        x = np.abs(arrays[0])
        same(run(op, [x, np.full_like(x, 3)], attrs), [x * x * x])


def quotient(op: Op, arrays: Arrays, attrs: dict[str, Any]) -> None:
    if arrays[-1].dtype.kind == "f":
        by_zero = [*map(np.ones_like, arrays[:-1]), np.zeros_like(arrays[-1])]
        assert not np.isfinite(run(op, by_zero, attrs)[0]).any()


def root(op: Op, arrays: Arrays, attrs: dict[str, Any]) -> None:
    if arrays[0].dtype.kind == "f":
        assert not any(np.isfinite(part).any() for part in slopes(op, [np.zeros_like(arrays[0])], attrs))


def spread(op: Op, arrays: Arrays, attrs: dict[str, Any]) -> None:
    assert not run(op, [np.full_like(arrays[0], 3)], attrs)[0].any()


def logarithm(op: Op, arrays: Arrays, attrs: dict[str, Any]) -> None:
    if arrays[-1].dtype.kind == "f":
        low = float(op.domain.split()[0])
        made = run(op, [*map(np.ones_like, arrays[:-1]), np.full_like(arrays[-1], low)], attrs)[0]
        assert (made == -np.inf).all()


def exponential(op: Op, _arrays: Arrays, attrs: dict[str, Any]) -> None:
    (made,) = run(op, [np.array([0.0, 1.0, 2.0])], attrs)
    np.testing.assert_allclose(np.diff(made), [math.e - 1, math.e**2 - math.e])


def shifted(op: Op, arrays: Arrays, attrs: dict[str, Any]) -> None:
    little = np.full(3, 1e-12)
    (made,) = run(op, [*(np.ones(3) for _ in arrays[:-1]), little], attrs)
    np.testing.assert_allclose(made, little, rtol=1e-9)


def grows_exponentially(op: Op, _arrays: Arrays, attrs: dict[str, Any]) -> None:
    (made,) = run(op, [np.array([80.0, 100.0], np.float32)], attrs)
    assert np.isfinite(made).tolist() == [True, False]


def logistic(op: Op, _arrays: Arrays, attrs: dict[str, Any]) -> None:
    x = np.linspace(-20, 20, 41)
    np.testing.assert_allclose(run(op, [x], attrs)[0], 1 / (1 + np.exp(-x)))


def bipolar(op: Op, _arrays: Arrays, attrs: dict[str, Any]) -> None:
    x = np.linspace(-20, 20, 41)
    (made,) = run(op, [x], attrs)
    np.testing.assert_allclose(made, -made[::-1], atol=1e-12)
    assert (np.diff(made) >= 0).all()
    assert 0.9 < made.max() <= 1


def softmax(op: Op, arrays: Arrays, attrs: dict[str, Any]) -> None:
    made, moved = (run(op, [*arrays[:-1], arrays[-1] + more], attrs)[0] for more in (0.0, 3.0))
    difference = np.round(moved - made, 5)
    assert not difference.any() or (difference == 3).all()


def logits(op: Op, arrays: Arrays, attrs: dict[str, Any]) -> None:
    for sign in (-1, 1):
        far = [*arrays[:-1], (sign * FAR * np.sign(arrays[-1])).astype(arrays[-1].dtype)]
        assert all(np.isfinite(made).all() for made in run(op, far, attrs))


def distribution(op: Op, arrays: Arrays, attrs: dict[str, Any]) -> None:
    (made,) = run(op, arrays, attrs)
    assert (made >= 0).all()
    np.testing.assert_allclose(made.sum(attrs.get("axis", -1)), 1.0, rtol=1e-5)


# How it rounds and where it lies.


def exact(op: Op, arrays: Arrays, attrs: dict[str, Any]) -> None:
    if any(array.dtype.kind != "f" for array in arrays):
        return
    single = [array.astype(np.float32) for array in arrays]
    (made,) = run(op, single, attrs)
    (wide,) = run(op, [array.astype(np.float64) for array in single], attrs)
    np.testing.assert_array_equal(made, wide.astype(made.dtype), strict=True)
    parts = np.reshape(np.broadcast_arrays(*single), (len(single), -1, 1))
    alone = [run(op, parts[:, at], attrs)[0][0] for at in range(parts.shape[1])]
    np.testing.assert_array_equal(made.ravel(), np.array(alone, made.dtype))


def objects(op: Op, arrays: Arrays, attrs: dict[str, Any]) -> None:
    kernel = kernel_of(op, NUMPY)
    numbers = [np.abs(np.real(whole(array))).astype(np.int64) + 1 for array in arrays if array.dtype.kind in "fciu"]
    if len(numbers) < len(arrays):
        return
    made, by_python = (kernel(*given, **attrs) for given in (numbers, [np.asarray(array, object) for array in numbers]))
    for one, other in zip(*((parts if op.many else [parts]) for parts in (made, by_python)), strict=True):
        assert np.asarray(one).tolist() == np.asarray(other).tolist()


def locates(op: Op, arrays: Arrays, attrs: dict[str, Any]) -> None:
    (array,) = arrays
    (places,) = run(op, arrays, attrs)
    found = np.take_along_axis(array, np.expand_dims(places, attrs["axis"]), attrs["axis"])
    assert places.dtype.kind == "i"
    assert found.size == places.size


def contiguous(op: Op, arrays: Arrays, attrs: dict[str, Any]) -> None:
    for given in orders(arrays):
        assert all(array.flags.c_contiguous for array in run(op, given, attrs))


def fresh(op: Op, arrays: Arrays, attrs: dict[str, Any]) -> None:
    for given in orders(arrays):
        tensors = [host(array) for array in given]
        for output in outputs(op, tensors, attrs):
            assert not any(np.may_share_memory(output._a, tensor._a) for tensor in tensors)


def view(op: Op, arrays: Arrays, attrs: dict[str, Any]) -> None:
    tensors = [host(np.ascontiguousarray(array)) for array in arrays]
    (output,) = outputs(op, tensors, attrs)
    assert output._a.size == 0 or np.shares_memory(output._a, tensors[0]._a)
    np.testing.assert_array_equal(output._a.reshape(-1), tensors[0]._a.reshape(-1))


def orders(arrays: Arrays) -> tuple[Arrays, ...]:
    """Return the arrays row by row, column by column, and backwards."""
    backwards = [array[..., ::-1].copy()[..., ::-1] if array.ndim else array for array in arrays]
    return arrays, [np.array(array, order="F") for array in arrays], backwards


# Its gradient, and what is beyond arrays.


def stops_gradient(op: Op, arrays: Arrays, attrs: dict[str, Any]) -> None:
    assert slopes(op, arrays, attrs) == []


CHECKS: dict[str, Callable[[Op, Arrays, dict[str, Any]], None]] = {
    **{check.__name__: check for check in (
        moves, identity, reshapes, cast, selects, indexes, locates, shape_only, mean, product, factors, power, quotient,
        root, spread, logarithm, exponential, shifted, grows_exponentially, logistic, bipolar, softmax, logits,
        distribution, exact, objects, contiguous, fresh, view, stops_gradient,
    )},
    "sum": total, "reads_variable": identity, "writes_variable": identity,
}  # fmt: skip
WITH_EXAMPLES = {
    "squares", "flat", "saturates", "custom_gradient", "sized_gradient", "source", "lies_like_input", "uneven",
    "converts_apart", "joins_strings", "replicated",
}  # fmt: skip


@pytest.mark.parametrize("trait", CHECKS)
def test_a_trait_holds_for_each_sample(trait):
    ops = [op for op in registry.values() if trait in op.traits | op.hints]
    assert ops
    for row in rows(lambda op: trait in op.traits | op.hints):
        op, inputs, attrs = row.values
        CHECKS[trait](op, [np.asarray(array) for array in inputs], attrs)


def test_each_trait_is_checked():
    assert CHECKS.keys() | WITH_EXAMPLES == TRAITS.keys() | HINTS.keys()


def with_trait(trait: str) -> list[str]:
    return [name for name, op in registry.items() if trait in op.traits]


def samples(name: str) -> list[tuple[Arrays, dict[str, Any]]]:
    """Return the samples of floating-point numbers of an op."""
    every = [row.values for row in rows(lambda op: op.name == name)]
    found = [([np.asarray(array) for array in inputs], attrs) for _, inputs, attrs in every]
    return [(arrays, attrs) for arrays, attrs in found if any(array.dtype.kind == "f" for array in arrays)]


@pytest.mark.parametrize("name", with_trait("squares"))
def test_squares_are_too_large_before_what_is_squared_is(name):
    def large(array: np.ndarray, slot: int) -> np.ndarray:
        signs = np.resize([1.0, -1.0], array.size).reshape(array.shape)
        return signs * LARGE * (-1) ** slot

    found = [
        run(registry[name], [large(array, slot).astype(np.float32) for slot, array in enumerate(arrays)], attrs)[0]
        for arrays, attrs in samples(name)
    ]
    assert any(np.isinf(part).any() for part in found)


@pytest.mark.parametrize("name", with_trait("flat"))
def test_what_is_flat_somewhere_has_gradients_of_0(name):
    found = []
    for arrays, attrs in samples(name):
        for sign in (10, -10):
            given = with_numbers(arrays, lambda array, slot, sign=sign: array if slot else array * sign)
            found += [part.ravel() for part in slopes(registry[name], given, attrs)]
    zero = np.concatenate(found) == 0
    assert zero.any()
    assert not zero.all()


@pytest.mark.parametrize("name", with_trait("saturates"))
def test_what_saturates_has_no_slope_far_from_0(name):
    found = []
    for (x, *_), attrs in samples(name):
        for far in (x * FAR, -x * FAR):
            for place in (far.argmax(), far.argmin()):
                alone = np.eye(far.size, dtype=far.dtype)[place].reshape(far.shape)
                found += slopes(registry[name], [far], attrs, lambda _, alone=alone: tf.constant(alone))
    assert any((np.abs(part) < NOTHING).all() for part in found)


@pytest.mark.parametrize("name", with_trait("sized_gradient"))
def test_sizes_decide_the_program_of_a_gradient(name):
    op = registry[name]
    programs = set()
    for shape in ((2, 2), (3, 3), (9, 9), (2, 3)):
        x = np.eye(*shape) * 2 + 0.1 * np.random.default_rng(0).uniform(size=shape)
        attrs = samples(name)[0][1]
        try:
            with tf.record() as tape, GradientTape() as outer:
                tensor = host(x)
                outer.watch(tensor)
                with GradientTape() as inner:
                    inner.watch(tensor)
                    y = outputs(op, [tensor], attrs)[0]
                inner.gradient(y, tensor)
        except (tf.errors.InvalidArgumentError, ValueError, NotImplementedError):
            continue  # square matrices alone
        events, names = tape.recording.events, tape.recording.ops.name
        rows = zip(events.op.tolist(), events.params.tolist(), strict=True)
        programs.add(tuple((names[op], tape.recording.text(params)) for op, params in rows if op >= 0))
    assert len(programs) > 1


def test_a_gradient_of_the_users_own():
    @tf.custom_gradient
    def sevenfold(x):
        return x * 2.0, lambda upstream: upstream * 7.0

    x = tf.constant(1.0)
    with tf.record() as recorded, GradientTape() as tape:
        tape.watch(x)
        y = sevenfold(x)
        assert float(tape.gradient(y, x)) == 7.0
    assert with_trait("custom_gradient") == ["custom_gradient"]
    assert "custom_gradient" in recorded.recording.ops.name


@pytest.mark.parametrize("trait", ["reads_variable", "writes_variable"])
def test_a_variable_is_read_and_written_by_the_op_that_says_so(trait):
    variable = tf.Variable(2.0)
    act = variable.read_value if trait == "reads_variable" else lambda: variable.assign(3.0)
    with tf.record() as tape:
        act()
    ops = tape.recording.ops
    assert [name for name, traits in zip(ops.name, ops.traits, strict=True) if trait in traits.split()] == with_trait(
        trait
    )

    assert trait in (special_nodes.READ if trait == "reads_variable" else special_nodes.ASSIGN).traits


def test_what_a_graph_is_given_says_so():
    outside = tf.constant([1.0])

    @tf.function
    def traced(x):
        return x * 2.0 + outside

    with tf.record() as tape:
        traced(tf.constant([1.0]))
    recording = tape.recording
    nodes, edges = recording.nodes, recording.node_edges
    takes = set(edges.target.tolist())
    for number, op in zip(nodes.number.tolist(), nodes.op.tolist(), strict=True):
        assert ("source" in recording.ops.traits[op].split()) == (number not in takes)


@pytest.mark.parametrize("name", [name for name, op in registry.items() if op.domain])
def test_outside_its_domain_an_op_gives_nan(name):
    op = registry[name]
    low, high = map(float, op.domain.split())
    assert low < high
    ones = [np.ones(1) for _ in op.inputs[1:]]

    def at(x: float) -> Any:
        return run(op, [*ones, np.array([x])], {})[0][0]

    def slope(x: float) -> float:
        return float(slopes(op, [*ones, np.array([x])], {})[-1][0])

    inside = low + min(0.5, (high - low) / 3)
    assert np.isfinite([at(inside), slope(inside)]).all()
    for end, beyond in ((low, low - 0.5), (high, high + 0.5)):
        if math.isfinite(end):
            assert np.isnan(at(beyond)), beyond
            assert not (np.isfinite(at(end)) and np.isfinite(slope(end)))


@pytest.mark.parametrize("name", [name for name, op in registry.items() if op.surrogate])
def test_what_stands_in_is_said_of_ops_without_a_gradient(name):
    assert not any(
        np.abs(part).any() for arrays, attrs in samples(name) for part in slopes(registry[name], arrays, attrs)
    )


def lying(op: Op) -> tuple[bool, bool]:
    """Return whether an output lies column by column, or backwards, for samples and an input that lie so."""
    samples = [row.values[1:] for row in rows(lambda other: other is op)]
    made = [
        output
        for inputs, attrs in samples
        if not attrs.get("reverse")
        for given in orders([np.asarray(array) for array in inputs])[1:]
        for output in run(op, given, attrs)
        if output.size
    ]
    steps = [{step for step, size in zip(a.strides, a.shape, strict=True) if size > 1} for a in made]
    return not all(a.flags.c_contiguous for a in made), any(min(each, default=0) < 0 for each in steps)


@pytest.mark.parametrize("name", sorted(registry))
def test_what_may_lie_as_its_input_does_says_so(name):
    op = registry[name]
    turned, backwards = lying(op)
    if "lies_like_input" in op.hints:
        assert turned or backwards
    elif not op.aliases:
        assert not backwards


def goes_evenly(op: Op, arrays: Arrays, attrs: dict[str, Any]) -> bool:
    (output,) = run(op, arrays, attrs)
    dtypes = {array.dtype for array in arrays} | ({output.dtype} - {np.dtype(bool)})
    return len(dtypes) == 1 and all(np.broadcast(array, output).shape == output.shape for array in arrays)


@pytest.mark.parametrize("name", [name for name, op in registry.items() if op.family == "elementwise" and not op.many])
def test_what_goes_element_by_element_otherwise_than_one_loop_over_all_says_so(name):
    op = registry[name]
    samples = [([np.asarray(array) for array in row.values[1]], row.values[2]) for row in rows(lambda o: o is op)]
    if op.name == "bias_add":  # channels in the middle
        assert "uneven" in op.hints
    elif "uneven" in op.hints:
        assert not all(goes_evenly(op, arrays, attrs) for arrays, attrs in samples)
    else:
        assert all(goes_evenly(op, arrays, attrs) for arrays, attrs in samples if arrays[0].dtype.kind != "c")


@pytest.mark.parametrize("name", [name for name, op in registry.items() if len(op.inputs) > 1 and op.groups[0] == (1,)])
def test_python_values_become_tensors_apart_where_an_op_says_so(name):
    op = registry[name]
    if not {np.dtype("f4"), np.dtype("i4")} <= set(op.types[op.inputs[0]] or ()):
        return
    with pytest.raises((tf.errors.InvalidArgumentError, TypeError)) as caught:
        op.run(tf.constant([[1]]), [[2.5]])
    assert isinstance(caught.value, tf.errors.InvalidArgumentError) is ("converts_apart" in op.hints)
