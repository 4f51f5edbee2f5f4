"""F scores: precision and recall as one number."""

from __future__ import annotations

from typing import Any, Final

from tapeviz import math
from tapeviz.engine.tensor import Tensor
from tapeviz.engine.variable import Variable
from tapeviz.keras.floats import epsilon
from tapeviz.keras.losses.loss_reduction import as_tensor
from tapeviz.keras.metrics.metric import Metric
from tapeviz.ops.array.cast import cast
from tapeviz.ops.array.reshape import expand_dims
from tapeviz.ops.math.reductions import reduce_max, reduce_mean, reduce_sum

__all__ = ["F1Score", "FBetaScore"]

_AVERAGES: Final = (None, "micro", "macro", "weighted")
_NOTHING: Final = 1e-9


class FBetaScore(Metric):
    """F-beta score: the weighted harmonic mean of precision and recall.

    Args:
        average: None for one score a class; ``"micro"`` for one of all counts, ``"macro"`` for the mean of the classes'
            scores, ``"weighted"`` for one weighted by how often a class is right.
        beta: how many times as much recall counts.
        threshold: what is above is predicted to be true; None for the largest prediction of each row.
        name: its name.
        dtype: the dtype to count in.

    Raises:
        ValueError: an argument is outside its range; when called: the inputs do not have two axes.

    >>> import tapeviz as tf
    >>> metric = tf.keras.metrics.FBetaScore(beta=2.0, threshold=0.5)
    >>> metric([[1, 1], [1, 0], [0, 0]], [[0.2, 0.6], [0.6, 0.2], [0.6, 0.6]]).numpy().round(4)
    array([0.5   , 0.8333], dtype=float32)
    """

    def __init__(
        self,
        average: str | None = None,
        beta: float = 1.0,
        threshold: float | None = None,
        name: str | None = "fbeta_score",
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        if average not in _AVERAGES:
            raise ValueError(
                "Invalid `average` argument value. Expected one of: {None, 'micro', 'macro', 'weighted'}. "
                f"Received: average={average}"
            )
        if not isinstance(beta, float):
            raise ValueError(  # noqa: TRY004 - Keras' error
                "Invalid `beta` argument value. It should be a Python float. "
                f"Received: beta={beta} of type '{type(beta)}'"
            )
        if beta <= 0.0:
            raise ValueError(f"Invalid `beta` argument value. It should be > 0. Received: beta={beta}")
        if threshold is not None and not (isinstance(threshold, float) and 0.0 < threshold <= 1.0):
            raise ValueError(
                "Invalid `threshold` argument value. It should be a Python float and verify 0 < threshold <= 1. "
                f"Received: threshold={threshold}"
            )
        self.beta: float
        self.threshold: float | None
        self.average, self.beta, self.threshold = average, beta, threshold
        self._built = False

    def _build(self, y_true: Any, y_pred: Any) -> None:
        if y_true.shape.rank != 2 or y_pred.shape.rank != 2 or y_pred.shape[-1] is None:  # noqa: PLR2004
            raise ValueError(
                "FBetaScore expects 2D inputs with shape (batch_size, output_dim). Received input shapes: "
                f"y_pred.shape={y_pred.shape} and y_true.shape={y_true.shape}."
            )
        shape = () if self.average == "micro" else (y_pred.shape[-1],)
        self.true_positives: Variable = self.add_variable(shape, name="true_positives")
        self.false_positives: Variable = self.add_variable(shape, name="false_positives")
        self.false_negatives: Variable = self.add_variable(shape, name="false_negatives")
        self.intermediate_weights: Variable = self.add_variable(shape, name="intermediate_weights")
        self._built = True

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Accumulate predictions, a row an example.

        Args:
            y_true: what is right: 1 or 0 for each class.
            y_pred: what is predicted for each class.
            sample_weight: a weight for each example.
        """
        y_true, y_pred = as_tensor(y_true, self._dtype), as_tensor(y_pred, self._dtype)
        if not self._built:
            self._build(y_true, y_pred)
        if self.threshold is None:
            largest = reduce_max(y_pred, -1, keepdims=True)
            chosen = math.logical_and(y_pred >= largest, math.abs(y_pred) > _NOTHING)
        else:
            chosen = y_pred > self.threshold
        chosen = cast(chosen, self._dtype)
        weights = None if sample_weight is None else expand_dims(as_tensor(sample_weight, self._dtype), 1)

        def total(values: Any) -> Any:
            weighted = values if weights is None else values * weights
            return reduce_sum(weighted, None if self.average == "micro" else 0)

        self.true_positives.assign_add(total(chosen * y_true))
        self.false_positives.assign_add(total(chosen * (1.0 - y_true)))
        self.false_negatives.assign_add(total((1.0 - chosen) * y_true))
        self.intermediate_weights.assign_add(total(y_true))

    def result(self) -> Tensor:
        """The score so far."""
        if not self._built:
            return cast(0.0, self._dtype)
        hits = self.true_positives.value()
        precision = hits / (hits + self.false_positives + epsilon())
        recall = hits / (hits + self.false_negatives + epsilon())
        square = self.beta**2
        score = precision * recall / (square * precision + recall + epsilon()) * (1.0 + square)
        if self.average == "weighted":
            weights = self.intermediate_weights / (reduce_sum(self.intermediate_weights) + epsilon())
            score = reduce_sum(score * weights)
        elif self.average is not None:
            score = reduce_mean(score)
        return score

    def get_config(self) -> dict[str, Any]:
        """What such a metric is made from again."""
        own = {"average": self.average, "beta": self.beta, "threshold": self.threshold}
        return {**super().get_config(), **own}


class F1Score(FBetaScore):
    """F1 score: the harmonic mean of precision and recall. Arguments as for :class:`FBetaScore`.

    >>> import tapeviz as tf
    >>> metric = tf.keras.metrics.F1Score(average="macro", threshold=0.5)
    >>> metric([[1, 1], [1, 0], [0, 0]], [[0.2, 0.6], [0.6, 0.2], [0.6, 0.6]]).numpy().round(4)
    np.float32(0.5833)
    """

    def __init__(
        self,
        average: str | None = None,
        threshold: float | None = None,
        name: str | None = "f1_score",
        dtype: Any = None,
    ) -> None:
        super().__init__(average=average, beta=1.0, threshold=threshold, name=name, dtype=dtype)

    def get_config(self) -> dict[str, Any]:
        """What such a metric is made from again."""
        config = super().get_config()
        del config["beta"]
        return config
