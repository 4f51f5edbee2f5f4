"""Losses by name, and as plain data."""

from __future__ import annotations

import inspect
from typing import Any, Final

from tapeviz.keras import losses
from tapeviz.keras.serialization import (
    deserialize_keras_object,
    get_registered_object,
    interpret,
    serialize_keras_object,
)

__all__ = ["deserialize", "get", "serialize"]

_ALSO: Final = {
    "bce": "binary_crossentropy", "BCE": "binary_crossentropy", "cosine": "cosine_similarity",
}  # fmt: skip
_NOT_LOSSES: Final = frozenset({"Loss", "Reduction", "deserialize", "get", "serialize"})


def get(identifier: Any) -> Any:
    """The loss that something stands for.

    Args:
        identifier: a name (of a function, such as ``"mse"``, or of a class), what :func:`serialize` gave, a loss, a
            function of ``y_true`` and ``y_pred``, or None.

    Raises:
        ValueError: there is no such loss.

    >>> import tapeviz as tf
    >>> tf.keras.losses.get("mse").__name__
    'mean_squared_error'
    """
    return interpret(identifier, "loss", deserialize)


def serialize(loss: Any) -> Any:
    """A loss as plain data, from which :func:`deserialize` makes it again.

    >>> import tapeviz as tf
    >>> tf.keras.losses.serialize(tf.keras.losses.Huber(delta=2.0))["config"]["delta"]
    2.0
    """
    return serialize_keras_object(loss)


def deserialize(name: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """The loss that :func:`serialize` wrote down, or of that name.

    Args:
        name: the data, or the name.
        custom_objects: functions and classes of one's own, by name.

    Raises:
        ValueError: there is no such loss.

    >>> import tapeviz as tf
    >>> tf.keras.losses.deserialize(tf.keras.losses.serialize(tf.keras.losses.Huber()))
    <Huber name=huber_loss>
    """
    if not isinstance(name, str):
        return deserialize_keras_object(name, custom_objects, losses)
    found = get_registered_object(name, custom_objects)
    plain = _ALSO.get(name, name)
    if found is None and plain in losses.__all__ and plain not in _NOT_LOSSES:
        found = getattr(losses, plain)
    if found is None:
        raise ValueError(f"Could not interpret loss identifier: {name}. No loss is called that.")
    return found() if inspect.isclass(found) else found
