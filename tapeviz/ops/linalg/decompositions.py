"""Decompositions of matrices: QR, singular values, eigenvalues of symmetric matrices."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tapeviz.engine.declaration import Spec
from tapeviz.engine.op_definition import op
from tapeviz.engine.samples import cases
from tapeviz.ops import static_shape_rules
from tapeviz.ops.linalg.matrix_rules import SOLVABLE, adjoint, is_complex, matrix, spread_apart, square, swapped

__all__ = ["eigh", "eigvalsh", "gaps", "product", "qr"]


class Qr(NamedTuple):
    """What ``qr`` gives."""

    q: Any
    r: Any


def product(F: Any, *factors: Any) -> Any:
    """The product of matrices, from the left."""
    result = factors[0]
    for factor in factors[1:]:
        result = F.matmul(result, factor, transpose_a=False, transpose_b=False)
    return result


def _qr_rule(x: Spec, *, full_matrices: bool) -> tuple[Spec, Spec]:
    matrix(x)
    rows, columns = x.shape[-2:]
    inner = rows if full_matrices else min(rows, columns)
    return Spec((*x.shape[:-1], inner), x.dtype), Spec((*x.shape[:-2], inner, columns), x.dtype)


def _qr(xp: Any, x: Any, *, full_matrices: bool) -> Any:
    return tuple(xp.linalg.qr(x, "complete" if full_matrices else "reduced"))


def _without(F: Any, x: Any, r: Any) -> Any:
    """X times the inverse of the adjoint of the upper triangular r."""
    return swapped(F, F.triangular_solve(r, swapped(F, x), lower=False, transpose=False))


def _qr_square(F: Any, q: Any, r: Any, gradient_q: Any, gradient_r: Any) -> Any:
    """The gradient where there are at least as many rows as columns."""
    by_q, by_r = product(F, swapped(F, q), gradient_q), product(F, r, swapped(F, gradient_r))
    twisted = F.add(F.subtract(by_q, swapped(F, by_q)), F.subtract(by_r, swapped(F, by_r)))
    lower = F.band_part(twisted, num_lower=-1, num_upper=0)
    inside = product(F, q, F.add(gradient_r, _without(F, lower, r)))
    return F.add(inside, _without(F, F.subtract(gradient_q, product(F, q, by_q)), r))


def _qr_gradient(F: Any, g: Any, x: Any, y: Any, x_spec: Any, full_matrices: bool) -> Any:
    rows, columns = x_spec.shape[-2:]
    if is_complex(x_spec):
        raise NotImplementedError(f"QrGrad not implemented for dtype: {x_spec.dtype}")
    if full_matrices and rows > columns:
        raise NotImplementedError("QrGrad not implemented when nrows > ncols and full_matrices is true.")
    (q, r), (gradient_q, gradient_r) = y, g
    if rows >= columns:
        return _qr_square(F, q, r, gradient_q, gradient_r)
    first, rest = np.s_[..., :rows], np.s_[..., rows:]
    beyond = F.strided_slice(gradient_r, key=rest)
    gradient_q = F.add(gradient_q, product(F, F.strided_slice(x, key=rest), swapped(F, beyond)))
    left = _qr_square(F, q, F.strided_slice(r, key=first), gradient_q, F.strided_slice(gradient_r, key=first))
    return F.concat(left, product(F, q, beyond), axis=-1)


_orthogonal = op(
    "qr",
    doc="The QR decomposition: a matrix with orthonormal columns and an upper triangular one.",
    family="linalg",
    forward=_qr,
    infer=_qr_rule,
    types=SOLVABLE,
    vjp={"x": _qr_gradient},
    holomorphic=False,
    many=True,
    formula=r"Q R = X,\; Q^\top Q = 1,\; R \text{ upper triangular}",
    vjp_formula=(
        (
            r"\bar X = Q\,(\bar R + L R^{-\top}) + (1 - Q Q^\top) \bar Q R^{-\top},\;"
            r" L = \mathrm{tril}(Q^\top \bar Q - \bar Q^\top Q + R \bar R^\top - \bar R R^\top)"
        ),
    ),
    samples=cases(
        ([(3, 3)], {"full_matrices": False}),
        ([(2, 4, 2)], {"full_matrices": False}),
        ([(2, 4)], {"full_matrices": False}),
        ([(2, 4)], {"full_matrices": True}),
    ),
    traits="sized_gradient",
)


def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> Any:
    """The QR decomposition of a matrix: q with orthonormal columns, and r, upper triangular.

    Args:
        input: of shape ``[..., n, m]``.
        full_matrices: make q square.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: ``input`` is no matrix.

    >>> import tapeviz as tf
    >>> q, r = tf.linalg.qr([[3.0, 1.0], [4.0, 2.0]])
    >>> r.shape
    TensorShape([2, 2])
    """
    return Qr(*_orthogonal.run(input, bool(full_matrices)))


def gaps(F: Any, values: Any) -> Any:
    """One divided by the differences of values; 0 for a value and itself.

    It is 0 for equal values too, TensorFlow's way: values that agree would else give infinite gradients.
    """
    apart = F.subtract(F.expand_dims(values, axis=-2), F.expand_dims(values, axis=-1))
    inverse = F.divide(apart, F.add(F.square(apart), 1e-20))
    return F.set_diag(inverse, F.zeros_like(values), k=(0, 0), align="RIGHT_LEFT")


def _eigh_rule(x: Spec) -> tuple[Spec, Spec]:
    square(x)
    return Spec(x.shape[:-1], x.dtype), x


def _folded(F: Any, gradient: Any, spec: Spec) -> Any:
    """A gradient for the lower triangle alone, the only one that is read."""
    both = F.band_part(F.add(gradient, adjoint(F, gradient, spec)), num_lower=-1, num_upper=0)
    return F.subtract(both, F.multiply(F.band_part(both, num_lower=0, num_upper=0), 0.5))


def _diagonal(F: Any, values: Any) -> Any:
    return F.diag(values, k=(0, 0), num_rows=-1, num_cols=-1, padding_value=0, align="RIGHT_LEFT")


def _eigh_gradient(F: Any, g: Any, y: Any, x_spec: Any) -> Any:
    (values, vectors), (to_values, to_vectors) = y, g
    back = adjoint(F, vectors, x_spec)
    turned = F.multiply(gaps(F, values), product(F, back, to_vectors))
    middle = F.add(_diagonal(F, to_values), turned)
    return _folded(F, product(F, vectors, middle, back), x_spec)


def _eigh_of(xp: Any, x: Any) -> Any:
    values, vectors = xp.linalg.eigh(x)
    return values.astype(x.dtype), vectors  # which are real, but TensorFlow's are of the matrix's dtype


_eigh = op(
    "eigh",
    doc="The eigenvalues of a symmetric (Hermitian) matrix, in order, and its eigenvectors.",
    family="linalg",
    tf_name="SelfAdjointEigV2",
    forward=_eigh_of,
    infer=_eigh_rule,
    static=static_shape_rules.eig,
    types=SOLVABLE,
    vjp={"x": _eigh_gradient},
    holomorphic=False,
    many=True,
    formula=r"V\, \mathrm{diag}(\lambda)\, V^\top = X",
    vjp_formula=((r"\bar X = V (\mathrm{diag}(\bar\lambda) + E \circ V^\top \bar V) V^\top,\;"
                 r" E_{ij} = \frac{1}{\lambda_j - \lambda_i}"),),
    # The phases of complex eigenvectors are free, so they have no slope to compare the gradient with.
    samples=lambda rng: spread_apart((3, 3), (2, 2, 2), (1, 1))(rng)[:-1],
)  # fmt: skip


def eigh(tensor: Any, name: str | None = None) -> Any:
    """The eigenvalues of a symmetric (Hermitian) matrix in ascending order, and its eigenvectors as columns.

    Args:
        tensor: of shape ``[..., n, n]``; only the lower triangle is read, and only it gets a gradient.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: a matrix is not square.

    >>> import tapeviz as tf
    >>> values, vectors = tf.linalg.eigh([[2.0, 0.0], [0.0, 1.0]])
    >>> values.numpy()
    array([1., 2.], dtype=float32)
    """
    return _eigh.run(tensor)


def _eigvalsh_gradient(F: Any, g: Any, x: Any, x_spec: Any) -> Any:
    vectors = F.eigh(x)[1]
    middle = _diagonal(F, g)
    return _folded(F, product(F, vectors, middle, adjoint(F, vectors, x_spec)), x_spec)


_eigvalsh = op(
    "eigvalsh",
    doc="The eigenvalues of a symmetric (Hermitian) matrix, in order.",
    family="linalg",
    tf_name="SelfAdjointEigV2",
    forward=lambda xp, x: xp.linalg.eigvalsh(x).astype(x.dtype),
    infer=lambda x: _eigh_rule(x)[0],
    static=static_shape_rules.eigvals,
    types=SOLVABLE,
    vjp={"x": _eigvalsh_gradient},
    holomorphic=False,
    formula=r"\det(X - y_i 1) = 0",
    vjp_formula=(r"\bar X = V\, \mathrm{diag}(\bar y)\, V^\top",),
    samples=spread_apart((3, 3), (2, 2, 2), (1, 1)),
)


def eigvalsh(tensor: Any, name: str | None = None) -> Any:
    """The eigenvalues of a symmetric (Hermitian) matrix, in ascending order.

    Args:
        tensor: of shape ``[..., n, n]``; only the lower triangle is read, and only it gets a gradient.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: a matrix is not square.

    >>> import tapeviz as tf
    >>> tf.linalg.eigvalsh([[2.0, 0.0], [0.0, 1.0]]).numpy()
    array([1., 2.], dtype=float32)
    """
    return _eigvalsh.run(tensor)
