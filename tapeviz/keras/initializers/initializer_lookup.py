"""Initializers by name and config."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.keras.initializers import constants, random_initializers
from tapeviz.keras.names import snake_case
from tapeviz.keras.serialization import deserialize_keras_object, get_object, serialize_keras_object

__all__ = ["deserialize", "get", "serialize"]

_classes: Final = [
    getattr(module, name) for module in (constants, random_initializers) for name in module.__all__ if name[0].isupper()
]
_objects: Final[dict[str, Any]] = {
    **{cls.__name__: cls for cls in _classes},
    **{snake_case(cls.__name__): cls for cls in _classes},
    "normal": random_initializers.RandomNormal,
    "one": constants.Ones,
    "uniform": random_initializers.RandomUniform,
    "zero": constants.Zeros,
}


def get(identifier: Any) -> Any:
    """The initializer that a name, a config, a class or a function stands for; None for None.

    Raises:
        ValueError: it stands for none.

    >>> import tapeviz as tf
    >>> type(tf.keras.initializers.get("he_normal")).__name__
    'HeNormal'
    """
    if hasattr(identifier, "shape") and not callable(identifier):
        return constants.Constant(identifier)
    return get_object(identifier, "initializer", _objects)


def serialize(initializer: Any) -> Any:
    """An initializer as a config.

    >>> import tapeviz as tf
    >>> tf.keras.initializers.serialize(tf.keras.initializers.Ones())["class_name"]
    'Ones'
    """
    return serialize_keras_object(initializer)


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """The initializer of a config.

    >>> import tapeviz as tf
    >>> tf.keras.initializers.deserialize({"class_name": "Ones", "config": {}})([1]).numpy()
    array([1.], dtype=float32)
    """
    return deserialize_keras_object(config, custom_objects, _objects)
