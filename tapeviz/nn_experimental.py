"""``tf.nn.experimental``: dropout whose choice depends on a seed alone."""

from __future__ import annotations

from typing import Any

from tapeviz.namespace import Namespace

_names = Namespace(__name__, {"tapeviz.ops.nn.dropout": "stateless_dropout"})
__all__ = list(_names.listed)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
