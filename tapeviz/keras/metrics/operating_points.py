"""The best that a classifier reaches in one respect while it holds a value in another."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.tensor import Tensor
from tapeviz.keras.metrics.confusion import count
from tapeviz.keras.metrics.curves import Counts, spread
from tapeviz.ops.array.cast import cast
from tapeviz.ops.array.select import where
from tapeviz.ops.math.reductions import reduce_max

__all__ = ["PrecisionAtRecall", "RecallAtPrecision", "SensitivityAtSpecificity", "SpecificityAtSensitivity"]


class _BestPoint(Counts):
    """The largest value of one quantity at the thresholds at which another is as large as asked for."""

    _held = ""

    def __init__(self, value: float, num_thresholds: int, class_id: int | None, name: str | None, dtype: Any) -> None:
        if value < 0 or value > 1:
            raise ValueError(f"Argument `{self._held}` must be in the range [0, 1]. Received: {self._held}={value}")
        if num_thresholds <= 0:
            raise ValueError(
                f"Argument `num_thresholds` must be an integer > 0. Received: num_thresholds={num_thresholds}"
            )
        super().__init__(name=name, dtype=dtype)
        self.value = value
        setattr(self, self._held, value)
        self.num_thresholds = num_thresholds
        self.class_id = class_id
        self._evenly = num_thresholds > 1
        self.thresholds: list[float] = [0.0, *spread(num_thresholds), 1.0] if self._evenly else [0.5]
        self._add_counts((len(self.thresholds),))

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Accumulate predictions.

        Args:
            y_true: what is right: 1 or 0.
            y_pred: what is predicted, from 0 to 1.
            sample_weight: a weight for each example.
        """
        count(
            self._counts(), y_true, y_pred, self.thresholds, sample_weight=sample_weight, class_id=self.class_id,
            evenly=self._evenly,
        )  # fmt: skip

    def _best(self, held: Any, wanted: Any) -> Tensor:
        result: Tensor = reduce_max(where(held >= self.value, wanted, cast(0.0, self._dtype)))
        return result

    def get_config(self) -> dict[str, Any]:
        """What such a metric is made from again."""
        own = {"num_thresholds": self.num_thresholds, "class_id": self.class_id, self._held: self.value}
        return {**super().get_config(), **own}


class SensitivityAtSpecificity(_BestPoint):
    """The best recall (sensitivity) at a specificity.

    Args:
        specificity: what is to be held, from 0 to 1.
        num_thresholds: how many thresholds are tried.
        class_id: the one class to look at.
        name: its name.
        dtype: the dtype to count in.

    Raises:
        ValueError: ``specificity`` or ``num_thresholds`` is outside its range.

    >>> import tapeviz as tf
    >>> metric = tf.keras.metrics.SensitivityAtSpecificity(0.5)
    >>> metric([0, 0, 0, 1, 1], [0.0, 0.3, 0.8, 0.3, 0.8]).numpy()
    np.float32(0.5)
    """

    _held = "specificity"

    def __init__(
        self,
        specificity: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(specificity, num_thresholds, class_id, name, dtype)

    def result(self) -> Tensor:
        """The best recall so far."""
        return self._best(self._specificity(), self._recall())


class SpecificityAtSensitivity(_BestPoint):
    """The best specificity at a recall. Arguments as for :class:`SensitivityAtSpecificity`.

    >>> import tapeviz as tf
    >>> metric = tf.keras.metrics.SpecificityAtSensitivity(0.5)
    >>> metric([0, 0, 0, 1, 1], [0.0, 0.3, 0.8, 0.3, 0.8]).numpy().round(4)
    np.float32(0.6667)
    """

    _held = "sensitivity"

    def __init__(
        self,
        sensitivity: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(sensitivity, num_thresholds, class_id, name, dtype)

    def result(self) -> Tensor:
        """The best specificity so far."""
        return self._best(self._recall(), self._specificity())


class PrecisionAtRecall(_BestPoint):
    """The best precision at a recall. Arguments as for :class:`SensitivityAtSpecificity`.

    >>> import tapeviz as tf
    >>> metric = tf.keras.metrics.PrecisionAtRecall(0.5)
    >>> metric([0, 0, 0, 1, 1], [0.0, 0.3, 0.8, 0.3, 0.8]).numpy()
    np.float32(0.5)
    """

    _held = "recall"

    def __init__(
        self,
        recall: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(recall, num_thresholds, class_id, name, dtype)

    def result(self) -> Tensor:
        """The best precision so far."""
        return self._best(self._recall(), self._precision())


class RecallAtPrecision(_BestPoint):
    """The best recall at a precision. Arguments as for :class:`SensitivityAtSpecificity`.

    >>> import tapeviz as tf
    >>> metric = tf.keras.metrics.RecallAtPrecision(0.8)
    >>> metric([0, 0, 1, 1], [0.0, 0.5, 0.3, 0.9]).numpy()
    np.float32(0.5)
    """

    _held = "precision"

    def __init__(
        self,
        precision: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(precision, num_thresholds, class_id, name, dtype)

    def result(self) -> Tensor:
        """The best recall so far."""
        return self._best(self._precision(), self._recall())
