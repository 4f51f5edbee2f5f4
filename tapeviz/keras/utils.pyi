# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.keras.categories import normalize, to_categorical
from tapeviz.keras.seeds import set_random_seed
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
from tapeviz.keras.training.py_dataset import PyDataset
from tapeviz.keras.training.py_dataset import PyDataset as Sequence

__all__ = [
    "CustomObjectScope",
    "PyDataset",
    "Sequence",
    "custom_object_scope",
    "deserialize_keras_object",
    "get_custom_objects",
    "get_registered_name",
    "get_registered_object",
    "normalize",
    "register_keras_serializable",
    "serialize_keras_object",
    "set_random_seed",
    "to_categorical",
]
