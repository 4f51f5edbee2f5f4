"""Hue and saturation of images, and random changes of them."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.ops.array.concat import stack, unstack
from tapeviz.ops.array.creation import shape as shape_of
from tapeviz.ops.array.select import where
from tapeviz.ops.array.strided_slice import slice as part_of
from tapeviz.ops.image.color import convert_image_dtype
from tapeviz.ops.math.division import divide_no_nan
from tapeviz.ops.math.reductions import reduce_max, reduce_min
from tapeviz.ops.math.rounding import clip_by_value
from tapeviz.ops.random.random_numbers import uniform

__all__ = [
    "adjust_hue", "adjust_saturation", "hsv_to_rgb", "random_crop", "random_hue", "random_saturation", "rgb_to_hsv",
]  # fmt: skip


def rgb_to_hsv(images: Any, name: str | None = None) -> Any:
    """Red, green and blue from 0 to 1 as hue, saturation and value.

    >>> import tapeviz as tf
    >>> tf.image.rgb_to_hsv([[[0.0, 1.0, 0.0]]]).numpy().round(3).tolist()
    [[[0.3330000042915344, 1.0, 1.0]]]
    """
    given = convert_to_tensor(images)
    red, green, blue = unstack(given, axis=-1)
    value = reduce_max(given, -1)
    spread = value - reduce_min(given, -1)
    sixth = where(
        red >= value, divide_no_nan(green - blue, spread),
        where(green >= value, 2 + divide_no_nan(blue - red, spread), 4 + divide_no_nan(red - green, spread)),
    ) / 6  # fmt: skip
    hue = where(spread > 0, where(sixth < 0, sixth + 1, sixth), sixth * 0)
    return stack([hue, divide_no_nan(spread, value), value], axis=-1)


def hsv_to_rgb(images: Any, name: str | None = None) -> Any:
    """Hue, saturation and value as red, green and blue.

    >>> import tapeviz as tf
    >>> tf.image.hsv_to_rgb([[[0.0, 0.0, 0.5]]]).numpy().tolist()
    [[[0.5, 0.5, 0.5]]]
    """
    hue, saturation, value = unstack(convert_to_tensor(images), axis=-1)
    sixths = hue * 6
    absolute = registry["abs"].run
    levels = (absolute(sixths - 3) - 1, 2 - absolute(sixths - 2), 2 - absolute(sixths - 4))
    return stack([value * (1 - saturation * (1 - clip_by_value(level, 0, 1))) for level in levels], axis=-1)


def _changed(image: Any, change: Any) -> Any:
    """An image whose hue, saturation and value are changed, in its own dtype."""
    given = convert_to_tensor(image)
    colours = rgb_to_hsv(convert_image_dtype(given, "float32"))
    return convert_image_dtype(hsv_to_rgb(stack(list(change(*unstack(colours, axis=-1))), axis=-1)), given.dtype)


def adjust_hue(image: Any, delta: Any, name: str | None = None) -> Any:
    """An image of other hues: ``delta`` is a part of the colour circle.

    >>> import tapeviz as tf
    >>> tf.image.adjust_hue([[[1.0, 0.0, 0.0]]], 0.5).numpy().round(5).tolist()
    [[[0.0, 1.0, 1.0]]]
    """
    floor = registry["floor"].run
    return _changed(image, lambda hue, saturation, value: (hue + delta - floor(hue + delta), saturation, value))


def adjust_saturation(image: Any, saturation_factor: Any, name: str | None = None) -> Any:
    """An image whose saturation is multiplied.

    >>> import tapeviz as tf
    >>> tf.image.adjust_saturation([[[1.0, 0.5, 0.5]]], 0.0).numpy().tolist()
    [[[1.0, 1.0, 1.0]]]
    """
    return _changed(
        image, lambda hue, saturation, value: (hue, clip_by_value(saturation * saturation_factor, 0, 1), value)
    )


def random_hue(image: Any, max_delta: float, seed: int | None = None) -> Any:
    """``adjust_hue`` by a number between ``-max_delta`` and ``max_delta``.

    Raises:
        ValueError: it is not between 0 and 0.5.

    >>> import tapeviz as tf
    >>> tf.image.random_hue([[[0.5, 0.5, 0.5]]], 0.2).numpy().tolist()
    [[[0.5, 0.5, 0.5]]]
    """
    if not 0 <= max_delta <= 0.5:  # noqa: PLR2004 - half of the circle
        raise ValueError("max_delta must be between 0 and 0.5.")
    return adjust_hue(image, uniform((), -max_delta, max_delta, seed=seed))


def random_saturation(image: Any, lower: float, upper: float, seed: int | None = None) -> Any:
    """``adjust_saturation`` by a number from ``lower`` up to ``upper``.

    Raises:
        ValueError: ``lower`` is negative or not below ``upper``.

    >>> import tapeviz as tf
    >>> tf.image.random_saturation([[[0.5, 0.5, 0.5]]], 0.5, 2.0).numpy().tolist()
    [[[0.5, 0.5, 0.5]]]
    """
    if not 0 <= lower < upper:
        raise ValueError("lower must be non-negative and below upper.")
    return adjust_saturation(image, uniform((), lower, upper, seed=seed))


def random_crop(value: Any, size: Any, seed: int | None = None, name: str | None = None) -> Any:
    """A part of a tensor of a given size, at a random place.

    >>> import tapeviz as tf
    >>> tf.image.random_crop(tf.zeros([4, 4, 3]), [2, 3, 3]).shape
    TensorShape([2, 3, 3])
    """
    given, wanted = convert_to_tensor(value), convert_to_tensor(size, dtype="int32")
    room = shape_of(given) - wanted + 1
    drawn = uniform(shape_of(room), 0, 2**31 - 1, "int32", seed)
    return part_of(given, drawn % room, size)
