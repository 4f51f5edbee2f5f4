"""What the ops on matrices share: their dtypes, the shapes that they take, and samples with an inverse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tapeviz.engine.declaration import Spec
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.samples import Samples
from tapeviz.engine.types import COMPLEXES

__all__ = ["SOLVABLE", "adjoint", "as_elements", "invertible", "is_complex", "matrix", "positive", "spread_apart",
           "square", "swapped"]  # fmt: skip

SOLVABLE: Final = COMPLEXES | {np.dtype(np.float32), np.dtype(np.float64)}
"""What equations are solved and matrices decomposed in."""


def matrix(*specs: Spec) -> None:
    """Refuse inputs that are no matrices.

    Raises:
        InvalidArgumentError: an input has fewer than two axes.
    """
    for position, spec in enumerate(specs):
        if len(spec.shape) < 2:  # noqa: PLR2004 - a matrix has two axes
            raise InvalidArgumentError(f"Input tensor {position} must have rank >= 2, got {len(spec.shape)}")


def square(x: Spec, **_attrs: Any) -> Spec:
    """Square matrices to square matrices."""
    matrix(x)
    if x.shape[-1] != x.shape[-2]:
        raise InvalidArgumentError("Input matrix must be square.")
    return x


def is_complex(spec: Spec) -> bool:
    """Whether elements have an imaginary part."""
    return spec.dtype.kind == "c"


def as_elements(F: Any, values: Any, spec: Spec) -> Any:
    """Real numbers as elements of matrices, which may be complex."""
    return F.complex(values, F.zeros_like(values)) if is_complex(spec) else values


def swapped(F: Any, x: Any) -> Any:
    """The transpose of each matrix."""
    rank = len(x.shape)
    return F.transpose(x, perm=(*range(rank - 2), rank - 1, rank - 2))


def adjoint(F: Any, x: Any, spec: Spec) -> Any:
    """The conjugate transpose of each matrix; ``spec`` says whether there is something to conjugate."""
    return F.conj(swapped(F, x)) if is_complex(spec) else swapped(F, x)


def _stacks(make: Callable[[np.random.Generator, tuple[int, ...]], np.ndarray], *shapes: tuple[int, ...]) -> Samples:
    def samples(rng: np.random.Generator) -> list[Any]:
        real = [make(rng, shape) for shape in shapes]
        # A Hermitian matrix has a real diagonal; what makes the others complex leaves theirs alone as well.
        turned = make(rng, shapes[0])
        sign = np.triu(np.ones(shapes[0]), 1) - np.tril(np.ones(shapes[0]), -1)
        return [((x,), {}) for x in (*real, turned + 0.25j * sign)]

    return samples


def invertible(*shapes: tuple[int, ...]) -> Samples:
    """Square matrices far from singular, the last of them complex."""
    return _stacks(lambda rng, shape: rng.uniform(-1, 1, shape) + 2.0 * shape[-1] * np.eye(shape[-1]), *shapes)


def positive(*shapes: tuple[int, ...]) -> Samples:
    """Symmetric positive definite matrices, the last of them complex and Hermitian."""

    def make(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        x = rng.uniform(-1, 1, shape)
        return x + x.swapaxes(-1, -2) + 3.0 * shape[-1] * np.eye(shape[-1])

    return _stacks(make, *shapes)


def spread_apart(*shapes: tuple[int, ...]) -> Samples:
    """Symmetric matrices whose eigenvalues are far from each other, the last of them complex and Hermitian."""

    def make(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        x = rng.uniform(-0.5, 0.5, shape)
        return x + x.swapaxes(-1, -2) + np.diag(4.0 * np.arange(1, shape[-1] + 1))

    return _stacks(make, *shapes)
