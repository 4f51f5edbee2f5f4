"""From a number for each example to one number: weights, masks and reductions."""

from __future__ import annotations

from typing import Any, Final

from tapeviz import math
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.errors import ShapeError
from tapeviz.engine.rules import broadcastable
from tapeviz.engine.tensor import Tensor
from tapeviz.engine.variable import Variable
from tapeviz.ops.array.cast import cast
from tapeviz.ops.array.creation import size
from tapeviz.ops.array.reshape import expand_dims, squeeze
from tapeviz.ops.array.select import where
from tapeviz.ops.math.reductions import reduce_mean, reduce_sum

__all__ = ["Reduction", "as_tensor", "check_fits", "checked_reduction", "mask_as_weights", "reduced", "same_rank"]

_REDUCTIONS: Final = ("sum_over_batch_size", "sum", None, "none", "mean", "mean_with_sample_weight")


class Reduction:
    """How losses of examples become one number, by Keras' older names.

    >>> import tapeviz as tf
    >>> tf.keras.losses.MeanSquaredError(reduction=tf.keras.losses.Reduction.SUM).reduction
    'sum'
    """

    AUTO: Final = "sum_over_batch_size"
    NONE: Final = "none"
    SUM: Final = "sum"
    SUM_OVER_BATCH_SIZE: Final = "sum_over_batch_size"


_MEANS: Final = ("sum_over_batch_size", "mean")


def checked_reduction(reduction: str | None) -> str | None:
    """The reduction itself.

    Raises:
        ValueError: there is no such reduction.
    """
    if reduction not in _REDUCTIONS:
        raise ValueError(
            f"Invalid value for argument `reduction`. Expected one of {_REDUCTIONS}. Received: reduction={reduction}"
        )
    return reduction


def as_tensor(value: Any, dtype: Any) -> Any:
    """``value`` as a tensor of a dtype, whatever its own is."""
    if not isinstance(value, (Tensor, Variable)):
        try:
            return convert_to_tensor(value, dtype=dtype)
        except (TypeError, ValueError):  # truths and whole numbers do not turn into others by themselves
            value = convert_to_tensor(value)
    return value if isinstance(value, Tensor) and value.dtype == dtype else cast(value, dtype)


def same_rank(first: Any, second: Any, *, expand: bool = True) -> tuple[Any, Any]:
    """Both, with a last axis of size 1 taken off or put on where only one of them has it.

    Without it ``(n, 1)`` against ``(n,)`` would broadcast to ``(n, n)``: a loss that looks like one and is none.
    """
    ranks = first.shape.rank, second.shape.rank
    if None in ranks or abs(ranks[0] - ranks[1]) != 1:
        return first, second
    longer, shorter = (first, second) if ranks[0] > ranks[1] else (second, first)
    if longer.shape[-1] == 1:
        if shorter.shape.rank == 1 and expand:
            shorter = expand_dims(shorter, -1)
        else:
            longer = squeeze(longer, -1)
    return (longer, shorter) if ranks[0] > ranks[1] else (shorter, longer)


def mask_as_weights(sample_weight: Any, mask: Any, dtype: Any, reduction: str | None) -> Any:
    """The weights, 0 where the mask is False; None where there are neither.

    For a mean the others grow, so that the sum divided by the number of all is the mean of those that count.
    """
    if mask is None:
        return sample_weight
    kept = as_tensor(mask, dtype)
    if reduction in _MEANS:
        share = math.divide_no_nan(cast(size(kept), dtype), reduce_sum(kept))
        kept = where(cast(kept, "bool"), share, 0.0)
    if sample_weight is None:
        return kept
    kept, weights = same_rank(kept, as_tensor(sample_weight, dtype))
    return weights * kept


def check_fits(values: Any, weights: Any) -> None:
    """Refuse weights that do not go with the values.

    Raises:
        ShapeError: they do not; it is a ValueError and an InvalidArgumentError.
    """
    if values.shape.is_fully_defined() and weights.shape.is_fully_defined():
        inner, outer = tuple(values.shape), tuple(weights.shape)
        if not broadcastable(inner, outer):
            raise ShapeError(
                f"`sample_weight` does not fit: there are values of shape {inner} to be weighted, and weights of shape "
                f"{outer}. One weight for each example has shape {inner[:1]}."
            )


def reduced(values: Any, sample_weight: Any, mask: Any, reduction: str | None) -> Any:
    """The values, weighted and put together."""
    weights = mask_as_weights(sample_weight, mask, values.dtype, reduction)
    if weights is not None:
        values, weights = same_rank(values, as_tensor(weights, values.dtype))
        check_fits(values, weights)
        values = values * weights
    shape = values.shape
    if reduction in {None, "none"} or shape.rank == 0 or shape == (0,):
        return values
    if reduction == "sum":
        return reduce_sum(values)
    if reduction == "mean_with_sample_weight" and weights is not None:
        return math.divide_no_nan(reduce_sum(values), reduce_sum(weights))
    if shape.num_elements():
        return reduce_mean(values)
    # Of no examples, or of a number that a run will tell: no 0/0.
    return math.divide_no_nan(reduce_sum(values), cast(size(values), values.dtype))
