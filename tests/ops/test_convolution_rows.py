"""Convolutions by bands, in pieces, by single examples and from the image itself, beside what they stand for."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.ops.nn import direct_convolution, im2col
from tests.engine.strict_gpu import standing_in

# Sizes, channels, filter, channels given, options. Images of 3 and more, so that there is more than one of everything.
CASES = {
    "bands": ((3, 9, 8, 6), (3, 3, 6, 4), {}),
    "one row": ((2, 3, 8, 6), (3, 2, 6, 4), {}),
    "a filter of one row": ((2, 5, 8, 6), (1, 3, 6, 4), {}),
    "a filter of one column": ((2, 5, 8, 6), (3, 1, 6, 4), {}),
    "same": ((2, 6, 7, 8), (5, 4, 8, 3), {"padding": "SAME"}),
    "holes": ((2, 12, 11, 5), (3, 2, 5, 4), {"dilations": (3, 2)}),
    "strides along the second axis": ((2, 9, 11, 5), (3, 3, 5, 4), {"strides": (1, 3)}),
    "strides along both": ((2, 9, 10, 5), (3, 2, 5, 4), {"strides": (2, 3)}),
    "strides as long as the filter": ((2, 9, 10, 5), (2, 2, 5, 4), {"strides": (3, 2)}),
    "strides along the first": ((2, 9, 11, 5), (3, 3, 5, 4), {"strides": (2, 1)}),
    "groups": ((2, 6, 6, 12), (3, 3, 6, 4), {}),
    "few channels": ((2, 6, 6, 3), (3, 3, 3, 4), {}),
    "one axis": ((3, 40, 8), (4, 8, 3), {}),
    "three axes": ((2, 6, 5, 4, 6), (3, 2, 2, 6, 3), {}),
}


def summed(x, w, *, strides=None, dilations=None, padding="VALID"):
    """Return the convolution by its definition, an element of the filter after the other."""
    count = x.ndim - 2
    strides, dilations = strides or (1,) * count, dilations or (1,) * count
    reaches = [(size - 1) * hole for size, hole in zip(w.shape, dilations, strict=False)]
    if padding == "SAME":
        x = np.pad(x, [(0, 0), *((reach // 2, reach - reach // 2) for reach in reaches), (0, 0)])
    sizes = [(size - reach - 1) // step + 1 for size, reach, step in zip(x.shape[1:-1], reaches, strides, strict=True)]
    groups = x.shape[-1] // w.shape[-2]
    x = x.reshape(*x.shape[:-1], groups, -1)
    w = w.reshape(*w.shape[:-1], groups, -1)
    y = 0.0
    for place in product(*map(range, w.shape[:count])):
        begins = [at * hole for at, hole in zip(place, dilations, strict=True)]
        part = tuple(slice(b, b + size * step, step) for b, size, step in zip(begins, sizes, strides, strict=True))
        y = y + np.einsum("...gc,cgo->...go", x[(slice(None), *part)], w[place])
    return y.reshape(*y.shape[:-2], -1)


def with_gradients(case):
    """Return inputs, result, upstream gradient and both gradients."""
    sizes, filters, options = case
    rng = np.random.default_rng(11)
    x, w = (tf.Variable(rng.normal(size=shape)) for shape in (sizes, filters))
    with tf.GradientTape() as tape:
        y = tf.nn.convolution(x, w, **options)
    g = rng.normal(size=y.shape)
    return x.numpy(), w.numpy(), y.numpy(), g, [part.numpy() for part in tape.gradient(y, [x, w], g)]


@pytest.fixture(params=["whole", "small products", "an example at a time", "direct"])
def way(request, monkeypatch):
    """Small cases are cut up like large ones."""
    if request.param == "small products":
        monkeypatch.setattr(im2col, "_SMALL_PRODUCT", 300)
        monkeypatch.setattr(im2col, "_LEAST_ROWS", 2)
    elif request.param == "an example at a time":
        monkeypatch.setattr(im2col, "_CACHED_BYTES", 1)
    elif request.param == "direct":
        monkeypatch.setattr(direct_convolution, "_JOB", 300)
        monkeypatch.setattr(direct_convolution, "is_direct", lambda *_: True)
    im2col._pieces.cache_clear()
    yield
    im2col._pieces.cache_clear()


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_it_is_the_sum_over_the_filter(case):
    x, w, y, g, (by_x, by_w) = with_gradients(case)
    options = case[2]
    np.testing.assert_allclose(y, summed(x, w, **options), rtol=1e-10, atol=1e-12)
    # What a change of an input does to the result, weighted by g, is the change times the gradient: it is linear.
    rng = np.random.default_rng(12)
    dx, dw = (rng.normal(size=array.shape) for array in (x, w))
    np.testing.assert_allclose((by_x * dx).sum(), (g * summed(dx, w, **options)).sum(), rtol=1e-10)
    np.testing.assert_allclose((by_w * dw).sum(), (g * summed(x, dw, **options)).sum(), rtol=1e-10)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_another_device_gives_the_same(case):
    here = with_gradients(case)
    with standing_in(), tf.device("/gpu:0"):
        there = with_gradients(case)
    np.testing.assert_allclose(here[2], there[2], rtol=1e-10, atol=1e-12)
    for one, other in zip(here[4], there[4], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(("count", "below", "each", "pieces"), [
    (24, 24, 48 * 16, 1),  # 442,000 multiplications
    (24, 24, 96 * 32, 2),
    (224, 224, 48 * 16, 56),  # 896 rows each
    (23, 24, 96 * 32, 1),  # has no divisor but 23, which would leave 24 rows
    (16, 16, 384 * 128, 1),  # a small product would have fewer rows than pay
    (5, 0, 48, 1),
])  # fmt: skip
def test_pieces_are_equal_and_not_too_small(count, below, each, pieces):
    assert im2col._pieces(count, below, each) == pieces


def test_no_examples_give_no_gradient():
    x, w = tf.Variable(tf.ones([0, 9, 9, 8])), tf.Variable(tf.ones([3, 3, 8, 4]))
    with tf.GradientTape() as tape:
        y = tf.nn.conv2d(x, w, 1, "VALID")
    by_x, by_w = tape.gradient(y, [x, w])
    assert (tuple(by_x.shape), by_w.numpy().any()) == ((0, 9, 9, 8), False)
