"""``tf.keras.models``: models of layers."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.namespace import Namespace

_names: Final = Namespace(
    __name__,
    {
        "tapeviz.keras.models.cloning": "clone_model model_from_json",
        "tapeviz.keras.models.model": "Model",
        "tapeviz.keras.models.sequential": "Sequential",
        "tapeviz.keras.saving.model_files": "load_model save_model",
    },
)
_offered: Final = list(_names.listed)
__all__ = list(_offered)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
