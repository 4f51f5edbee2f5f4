"""Products in pieces: which they are follows from shapes, and a graph's are those of the eager program."""

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.backends.small_products import is_product_in_pieces, product_in_pieces, rows_of_pieces

_SHAPES = [(32, 64, 256), (64, 32, 256), (65, 100, 71), (600, 3, 400)]


@pytest.mark.parametrize(
    ("rows", "second", "pieces"),
    [(32, 64 * 256, 2), (64, 64 * 256, 4), (16, 64 * 256, 0), (65, 64 * 256, 0), (9999, 100, 4)],
)
def test_how_many_pieces(rows, second, pieces):
    assert is_product_in_pieces(rows, second) == (pieces > 0)
    if pieces:
        step = rows_of_pieces(rows, second)
        assert step * second <= 262_144
        assert -(-rows // step) == pieces


@pytest.mark.parametrize(("rows", "inner", "columns"), _SHAPES)
@pytest.mark.parametrize("turned", [False, True])
def test_the_product(rows, inner, columns, turned):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(rows, inner)).astype("f4"), rng.normal(size=(inner, columns))
    if turned:
        a, b = np.asfortranarray(a), np.asfortranarray(b)
    found = product_in_pieces(a, b)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, np.einsum("ij,jk->ik", a.astype("f8"), b), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("rows", "inner", "columns"), _SHAPES)
@pytest.mark.parametrize("turned", [(False, False), (True, False), (False, True)])
@pytest.mark.parametrize("compiles", [True, False])
def test_graphs_give_the_same_bits(rows, inner, columns, turned, compiles):
    rng = np.random.default_rng(1)
    sizes = [(inner, rows) if turned[0] else (rows, inner), (columns, inner) if turned[1] else (inner, columns)]
    a, b = (tf.constant(rng.normal(size=size).astype("f4")) for size in sizes)

    def product(a, b):
        return tf.nn.relu(tf.matmul(a, b, transpose_a=turned[0], transpose_b=turned[1]) + 1.0)

    expected, traced = product(a, b).numpy(), tf.function(product, jit_compile=compiles)
    for _ in range(4):
        np.testing.assert_array_equal(traced(a, b).numpy(), expected)
