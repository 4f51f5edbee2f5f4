"""Eigenvalues and eigenvectors of any square matrix: complex numbers."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Spec
from tapeviz.engine.op_definition import op
from tapeviz.engine.samples import Sample
from tapeviz.ops import static_shape_rules
from tapeviz.ops.linalg.decompositions import gaps, product
from tapeviz.ops.linalg.matrix_rules import SOLVABLE, adjoint, is_complex, square

__all__ = ["eig", "eigvals"]

_WHOLE: Final[dict[np.dtype, np.dtype]] = {
    np.dtype(np.float32): np.dtype(np.complex64), np.dtype(np.float64): np.dtype(np.complex128),
    np.dtype(np.complex64): np.dtype(np.complex64), np.dtype(np.complex128): np.dtype(np.complex128),
}  # fmt: skip


def _eig_rule(x: Spec) -> tuple[Spec, Spec]:
    square(x)
    whole = _WHOLE[x.dtype]
    return Spec(x.shape[:-1], whole), Spec(x.shape, whole)


def _eig_of(xp: Any, x: Any) -> Any:
    whole = _WHOLE[x.dtype]
    values, vectors = xp.linalg.eig(x)
    return values.astype(whole), vectors.astype(whole)


def _diagonal(F: Any, values: Any) -> Any:
    return F.diag(values, k=(0, 0), num_rows=-1, num_cols=-1, padding_value=0, align="RIGHT_LEFT")


def _of_the_input(F: Any, gradient: Any, spec: Spec) -> Any:
    return gradient if is_complex(spec) else F.real(gradient)


def _eig_gradient(F: Any, g: Any, y: Any, x_spec: Any, y_spec: Any) -> Any:
    (values, vectors), (to_values, to_vectors) = y, g
    back = adjoint(F, vectors, y_spec[1])
    by = product(F, back, to_vectors)
    # Eigenvectors are scaled to length 1, so that what would lengthen them goes nowhere.
    along = F.real(F.diag_part(by, k=(0, 0), padding_value=0, align="RIGHT_LEFT"))
    lengths = _diagonal(F, F.complex(along, F.zeros_like(along)))
    turned = F.multiply(F.conj(gaps(F, values)), F.subtract(by, product(F, back, vectors, lengths)))
    middle = product(F, F.add(_diagonal(F, to_values), turned), back)
    return _of_the_input(F, F.matrix_solve(back, middle, transpose=False), x_spec)


def _apart(rng: np.random.Generator) -> list[Sample]:
    made = [rng.uniform(-0.5, 0.5, shape) + np.diag(3.0 * np.arange(1, shape[-1] + 1)) for shape in ((3, 3), (2, 2, 2))]
    return [((x,), {}) for x in (*made, made[0] + 0.5j * rng.uniform(-1, 1, (3, 3)))]


_eig = op(
    "eig",
    doc="The eigenvalues of a square matrix, and its eigenvectors, of length 1, as columns.",
    family="linalg",
    forward=_eig_of,
    infer=_eig_rule,
    static=static_shape_rules.eig,
    types=SOLVABLE,
    vjp={"x": _eig_gradient},
    holomorphic=False,
    many=True,
    formula=r"X V = V\, \mathrm{diag}(\lambda)",
    vjp_formula=(
        (
            r"\bar X = V^{-*} (\mathrm{diag}(\bar\lambda) + E \circ (A - V^* V D))\, V^*,\; A = V^* \bar V,\;"
            r" D = \mathrm{diag}(\mathrm{Re}\, A_{ii}),\; E_{ij} = \overline{1 / (\lambda_j - \lambda_i)}"
        ),
    ),
    # The phases of eigenvectors of complex matrices are free, so they have no slope to compare the gradient with.
    samples=lambda rng: _apart(rng)[:-1],
)


def eig(tensor: Any, name: str | None = None) -> Any:
    """The eigenvalues of a square matrix, in no particular order, and its eigenvectors as columns: complex numbers.

    Args:
        tensor: of shape ``[..., n, n]``.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: a matrix is not square.

    >>> import tapeviz as tf
    >>> values, vectors = tf.linalg.eig([[2.0, 0.0], [0.0, 1.0]])
    >>> values.numpy()
    array([2.+0.j, 1.+0.j], dtype=complex64)
    """
    return _eig.run(convert_to_tensor(tensor))


def _eigvals_gradient(F: Any, g: Any, x: Any, x_spec: Any, y_spec: Any) -> Any:
    back = adjoint(F, F.eig(x)[1], y_spec)
    middle = product(F, _diagonal(F, g), back)
    return _of_the_input(F, F.matrix_solve(back, middle, transpose=False), x_spec)


_eigvals = op(
    "eigvals",
    doc="The eigenvalues of a square matrix.",
    family="linalg",
    tf_name="Eig",
    forward=lambda xp, x: xp.linalg.eigvals(x).astype(_WHOLE[x.dtype]),
    infer=lambda x: _eig_rule(x)[0],
    static=static_shape_rules.eigvals,
    types=SOLVABLE,
    vjp={"x": _eigvals_gradient},
    holomorphic=False,
    formula=r"\det(X - y_i 1) = 0",
    vjp_formula=(r"\bar X = V^{-*}\, \mathrm{diag}(\bar y)\, V^*",),
    samples=_apart,
)


def eigvals(tensor: Any, name: str | None = None) -> Any:
    """The eigenvalues of a square matrix, in no particular order: complex numbers.

    Args:
        tensor: of shape ``[..., n, n]``.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: a matrix is not square.

    >>> import tapeviz as tf
    >>> tf.linalg.eigvals([[0.0, -1.0], [1.0, 0.0]]).numpy()
    array([0.+1.j, 0.-1.j], dtype=complex64)
    """
    return _eigvals.run(convert_to_tensor(tensor))
