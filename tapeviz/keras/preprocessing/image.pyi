# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.keras.pictures import array_to_img, img_to_array, load_img, save_img
from tapeviz.keras.preprocessing.image_generator import ImageDataGenerator

__all__ = ["ImageDataGenerator", "array_to_img", "img_to_array", "load_img", "save_img"]
