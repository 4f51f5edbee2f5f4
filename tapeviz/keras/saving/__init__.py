"""``tf.keras.saving``: models in files, and objects as configs."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.namespace import Namespace

_names: Final = Namespace(
    __name__,
    {
        "tapeviz.keras.saving.model_files": "load_model save_model",
        "tapeviz.keras.serializing": (
            "CustomObjectScope=custom_object_scope custom_object_scope deserialize_keras_object get_custom_objects "
            "get_registered_name get_registered_object register_keras_serializable serialize_keras_object"
        ),
    },
)
_offered: Final = list(_names.listed)
__all__ = list(_offered)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
