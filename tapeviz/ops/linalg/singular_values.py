"""Singular values, and what follows from them: pseudoinverse and rank."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Spec, registry
from tapeviz.engine.deferred_numbers import computed, has_deferred
from tapeviz.engine.op_definition import op
from tapeviz.engine.operators import public
from tapeviz.engine.samples import cases
from tapeviz.ops.linalg.decompositions import gaps, product
from tapeviz.ops.linalg.matmul import matmul
from tapeviz.ops.linalg.matrix_rules import SOLVABLE, adjoint, as_elements, is_complex, matrix, swapped
from tapeviz.ops.math.reductions import reduce_max, reduce_sum
from tapeviz.ops.runtime_calls import by_rank

__all__ = ["matrix_rank", "pinv", "svd"]


def _svd_rule(x: Spec, *, full_matrices: bool) -> tuple[Spec, Spec, Spec]:
    matrix(x)
    rows, columns = x.shape[-2:]
    few = min(rows, columns)
    batch = x.shape[:-2]
    u = (*batch, rows, rows if full_matrices else few)
    v = (*batch, columns, columns if full_matrices else few)
    return Spec((*batch, few), np.empty(0, x.dtype).real.dtype), Spec(u, x.dtype), Spec(v, x.dtype)


def _svd(xp: Any, x: Any, *, full_matrices: bool) -> Any:
    u, s, v = xp.linalg.svd(x, full_matrices)
    v = v.swapaxes(-1, -2)
    return s, u, xp.conjugate(v) if x.dtype.kind == "c" else v


def _projected(F: Any, x: Any, gradient: Any, few: int) -> Any:
    """The part of the gradient of orthonormal columns that leads out of their span."""
    if x.shape[-1] == few:
        return F.subtract(gradient, product(F, x, swapped(F, x), gradient))
    first, rest = np.s_[..., :few], np.s_[..., few:]
    own, others = F.strided_slice(x, key=first), F.strided_slice(x, key=rest)
    to_own, to_others = F.strided_slice(gradient, key=first), F.strided_slice(gradient, key=rest)
    outside = F.subtract(to_own, product(F, own, swapped(F, own), to_own))
    return F.subtract(outside, product(F, others, swapped(F, to_others), own))


def _turning(F: Any, x: Any, gradient: Any, few: int) -> Any:
    """How the gradient turns orthonormal columns within their span: an antisymmetric matrix."""
    first = np.s_[..., :few]
    by = product(F, swapped(F, F.strided_slice(x, key=first)), F.strided_slice(gradient, key=first))
    return F.subtract(by, swapped(F, by))


def _svd_gradient(F: Any, g: Any, y: Any, x_spec: Any, full_matrices: bool) -> Any:
    rows, columns = x_spec.shape[-2:]
    if is_complex(x_spec):
        raise NotImplementedError("SVD gradient is not implemented for complex types.")
    if full_matrices and abs(rows - columns) > 1:
        raise NotImplementedError("svd gradient is not implemented for abs(m - n) > 1 when full_matrices is True")
    few = min(rows, columns)
    (s, u, v), (to_s, to_u, to_v) = y, g
    own_u, own_v = F.strided_slice(u, key=np.s_[..., :few]), F.strided_slice(v, key=np.s_[..., :few])
    shares = gaps(F, F.square(s))
    row, column = F.expand_dims(s, axis=-2), F.expand_dims(s, axis=-1)
    turned = F.add(
        F.multiply(F.multiply(shares, _turning(F, u, to_u, few)), row),
        F.multiply(F.multiply(shares, _turning(F, v, to_v, few)), column),
    )
    middle = F.add(turned, F.diag(to_s, k=(0, 0), num_rows=-1, num_cols=-1, padding_value=0, align="RIGHT_LEFT"))
    found = product(F, own_u, middle, swapped(F, own_v))
    if rows > few:
        found = F.add(found, product(F, F.divide(_projected(F, u, to_u, few), row), swapped(F, own_v)))
    if columns > few:
        outside = F.divide(_projected(F, v, to_v, few), row)
        found = F.add(found, product(F, own_u, swapped(F, outside)))
    return found


_decomposition = op(
    "svd",
    doc="The singular value decomposition of a matrix.",
    family="linalg",
    forward=_svd,
    infer=_svd_rule,
    types=SOLVABLE,
    vjp={"x": _svd_gradient},
    holomorphic=False,
    many=True,
    formula=r"U\, \mathrm{diag}(s)\, V^\top = X",
    vjp_formula=(
        (
            r"\bar X = U\,(\mathrm{diag}(\bar s) + (E \circ A_U) S + S (E \circ A_V))\, V^\top"
            r" + (1 - U U^\top) \bar U S^{-1} V^\top + U S^{-1} \bar V^\top (1 - V V^\top),\;"
            r" E_{ij} = \frac{1}{s_j^2 - s_i^2},\; A_U = U^\top \bar U - \bar U^\top U"
        ),
    ),
    samples=cases(
        ([np.array([[3.0, 1.0], [0.5, -2.0]])], {"full_matrices": False}),
        ([np.array([[3.0, 1.0], [0.5, -2.0], [0.3, 0.7]])], {"full_matrices": False}),
        ([np.array([[[3.0, 1.0, 0.2, 0.9], [0.5, -2.0, 0.1, 0.4]]])], {"full_matrices": False}),
        ([np.array([[3.0, 1.0], [0.5, -2.0], [0.3, 0.7]])], {"full_matrices": True}),
        ([np.array([[3.0, 1.0, 0.2], [0.5, -2.0, 0.1]])], {"full_matrices": True}),
    ),
    traits="sized_gradient",
)


def _values_gradient(F: Any, g: Any, x: Any, x_spec: Any) -> Any:
    _, u, v = F.svd(x, full_matrices=False)
    wide = as_elements(F, g, x_spec)
    return product(F, F.multiply(u, F.expand_dims(wide, axis=-2)), adjoint(F, v, x_spec))


_values = op(
    "singular_values",
    doc="The singular values of a matrix, largest first.",
    family="linalg",
    tf_name="Svd",
    forward=lambda xp, x: xp.linalg.svd(x, compute_uv=False),
    infer=lambda x: _svd_rule(x, full_matrices=False)[0],
    types=SOLVABLE,
    vjp={"x": _values_gradient},
    holomorphic=False,
    formula=r"y_i^2 \text{ are the eigenvalues of } X^\top X",
    vjp_formula=(r"\bar X = U\, \mathrm{diag}(\bar y)\, V^\top",),
    samples=cases(
        ([np.array([[3.0, 1.0], [0.5, -2.0], [0.3, 0.7]])], {}),
        ([np.array([[[3.0, 1.0, 0.2, 0.9], [0.5, -2.0, 0.1, 0.4]]])], {}),
    ),
)


def svd(tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None) -> Any:
    """The singular value decomposition: s, u and v with ``tensor = u @ diag(s) @ adjoint(v)``.

    Args:
        tensor: matrices, ``[..., n, m]``.
        full_matrices: make u and v square.
        compute_uv: without, only s is computed and returned.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: ``tensor`` is no matrix.

    >>> import tapeviz as tf
    >>> s, u, v = tf.linalg.svd([[0.0, 2.0], [1.0, 0.0]])
    >>> s.numpy()
    array([2., 1.], dtype=float32)
    """
    return _decomposition.run(tensor, bool(full_matrices)) if compute_uv else _values.run(tensor)


def _longer(matrix: Any) -> Any:
    """The number of rows or of columns, whichever is larger."""
    sizes = matrix._a.shape[-2:]
    if has_deferred(sizes):
        return public["number"](computed(max, *sizes), np.finfo(matrix.dtype.as_numpy_dtype).dtype)
    return max(sizes, default=0)


def _epsilon(tensor: Any) -> float:
    return float(np.finfo(tensor.dtype.numpy).eps)


@by_rank()
def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Any:
    """The Moore-Penrose pseudoinverse of a matrix of any shape and rank.

    Args:
        a: of shape ``[..., n, m]``.
        rcond: singular values below this share of the largest count as 0; 10 max(n, m) times the distance of 1 from
            the next number unless given.
        validate_args: accepted as TensorFlow does.
        name: accepted as TensorFlow does.

    Raises:
        TypeError: ``a`` is not of floating-point numbers.
        InvalidArgumentError: ``a`` is no matrix.

    >>> import tapeviz as tf
    >>> tf.linalg.pinv([[2.0, 0.0], [0.0, 0.0]]).numpy()
    array([[0.5, 0. ],
           [0. , 0. ]], dtype=float32)
    """
    a = convert_to_tensor(a)
    if not (a.dtype.is_floating or a.dtype.is_complex):
        raise TypeError(f"Input `a` must have `float`-like dtype (saw {a.dtype.name}).")
    s, u, v = svd(a)
    share = 10.0 * _longer(a) * _epsilon(a) if rcond is None else rcond
    cutoff = convert_to_tensor(share, dtype=s.dtype) * reduce_max(s, -1)
    kept = registry["greater"].run(s, registry["expand_dims"].run(cutoff, -1))
    inverse = registry["where"].run(kept, 1.0 / registry["where"].run(kept, s, 1.0), 0.0)
    stretched = v * registry["expand_dims"].run(registry["cast"].run(inverse, v.dtype.numpy), -2)
    return matmul(stretched, u, adjoint_b=True)


def matrix_rank(a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None) -> Any:
    """The rank of a matrix: the number of its singular values that are larger than a tolerance.

    Args:
        a: of shape ``[..., n, m]``.
        tol: the tolerance; max(n, m) times the largest singular value times the distance of 1 from the next number
            unless given.
        validate_args: accepted as TensorFlow does.
        name: accepted as TensorFlow does.

    Raises:
        TypeError: ``a`` is not of floating-point numbers.
        InvalidArgumentError: ``a`` is no matrix.

    >>> import tapeviz as tf
    >>> tf.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]]).numpy()
    np.int32(1)
    """
    a = convert_to_tensor(a)
    if not a.dtype.is_floating:
        raise TypeError(f"Input `a` must have `float`-like dtype (saw {a.dtype.name}).")
    s = svd(a, compute_uv=False)
    if tol is None:
        tol = _epsilon(a) * _longer(a) * reduce_max(s, -1, keepdims=True)
    above = registry["greater"].run(s, tol)
    return reduce_sum(registry["cast"].run(above, np.dtype(np.int32)), -1)
