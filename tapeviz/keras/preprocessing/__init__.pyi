# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.keras.pictures import image_dataset_from_directory
from tapeviz.keras.preprocessing import image, sequence, text

__all__ = ["image", "image_dataset_from_directory", "sequence", "text"]
