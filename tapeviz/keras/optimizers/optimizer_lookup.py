"""Optimizers by name, and to configurations and back."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.keras.optimizers import adagrad, adam, ftrl, lion, rmsprop, sgd
from tapeviz.keras.optimizers.older_optimizer import OlderOptimizer
from tapeviz.keras.optimizers.optimizer import Optimizer
from tapeviz.keras.serialization import deserialize_keras_object, get_registered_object, serialize_keras_object

__all__ = ["deserialize", "get", "serialize"]

_CLASSES: Final[dict[str, type[Optimizer]]] = {
    name.lower(): getattr(module, name)
    for module in (adagrad, adam, ftrl, lion, rmsprop, sgd)
    for name in module.__all__
}


def serialize(optimizer: Optimizer) -> dict[str, Any]:
    """An optimizer as a dict of its class and its configuration.

    >>> import tapeviz as tf
    >>> tf.keras.optimizers.serialize(tf.keras.optimizers.SGD(0.5))["config"]["learning_rate"]
    0.5
    """
    return serialize_keras_object(optimizer)  # type: ignore[no-any-return]


def deserialize(config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> Any:
    """The optimizer of such a dict.

    Args:
        config: what :func:`serialize` gives.
        custom_objects: classes of your own by name.

    Raises:
        ValueError: there is no such class.

    >>> import tapeviz as tf
    >>> tf.keras.optimizers.deserialize({"class_name": "Adam", "config": {"beta_1": 0.5}}).beta_1
    0.5
    """
    name = str(config["class_name"]).lower()
    known = {**config, "class_name": _CLASSES[name].__name__} if name in _CLASSES else config
    return deserialize_keras_object(known, custom_objects, {kind.__name__: kind for kind in _CLASSES.values()})


def get(identifier: Any) -> Any:
    """An optimizer by its name, in any case, or by a dict of its class and configuration.

    Args:
        identifier: a name, such as a dict, or an optimizer, which is returned; None gives None. One of
            ``tf.compat.v1.train`` becomes one of Keras that does its steps.

    Raises:
        ValueError: there is no such optimizer.

    >>> import tapeviz as tf
    >>> type(tf.keras.optimizers.get("rmsprop")).__name__
    'RMSprop'
    """
    if identifier is None or isinstance(identifier, Optimizer):
        return identifier
    if hasattr(identifier, "compute_gradients"):
        return OlderOptimizer(identifier)
    if isinstance(identifier, dict):
        return deserialize(identifier)
    if isinstance(identifier, str):
        kind = get_registered_object(identifier) or _CLASSES.get(identifier.lower())
        if kind is not None:
            return kind()
    known = ", ".join(sorted(kind.__name__ for kind in _CLASSES.values()))
    raise ValueError(f"Could not interpret optimizer identifier: {identifier}. There are {known}.")
