"""``tf.keras.utils``: objects as configs, and what else programs with layers need."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.namespace import Namespace

_names: Final = Namespace(
    __name__,
    {
        "tapeviz.keras.categories": "normalize to_categorical",
        "tapeviz.keras.seeds": "set_random_seed",
        "tapeviz.keras.serializing": (
            "CustomObjectScope=custom_object_scope custom_object_scope deserialize_keras_object get_custom_objects "
            "get_registered_name get_registered_object register_keras_serializable serialize_keras_object"
        ),
        "tapeviz.keras.training.py_dataset": "PyDataset Sequence=PyDataset",
    },
)
_offered: Final = list(_names.listed)
__all__ = list(_offered)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
