"""Large convolutions from the image itself: the same bits on any number of threads, in graphs, with any vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.backends import blocks
from tapeviz.native import product_tiles
from tapeviz.ops.nn import direct_convolution

# Sizes of the images and of the filter, and how it moves. The last has fewer channels in a group than a vector holds.
CASES = {
    "one channel": ((16, 28, 28, 1), (3, 3, 1, 16), {"strides": 1, "padding": "VALID"}),
    "same": ((4, 28, 28, 16), (3, 3, 16, 32), {"strides": 1, "padding": "SAME"}),
    "strides": ((4, 28, 28, 16), (3, 3, 16, 40), {"strides": 2, "padding": "SAME"}),
    "holes": ((4, 20, 20, 16), (3, 3, 16, 24), {"strides": 1, "padding": "VALID", "dilations": 2}),
    "many channels": ((2, 8, 8, 96), (3, 3, 96, 130), {"strides": 1, "padding": "SAME"}),
    "groups": ((4, 16, 16, 48), (3, 3, 24, 24), {"strides": 1, "padding": "SAME"}),
}


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    yield
    blocks.set_threads(0)


def drawn(case: Any, dtype: str = "f4") -> tuple[Callable[..., list[Any]], Any, Any]:
    rng = np.random.default_rng(0)
    x, w = (tf.constant(rng.normal(size=sizes).astype(dtype)) for sizes in case[:2])

    def with_gradients(x: Any, w: Any) -> list[Any]:
        with tf.GradientTape() as tape:
            tape.watch((x, w))
            y = tf.nn.conv2d(x, w, **case[2])
        return [y, *tape.gradient(y, (x, w), 1.0 + y)]

    return with_gradients, x, w


def bits(values: list[Any]) -> list[bytes]:
    return [np.asarray(value).tobytes() for value in values]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_it_is_the_same_on_any_number_of_threads_and_in_graphs(case, dtype):
    with_gradients, x, w = drawn(case, dtype)
    found = []
    for number in (1, 2, 3, 16):
        blocks.set_threads(number)
        found.append(bits(with_gradients(x, w)))
    for compiled in (False, True):
        traced = tf.function(with_gradients, jit_compile=compiled)
        found += [bits(traced(x, w)) for _ in range(3)]
    assert found[1:] == found[:1] * 9


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_it_is_near_what_matrix_products_give(case, monkeypatch):
    with_gradients, x, w = drawn(case, "f8")
    direct = with_gradients(x, w)
    monkeypatch.setattr(direct_convolution, "are_possible", lambda: False)
    for one, other in zip(direct, with_gradients(x, w), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


@pytest.fixture
def vectors(monkeypatch) -> Iterator[Callable[[int, int], None]]:
    def choose(nbytes: int, kept: int) -> None:
        monkeypatch.setattr(product_tiles, "vectors", lambda: (nbytes, kept))
        forget()

    def forget() -> None:
        for function in (product_tiles.tile_of, product_tiles.sliding, product_tiles.gathering):
            function.cache_clear()

    yield choose
    monkeypatch.undo()
    forget()


@pytest.mark.parametrize("name", ["same", "strides", "many channels"])
def test_shorter_vectors_make_the_same_bits(name, vectors):
    with_gradients, x, w = drawn(CASES[name])
    expected = bits(with_gradients(x, w))
    for nbytes, kept in ((32, 16), (16, 32)):
        vectors(nbytes, kept)
        assert bits(with_gradients(x, w)) == expected


def test_what_is_no_number_stays_where_it_is():
    x, w = np.ones((2, 32, 32, 16), "f4"), np.ones((3, 3, 16, 40), "f4")
    x[0, 5, 5, 3], x[1, 31, 31, 0] = np.nan, np.inf
    y = tf.nn.conv2d(x, w, 1, "SAME").numpy()
    assert np.isnan(y[0, 4:7, 4:7]).all()
    assert np.isinf(y[1, 30:, 30:]).all()
    assert (np.isnan(y).sum(), np.isinf(y).sum()) == (9 * 40, 4 * 40)


def test_examples_may_lie_apart_in_memory():
    case = CASES["same"]
    with_gradients, x, w = drawn(case)
    apart = tf.constant(np.repeat(x.numpy(), 2, axis=0)[::2])
    assert bits(with_gradients(apart, w)) == bits(with_gradients(x, w))
