"""Metrics by name, and as plain data."""

from __future__ import annotations

import inspect
from typing import Any, Final

from tapeviz.keras import metrics
from tapeviz.keras.names import snake_case
from tapeviz.keras.serialization import (
    deserialize_keras_object,
    get_registered_object,
    interpret,
    serialize_keras_object,
)

__all__ = ["deserialize", "get", "serialize"]

_ALSO: Final = {
    "bce": "BinaryCrossentropy", "mae": "MeanAbsoluteError", "mape": "MeanAbsolutePercentageError",
    "mse": "MeanSquaredError", "msle": "MeanSquaredLogarithmicError", "rmse": "RootMeanSquaredError",
}  # fmt: skip
_NOT_METRICS: Final = frozenset({"Metric", "MeanMetricWrapper", "deserialize", "get", "serialize"})


def get(identifier: Any) -> Any:
    """The metric that something stands for.

    Args:
        identifier: a name (of a class, such as ``"AUC"``, in snake case too), what :func:`serialize` gave, a metric, a
            function of ``y_true`` and ``y_pred``, or None.

    Raises:
        ValueError: there is no such metric.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.get("binary_accuracy")
    <BinaryAccuracy name=binary_accuracy>
    """
    return interpret(identifier, "metric", deserialize)


def serialize(metric: Any) -> Any:
    """A metric as plain data, from which :func:`deserialize` makes it again.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.serialize(tf.keras.metrics.BinaryAccuracy(threshold=0.7))["config"]["threshold"]
    0.7
    """
    return serialize_keras_object(metric)


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """The metric that :func:`serialize` wrote down, or of that name.

    Args:
        config: the data, or the name.
        custom_objects: functions and classes of one's own, by name.

    Raises:
        ValueError: there is no such metric.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.deserialize("mse")
    <MeanSquaredError name=mean_squared_error>
    """
    if not isinstance(config, str):
        return deserialize_keras_object(config, custom_objects, metrics)
    found = get_registered_object(config, custom_objects)
    if found is None and (name := _public(config)) is not None:
        found = getattr(metrics, name)
    if found is None:
        raise ValueError(f"Could not interpret metric identifier: {config}. No metric is called that.")
    return found() if inspect.isclass(found) else found


def _public(name: str) -> str | None:
    """What is offered under a name, a class rather than a function: ``mse`` and ``mean_squared_error`` are a metric."""
    offered = [known for known in metrics.__all__ if known not in _NOT_METRICS]
    classes = {snake_case(known): known for known in offered if known[0].isupper() and not known.isupper()}
    classes |= {"auc": "AUC", **_ALSO, **{short.upper(): long for short, long in _ALSO.items()}}
    return classes.get(name) or (name if name in offered else None)
