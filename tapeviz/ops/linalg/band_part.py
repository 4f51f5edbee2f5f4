"""Triangles and bands of matrices, the trace, and diagonals of tensors of any rank."""

from __future__ import annotations

import math
from typing import Any

from tapeviz.engine import rules
from tapeviz.engine.convert import convert_to_tensor
from tapeviz.engine.declaration import Spec, registry
from tapeviz.engine.deferred import Deferred, has_deferred
from tapeviz.engine.define import op
from tapeviz.engine.errors import FailedPreconditionError, InvalidArgumentError
from tapeviz.engine.samples import cases
from tapeviz.engine.static_shapes import of_any_rank
from tapeviz.engine.types import NUMBERS
from tapeviz.ops import static_shape_rules
from tapeviz.ops.arguments import axis_number
from tapeviz.ops.linalg.diagonals import diag, diag_part
from tapeviz.ops.math.reductions import reduce_sum
from tapeviz.ops.runtime_calls import by_rank

__all__ = ["band_part", "cross", "tensor_diag", "tensor_diag_part", "trace"]


def _matrix(x: Spec) -> None:
    if len(x.shape) < 2:  # noqa: PLR2004 - a matrix has two axes
        raise InvalidArgumentError(f"input must be at least 2-dim, received shape: {rules.shape_text(x.shape)}")


def _band_rule(x: Spec, *, num_lower: int, num_upper: int) -> Spec:
    _matrix(x)
    for name, number, size, what in (
        ("num_lower", num_lower, x.shape[-2], "rows"), ("num_upper", num_upper, x.shape[-1], "columns"),
    ):  # fmt: skip
        if number > size:
            raise InvalidArgumentError(
                f"{name} must be negative or less or equal to number of {what} ({size}) got: {number}"
            )
    return x


def _banded(xp: Any, x: Any, *, num_lower: int, num_upper: int) -> Any:
    if num_lower > x.shape[-2] or num_upper > x.shape[-1]:
        raise ValueError("the band is wider than the matrix")
    kept = x if num_upper < 0 else xp.tril(x, num_upper)
    return xp.array(kept) if num_lower < 0 else xp.triu(kept, -num_lower)


_band_part = op(
    "band_part",
    doc="A matrix with zeros beyond a band around its diagonal.",
    family="indexing",
    tf_name="MatrixBandPart",
    forward=_banded,
    infer=_band_rule,
    static=of_any_rank(2),
    vjp={"x": lambda F, g, num_lower, num_upper: F.band_part(g, num_lower=num_lower, num_upper=num_upper)},
    formula=r"Y_{ij} = X_{ij}\,[-u \le i - j \le l]",
    vjp_formula=(r"\bar X_{ij} = \bar Y_{ij}\,[-u \le i - j \le l]",),
    samples=cases(
        ([(3, 3)], {"num_lower": 0, "num_upper": -1}),
        ([(2, 3, 4)], {"num_lower": 1, "num_upper": 1}),
        ([(4, 3)], {"num_lower": -1, "num_upper": 0}),
        ([(2, 2)], {"num_lower": -1, "num_upper": -1}),
    ),
    silent=True,
)


def band_part(input: Any, num_lower: Any, num_upper: Any, name: str | None = None) -> Any:
    """A matrix, or each of a stack of them, with zeros beyond a band around the main diagonal.

    Args:
        input: of shape ``[..., n, m]``.
        num_lower: how many diagonals to keep below the main one; all if negative.
        num_upper: how many diagonals to keep above the main one; all if negative.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: ``input`` is no matrix, or the band is wider than it.

    >>> import tapeviz as tf
    >>> tf.linalg.band_part([[1, 2], [3, 4]], 0, -1).numpy()
    array([[1, 2],
           [0, 4]], dtype=int32)
    """
    return _band_part.run(input, axis_number(num_lower), axis_number(num_upper))


def trace(x: Any, name: str | None = None) -> Any:
    """The sum of the main diagonal of a matrix, or of each of a stack of them.

    Raises:
        InvalidArgumentError: ``x`` is no matrix.

    >>> import tapeviz as tf
    >>> tf.linalg.trace([[1, 2], [3, 4]]).numpy()
    np.int32(5)
    """
    return reduce_sum(diag_part(x), -1)


@by_rank()
def tensor_diag(diagonal: Any, name: str | None = None) -> Any:
    """The tensor of twice the rank with these elements where the first half of the indices is the second.

    >>> import tapeviz as tf
    >>> tf.linalg.tensor_diag([1, 2]).numpy()
    array([[1, 0],
           [0, 2]], dtype=int32)
    """
    diagonal = convert_to_tensor(diagonal)
    shape = diagonal._a.shape
    if not shape:
        raise InvalidArgumentError("Input must be at least rank 1, got 0", "Diag")
    reshape = registry["reshape"].run
    return reshape(diag(reshape(diagonal, (-1,))), (*shape, *shape))


@by_rank()
def tensor_diag_part(input: Any, name: str | None = None) -> Any:
    """The elements for which the first half of the indices is the second half.

    Raises:
        InvalidArgumentError: the first half of the shape is not the second half.

    >>> import tapeviz as tf
    >>> tf.linalg.tensor_diag_part([[1, 2], [3, 4]]).numpy()
    array([1, 4], dtype=int32)
    """
    input = convert_to_tensor(input)
    shape = input._a.shape
    rank = len(shape)
    if not rank or rank % 2:
        raise InvalidArgumentError(f"The rank of the tensor should be even and positive, got shape {list(shape)}")
    for axis in range(rank // 2):
        pair = shape[axis], shape[axis + rank // 2]
        if pair[0] != pair[1] and not has_deferred(pair):
            raise InvalidArgumentError(
                f"Invalid shape {rules.shape_text(shape)}: dimensions {axis} and {axis + rank // 2} do not match.",
                "DiagPart",
            )
    half = tuple(b if isinstance(a, Deferred) else a for a, b in zip(shape, shape[rank // 2 :], strict=False))
    reshape = registry["reshape"].run
    return reshape(diag_part(reshape(input, (math.prod(half), math.prod(half)))), half)


def _cross_rule(a: Spec, b: Spec) -> Spec:
    if a.shape != b.shape:
        raise InvalidArgumentError(
            f"Both inputs must be of same shape: {rules.shape_text(a.shape)} vs. {rules.shape_text(b.shape)}"
        )
    if not a.shape:
        raise InvalidArgumentError("Input must be at least 1D")
    if a.shape[-1] != 3:  # noqa: PLR2004 - only space has this product
        raise FailedPreconditionError("Cross-products are only defined for 3-element vectors.")
    return a


def _cross(xp: Any, a: Any, b: Any) -> Any:
    if a.shape != b.shape or a.shape[-1:] != (3,):
        raise ValueError("no vectors of three elements each")
    ahead, behind = [1, 2, 0], [2, 0, 1]
    return xp.subtract(xp.multiply(a[..., ahead], b[..., behind]), xp.multiply(a[..., behind], b[..., ahead]))


cross = op(
    "cross",
    doc="The vector at right angles to two vectors of three elements, as long as their parallelogram is large.",
    example=">>> import tapeviz as tf\n>>> tf.linalg.cross([1, 0, 0], [0, 1, 0]).numpy()\n"
    "array([0, 0, 1], dtype=int32)",
    family="linalg",
    forward=_cross,
    infer=_cross_rule,
    static=static_shape_rules.cross,
    types=NUMBERS,
    vjp={"a": lambda F, g, b: F.cross(b, g), "b": lambda F, g, a: F.cross(g, a)},
    formula=r"c = a \times b",
    vjp_formula=(r"\bar a = b \times \bar c", r"\bar b = \bar c \times a"),
    samples=cases(([(3,), (3,)], {}), ([(2, 3), (2, 3)], {}), ([(0, 3), (0, 3)], {})),
    traits="product",
)
