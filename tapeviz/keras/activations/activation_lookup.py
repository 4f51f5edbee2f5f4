"""Activations by name."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.keras.activations import activations
from tapeviz.keras.serialization import deserialize_keras_object, get_object, serialize_keras_object

__all__ = ["deserialize", "get", "serialize"]

_objects: Final[dict[str, Any]] = {
    **{name: getattr(activations, name) for name in activations.__all__},
    "swish": activations.silu,
    "hard_swish": activations.hard_silu,
}


def get(identifier: Any) -> Any:
    """The function that a name, a config or a function stands for; ``linear`` for None.

    Raises:
        ValueError: it stands for none.

    >>> import tapeviz as tf
    >>> tf.keras.activations.get("tanh")(tf.constant(0.0)).numpy()
    np.float32(0.0)
    """
    return activations.linear if identifier is None else get_object(identifier, "activation function", _objects)


def serialize(activation: Any) -> Any:
    """An activation as a config: the name of one of these, or what says where another is found.

    >>> import tapeviz as tf
    >>> tf.keras.activations.serialize(tf.nn.relu)
    'relu'
    """
    name = getattr(activation, "__name__", "")
    if _objects.get(name) is activation:
        return name
    public = _TENSOR_FUNCTIONS.get(name)
    if public is not None and str(getattr(activation, "__module__", "")).partition(".")[0] == "tapeviz":
        return public
    return serialize_keras_object(activation)


# Functions of ``tf.nn`` and ``tf.math`` given as activations are saved by the names that they have here.
_TENSOR_FUNCTIONS: Final = {name: name for name in _objects} | {"exp": "exponential", "identity": "linear"}


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """The activation of a config.

    >>> import tapeviz as tf
    >>> tf.keras.activations.deserialize("relu")(-1.0).numpy()
    np.float32(0.0)
    """
    if isinstance(config, str):
        return get(config)
    return deserialize_keras_object(config, custom_objects, _objects)
