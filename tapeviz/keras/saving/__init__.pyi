# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.keras.saving.model_files import load_model, save_model
from tapeviz.keras.serialization import (
    custom_object_scope,
    deserialize_keras_object,
    get_custom_objects,
    get_registered_name,
    get_registered_object,
    register_keras_serializable,
    serialize_keras_object,
)
from tapeviz.keras.serialization import custom_object_scope as CustomObjectScope

__all__ = [
    "CustomObjectScope",
    "custom_object_scope",
    "deserialize_keras_object",
    "get_custom_objects",
    "get_registered_name",
    "get_registered_object",
    "load_model",
    "register_keras_serializable",
    "save_model",
    "serialize_keras_object",
]
