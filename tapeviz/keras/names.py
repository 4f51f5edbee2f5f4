"""Names of layers: the class's in snake case, with a number where it is taken."""

from __future__ import annotations

import re
import threading
from typing import Final

__all__ = ["clear_names", "snake_case", "unique_name"]

_lock: Final = threading.Lock()
_taken: Final[dict[str, int]] = {}


def snake_case(name: str) -> str:
    """The name of a class as one of a layer: ``Conv2D`` is ``conv2d``, ``MyModel`` is ``my_model``."""
    plain = re.sub(r"\W+", "", name)
    parted = re.sub("(.)([A-Z][a-z]+)", r"\1_\2", plain)
    return re.sub("([a-z])([A-Z])", r"\1_\2", parted).lower()


def unique_name(prefix: str) -> str:
    """``prefix`` the first time in this process, ``prefix_1`` the second."""
    with _lock:
        count = _taken.get(prefix, 0)
        _taken[prefix] = count + 1
    return f"{prefix}_{count}" if count else prefix


def clear_names() -> None:
    """Begin to count anew.

    >>> import tapeviz as tf
    >>> tf.keras.backend.clear_session()
    >>> tf.keras.layers.Dense(1).name
    'dense'
    """
    with _lock:
        _taken.clear()
