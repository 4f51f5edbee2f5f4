"""What is counted by thresholds: right and wrong, of what is predicted to be true and of the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from tapeviz import math, nn
from tapeviz.keras.floats import epsilon
from tapeviz.keras.losses.loss_reduction import as_tensor, same_rank
from tapeviz.ops.array.cast import cast
from tapeviz.ops.array.creation import shape as shape_of
from tapeviz.ops.array.reshape import broadcast_to, expand_dims, reshape, transpose
from tapeviz.ops.array.select import one_hot
from tapeviz.ops.math.reductions import reduce_sum
from tapeviz.ops.math.rounding import clip_by_value

__all__ = ["NEVER", "checked_thresholds", "count", "evenly_spread", "parts"]

NEVER: Final = -1e10
"""Less than any prediction: what is not among the best."""


def checked_thresholds(thresholds: Any, otherwise: float) -> list[float]:
    """The thresholds as a list.

    Raises:
        ValueError: one is not between 0 and 1.
    """
    if thresholds is None:
        return [otherwise]
    found = list(thresholds) if isinstance(thresholds, (list, tuple, np.ndarray)) else [thresholds]
    wrong = [one for one in found if one is None or one < 0 or one > 1]
    if wrong:
        raise ValueError(f"Threshold values must be in [0, 1]. Received: {wrong}")
    return found


def evenly_spread(thresholds: Sequence[float]) -> bool:
    """Whether the thresholds go from 0 to 1 in equal steps, so that a prediction's place among them is a division."""
    count = len(thresholds)
    if count < 3:  # noqa: PLR2004 - fewer are compared one by one
        return False
    return bool(np.allclose(thresholds, np.arange(count, dtype=np.float32) / (count - 1), atol=epsilon()))


def parts(y_true: Any, y_pred: Any, sample_weight: Any, dtype: Any) -> tuple[Any, Any, Any]:
    """Truths, predictions and weights as tensors of one shape; None for no weights."""
    y_pred, y_true = same_rank(as_tensor(y_pred, dtype), as_tensor(y_true, dtype))
    if sample_weight is None:
        return y_true, y_pred, None
    weights = expand_dims(as_tensor(sample_weight, dtype), -1)
    _, weights = same_rank(y_true, weights, expand=False)
    return y_true, y_pred, weights


def count(
    counts: Mapping[str, Any],
    y_true: Any,
    y_pred: Any,
    thresholds: Sequence[float],
    *,
    sample_weight: Any = None,
    top_k: int | None = None,
    class_id: int | None = None,
    label_weights: Any = None,
    multi_label: bool = False,
    evenly: bool = False,
) -> None:
    """Add what predictions are at each threshold to counts: variables for ``tp``, ``fp``, ``tn`` and ``fn``.

    Args:
        counts: the variables by sort, those that are wanted.
        y_true: what is right; not 0 counts as true.
        y_pred: what is predicted, from 0 to 1.
        thresholds: what is above one is predicted to be true.
        sample_weight: a weight for each example.
        top_k: how many of the best predictions of a row count; None for all.
        class_id: the one class to look at; None for all.
        label_weights: a weight for each class.
        multi_label: whether each class has counts of its own.
        evenly: whether the thresholds are spread evenly.
    """
    dtype = next(iter(counts.values())).dtype
    y_true, y_pred, weights = parts(y_true, y_pred, sample_weight, dtype)
    if top_k is not None:
        y_pred = _best(y_pred, top_k)
    if class_id is not None:
        if y_pred.shape.rank == 1:
            raise ValueError(
                "When class_id is provided, y_pred must be a 2D array with shape (num_samples, num_classes), found "
                f"shape: {y_pred.shape}"
            )
        y_true, y_pred = y_true[..., class_id : class_id + 1], y_pred[..., class_id : class_id + 1]
    if label_weights is not None:
        labels = broadcast_to(expand_dims(label_weights, 0), shape_of(y_pred))
        weights = labels if weights is None else weights * labels
    if weights is not None:
        weights = broadcast_to(weights, shape_of(y_pred))
    truth = cast(cast(y_true, "bool"), dtype)
    right, wrong = truth, 1.0 - truth
    if weights is not None:
        right, wrong = right * weights, wrong * weights
    right, wrong, y_pred = (_columns(part, multi_label=multi_label) for part in (right, wrong, y_pred))
    above = _above_even if evenly else _above_each
    true_positives, false_positives = above(right, wrong, y_pred, thresholds)
    found = {"tp": true_positives, "fp": false_positives}
    if "tn" in counts:
        found["tn"] = reduce_sum(wrong, 0) - false_positives
    if "fn" in counts:
        found["fn"] = reduce_sum(right, 0) - true_positives
    for sort, variable in counts.items():
        total = found[sort] if multi_label else reshape(found[sort], (-1,))
        variable.assign_add(total, read_value=False)


def _columns(values: Any, *, multi_label: bool) -> Any:
    """A column a label: one for all where they are counted together."""
    return values if multi_label else reshape(values, (-1, 1))


def _above_each(right: Any, wrong: Any, y_pred: Any, thresholds: Sequence[float]) -> tuple[Any, Any]:
    """What is above each threshold, by comparing each prediction with each of them."""
    lines = reshape(as_tensor(list(thresholds), y_pred.dtype), (-1, 1, 1))
    above = cast(expand_dims(y_pred, 0) > lines, y_pred.dtype)
    return reduce_sum(above * right, 1), reduce_sum(above * wrong, 1)


def _above_even(right: Any, wrong: Any, y_pred: Any, thresholds: Sequence[float]) -> tuple[Any, Any]:
    """What is above each of evenly spread thresholds: each prediction goes into a bucket, and buckets add up."""
    many = len(thresholds)
    bucket = math.ceil(clip_by_value(y_pred, 0.0, 1.0) * (many - 1)) - 1.0
    if thresholds[0] < 0 or thresholds[-1] > 1:  # then a prediction of 0 is above the first
        bucket = nn.relu(bucket)
    bucket = cast(bucket, "int32")
    return _filled(right, bucket, many), _filled(wrong, bucket, many)


def _filled(weights: Any, bucket: Any, many: int) -> Any:
    """For each threshold and label the weight that is in its bucket or in one above."""
    width = weights.shape[-1]
    if width == 1:
        in_each = reshape(math.unsorted_segment_sum(reshape(weights, (-1,)), reshape(bucket, (-1,)), many), (many, 1))
    else:
        columns = [math.unsorted_segment_sum(weights[:, place], bucket[:, place], many) for place in range(width)]
        in_each = transpose(as_tensor(columns, weights.dtype))
    return math.cumsum(in_each, axis=0, reverse=True)


def _best(y_pred: Any, k: int) -> Any:
    """The ``k`` largest predictions of each row; the others are never above a threshold."""
    _, places = math.top_k(y_pred, k)
    chosen = reduce_sum(one_hot(places, y_pred.shape[-1], dtype=y_pred.dtype), -2)
    return y_pred * chosen + NEVER * (1.0 - chosen)
