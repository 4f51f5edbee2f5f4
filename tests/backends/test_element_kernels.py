"""Kernels of elements give what NumPy gives, to the bit: relu, its gradient, casts to half precision and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tapeviz as tf
from tapeviz.backends import blocks, fused_steps
from tapeviz.native.kernels import Kernel
from tapeviz.process.background import Job
from tests.backends.compilation import compiled_kernels

FUNCTIONS = {
    "relu": tf.nn.relu,
    "to half": lambda x: tf.cast(x, "float16"),
    "from half": lambda x: tf.cast(tf.cast(x, "float16"), "float32"),
}
SIZES = (blocks.LARGE, blocks.LARGE + 1, 300_007, 1_000_000)
NUMBERS = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, 6e-8, 3e-8, 65504.0, 65520.0, 1e38, -1e38]


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    yield
    blocks.set_threads(0)


def values_of(name: str, x: np.ndarray, g: np.ndarray) -> list[bytes]:
    """Return the bits of a function's value and of its gradient."""
    tensor = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(tensor)
        y = FUNCTIONS[name](tensor)
    with np.errstate(over="ignore"):
        upstream = tf.constant(g.astype(y.dtype.name))
    gradient = tape.gradient(y, tensor, upstream)
    return [np.asarray(y).tobytes(), np.asarray(gradient).tobytes()]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_kernels_give_what_numpy_gives_on_any_number_of_threads(name, size):
    rng = np.random.default_rng(size)
    x, g = (rng.normal(size=size).astype("f4") for _ in range(2))
    for array in (x, g):
        array[rng.integers(0, size, len(NUMBERS))] = NUMBERS
    with compiled_kernels(wanted=False):
        wanted = values_of(name, x, g)
    for count in (1, 2, 3, 16):
        blocks.set_threads(count)
        with compiled_kernels(wanted=True) as used:
            assert values_of(name, x, g) == wanted
            assert used


@settings(max_examples=25, deadline=None)
@given(start=st.integers(0, 2**32 - 1), step=st.integers(1, 2**20), sign=st.booleans())
def test_all_bits_of_single_precision_become_those_of_half_precision_that_numpy_gives(start, step, sign):
    bits = np.arange(blocks.LARGE, dtype=np.uint32) * np.uint32(step) + np.uint32(start)
    x = (bits | np.uint32(0x8000_0000 * sign)).view("f4")
    with compiled_kernels(wanted=True):
        half = np.asarray(tf.cast(tf.constant(x), "float16"))
    with np.errstate(all="ignore"):
        assert half.tobytes() == x.astype("f2").tobytes()


def test_every_number_of_half_precision_becomes_the_one_of_single_precision():
    x = np.arange(1 << 16, dtype=np.uint16).view("f2")
    with compiled_kernels(wanted=True) as used:
        assert np.asarray(tf.cast(tf.constant(x), "float32")).tobytes() == x.astype("f4").tobytes()
        assert used


def test_results_larger_than_the_cache_are_stored_past_it_to_the_same_bits(monkeypatch):
    monkeypatch.setattr(fused_steps, "_BEYOND", 0)
    x = np.random.default_rng(0).normal(size=(blocks.LARGE + 13,)).astype("f4")
    for shift in range(16):  # wherever the first whole line of the cache begins
        given = x[shift:]
        with compiled_kernels(wanted=True):
            assert np.asarray(tf.nn.relu(tf.constant(given))).tobytes() == np.maximum(given, 0).tobytes()


def test_a_kernel_is_compiled_beside_the_program_after_some_calls(monkeypatch):
    jobs = []

    def done(function: Callable[[], object]) -> Job:
        jobs.append(Job(function))
        jobs[-1].run()
        return jobs[-1]

    monkeypatch.setattr("tapeviz.native.kernels.in_background", done)
    kernel = Kernel(lambda: "no text of LLVM's")
    assert not any(kernel.ready() for _ in range(40))
    assert len(jobs) == 1  # what cannot be compiled is not tried again


def test_without_a_compiler_nothing_is_compiled(monkeypatch):
    monkeypatch.setattr("tapeviz.native.kernels.is_installed", lambda: False)
    monkeypatch.setattr("tapeviz.native.kernels.in_background", lambda _function: pytest.fail("compiled"))
    kernel = Kernel(lambda: "")
    assert not any(kernel.ready() for _ in range(40))
