"""Functions of square matrices: exponential, square root, logarithm."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeviz.backends.libraries import library
from tapeviz.engine import static_shapes
from tapeviz.engine.declaration import Spec
from tapeviz.engine.op_definition import op
from tapeviz.engine.samples import Sample
from tapeviz.engine.types import COMPLEXES
from tapeviz.ops.linalg.matrix_rules import SOLVABLE, invertible, positive, square, swapped

__all__ = ["each", "expm", "logm", "sqrtm"]


def each(xp: Any, x: Any, function: Any) -> Any:
    """The function of each matrix of a stack; SciPy's older versions take one matrix at a time."""
    if x.ndim == 2:  # noqa: PLR2004 - a single matrix
        return function(x)
    flat = xp.reshape(x, (math.prod(x.shape[:-2]), *x.shape[-2:]))
    if not len(flat):
        return x
    return xp.reshape(xp.stack([function(flat[position]) for position in range(len(flat))]), x.shape)


def _exponential(xp: Any, x: Any) -> Any:
    square(Spec(x.shape, x.dtype))
    if not x.size:
        return xp.array(x)
    scipy = library(xp, "linalg")
    return each(xp, x, lambda one: scipy.expm(one).astype(x.dtype))


def _beside(F: Any, x: Any, g: Any) -> Any:
    """The matrix with the transpose of x twice on its diagonal and g above: its exponential holds the gradient."""
    turned = swapped(F, x)
    above = F.concat(turned, g, axis=-1)
    below = F.concat(F.zeros_like(g), turned, axis=-1)
    return F.concat(above, below, axis=-2)


def _exponential_gradient(F: Any, g: Any, x: Any, x_spec: Any) -> Any:
    size = x_spec.shape[-1]
    return F.strided_slice(F.expm(_beside(F, x, g)), key=np.s_[..., :size, size:])


def _small(rng: np.random.Generator) -> list[Sample]:
    real = [rng.uniform(-1, 1, shape) for shape in ((3, 3), (2, 2, 2), (1, 1), (0, 2, 2))]
    return [((x,), {}) for x in (*real, real[0] + 0.5j * rng.uniform(-1, 1, (3, 3)))]


_expm = op(
    "expm",
    doc="The exponential of a square matrix: the sum of its powers, each divided by the factorial of the power.",
    family="linalg",
    tf_name="MatrixExponential",
    forward=_exponential,
    infer=square,
    static=static_shapes.square,
    types=SOLVABLE,
    vjp={"x": _exponential_gradient},
    formula=r"Y = e^X = \sum_k \frac{1}{k!} X^k",
    vjp_formula=(
        r"\bar X = \int_0^1 e^{t X^\top} \bar Y\, e^{(1 - t) X^\top} dt",
    ),
    samples=_small,
    traits="sized_gradient",
)  # fmt: skip


def expm(input: Any, name: str | None = None) -> Any:
    """The exponential of a square matrix, or of each of a stack of them.

    Args:
        input: of shape ``[..., n, n]``.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: a matrix is not square.

    >>> import tapeviz as tf
    >>> tf.linalg.expm([[0.0, 1.0], [0.0, 0.0]]).numpy()
    array([[1., 1.],
           [0., 1.]], dtype=float32)
    """
    return _expm.run(input)


def _root(xp: Any, x: Any) -> Any:
    square(Spec(x.shape, x.dtype))
    if not x.size:
        return xp.array(x)
    scipy = library(xp, "linalg")

    def one(matrix: Any) -> Any:
        found = scipy.sqrtm(matrix)
        if found.dtype.kind == "c" and matrix.dtype.kind != "c":  # there is no real root
            return xp.full(matrix.shape, np.nan, matrix.dtype)
        return found.astype(matrix.dtype)

    return each(xp, x, one)


def _root_gradient(F: Any, g: Any, y: Any, y_spec: Any) -> Any:
    """Solve Y^T M + M Y^T = g, written as one system of equations for the elements of M, row after row."""
    *batch, size, _ = y_spec.shape
    unit = F.eye(rows=size, columns=size, dtype=y_spec.dtype)
    rows = F.multiply(F.reshape(swapped(F, y), shape=(*batch, size, 1, size, 1)),
                      F.reshape(unit, shape=(1, size, 1, size)))  # fmt: skip
    columns = F.multiply(F.reshape(y, shape=(*batch, 1, size, 1, size)), F.reshape(unit, shape=(size, 1, size, 1)))
    system = F.reshape(F.add(rows, columns), shape=(*batch, size * size, size * size))
    right = F.reshape(g, shape=(*batch, size * size, 1))
    return F.reshape(F.matrix_solve(system, right, transpose=False), shape=tuple(y_spec.shape))


_sqrtm = op(
    "sqrtm",
    doc="The principal square root of a square matrix.",
    family="linalg",
    tf_name="MatrixSquareRoot",
    forward=_root,
    infer=square,
    static=static_shapes.square,
    types=SOLVABLE,
    vjp={"x": _root_gradient},
    formula=r"Y Y = X",
    vjp_formula=(r"Y^\top \bar X + \bar X Y^\top = \bar Y",),
    samples=positive((3, 3), (2, 2, 2), (1, 1)),
    traits="sized_gradient",
)


def sqrtm(input: Any, name: str | None = None) -> Any:
    """The principal square root of a square matrix, or of each of a stack of them.

    Args:
        input: of shape ``[..., n, n]``, invertible; a real matrix without a real root gives nan.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: a matrix is not square.

    >>> import tapeviz as tf
    >>> tf.linalg.sqrtm([[4.0, 0.0], [0.0, 9.0]]).numpy()
    array([[2., 0.],
           [0., 3.]], dtype=float32)
    """
    return _sqrtm.run(input)


def _logarithm(xp: Any, input: Any) -> Any:
    x = input
    square(Spec(x.shape, x.dtype))
    if not x.size:
        return xp.array(x)
    scipy = library(xp, "linalg")
    return each(xp, x, lambda one: scipy.logm(one).astype(x.dtype))


logm = op(
    "logm",
    doc="The principal logarithm of a square matrix of complex numbers. No gradient.",
    example=">>> import tapeviz as tf\n>>> tf.linalg.logm([[1 + 0j, 0], [0, 1]]).numpy()\n"
    "array([[0.+0.j, 0.+0.j],\n       [0.+0.j, 0.+0.j]])",
    family="linalg",
    tf_name="MatrixLogarithm",
    forward=_logarithm,
    infer=square,
    static=static_shapes.square,
    types=COMPLEXES,
    formula=r"e^Y = X",
    samples=lambda rng: [((x.astype(np.complex128),), {}) for (x,), _ in invertible((3, 3), (2, 2, 2))(rng)],
)
