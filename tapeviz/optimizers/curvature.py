"""What l-BFGS knows of the curvature: the latest steps with what they changed, and a direction from them.

Newton's method goes from a point against ``H g``: the inverse of the Hessian times the gradient. For a million
variables that matrix has a million times a million elements. l-BFGS never makes it. It keeps the latest steps
``s = x' - x`` with the changes of the gradient ``y = g' - g``, and a matrix that takes each ``y`` to its ``s`` is the
inverse of the Hessian as far as anybody has seen it. :func:`two_loop` multiplies that matrix with a gradient in one
walk back over the pairs and one forward (Nocedal 1980). It is the text of the book, and what :class:`History` is tested
by.

:class:`History` computes the same in other words. All that the walks need of the vectors is their products with one
another, so it keeps these, walks over numbers, and touches the vectors in four products of a matrix and a vector, which
read memory at the speed of memory however many pairs there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.kernels import recorded_ops as ops

__all__ = ["History", "dot", "two_loop"]

_ROWS: Final = 8  # of a block: adding a pair copies at most so many rows, as no tensor ever changes
_FLAT: Final = 1e-10  # a change along the step that is smaller tells nothing of the curvature


def dot(one: Any, other: Any) -> Any:
    """The inner product of two vectors."""
    return ops.squeeze(ops.matmul(ops.expand_dims(one, axis=0), ops.expand_dims(other, axis=1)), axis=None)


def two_loop(gradient: Any, steps: Sequence[Any], changes: Sequence[Any]) -> Any:
    r"""The inverse of the Hessian, as far as pairs of steps and changes show it, times a gradient.

    .. math::
        \alpha_i = \frac{s_i \cdot q}{s_i \cdot y_i}, \; q \leftarrow q - \alpha_i y_i \;\text{ back}; \quad
        q \leftarrow \frac{s_k \cdot y_k}{y_k \cdot y_k} q; \quad
        q \leftarrow q + \Bigl(\alpha_i - \frac{y_i \cdot q}{s_i \cdot y_i}\Bigr) s_i \;\text{ forward}

    Args:
        gradient: a vector.
        steps: vectors, the oldest first: the steps made.
        changes: for each step, by how much it changed the gradient.

    Of ``x'Ax/2`` the change is ``A s``. Where the steps have gone in every direction, the product is ``inverse(A) g``:

    >>> import tapeviz as tf
    >>> A = tf.constant([[2.0, 0.0], [0.0, 4.0]])
    >>> steps = [tf.constant([1.0, 0.0]), tf.constant([0.0, 1.0])]
    >>> changes = [tf.linalg.matvec(A, step) for step in steps]
    >>> tf.optimizers.two_loop(tf.constant([6.0, 8.0]), steps, changes).numpy()
    array([3., 2.], dtype=float32)
    """
    q = convert_to_tensor(gradient)
    walk = []
    for s, y in reversed(list(zip(steps, changes, strict=True))):
        size = dot(s, y)
        alpha = dot(s, q) / size
        q = q - alpha * y
        walk.append((s, y, size, alpha))
    if walk:
        _, y, size, _ = walk[0]
        q = q * (size / dot(y, y))
    for s, y, size, alpha in reversed(walk):
        q = q + (alpha - dot(y, q) / size) * s
    return q


class History:
    """The latest pairs of a step and the change of the gradient that it made.

    Args:
        size: how many pairs to keep.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._steps = _Rows()
        self._changes = _Rows()
        # s_i . y_j for the pairs i older than j, or the same; and y . y of the newest.
        self._products = np.zeros((0, 0))
        self._square = 1.0

    def __len__(self) -> int:
        return len(self._products)

    def add(self, step: Any, change: Any) -> bool:
        """Keep a pair, and forget the oldest where there are too many. False if the pair shows no curvature."""
        size = float(dot(step, change))
        if not size > _FLAT:
            return False
        if len(self) == self.size:
            self._steps.drop()
            self._changes.drop()
            self._products = self._products[1:, 1:]
        column = self._steps.times(change)
        self._steps.append(step)
        self._changes.append(change)
        count = len(self)
        grown = np.zeros((count + 1, count + 1))
        grown[:count, :count] = self._products
        grown[:count, count], grown[count, count] = column, size
        self._products, self._square = grown, float(dot(change, change))
        return True

    def times(self, gradient: Any) -> Any:
        """What :func:`two_loop` gives."""
        count = len(self)
        if not count:
            return gradient
        products, sizes = self._products, self._products.diagonal()
        alphas, against = np.zeros(count), self._steps.times(gradient)
        for i in reversed(range(count)):
            alphas[i] = (against[i] - products[i, i + 1 :] @ alphas[i + 1 :]) / sizes[i]
        q = gradient - self._changes.combined(alphas, gradient)
        q = q * float(sizes[-1] / self._square)
        weights, along = np.zeros(count), self._changes.times(q)
        for i in range(count):
            weights[i] = alphas[i] - (along[i] + weights[:i] @ products[:i, i]) / sizes[i]
        return q + self._steps.combined(weights, q)


class _Rows:
    """Vectors as the rows of a few matrices."""

    def __init__(self) -> None:
        self._blocks: list[Any] = []

    def append(self, vector: Any) -> None:
        """Add a row."""
        row = ops.expand_dims(vector, axis=0)
        if self._blocks and self._blocks[-1].shape[0] < _ROWS:
            self._blocks[-1] = ops.concat(self._blocks[-1], row, axis=0)
        else:
            self._blocks.append(row)

    def drop(self) -> None:
        """Remove the first row."""
        first = self._blocks[0]
        if first.shape[0] == 1:
            del self._blocks[0]
        else:
            self._blocks[0] = first[1:]

    def times(self, vector: Any) -> np.ndarray:
        """The product of each row and a vector, as numbers."""
        column = ops.expand_dims(vector, axis=1)
        found = [ops.matmul(block, column).numpy()[:, 0] for block in self._blocks]
        return np.concatenate(found).astype(np.float64) if found else np.zeros(0)

    def combined(self, weights: np.ndarray, like: Any) -> Any:
        """The sum of the rows, each times its weight, as a vector of the dtype of ``like``."""
        total, place = None, 0
        for block in self._blocks:
            count = block.shape[0]
            numbers = convert_to_tensor(weights[None, place : place + count].astype(like.dtype.as_numpy_dtype))
            part = ops.matmul(numbers, block)
            total, place = part if total is None else total + part, place + count
        return ops.squeeze(total, axis=0)
