"""Schedules to configurations and back."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.keras.optimizers.schedules import cosine, decay
from tapeviz.keras.serialization import deserialize_keras_object, serialize_keras_object

__all__ = ["deserialize", "serialize"]

_CLASSES: Final = {name: getattr(module, name) for module in (cosine, decay) for name in module.__all__}


def serialize(learning_rate_schedule: Any) -> Any:
    """A schedule as a dict of its class and its configuration.

    >>> import tapeviz as tf
    >>> schedules = tf.keras.optimizers.schedules
    >>> schedules.serialize(schedules.CosineDecay(0.5, 10))["config"]["decay_steps"]
    10
    """
    told = serialize_keras_object(learning_rate_schedule)
    ours = type(learning_rate_schedule) in _CLASSES.values()
    return {**told, "module": "keras.optimizers.schedules"} if ours else told


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """The schedule of such a dict.

    Args:
        config: what :func:`serialize` gives.
        custom_objects: classes of your own by name.

    Raises:
        ValueError: there is no such class.

    >>> import tapeviz as tf
    >>> schedules = tf.keras.optimizers.schedules
    >>> told = {"class_name": "CosineDecay", "config": {"initial_learning_rate": 0.5, "decay_steps": 9}}
    >>> schedules.deserialize(told)(0).numpy()
    np.float32(0.5)
    """
    return deserialize_keras_object(config, custom_objects, _CLASSES)
