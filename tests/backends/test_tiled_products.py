"""Products of large matrices: the same bits whichever way the matrices lie, on any number of threads, and in graphs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.backends import blocks, tiled_products
from tapeviz.native import transposition
from tapeviz.ops.linalg import matmul

SIZES = ((256, 300, 200), (65, 517, 199), (70, 6000, 70), (4000, 33, 80), (130, 2049, 16), (67, 4096, 64))


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    yield
    blocks.set_threads(0)


@pytest.fixture(autouse=True)
def everywhere(monkeypatch) -> None:
    """Also where BLAS would be as fast."""
    monkeypatch.setattr(tiled_products, "_WIDE", 0)
    monkeypatch.setattr(tiled_products, "is_for_older_processors", lambda: True)


def drawn(sizes: tuple[int, int, int], dtype: str) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    rows, inner, columns = sizes
    return rng.normal(size=(rows, inner)).astype(dtype), rng.normal(size=(inner, columns)).astype(dtype)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("sizes", SIZES)
def test_bits_follow_neither_threads_nor_how_matrices_lie(sizes, dtype):
    a, b = drawn(sizes, dtype)
    found = []
    for number in (1, 2, 3, 16):
        blocks.set_threads(number)
        for first in (a, np.asfortranarray(a), np.repeat(a, 2, axis=1)[:, ::2]):
            found += [tiled_products.product(first, second) for second in (b, np.asfortranarray(b))]
    assert all(one.tobytes() == found[0].tobytes() for one in found)
    exact = a.astype("f8") @ b.astype("f8")
    np.testing.assert_allclose(found[0], exact, rtol=0, atol=1e-5 * sizes[1] if dtype == "f4" else 1e-10)


@pytest.mark.parametrize("turned", [(False, False), (False, True), (True, False), (True, True)])
def test_graphs_compute_the_same(turned):
    a, b = drawn((256, 300, 200), "f4")
    x, y = (tf.constant(m.T if flag else m) for m, flag in zip((a, b), turned, strict=True))

    def with_gradients(x: Any, y: Any) -> list[Any]:
        with tf.GradientTape() as tape:
            tape.watch((x, y))
            z = tf.matmul(x, y, *turned)
        return [z, *tape.gradient(z, (x, y), 1.0 + z)]

    expected = [value.numpy().tobytes() for value in with_gradients(x, y)]
    assert expected[0] == tiled_products.product(a, b).tobytes()
    for compiled in (False, True):
        traced = tf.function(with_gradients, jit_compile=compiled)
        for _ in range(3):
            assert [value.numpy().tobytes() for value in traced(x, y)] == expected


def test_an_einsum_of_two_matrices_is_their_product():
    a, b = drawn((256, 300, 200), "f4")
    made = tf.einsum("abc,cde->abde", a.reshape(4, 64, 300), b.reshape(300, 20, 10))
    assert made.numpy().tobytes() == tiled_products.product(a, b).tobytes()


def test_small_and_strange_products_are_left_to_blas(monkeypatch):
    a, b = drawn((256, 300, 200), "f4")
    for first, second in (
        (a[:16], b), (a[:63].repeat(100, axis=1), b.repeat(100, axis=0)), (a, b.astype("f8")), (a, b[:-1]),
        (a.astype("c8"), b.astype("c8")), (a.astype("i4"), b.astype("i4")),
    ):  # fmt: skip
        assert tiled_products.product(first, second) is None
    assert not tiled_products.are_tiled(a.dtype, 4000, 100_000, 4000)  # its pieces would take too much memory
    assert not tiled_products.are_tiled(a.dtype, 64, 2000, 1_000_000)  # and here the copy
    monkeypatch.setattr(tiled_products, "are_possible", lambda: False)
    assert tiled_products.product(a, b) is None
    np.testing.assert_array_equal(tf.matmul(a, b), a @ b)


def test_blas_that_knows_the_processor_multiplies(monkeypatch):
    a, b = drawn((256, 300, 200), "f4")
    monkeypatch.setattr(tiled_products, "is_for_older_processors", lambda: False)
    assert tiled_products.product(a, b) is None
    np.testing.assert_array_equal(tf.matmul(a, b), a @ b)


def test_openblas_says_for_what_its_code_is():
    program = "from tapeviz.backends.blas_core import is_for_older_processors as asked; print(asked())"
    told = {**os.environ, "OPENBLAS_CORETYPE": "Haswell"}
    done = subprocess.run([sys.executable, "-c", program], env=told, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"


def test_what_is_no_number_passes_through():
    a, b = drawn((256, 300, 200), "f4")
    a[3, 5], b[7, 199] = np.nan, np.inf
    with np.errstate(invalid="ignore"):
        expected = a @ b
    made = tiled_products.product(a, b)
    np.testing.assert_array_equal(np.isnan(made), np.isnan(expected))
    np.testing.assert_array_equal(np.isinf(made), np.isinf(expected))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_rows_are_turned_into_columns(dtype):
    call, lanes = transposition.turning(np.dtype(dtype).itemsize)
    x = np.arange(2 * lanes * 3 * lanes, dtype=dtype).reshape(2 * lanes, 3 * lanes)
    y = np.zeros((3 * lanes, 2 * lanes), dtype)
    call(tiled_products.address(x), tiled_products.address(y), 3 * lanes, 2 * lanes, 2 * lanes, 3 * lanes)
    np.testing.assert_array_equal(y, x.T)


@pytest.mark.parametrize(("first", "second"), [((64, 64, 32), (64, 32, 64)), ((8, 8, 64, 40), (8, 8, 40, 50))])
def test_stacks_of_small_matrices_are_those_of_blas(first, second):
    rng = np.random.default_rng(0)
    a, b = (rng.normal(size=sizes).astype("f4") for sizes in (first, second))
    for number in (1, 2, 3, 16):
        blocks.set_threads(number)
        np.testing.assert_array_equal(matmul._forward(np, a, b), np.matmul(a, b))
        turned = matmul._forward(np, a, np.ascontiguousarray(b.swapaxes(-1, -2)), transpose_b=True)
        np.testing.assert_array_equal(turned, np.matmul(a, b.swapaxes(-1, -2).copy().swapaxes(-1, -2)))
