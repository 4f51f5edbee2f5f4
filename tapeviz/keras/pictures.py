"""Pictures of files, by Pillow, as arrays, and the other way round."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np

from tapeviz.data.dataset import Dataset
from tapeviz.files import atomic_path
from tapeviz.ops.files.contents import read_file
from tapeviz.ops.files.pictures import decode_image
from tapeviz.ops.image.resize import resize

__all__ = ["array_to_img", "image_dataset_from_directory", "img_to_array", "load_img", "save_img"]

_MODES: Final = {"grayscale": "L", "rgb": "RGB", "rgba": "RGBA"}
_METHODS: Final = {"nearest": 0, "bilinear": 2, "bicubic": 3, "lanczos": 1, "box": 4, "hamming": 5}
_CHANNELS: Final = {"grayscale": 1, "rgb": 3, "rgba": 4}
_SUFFIXES: Final = (".bmp", ".gif", ".jpeg", ".jpg", ".png")
_RANK: Final = 3


def _pillow() -> Any:
    return import_module("PIL.Image")


def load_img(
    path: Any, color_mode: str = "rgb", target_size: Any = None, interpolation: str = "nearest",
    keep_aspect_ratio: bool = False,
) -> Any:  # fmt: skip
    """The picture of a file, as Pillow's.

    Args:
        path: the file, or an open one.
        color_mode: "rgb", "rgba" or "grayscale".
        target_size: height and width to make it.
        interpolation: how: "nearest", "bilinear", "bicubic", "lanczos", "box" or "hamming".
        keep_aspect_ratio: whether to cut off what does not fit.
    """
    picture = _pillow().open(path).convert(_MODES[color_mode])
    if target_size is None:
        return picture
    height, width = target_size
    box = None
    if keep_aspect_ratio:
        scale = min(picture.width / width, picture.height / height)
        left, top = (picture.width - scale * width) / 2, (picture.height - scale * height) / 2
        box = (left, top, left + scale * width, top + scale * height)
    return picture.resize((width, height), _METHODS[interpolation], box)


def img_to_array(img: Any, data_format: str | None = None, dtype: Any = "float32") -> Any:
    """A picture as an array ``(height, width, channels)``.

    >>> import numpy as np, tapeviz as tf
    >>> picture = tf.keras.utils.array_to_img(np.zeros([2, 3, 3]))
    >>> tf.keras.utils.img_to_array(picture).shape
    (2, 3, 3)
    """
    array = np.asarray(img, dtype or "float32")
    array = array if array.ndim == _RANK else array[..., None]
    return array.transpose(2, 0, 1) if data_format == "channels_first" else array


def array_to_img(x: Any, data_format: str | None = None, scale: bool = True, dtype: Any = "float32") -> Any:
    """An array as Pillow's picture, its values stretched over those of pixels unless told otherwise.

    Raises:
        ValueError: it is no picture.
    """
    array = np.asarray(x, dtype or "float32")
    if array.ndim != _RANK:
        raise ValueError(f"Expected image array to have rank 3 (single image). Got array with shape: {array.shape}")
    array = array.transpose(1, 2, 0) if data_format == "channels_first" else array
    if scale:
        array = array - array.min()
        array = array / (array.max() or 1) * 255
    if array.shape[-1] not in _CHANNELS.values():
        raise ValueError(f"Unsupported channel number: {array.shape[-1]}")
    pixels = array.astype("uint8")
    return _pillow().fromarray(pixels[..., 0] if pixels.shape[-1] == 1 else pixels)


def save_img(
    path: Any, x: Any, data_format: str | None = None, file_format: str | None = None, scale: bool = True, **kwargs: Any
) -> None:
    """Write an array as a picture's file, of the kind that its name or ``file_format`` says."""
    kind = file_format or Path(os.fspath(path)).suffix.removeprefix(".")
    picture = array_to_img(x, data_format, scale)
    with atomic_path(path) as beside:
        picture.save(beside, {"jpg": "JPEG"}.get(kind, kind).upper(), **kwargs)


def image_dataset_from_directory(
    directory: Any, labels: Any = "inferred", label_mode: Any = "int", class_names: Any = None,
    color_mode: str = "rgb", batch_size: int | None = 32, image_size: Any = (256, 256), shuffle: bool = True,
    seed: int | None = None, validation_split: float | None = None, subset: str | None = None,
    interpolation: str = "bilinear", **_options: Any,
) -> Any:  # fmt: skip
    """Batches of the pictures in a folder, labelled by the folders that they are in.

    Args:
        directory: the folder.
        labels: "inferred" from the folders in it; None for pictures alone.
        label_mode: "int" for class numbers, "categorical" for rows, "binary" for 0.0 and 1.0, None for pictures alone.
        class_names: the folders in the order of classes; in that of their names unless given.
        color_mode: "rgb", "rgba" or "grayscale".
        batch_size: the pictures in a batch; None for one by one.
        image_size: height and width to make them.
        shuffle: whether in a random order.
        seed: of that order.
        validation_split: the share for validation.
        subset: "training" or "validation", where there is such a share.
        interpolation: how they are resized.

    Raises:
        ValueError: there are no pictures.
    """
    found, names = _found(Path(os.fspath(directory)), _SUFFIXES, class_names, labelled=labels is not None)
    order = np.random.default_rng(seed).permutation(len(found)) if shuffle else np.arange(len(found))
    found = [found[place] for place in order]
    if validation_split:
        held = len(found) - int(validation_split * len(found))
        found = found[held:] if subset == "validation" else found[:held]
    paths = np.array([str(path).encode() for path, _ in found], dtype=object)
    numbers = np.array([number for _, number in found], np.int32)
    answers = _answers(numbers, len(names), None if labels is None else label_mode)

    def picture(path: Any) -> Any:
        pixels = decode_image(read_file(path), _CHANNELS[color_mode], expand_animations=False)
        pixels.set_shape([None, None, _CHANNELS[color_mode]])
        return resize(pixels, image_size, interpolation)

    pictures: Any = Dataset.from_tensor_slices(paths).map(picture)
    dataset: Any = pictures if answers is None else Dataset.zip((pictures, Dataset.from_tensor_slices(answers)))
    dataset = dataset if batch_size is None else dataset.batch(batch_size).prefetch(1)
    dataset.class_names = names
    return dataset


def _answers(numbers: Any, classes: int, mode: str | None) -> Any:
    """Class numbers as a mode says; None for none."""
    if mode == "categorical":
        return np.eye(classes, dtype=np.float32)[numbers]
    return numbers[:, None].astype(np.float32) if mode == "binary" else numbers if mode == "int" else None


def _found(folder: Path, suffixes: tuple[str, ...], names: Any, *, labelled: bool) -> tuple[list[Any], list[str]]:
    """The files, each with the number of its class, and the names of classes."""
    classes = list(names or sorted(path.name for path in folder.iterdir() if path.is_dir())) if labelled else []
    places = [(folder / name, number) for number, name in enumerate(classes)] or [(folder, 0)]
    files = [
        (path, number)
        for place, number in places
        for path in sorted(place.rglob("*"))
        if path.suffix.lower() in suffixes
    ]
    if not files:
        raise ValueError(f"No files of these kinds were found in {folder}: {', '.join(suffixes)}")
    return files, classes
