"""Finding an object of a family by whatever names it: an instance, a class, a name, a config, a function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from tapeviz.keras.serializing import deserialize_keras_object, get_registered_object

__all__ = ["found", "interpreted"]


def found(identifier: Any, family: str, objects: Mapping[str, Any]) -> Any:
    """The object that an identifier stands for; None for None.

    Args:
        identifier: None, a name, a config dict, a class, or an object that can be called.
        family: what it should be, for the message.
        objects: classes and functions by name.

    Raises:
        ValueError: it stands for nothing.
    """

    def read(said: Any) -> Any:
        if isinstance(said, dict):
            return deserialize_keras_object(said, module_objects=dict(objects))
        return get_registered_object(said) or objects.get(said)

    return interpreted(identifier, family, read)


def interpreted(identifier: Any, family: str, read: Callable[[Any], Any]) -> Any:
    """The same where ``read`` gives what a name or a config stands for, and None where that is nothing.

    Raises:
        ValueError: it stands for nothing.
    """
    if identifier is None:
        return None
    made = read(identifier) if isinstance(identifier, (dict, str)) else identifier
    if inspect.isclass(made):
        made = made()
    if callable(made):
        return made
    raise ValueError(f"Could not interpret {family} identifier: {identifier!r}")
