"""Counts of right and wrong, precision and recall."""

from __future__ import annotations

from typing import Any

from tapeviz import math
from tapeviz.engine.tensor import Tensor
from tapeviz.engine.variable import Variable
from tapeviz.keras.metrics.confusion import NEVER, checked_thresholds, count, evenly_spread
from tapeviz.keras.metrics.metric import Metric

__all__ = ["FalseNegatives", "FalsePositives", "Precision", "Recall", "TrueNegatives", "TruePositives"]


class _Count(Metric):
    """One count of the confusion matrix, for one threshold or several."""

    _sort = ""

    def __init__(self, thresholds: Any = None, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.init_thresholds = thresholds
        self.thresholds: list[float] = checked_thresholds(thresholds, 0.5)
        self._evenly = evenly_spread(self.thresholds)
        self.accumulator: Variable = self.add_variable((len(self.thresholds),), name="accumulator")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Accumulate predictions.

        Args:
            y_true: what is right: 1 or 0.
            y_pred: what is predicted, from 0 to 1.
            sample_weight: a weight for each example.
        """
        counts = {self._sort: self.accumulator}
        count(counts, y_true, y_pred, self.thresholds, sample_weight=sample_weight, evenly=self._evenly)

    def result(self) -> Tensor:
        """The count so far; one for each threshold where there are several."""
        return self.accumulator[0] if len(self.thresholds) == 1 else self.accumulator.value()

    def get_config(self) -> dict[str, Any]:
        """What such a metric is made from again."""
        return {**super().get_config(), "thresholds": self.init_thresholds}


class TruePositives(_Count):
    """Number of true positives: of what is true and is predicted to be.

    Args:
        thresholds: what is above one is predicted to be true; 0.5 by default. A list gives a count for each.
        name: its name.
        dtype: the dtype to count in.

    Raises:
        ValueError: a threshold is not between 0 and 1.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.TruePositives()([0, 1, 1, 1], [1, 0, 1, 1]).numpy()
    np.float32(2.0)
    """

    _sort = "tp"


class FalsePositives(_Count):
    """Number of false positives: of what is not true and is predicted to be. Arguments as for :class:`TruePositives`.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.FalsePositives()([0, 1, 0, 0], [0, 0, 1, 1]).numpy()
    np.float32(2.0)
    """

    _sort = "fp"


class TrueNegatives(_Count):
    """Number of true negatives: what is not true and not predicted to be. Arguments as for :class:`TruePositives`.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.TrueNegatives()([0, 1, 0, 0], [1, 1, 0, 0]).numpy()
    np.float32(2.0)
    """

    _sort = "tn"


class FalseNegatives(_Count):
    """Number of false negatives: of what is true and is not predicted to be. Arguments as for :class:`TruePositives`.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.FalseNegatives()([0, 1, 1, 1], [0, 1, 0, 0]).numpy()
    np.float32(2.0)
    """

    _sort = "fn"


class _Share(Metric):
    """The share of true positives among these and another count."""

    _other = ""

    def __init__(
        self,
        thresholds: Any = None,
        top_k: int | None = None,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self.init_thresholds = thresholds
        self.top_k = top_k
        self.class_id = class_id
        self.thresholds: list[float] = checked_thresholds(thresholds, 0.5 if top_k is None else NEVER)
        self._evenly = evenly_spread(self.thresholds)
        names = {"fp": "false_positives", "fn": "false_negatives"}
        self.true_positives: Variable = self.add_variable((len(self.thresholds),), name="true_positives")
        self._others = self.add_variable((len(self.thresholds),), name=names[self._other])
        setattr(self, names[self._other], self._others)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Accumulate predictions.

        Args:
            y_true: what is right: 1 or 0.
            y_pred: what is predicted, from 0 to 1.
            sample_weight: a weight for each example.
        """
        count(
            {"tp": self.true_positives, self._other: self._others}, y_true, y_pred, self.thresholds,
            sample_weight=sample_weight, top_k=self.top_k, class_id=self.class_id, evenly=self._evenly,
        )  # fmt: skip

    def result(self) -> Tensor:
        """The share so far; one for each threshold where there are several."""
        share = math.divide_no_nan(self.true_positives, self.true_positives + self._others)
        return share[0] if len(self.thresholds) == 1 else share

    def get_config(self) -> dict[str, Any]:
        """What such a metric is made from again."""
        own = {"thresholds": self.init_thresholds, "top_k": self.top_k, "class_id": self.class_id}
        return {**super().get_config(), **own}


class Precision(_Share):
    """Precision: the share of true positives in all that is predicted to be true.

    Args:
        thresholds: what is above one is predicted to be true; 0.5 by default. A list gives a number for each.
        top_k: how many of the best predictions of a row count as true, whatever the threshold.
        class_id: the one class to look at.
        name: its name.
        dtype: the dtype to count in.

    Raises:
        ValueError: a threshold is not between 0 and 1.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.Precision()([0, 1, 1, 1], [1, 0, 1, 1]).numpy().round(4)
    np.float32(0.6667)
    """

    _other = "fp"


class Recall(_Share):
    """Recall: the share of true positives in all that is true. Arguments as for :class:`Precision`.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.Recall()([0, 1, 1, 1], [1, 0, 1, 1]).numpy().round(4)
    np.float32(0.6667)
    """

    _other = "fn"
