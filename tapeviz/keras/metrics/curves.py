"""Curves over thresholds: the area under them, and their best points under a condition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from tapeviz import math
from tapeviz.engine.tensor import Tensor
from tapeviz.engine.variable import Variable
from tapeviz.keras.floats import epsilon
from tapeviz.keras.losses.loss_reduction import as_tensor
from tapeviz.keras.metrics.confusion import count, evenly_spread
from tapeviz.keras.metrics.metric import Metric
from tapeviz.ops.array.cast import cast
from tapeviz.ops.array.creation import ones_like
from tapeviz.ops.array.select import where
from tapeviz.ops.math.reductions import reduce_mean, reduce_sum

__all__ = ["AUC", "Counts"]

_CURVES: Final = ("ROC", "PR", "PRGAIN")
_METHODS: Final = ("interpolation", "majoring", "minoring")


def spread(many: int) -> list[float]:
    """Evenly spread numbers between 0 and 1, without these."""
    return [(place + 1) / (many - 1) for place in range(many - 2)]


class Counts(Metric):
    """A metric that is made of all four counts, at many thresholds."""

    def _add_counts(self, shape: Sequence[int]) -> None:
        self.true_positives: Variable = self.add_variable(shape, name="true_positives")
        self.false_positives: Variable = self.add_variable(shape, name="false_positives")
        self.true_negatives: Variable = self.add_variable(shape, name="true_negatives")
        self.false_negatives: Variable = self.add_variable(shape, name="false_negatives")

    def _counts(self) -> dict[str, Any]:
        return {
            "tp": self.true_positives, "fp": self.false_positives, "tn": self.true_negatives,
            "fn": self.false_negatives,
        }  # fmt: skip

    def _recall(self) -> Any:
        return math.divide_no_nan(self.true_positives, self.true_positives + self.false_negatives)

    def _precision(self) -> Any:
        return math.divide_no_nan(self.true_positives, self.true_positives + self.false_positives)

    def _specificity(self) -> Any:
        return math.divide_no_nan(self.true_negatives, self.true_negatives + self.false_positives)


class AUC(Counts):
    """Area under the ROC or the precision-recall curve, approximated at thresholds.

    Args:
        num_thresholds: how many thresholds; more of them come nearer to the area.
        curve: ``"ROC"`` for true positives against false ones, ``"PR"`` for precision against recall, ``"PRGAIN"`` for
            precision gain against recall gain.
        summation_method: ``"interpolation"``, ``"majoring"`` (the higher side of each strip) or ``"minoring"``.
        name: its name.
        dtype: the dtype to count in.
        thresholds: the thresholds between 0 and 1, in place of evenly spread ones.
        multi_label: whether each label has a curve; the result is their mean.
        num_labels: how many labels, for ``multi_label``; found out at the first call unless given.
        label_weights: a weight for each label.
        from_logits: whether predictions are logits, of which the sigmoid is taken.

    Raises:
        ValueError: an argument is none of these.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.AUC(num_thresholds=3)([0, 0, 1, 1], [0.0, 0.5, 0.3, 0.9]).numpy()
    np.float32(0.75)
    """

    def __init__(
        self,
        num_thresholds: int = 200,
        curve: str = "ROC",
        summation_method: str = "interpolation",
        name: str | None = None,
        dtype: Any = None,
        thresholds: Any = None,
        multi_label: bool = False,
        num_labels: int | None = None,
        label_weights: Any = None,
        from_logits: bool = False,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self.curve: str = _one_of(str(curve).upper(), _CURVES, "AUC curve", curve)
        self.summation_method: str = _one_of(
            str(summation_method).lower(), _METHODS, "AUC summation method", summation_method
        )
        if thresholds is None and num_thresholds <= 1:
            raise ValueError(
                f"Argument `num_thresholds` must be an integer > 1. Received: num_thresholds={num_thresholds}"
            )
        if num_labels and not multi_label:
            raise ValueError("`num_labels` is needed only when `multi_label` is True.")
        inner = spread(num_thresholds) if thresholds is None else sorted(thresholds)
        self._given = thresholds is not None
        self._evenly = not self._given or evenly_spread([0.0, *inner, 1.0])
        self._thresholds = [-epsilon(), *inner, 1.0 + epsilon()]
        self.num_thresholds: int = len(self._thresholds)
        self.multi_label = multi_label
        self.num_labels = num_labels
        self.label_weights: np.ndarray | None = None if label_weights is None else np.asarray(label_weights)
        self._from_logits = from_logits
        self._built = False
        if not multi_label or num_labels:
            self._build(num_labels)

    @property
    def thresholds(self) -> list[float]:
        """The thresholds, with one below 0 and one above 1 at the ends."""
        return list(self._thresholds)

    def _build(self, labels: int | None) -> None:
        self._add_counts((self.num_thresholds, labels) if self.multi_label and labels else (self.num_thresholds,))
        self._built = True

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Accumulate predictions.

        Args:
            y_true: what is right: 1 or 0.
            y_pred: what is predicted, from 0 to 1.
            sample_weight: a weight for each example.

        Raises:
            ValueError: with ``multi_label``, ``y_pred`` does not have two axes.
        """
        y_pred = as_tensor(y_pred, self._dtype)
        if not self._built:
            if y_pred.shape.rank != 2:  # noqa: PLR2004 - examples and labels
                raise ValueError(
                    f"`y_pred` must have rank 2 when `multi_label=True`. Found rank {y_pred.shape.rank}. Full shape "
                    f"received for `y_pred`: {y_pred.shape}"
                )
            self._build(y_pred.shape[-1])
        if self._from_logits:
            y_pred = math.sigmoid(y_pred)
        weights = None if self.multi_label or self.label_weights is None else self._label_weights()
        count(
            self._counts(), y_true, y_pred, self._thresholds, sample_weight=sample_weight, label_weights=weights,
            multi_label=self.multi_label, evenly=self._evenly,
        )  # fmt: skip

    def _label_weights(self) -> Any:
        return as_tensor(self.label_weights, self._dtype)

    def result(self) -> Tensor:
        """The area so far."""
        if not self._built:
            return cast(0.0, self._dtype)
        if self.curve == "PR" and self.summation_method == "interpolation":
            return self._together(self._interpolated())
        x, y = self._points()
        if self.summation_method == "interpolation":
            heights = (y[:-1] + y[1:]) / 2.0
        else:
            heights = (math.minimum if self.summation_method == "minoring" else math.maximum)(y[:-1], y[1:])
        return self._together((x[:-1] - x[1:]) * heights)

    def _points(self) -> tuple[Any, Any]:
        """Where the curve is at each threshold."""
        if self.curve == "ROC":
            wrong = math.divide_no_nan(self.false_positives, self.false_positives + self.true_negatives)
            return wrong, self._recall()
        if self.curve == "PR":
            return self._recall(), self._precision()
        scale = math.divide_no_nan(
            self.true_positives + self.false_negatives, self.true_negatives + self.false_positives
        )
        none = math.equal(self.true_positives, 0.0)
        recall = 1.0 - scale * math.divide_no_nan(self.false_negatives, self.true_positives)
        precision = 1.0 - scale * math.divide_no_nan(self.false_positives, self.true_positives)
        nothing, everything = cast(0.0, self._dtype), cast(1.0, self._dtype)
        return math.maximum(where(none, nothing, recall), 0.0), where(none, everything, precision)

    def _interpolated(self) -> Any:
        """The strips under the precision-recall curve, of which true positives are linear in all positives."""
        hits, positives = self.true_positives.value(), self.true_positives + self.false_positives
        more_hits, more = hits[:-1] - hits[1:], positives[:-1] - positives[1:]
        slope = math.divide_no_nan(more_hits, math.maximum(more, 0.0))
        rest = hits[1:] - slope * positives[1:]
        both = math.logical_and(positives[:-1] > 0, positives[1:] > 0)
        ratio = where(both, math.divide_no_nan(positives[:-1], math.maximum(positives[1:], 0.0)), ones_like(rest))
        true = math.maximum(hits[1:] + self.false_negatives[1:], 0.0)
        return math.divide_no_nan(slope * (more_hits + rest * math.log(ratio)), true)

    def _together(self, strips: Any) -> Tensor:
        """The strips as one number."""
        areas: Tensor = reduce_sum(strips, 0 if self.multi_label else None)
        if self.multi_label and self.label_weights is None:
            areas = reduce_mean(areas)
        elif self.multi_label:
            weights = self._label_weights()
            areas = math.divide_no_nan(reduce_sum(areas * weights), reduce_sum(weights))
        return areas

    def get_config(self) -> dict[str, Any]:
        """What such a metric is made from again."""
        weights = self.label_weights
        own = {
            "num_thresholds": self.num_thresholds, "curve": self.curve, "summation_method": self.summation_method,
            "multi_label": self.multi_label, "num_labels": self.num_labels, "from_logits": self._from_logits,
            "label_weights": None if weights is None else weights.tolist(),
            **({"thresholds": self.thresholds[1:-1]} if self._given else {}),
        }  # fmt: skip
        return {**super().get_config(), **own}


def _one_of(value: str, known: Sequence[str], what: str, given: Any) -> str:
    if value not in known:
        raise ValueError(f'Invalid {what} value: "{given}". Expected values are {list(known)}')
    return value
