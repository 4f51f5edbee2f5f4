"""Hue and saturation of images."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.ops.array.concat import stack, unstack
from tapeviz.ops.array.select import where
from tapeviz.ops.image.color import convert_image_dtype
from tapeviz.ops.math.division import divide_no_nan
from tapeviz.ops.math.reductions import reduce_max, reduce_min
from tapeviz.ops.math.rounding import clip_by_value

__all__ = ["adjust_hue", "adjust_saturation", "hsv_to_rgb", "rgb_to_hsv"]


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
