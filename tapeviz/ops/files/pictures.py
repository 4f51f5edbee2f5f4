"""Pictures as files have them and as tensors, by Pillow."""

from __future__ import annotations

import io
from importlib import import_module
from typing import Any

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.ops.image.color import convert_image_dtype
from tapeviz.ops.runtime_calls import by_values

__all__ = [
    "decode_and_crop_jpeg", "decode_bmp", "decode_gif", "decode_image", "decode_jpeg", "decode_png", "encode_jpeg",
    "encode_png", "is_jpeg",
]  # fmt: skip

_MODES = {1: "L", 3: "RGB", 4: "RGBA"}
_FEWEST = 3


def _picture_form(_contents: Any, channels: Any = 0, *_args: Any, **_options: Any) -> Any:
    return (None, None, int(channels) or None), "uint8"


@by_values(form=_picture_form)
def decode_png(contents: Any, channels: int = 0, dtype: Any = "uint8", name: str | None = None) -> Any:
    """The picture that bytes of a PNG, JPEG, BMP or GIF file stand for.

    Args:
        contents: the bytes, as a string.
        channels: 1 for grey, 3 for colours, 4 with opacity; what the file has where 0.
        dtype: uint8, or uint16 for PNG.
        name: accepted as TensorFlow does.

    Returns:
        ``(height, width, channels)``; of a GIF the first picture.

    Raises:
        InvalidArgumentError: they stand for none.

    >>> import tapeviz as tf
    >>> picture = tf.constant([[[0], [255]]], tf.uint8)
    >>> tf.io.decode_png(tf.io.encode_png(picture)).numpy().tolist()
    [[[0], [255]]]
    """
    return convert_image_dtype(_array(_opened(contents), channels), dtype)


def _opened(contents: Any) -> Any:
    library: Any = import_module("PIL.Image")
    data = convert_to_tensor(contents).numpy()
    try:
        return library.open(io.BytesIO(data))
    except OSError:
        raise InvalidArgumentError(
            "Unknown image file format. One of JPEG, PNG, GIF, BMP required.", "DecodeImage"
        ) from None


def _array(picture: Any, channels: int) -> Any:
    if channels:
        picture = picture.convert(_MODES[channels])
    elif picture.mode not in _MODES.values():
        picture = picture.convert("RGBA" if "transparency" in picture.info else "RGB")
    found = np.asarray(picture)
    return convert_to_tensor(found[..., None] if found.ndim < _FEWEST else found)


@by_values(form=_picture_form)
def decode_jpeg(
    contents: Any, channels: int = 0, ratio: int = 1, fancy_upscaling: bool = True, try_recover_truncated: bool = False,
    acceptable_fraction: float = 1, dct_method: str = "", name: str | None = None,
) -> Any:  # fmt: skip
    """The picture of a JPEG file: :func:`tapeviz.io.decode_png`. ``ratio`` makes it that many times smaller.

    >>> import tapeviz as tf
    >>> tf.io.decode_jpeg(tf.io.encode_jpeg(tf.zeros([2, 3, 3], tf.uint8))).shape
    TensorShape([2, 3, 3])
    """
    found = _array(_opened(contents), channels)
    return found if ratio == 1 else found[::ratio, ::ratio]


@by_values(form=_picture_form)
def decode_bmp(contents: Any, channels: int = 0, name: str | None = None) -> Any:
    """The picture of a BMP file: :func:`tapeviz.io.decode_png`.

    >>> import io, PIL.Image, tapeviz as tf
    >>> file = io.BytesIO()
    >>> PIL.Image.new("RGB", (3, 2)).save(file, "BMP")
    >>> tf.io.decode_bmp(file.getvalue()).shape
    TensorShape([2, 3, 3])
    """
    return _array(_opened(contents), channels)


@by_values(form=_picture_form)
def decode_image(
    contents: Any, channels: int = 0, dtype: Any = "uint8", name: str | None = None, expand_animations: bool = True
) -> Any:
    """The picture of a file of any of these kinds, of a GIF all: see :func:`tapeviz.io.decode_png`.

    >>> import tapeviz as tf
    >>> tf.io.decode_image(tf.io.encode_png(tf.zeros([2, 3, 4], tf.uint8))).shape
    TensorShape([2, 3, 4])
    """
    picture = _opened(contents)
    if expand_animations and picture.format == "GIF":
        return convert_image_dtype(_frames(picture), dtype)
    return convert_image_dtype(_array(picture, channels), dtype)


@by_values(form=lambda *_args, **_options: ((None, None, None, 3), "uint8"))
def decode_gif(contents: Any, name: str | None = None) -> Any:
    """The pictures of a GIF file: ``(pictures, height, width, 3)``.

    >>> import io, PIL.Image, tapeviz as tf
    >>> file = io.BytesIO()
    >>> PIL.Image.new("RGB", (3, 2)).save(file, "GIF")
    >>> tf.io.decode_gif(file.getvalue()).shape
    TensorShape([1, 2, 3, 3])
    """
    return _frames(_opened(contents))


def _frames(picture: Any) -> Any:
    found = []
    for place in range(getattr(picture, "n_frames", 1)):
        picture.seek(place)
        found.append(np.asarray(picture.convert("RGB")))
    return convert_to_tensor(np.stack(found))


@by_values(form=lambda _contents, _window, channels=0, *_args, **_options: ((None, None, channels or None), "uint8"))
def decode_and_crop_jpeg(
    contents: Any, crop_window: Any, channels: int = 0, name: str | None = None, **_options: Any
) -> Any:
    """A part of the picture of a JPEG file: ``crop_window`` is its top, left, height and width.

    >>> import tapeviz as tf
    >>> tf.io.decode_and_crop_jpeg(tf.io.encode_jpeg(tf.zeros([4, 6, 3], tf.uint8)), [1, 2, 3, 4]).shape
    TensorShape([3, 4, 3])
    """
    top, left, height, width = (int(number) for number in np.asarray(crop_window))
    return _array(_opened(contents), channels)[top : top + height, left : left + width]


def _encoded(image: Any, kind: str, **options: Any) -> Any:
    library: Any = import_module("PIL.Image")
    array = np.asarray(convert_to_tensor(image))
    stream = io.BytesIO()
    library.fromarray(array[..., 0] if array.shape[-1] == 1 else array).save(stream, kind, **options)
    return convert_to_tensor(stream.getvalue())


@by_values(form=lambda *_args, **_options: ((), "string"))
def encode_png(image: Any, compression: int = -1, name: str | None = None) -> Any:
    """A picture as the bytes of a PNG file.

    >>> import tapeviz as tf
    >>> tf.io.encode_png(tf.zeros([2, 3, 1], tf.uint8)).numpy()[1:4]
    b'PNG'
    """
    return _encoded(image, "PNG")


@by_values(form=lambda *_args, **_options: ((), "string"))
def encode_jpeg(image: Any, format: str = "", quality: int = 95, name: str | None = None, **_options: Any) -> Any:
    """A picture as the bytes of a JPEG file.

    >>> import tapeviz as tf
    >>> tf.io.encode_jpeg(tf.zeros([2, 3, 3], tf.uint8)).numpy()[:2].hex()
    'ffd8'
    """
    return _encoded(image, "JPEG", quality=quality)


def is_jpeg(contents: Any, name: str | None = None) -> Any:
    """Whether bytes are those of a JPEG file.

    >>> import tapeviz as tf
    >>> bool(tf.io.is_jpeg(tf.io.encode_png(tf.zeros([2, 3, 1], tf.uint8))))
    False
    """
    return convert_to_tensor(convert_to_tensor(contents).numpy().startswith(b"\xff\xd8\xff"))
