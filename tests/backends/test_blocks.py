"""Large arrays in blocks, on several threads: equal to the bit, whatever the number of threads."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy.special import erf

import tapeviz as tf
from tapeviz.backends import NUMPY, blocks
from tapeviz.backends.numpy_kernels import error_function
from tapeviz.engine.declaration import Op, registry
from tapeviz.engine.kernels import kernel_of, large_gradient_of, large_kernel_of, raw_ops

COUNTS = (1, 2, 3, 16)
SHAPES = ((blocks.LARGE + 1,), (3, 1000, 101), (70, 5003))
LABELS = np.dtype(np.int64)


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    yield
    blocks.set_threads(0)


def sample_attrs(op: Op) -> dict[str, Any]:
    return next((dict(attrs) for _, attrs in op.samples(np.random.default_rng(0))), {})


def drawn(op: Op, shape: tuple[int, ...], dtype: str, seed: int) -> list[np.ndarray]:
    """Return large inputs; a condition is one, and labels are classes of the last axis."""
    rng = np.random.default_rng(seed)
    made = []
    for name in op.inputs:
        if "indexes" in op.traits and name == "labels":
            made.append(rng.integers(0, shape[-1], shape[:-1], dtype=LABELS))
        elif name == "condition":
            made.append(rng.random(shape) < 0.5)
        else:
            made.append(rng.uniform(0.05, 0.95, shape).astype(dtype))
    return made


def counted(function: Any) -> list[bytes]:
    """Return the bits of what a function gives, once for each number of threads."""
    found = []
    for count in COUNTS:
        blocks.set_threads(count)
        with np.errstate(all="ignore"):
            found.append(function().tobytes())
    return found


# Of SciPy's functions, which take up to a thousand times as long as the others, a few stand for all.
QUICK = {name: op for name, op in registry.items() if op.fast and not re.search("gamma|beta|bessel|zeta|fresnel", name)}
FORWARD = [name for name, op in QUICK.items() if large_kernel_of(op) is not None]
BACKWARD = [(name, key) for name, op in QUICK.items() for key in op.vjp if large_gradient_of(op, key) is not None]


def test_what_takes_long_is_cut_into_blocks():
    assert {"gelu", "silu", "where", "erf", "relu"} <= set(FORWARD)
    assert {("tanh", "x"), ("gelu", "features")} <= set(BACKWARD)
    assert not {("add", "x"), ("add", "y"), ("subtract", "x"), ("exp", "x")} & set(BACKWARD)
    assert {"exp", "log", "tanh", "pow", "sin"} <= set(FORWARD)
    assert not {"add", "multiply", "sqrt", "is_nan", "maximum", "matmul", "reduce_sum"} & set(FORWARD)


@pytest.mark.parametrize("name", FORWARD)
def test_a_kernel_in_blocks_is_equal_to_the_bit_on_any_number_of_threads(name):
    op = registry[name]
    attrs = sample_attrs(op)
    for seed, (shape, dtype) in enumerate(zip(SHAPES, ("f8", "f4", "f4"), strict=True)):
        arrays = drawn(op, shape, dtype, seed)
        with np.errstate(all="ignore"):
            whole = kernel_of(op, NUMPY)(*arrays, **attrs)
        assert set(counted(lambda: large_kernel_of(op)(*arrays, **attrs))) == {whole.tobytes()}  # noqa: B023


@pytest.mark.parametrize(("name", "key"), BACKWARD)
def test_a_gradient_in_blocks_is_equal_to_the_bit_on_any_number_of_threads(name, key):
    op, F = registry[name], raw_ops(NUMPY)
    gradient, attrs = op.vjp[key], sample_attrs(op)
    wanted = gradient.__code__.co_varnames[2 : gradient.__code__.co_argcount]
    for seed, shape in enumerate(SHAPES[1:]):
        arrays = dict(zip(op.inputs, drawn(op, shape, "f4", seed), strict=True))
        with np.errstate(all="ignore"):
            result = kernel_of(op, NUMPY)(*arrays.values(), **attrs)
        known = {**arrays, op.output: result, **attrs}
        known |= {f"{name}_spec": array for name, array in known.items() if hasattr(array, "dtype")}
        g = np.random.default_rng(9).normal(size=result.shape).astype(result.dtype)
        given = {name: known[name] for name in wanted}
        places = [value for name, value in given.items() if name not in attrs]
        rest = {name: value for name, value in given.items() if name in attrs}
        with np.errstate(all="ignore"):
            whole = gradient(F, g, *places, **rest)
        found = counted(lambda: large_gradient_of(op, key)(F, g, *places, **rest))  # noqa: B023
        assert set(found) == {whole.tobytes()}


@pytest.mark.parametrize("layout", ["F", "backwards", "short"])
def test_arrays_that_lie_otherwise_have_the_same_values(layout):
    x = np.random.default_rng(0).normal(size=(400, 300)).astype("f4")
    given = {"F": np.asfortranarray(x), "backwards": x[::-1][::-1][:, ::-1][:, ::-1], "short": x}[layout]
    y = tf.constant(0.5) if layout == "short" else tf.constant(given)
    np.testing.assert_array_equal(tf.pow(tf.abs(tf.constant(given)), y), tf.pow(tf.abs(tf.constant(x)), y))
    np.testing.assert_allclose(tf.nn.softmax(tf.constant(given)), tf.nn.softmax(tf.constant(x)), rtol=1e-6)


def test_blocks_cover_everything_once_and_are_not_short():
    for count in (1, 63, 65_537, 200_001, 1_000_000):
        for each in (1, 4, 8, 4000, 1 << 20):
            places = blocks.places_of(count, each)
            assert [place.start for place in places[1:]] == [place.stop for place in places[:-1]]
            assert places[0].start == 0
            assert places[-1].stop == count
            sizes = [place.stop - place.start for place in places]
            assert len(set(sizes[:-1])) <= 1


def test_the_first_error_of_a_block_is_raised_when_no_thread_writes_any_more():
    blocks.set_threads(4)
    busy: list[int] = []

    def compute(place: slice) -> None:
        busy.append(place.start)
        try:
            if place.start == 3:
                raise ZeroDivisionError(place.start)
            np.exp(np.ones(100_000))
        finally:
            busy.remove(place.start)

    for _ in range(20):
        with pytest.raises(ZeroDivisionError):
            blocks.run_blocks(compute, [slice(n, n + 1) for n in range(40)])
        assert not busy


def test_a_wrong_label_is_told_with_all_labels():
    labels = np.arange(300) % 1000
    labels[299] = 1000
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"outside the valid range of.*Label values: 0 1 2 3"):
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels, tf.zeros([300, 1000]))


def test_eight_threads_share_tensors():
    blocks.set_threads(3)
    x = tf.constant(np.random.default_rng(0).normal(size=(300, 1000)).astype("f4"))
    expected = [tf.nn.silu(x).numpy(), tf.nn.softmax(x).numpy(), tf.nn.gelu(x).numpy()]
    wrong: list[int] = []

    def work(number: int) -> None:
        for _ in range(5):
            found = [tf.nn.silu(x), tf.nn.softmax(x), tf.nn.gelu(x)]
            if not all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True)):
                wrong.append(number)

    workers = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_has_threads_of_its_own():
    blocks.set_threads(4)
    x = tf.constant(np.linspace(-3, 3, 500_000).astype("f4"))
    expected = tf.nn.silu(x).numpy()
    child = os.fork()
    if not child:
        right = np.array_equal(tf.nn.silu(x), expected) and len(blocks._pool.threads) == 3
        os._exit(0 if right else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_warnings_stay_off_in_all_threads():
    blocks.set_threads(3)
    x = tf.constant(np.full(400_000, -1000.0, "f4"))
    with np.errstate(all="raise"):
        assert not tf.nn.silu(x).numpy().any()  # by way of an exponential that is infinite


def test_the_error_function_is_as_exact_as_it_says():
    x = np.concatenate([np.linspace(-8, 8, 400_001), np.geomspace(1e-37, 3e38, 40_000), [np.inf, -np.inf, -0.0]])
    x = x.astype("f4")
    with np.errstate(all="ignore"):
        y = error_function(x)
    exact = erf(x.astype("f8"))
    units = np.abs(y - exact) / np.spacing(np.maximum(np.abs(exact), 1e-37).astype("f4"))
    assert units.max() <= 4
    assert units.mean() <= 1
    assert np.abs(y).max() == 1
    assert np.signbit(y[-1])
    assert np.isnan(error_function(np.full(2000, np.nan, "f4"))).all()


def test_the_number_of_threads_is_what_the_user_says():
    threading = tf.config.threading
    first = blocks.threads()
    threading.set_intra_op_parallelism_threads(3)
    assert (blocks.threads(), threading.get_intra_op_parallelism_threads()) == (3, 3)
    threading.set_intra_op_parallelism_threads(0)
    assert (blocks.threads(), threading.get_intra_op_parallelism_threads()) == (first, 0)
    threading.set_inter_op_parallelism_threads(2)
    assert threading.get_inter_op_parallelism_threads() == 2
    threading.set_inter_op_parallelism_threads(0)
    with pytest.raises(ValueError, match=r"num_threads is -1, and cannot be below 0"):
        threading.set_intra_op_parallelism_threads(-1)
