"""``tf.saved_model``: traced functions and their variables in a folder, which run without the code that made them."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.namespace import Namespace

_names: Final = Namespace(
    __name__,
    {
        "tapeviz.saved_model.loading": "LoadOptions contains_saved_model load",
        "tapeviz.saved_model.saving": "DEFAULT_SERVING_SIGNATURE_DEF_KEY SaveOptions save",
    },
)
__all__ = list(_names.listed)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
