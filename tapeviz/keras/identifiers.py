"""Finding an object of a family by whatever names it: an instance, a class, a name, a config, a function."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from tapeviz.keras.serializing import deserialize_keras_object, get_registered_object

__all__ = ["found"]


def found(identifier: Any, family: str, objects: Mapping[str, Any]) -> Any:
    """The object that an identifier stands for; None for None.

    Args:
        identifier: None, a name, a config dict, a class, or an object that can be called.
        family: what it should be, for the message.
        objects: classes and functions by name.

    Raises:
        ValueError: it stands for nothing.
    """
    if identifier is None:
        return None
    made: Any = identifier
    if isinstance(identifier, dict):
        made = deserialize_keras_object(identifier, module_objects=dict(objects))
    elif isinstance(identifier, str):
        made = get_registered_object(identifier) or objects.get(identifier)
    if inspect.isclass(made):
        made = made()
    if callable(made):
        return made
    raise ValueError(f"Could not interpret {family} identifier: {identifier!r}")
