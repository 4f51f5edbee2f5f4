"""Sums and means over calls, on which most metrics are built."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeviz import math
from tapeviz.engine.tensor import Tensor
from tapeviz.engine.variable import Variable
from tapeviz.keras.losses.loss_reduction import as_tensor, check_fits, mask_as_weights, same_rank
from tapeviz.keras.masks import mask_of
from tapeviz.keras.metrics.metric import Metric
from tapeviz.ops.array.cast import cast
from tapeviz.ops.array.creation import shape as shape_of
from tapeviz.ops.array.reshape import broadcast_to
from tapeviz.ops.math.reductions import reduce_mean, reduce_sum

__all__ = ["Mean", "MeanMetricWrapper", "Sum"]


def _one_a_sample(values: Any, sample_weight: Any, reduce: Callable[..., Any], dtype: Any) -> tuple[Any, Any]:
    """The values, weighted, one for each sample; and the weights of the samples, None where there are none."""
    mask = mask_of(values)
    values = as_tensor(values, dtype)
    weights = None
    if sample_weight is not None:
        sample_weight = mask_as_weights(sample_weight, mask, dtype, "sum")
        values, weights = same_rank(values, as_tensor(sample_weight, dtype))
        inner, outer = values.shape.rank, weights.shape.rank
        if inner > outer:
            values = reduce(values, list(range(outer, inner)))
        check_fits(values, weights)
        if weights.shape != values.shape or not values.shape.is_fully_defined():
            weights = broadcast_to(weights, shape_of(values))
        values = values * weights
        if outer > 1:
            weights = reduce(weights, list(range(1, outer)))
    rank = values.shape.rank
    return (reduce(values, list(range(1, rank))) if rank > 1 else values), weights


class Sum(Metric):
    """The sum of all values, weighted.

    Args:
        name: its name.
        dtype: the dtype to count in.

    >>> import tapeviz as tf
    >>> total = tf.keras.metrics.Sum()
    >>> total.update_state([1.0, 3.0])
    >>> total([5.0], sample_weight=[2.0]).numpy()
    np.float32(14.0)
    """

    def __init__(self, name: str | None = "sum", dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.total: Variable = self.add_variable(name="total")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Add values, each with its weight if there are weights."""
        values, _ = _one_a_sample(values, sample_weight, reduce_sum, self._dtype)
        self.total.assign_add(reduce_sum(values), read_value=False)

    def result(self) -> Tensor:
        """The sum so far."""
        return self.total.value()


class Mean(Metric):
    """The mean of all values, weighted.

    Args:
        name: its name.
        dtype: the dtype to count in.

    >>> import tapeviz as tf
    >>> mean = tf.keras.metrics.Mean("loss")
    >>> mean.update_state(0)
    >>> mean.update_state(5)
    >>> mean.result().numpy()
    np.float32(2.5)
    >>> mean([8, 9]).numpy()
    np.float32(5.5)
    """

    def __init__(self, name: str | None = "mean", dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.total: Variable = self.add_variable(name="total")
        self.count: Variable = self.add_variable(name="count")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Take note of values, each with its weight if there are weights."""
        values, weights = _one_a_sample(values, sample_weight, reduce_mean, self._dtype)
        self.total.assign_add(reduce_sum(values), read_value=False)
        self.count.assign_add(self._number_of(values) if weights is None else reduce_sum(weights), read_value=False)

    def _number_of(self, samples: Any) -> Any:
        if not samples.shape.rank:
            return 1
        known = samples.shape[0]
        return known if known is not None else cast(shape_of(samples)[0], self._dtype)

    def result(self) -> Tensor:
        """The mean so far; 0 before the first value."""
        return math.divide_no_nan(self.total, self.count)


class MeanMetricWrapper(Mean):
    """The mean of what a function of ``y_true`` and ``y_pred`` gives.

    Args:
        fn: gives a value for each example.
        name: its name.
        dtype: the dtype to count in.
        **kwargs: further arguments of ``fn``.

    >>> import tapeviz as tf
    >>> metric = tf.keras.metrics.MeanMetricWrapper(tf.keras.losses.huber, name="huber", delta=2.0)
    >>> metric([[0.0], [0.0]], [[1.0], [3.0]]).numpy()
    np.float32(2.25)
    """

    def __init__(self, fn: Callable[..., Any], name: str | None = None, dtype: Any = None, **kwargs: Any) -> None:
        super().__init__(name=name or getattr(fn, "__name__", None), dtype=dtype)
        self._fn = fn
        self._options = kwargs

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:  # type: ignore[override]
        """Accumulate predictions.

        Args:
            y_true: what is right.
            y_pred: what is predicted.
            sample_weight: a weight for each example.
        """
        values = self._fn(self._read(y_true), self._read(y_pred), **self._options)
        mask = None if isinstance(y_pred, (list, tuple, dict)) else mask_of(y_pred)
        super().update_state(values, sample_weight=mask_as_weights(sample_weight, mask, self._dtype, "sum"))

    def _read(self, given: Any) -> Any:
        """Lists of numbers in the metric's dtype: they have none of their own."""
        return as_tensor(given, self._dtype) if isinstance(given, (list, tuple, float)) else given

    def get_config(self) -> dict[str, Any]:
        """What such a metric is made from again."""
        own = {"fn": self._fn} if type(self) is MeanMetricWrapper else {}
        return {**super().get_config(), **own, **self._options}
