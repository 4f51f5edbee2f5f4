# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.keras.categories import normalize, to_categorical
from tapeviz.keras.datasets.file_cache import get_file
from tapeviz.keras.models.plot import plot_model
from tapeviz.keras.pictures import array_to_img, image_dataset_from_directory, img_to_array, load_img, save_img
from tapeviz.keras.seeds import set_random_seed
from tapeviz.keras.sequences import pad_sequences
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
    "array_to_img",
    "custom_object_scope",
    "deserialize_keras_object",
    "get_custom_objects",
    "get_file",
    "get_registered_name",
    "get_registered_object",
    "image_dataset_from_directory",
    "img_to_array",
    "load_img",
    "normalize",
    "pad_sequences",
    "plot_model",
    "register_keras_serializable",
    "save_img",
    "serialize_keras_object",
    "set_random_seed",
    "to_categorical",
]
