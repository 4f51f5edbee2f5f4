"""Errors of numbers as metrics, and how much of their variance is explained."""

from __future__ import annotations

import warnings
from typing import Any, Final

from tapeviz import math
from tapeviz.engine.tensor import Tensor
from tapeviz.engine.variable import Variable
from tapeviz.keras.losses.loss_reduction import as_tensor, same_rank
from tapeviz.keras.losses.regression import (
    directions,
    log_cosh,
    mean_absolute_error,
    mean_absolute_percentage_error,
    mean_squared_error,
    mean_squared_logarithmic_error,
    paired,
)
from tapeviz.keras.metrics.metric import Metric
from tapeviz.keras.metrics.reduction import Mean, MeanMetricWrapper
from tapeviz.ops.array.cast import cast
from tapeviz.ops.array.creation import shape as shape_of
from tapeviz.ops.array.creation import size
from tapeviz.ops.array.reshape import broadcast_to, expand_dims
from tapeviz.ops.array.select import where
from tapeviz.ops.math.reductions import reduce_mean, reduce_sum

__all__ = [
    "CosineSimilarity", "LogCoshError", "MeanAbsoluteError", "MeanAbsolutePercentageError", "MeanSquaredError",
    "MeanSquaredLogarithmicError", "R2Score", "RootMeanSquaredError", "cosine_similarity",
]  # fmt: skip

_AGGREGATIONS: Final = (None, "uniform_average", "variance_weighted_average")


def cosine_similarity(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """The cosine of the angle between the two: 1 where they point the same way; the loss of that name is minus it.

    >>> from tapeviz.keras.metrics.errors import cosine_similarity
    >>> cosine_similarity([[0.0, 1.0]], [[1.0, 1.0]]).numpy().round(4)
    array([0.7071], dtype=float32)
    """
    y_true, y_pred = paired(y_true, y_pred)
    return reduce_sum(directions(y_true, axis) * directions(y_pred, axis), axis)


class MeanSquaredError(MeanMetricWrapper):
    """Mean squared error.

    Args:
        name: its name.
        dtype: the dtype to count in.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.MeanSquaredError()([[0.0, 1.0], [0.0, 0.0]], [[1.0, 1.0], [0.0, 0.0]]).numpy()
    np.float32(0.25)
    """

    def __init__(self, name: str | None = "mean_squared_error", dtype: Any = None) -> None:
        super().__init__(mean_squared_error, name, dtype)


class MeanAbsoluteError(MeanMetricWrapper):
    """Mean absolute error. Arguments as for :class:`MeanSquaredError`.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.MeanAbsoluteError()([[0.0, 1.0], [0.0, 0.0]], [[3.0, 1.0], [0.0, 0.0]]).numpy()
    np.float32(0.75)
    """

    def __init__(self, name: str | None = "mean_absolute_error", dtype: Any = None) -> None:
        super().__init__(mean_absolute_error, name, dtype)


class MeanAbsolutePercentageError(MeanMetricWrapper):
    """Mean absolute error in per cent of the label. Arguments as for :class:`MeanSquaredError`.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.MeanAbsolutePercentageError()([[2.0], [4.0]], [[1.0], [4.0]]).numpy()
    np.float32(25.0)
    """

    def __init__(self, name: str | None = "mean_absolute_percentage_error", dtype: Any = None) -> None:
        super().__init__(mean_absolute_percentage_error, name, dtype)


class MeanSquaredLogarithmicError(MeanMetricWrapper):
    """Mean squared logarithmic error, of differences of ``log(1 + y)``. Arguments as for :class:`MeanSquaredError`.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.MeanSquaredLogarithmicError()([[0.0]], [[1.718281828]]).numpy().round(5)
    np.float32(1.0)
    """

    def __init__(self, name: str | None = "mean_squared_logarithmic_error", dtype: Any = None) -> None:
        super().__init__(mean_squared_logarithmic_error, name, dtype)


class LogCoshError(MeanMetricWrapper):
    """Mean logarithm of the hyperbolic cosine of the error. Arguments as for :class:`MeanSquaredError`.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.LogCoshError()([[0.0], [0.0]], [[1.0], [0.0]]).numpy().round(6)
    np.float32(0.21689)
    """

    def __init__(self, name: str | None = "logcosh", dtype: Any = None) -> None:
        super().__init__(log_cosh, name, dtype)


class CosineSimilarity(MeanMetricWrapper):
    """Mean cosine similarity of labels and predictions.

    Args:
        name: its name.
        dtype: the dtype to count in.
        axis: the axis of the vectors.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.CosineSimilarity()([[0.0, 1.0], [1.0, 0.0]], [[0.0, 2.0], [0.0, 1.0]]).numpy()
    np.float32(0.5)
    """

    def __init__(self, name: str | None = "cosine_similarity", dtype: Any = None, axis: int = -1) -> None:
        super().__init__(cosine_similarity, name, dtype, axis=axis)


class RootMeanSquaredError(Mean):
    """Root mean squared error. Arguments as for :class:`MeanSquaredError`.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.RootMeanSquaredError()([[0.0, 1.0], [0.0, 0.0]], [[1.0, 1.0], [0.0, 0.0]]).numpy()
    np.float32(0.5)
    """

    def __init__(self, name: str | None = "root_mean_squared_error", dtype: Any = None) -> None:
        super().__init__(name, dtype)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:  # type: ignore[override]
        """Accumulate predictions."""
        y_true, y_pred = same_rank(as_tensor(y_true, self._dtype), as_tensor(y_pred, self._dtype))
        super().update_state(math.squared_difference(y_pred, y_true), sample_weight)

    def result(self) -> Tensor:
        """The root of the mean so far."""
        return math.sqrt(super().result())


class R2Score(Metric):
    """Coefficient of determination: 1 for a perfect prediction, 0 for one that says the mean.

    Args:
        class_aggregation: ``"uniform_average"`` for the mean over outputs, ``"variance_weighted_average"`` for one
            weighted by their variances, None for one number an output.
        num_regressors: how many inputs the model has, for the adjusted score; 0 for the plain one.
        name: its name.
        dtype: the dtype to count in.

    Raises:
        ValueError: an argument is none of these; when called: the inputs do not have two axes.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.R2Score()([[1.0], [4.0], [3.0]], [[2.0], [4.0], [4.0]]).numpy().round(4)
    np.float32(0.5714)
    """

    def __init__(
        self,
        class_aggregation: str | None = "uniform_average",
        num_regressors: int = 0,
        name: str | None = "r2_score",
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        if class_aggregation not in _AGGREGATIONS:
            raise ValueError(
                f"Invalid value for argument `class_aggregation`. Expected one of {_AGGREGATIONS}. "
                f"Received: class_aggregation={class_aggregation}"
            )
        if num_regressors < 0:
            raise ValueError(
                "Invalid value for argument `num_regressors`. Expected a value >= 0. "
                f"Received: num_regressors={num_regressors}"
            )
        self.class_aggregation = class_aggregation
        self.num_regressors = num_regressors
        self.num_samples: Variable = self.add_variable(name="num_samples")
        self._built = False

    def _build(self, y_true: Any, y_pred: Any) -> None:
        if y_true.shape.rank != 2 or y_pred.shape.rank != 2 or y_pred.shape[-1] is None:  # noqa: PLR2004
            raise ValueError(
                "R2Score expects 2D inputs with shape (batch_size, output_dim). Received input shapes: "
                f"y_pred.shape={y_pred.shape} and y_true.shape={y_true.shape}."
            )
        width = (y_pred.shape[-1],)
        self.squared_sum: Variable = self.add_variable(width, name="squared_sum")
        self.sum: Variable = self.add_variable(width, name="sum")
        self.total_mse: Variable = self.add_variable(width, name="residual")
        self.count: Variable = self.add_variable(width, name="count")
        self._built = True

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Accumulate predictions, a row an example."""
        y_true, y_pred = same_rank(as_tensor(y_true, self._dtype), as_tensor(y_pred, self._dtype))
        if not self._built:
            self._build(y_true, y_pred)
        weights = as_tensor(1.0 if sample_weight is None else sample_weight, self._dtype)
        if weights.shape.rank == 1:
            weights = expand_dims(weights, 1)
        weights = broadcast_to(weights, shape_of(y_true))
        weighted = y_true * weights
        self.sum.assign_add(reduce_sum(weighted, 0))
        self.squared_sum.assign_add(reduce_sum(y_true * weighted, 0))
        self.total_mse.assign_add(reduce_sum(math.squared_difference(y_true, y_pred) * weights, 0))
        self.count.assign_add(reduce_sum(weights, 0))
        self.num_samples.assign_add(cast(size(y_true), self._dtype))

    def result(self) -> Tensor:
        """The score so far."""
        if not self._built:
            return cast(0.0, self._dtype)
        total = self.squared_sum - self.sum * (self.sum / self.count)
        scores: Tensor = 1.0 - self.total_mse / total
        scores = where(math.is_inf(scores), cast(0.0, self._dtype), scores)
        if self.class_aggregation == "uniform_average":
            scores = reduce_mean(scores)
        elif self.class_aggregation is not None:
            scores = reduce_sum(total * scores) / reduce_sum(total)
        return self._adjusted(scores) if self.num_regressors else scores

    def _adjusted(self, score: Any) -> Any:
        """The score, less what as many inputs would explain by chance."""
        spare = self.num_samples - (self.num_regressors + 1.0)
        if not hasattr(spare, "_node") and float(spare) <= 0:
            warnings.warn(
                "More independent predictors than datapoints in adjusted R2 score. Falling back to standard R2 score.",
                stacklevel=3,
            )
            return score
        adjusted = 1.0 - (1.0 - score) * (self.num_samples - 1.0) / spare
        return where(spare > 0, adjusted, score)

    def get_config(self) -> dict[str, Any]:
        """What such a metric is made from again."""
        own = {"class_aggregation": self.class_aggregation, "num_regressors": self.num_regressors}
        return {**super().get_config(), **own}
