"""Colours and elements of images from one form to another."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.operators import public
from tapeviz.engine.shapes import TensorShape
from tapeviz.ops.array.cast import saturate_cast
from tapeviz.ops.array.tile import tile
from tapeviz.ops.runtime_calls import as_given, by_numbers

__all__ = ["adjust_gamma", "convert_image_dtype", "grayscale_to_rgb"]


def _largest(dtype: Any) -> int:
    return int(np.iinfo(dtype.numpy).max)


def convert_image_dtype(image: Any, dtype: Any, saturate: bool = False, name: str | None = None) -> Any:
    """The image in another dtype, in which 1.0 and the largest integer mean the same.

    Args:
        image: floating-point numbers from 0 to 1, or integers.
        dtype: the dtype to convert to.
        saturate: make what is outside the range of the dtype the nearest that is in it.
        name: accepted as TensorFlow does.

    Raises:
        TypeError: the dtype is neither floating-point nor of integers.

    >>> import tapeviz as tf
    >>> tf.image.convert_image_dtype(tf.constant([0, 255], tf.uint8), tf.float32).numpy()
    array([0., 1.], dtype=float32)
    """
    image, wanted = convert_to_tensor(image), as_dtype(dtype)
    cast = saturate_cast if saturate else public["cast"]
    if not (wanted.is_floating or wanted.is_integer):
        raise TypeError(f"`dtype` {wanted} must be either an int or a float")
    if wanted == image.dtype:
        return image
    if wanted.is_floating:
        converted = public["cast"](image, wanted)
        return converted if image.dtype.is_floating else converted * (1.0 / _largest(image.dtype))
    if image.dtype.is_floating:
        return cast(image * (_largest(wanted) + 0.5), wanted)
    return _between_integers(image, wanted, cast)


def _between_integers(image: Any, wanted: Any, cast: Any) -> Any:
    before, after = _largest(image.dtype) + 1, _largest(wanted) + 1
    if before > after:
        return cast(registry["floordiv"].run(image, before // after), wanted)
    return cast(image, wanted) * (after // before)


def grayscale_to_rgb(images: Any, name: str | None = None) -> Any:
    """The one channel three times, as red, green and blue.

    Raises:
        ValueError: there is more than one channel.

    >>> import tapeviz as tf
    >>> tf.image.grayscale_to_rgb(tf.constant([[[0.5]]])).numpy()
    array([[[0.5, 0.5, 0.5]]], dtype=float32)
    """
    images = convert_to_tensor(images)
    if not images.ndim or not TensorShape(images.shape[-1:]).is_compatible_with([1]):
        raise ValueError("Last dimension of a grayscale image should be size 1.")
    return tile(images, [*(1,) * (images.ndim - 1), 3])


@by_numbers("gamma", "gain", form=as_given)
def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Any:
    """Each element of the image, as a part of the largest, to the power ``gamma``, times ``gain``.

    Raises:
        ValueError: ``gamma`` is negative.

    >>> import tapeviz as tf
    >>> tf.image.adjust_gamma(tf.constant([[[0.25]]]), 0.5).numpy()
    array([[[0.5]]], dtype=float32)
    """
    if float(gamma) < 0:
        raise ValueError("Gamma should be a non-negative real number.")
    image = convert_to_tensor(image)
    bent = registry["pow"].run(convert_image_dtype(image, "float32"), float(gamma)) * float(gain)
    return convert_image_dtype(bent, image.dtype, saturate=True)
