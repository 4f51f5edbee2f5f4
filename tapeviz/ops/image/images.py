"""Images turned, cut, coloured and compared. They are ``[height, width, channels]``, or several of those."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.deferred_numbers import Deferred
from tapeviz.engine.operators import public
from tapeviz.engine.shapes import TensorShape
from tapeviz.ops.array.concat import stack
from tapeviz.ops.array.pad import pad
from tapeviz.ops.math.reductions import reduce_mean, reduce_sum
from tapeviz.ops.math.statistics import reduce_std
from tapeviz.ops.runtime_calls import as_given, by_numbers, by_rank, by_sizes, open_sizes

__all__ = ["adjust_brightness", "adjust_contrast", "central_crop", "crop_to_bounding_box", "flip_left_right",
           "flip_up_down", "image_gradients", "pad_to_bounding_box", "per_image_standardization", "psnr",
           "resize_with_crop_or_pad", "rgb_to_grayscale", "rot90", "sobel_edges", "total_variation",
           "transpose"]  # fmt: skip

_GREY: Final = (0.2989, 0.587, 0.114)  # how bright the eye finds red, green and blue
_ONE, _BATCH = 3, 4  # axes of an image, and of several


def _image(image: Any, what: str = "image") -> Any:
    image = convert_to_tensor(image)
    if image.ndim < _ONE:
        raise ValueError(f"'{what}' (shape {image.shape}) must be at least three-dimensional.")
    return image


def _in_single_precision(image: Any) -> Any:
    image = convert_to_tensor(image)
    return open_sizes(image), image.dtype if image.dtype.is_floating else "float32"


def _reversed(image: Any, axis: int) -> Any:
    image = _image(image)
    if image.ndim not in (_ONE, _BATCH):
        raise ValueError(f"'image' (shape {image.shape}) must have either 3 or 4 dimensions.")
    return registry["reverse"].run(image, (image.ndim + axis,))


@by_rank()
def flip_left_right(image: Any) -> Any:
    """The mirror image: columns in the opposite order.

    Raises:
        ValueError: it has fewer than three axes.

    >>> import tapeviz as tf
    >>> tf.image.flip_left_right(tf.reshape([1, 2], [1, 2, 1])).numpy().ravel()
    array([2, 1], dtype=int32)
    """
    return _reversed(image, -2)


@by_rank()
def flip_up_down(image: Any) -> Any:
    """The image upside down: rows in the opposite order.

    Raises:
        ValueError: it has fewer than three axes.

    >>> import tapeviz as tf
    >>> tf.image.flip_up_down(tf.reshape([1, 2], [2, 1, 1])).numpy().ravel()
    array([2, 1], dtype=int32)
    """
    return _reversed(image, -3)


def _cropped(image: Any, *_options: Any, **_named: Any) -> Any:
    image = convert_to_tensor(image)
    shape = open_sizes(image)
    return None if shape is None else (*shape[:-3], None, None, shape[-1]), image.dtype


@by_rank()
@by_numbers("k", form=_cropped)
def rot90(image: Any, k: int = 1, name: str | None = None) -> Any:
    """The image turned ``k`` times by a right angle, against the clock.

    Raises:
        ValueError: it has fewer than three axes.

    >>> import tapeviz as tf
    >>> tf.image.rot90(tf.reshape([1, 2, 3, 4], [2, 2, 1])).numpy()[..., 0]
    array([[2, 4],
           [1, 3]], dtype=int32)
    """
    image = _image(image)
    rank, turns = image.ndim, int(k) % 4
    swapped = (*range(rank - 3), rank - 2, rank - 3, rank - 1)
    if turns == 1:
        return registry["transpose"].run(_reversed(image, -2), swapped)
    if turns == 2:  # noqa: PLR2004 - half a turn
        return _reversed(_reversed(image, -2), -3)
    return _reversed(registry["transpose"].run(image, swapped), -2) if turns else image


@by_rank()
def transpose(image: Any, name: str | None = None) -> Any:
    """The image with rows and columns exchanged.

    Raises:
        ValueError: it has fewer than three axes.

    >>> import tapeviz as tf
    >>> tf.image.transpose(tf.reshape([1, 2, 3, 4], [2, 2, 1])).numpy()[..., 0]
    array([[1, 3],
           [2, 4]], dtype=int32)
    """
    image = _image(image)
    rank = image.ndim
    return registry["transpose"].run(image, (*range(rank - 3), rank - 2, rank - 3, rank - 1))


def _of_target(image: Any, *sizes: Any, **named: Any) -> Any:
    """The form of an image whose height and width are the last two arguments."""
    image = convert_to_tensor(image)
    wanted = [size if isinstance(size, int) else None for size in (*sizes, *named.values())[-2:]]
    shape = open_sizes(image)
    if shape is not None and len(shape) not in (_ONE, _BATCH):
        raise ValueError(f"'image' (shape {TensorShape(shape)}) must have either 3 or 4 dimensions.")
    return None if shape is None else (*shape[:-3], *wanted, shape[-1]), image.dtype


def _within(image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any) -> Any:
    """The form of a part of an image, which must be within it."""
    _check_extent(image, (offset_height, offset_width), (target_height, target_width), inner=True)
    return _of_target(image, target_height, target_width)


def _around(image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any) -> Any:
    """The form of an image with a margin, which must be as large as the image."""
    _check_extent(image, (offset_height, offset_width), (target_height, target_width), inner=False)
    return _of_target(image, target_height, target_width)


def _check_extent(image: Any, offsets: Any, targets: Any, *, inner: bool) -> None:
    shape = open_sizes(convert_to_tensor(image))
    if shape is None:
        return
    if len(shape) not in (_ONE, _BATCH):
        raise ValueError(f"'image' (shape {TensorShape(shape)}) must have either 3 or 4 dimensions.")
    for name, size, offset, target in zip(("height", "width"), shape[-3:-1], offsets, targets, strict=True):
        if size is None or not isinstance(offset, int) or not isinstance(target, int):
            continue
        if inner and size < target + offset:
            raise ValueError(f"{name} must be >= target + offset.")
        if not inner and target - offset < size:
            raise ValueError(f"{name} must be <= target - offset")


@by_numbers("offset_height", "offset_width", "target_height", "target_width", form=_within)
@by_sizes(-3, -2, form=_within)
def crop_to_bounding_box(
    image: Any, offset_height: int, offset_width: int, target_height: int, target_width: int
) -> Any:
    """The part of the image whose upper left corner is at the offsets, with the target's height and width.

    Raises:
        ValueError: the part is not within the image.

    >>> import tapeviz as tf
    >>> tf.image.crop_to_bounding_box(tf.reshape(tf.range(9), [3, 3, 1]), 1, 0, 2, 2).numpy()[..., 0]
    array([[3, 4],
           [6, 7]], dtype=int32)
    """
    image = _image(image)
    height, width = image._a.shape[-3:-1]
    for wrong, text in (
        (offset_width < 0, "offset_width must be >= 0."),
        (offset_height < 0, "offset_height must be >= 0."),
        (target_width <= 0, "target_width must be > 0."),
        (target_height <= 0, "target_height must be > 0."),
        (width < target_width + offset_width, "width must be >= target + offset."),
        (height < target_height + offset_height, "height must be >= target + offset."),
    ):
        if wrong:
            raise ValueError(text)
    rows = slice(int(offset_height), int(offset_height + target_height))
    columns = slice(int(offset_width), int(offset_width + target_width))
    return image[..., rows, columns, :]


@by_numbers("offset_height", "offset_width", "target_height", "target_width", form=_around)
@by_sizes(-3, -2, form=_around)
def pad_to_bounding_box(
    image: Any, offset_height: int, offset_width: int, target_height: int, target_width: int
) -> Any:
    """The image with zeros around it: its upper left corner at the offsets in one of the target's height and width.

    Raises:
        ValueError: the image does not fit in.

    >>> import tapeviz as tf
    >>> tf.image.pad_to_bounding_box(tf.ones([1, 1, 1]), 0, 1, 2, 2).numpy()[..., 0]
    array([[0., 1.],
           [0., 0.]], dtype=float32)
    """
    image = _image(image)
    height, width = image._a.shape[-3:-1]
    below, right = target_height - offset_height - height, target_width - offset_width - width
    for wrong, text in (
        (offset_height < 0, "offset_height must be >= 0"),
        (offset_width < 0, "offset_width must be >= 0"),
        (right < 0, "width must be <= target - offset"),
        (below < 0, "height must be <= target - offset"),
    ):
        if wrong:
            raise ValueError(text)
    edges = [(0, 0)] * (image.ndim - _ONE)
    edges += [(int(offset_height), int(below)), (int(offset_width), int(right)), (0, 0)]
    return pad(image, edges)


def _middle(size: int, part: float) -> int:
    """How many elements of an axis its middle part has."""
    return size - 2 * int((size - size * part) / 2)


def _of_middle(image: Any, central_fraction: float) -> Any:
    image = convert_to_tensor(image)
    shape = open_sizes(image)
    if shape is None or len(shape) not in (_ONE, _BATCH):
        raise ValueError(
            "`image` should either be a Tensor with rank = 3 or rank = 4. Had rank = "
            f"{None if shape is None else len(shape)}."
        )
    sizes = [None if size is None else _middle(size, float(central_fraction)) for size in shape[-3:-1]]
    return (*shape[:-3], *sizes, shape[-1]), image.dtype


@by_sizes(-3, -2, form=_of_middle)
def central_crop(image: Any, central_fraction: float) -> Any:
    """The middle of the image: so large a part of its height and of its width.

    Raises:
        ValueError: the part is not above 0 and at most 1, or the image does not have three or four axes.

    >>> import tapeviz as tf
    >>> tf.image.central_crop(tf.reshape(tf.range(16), [4, 4, 1]), 0.5).numpy()[..., 0]
    array([[ 5,  6],
           [ 9, 10]], dtype=int32)
    """
    image, part = convert_to_tensor(image), float(central_fraction)
    if not 0.0 < part <= 1.0:
        raise ValueError("central_fraction must be within (0, 1]")
    if image.ndim not in (_ONE, _BATCH):
        raise ValueError(f"`image` should either be a Tensor with rank = 3 or rank = 4. Had rank = {image.ndim}.")
    height, width = image._a.shape[-3:-1]
    top, left = int((height - height * part) / 2), int((width - width * part) / 2)
    return image if part == 1.0 else image[..., top : height - top, left : width - left, :]


@by_numbers("target_height", "target_width", form=_of_target)
@by_sizes(-3, -2, form=_of_target)
def resize_with_crop_or_pad(image: Any, target_height: int, target_width: int) -> Any:
    """The middle of the image where it is too large, zeros around it where it is too small.

    Raises:
        ValueError: it has fewer than three axes, or the target is not positive.

    >>> import tapeviz as tf
    >>> tf.image.resize_with_crop_or_pad(tf.reshape(tf.range(1, 4), [1, 3, 1]), 3, 1).numpy()[..., 0]
    array([[0],
           [2],
           [0]], dtype=int32)
    """
    image, height, width = _image(image), int(target_height), int(target_width)
    more_rows, more_columns = (height - image._a.shape[-3]), (width - image._a.shape[-2])
    inner = crop_to_bounding_box(
        image,
        max(-more_rows // 2, 0),
        max(-more_columns // 2, 0),
        min(height, image._a.shape[-3]),
        min(width, image._a.shape[-2]),
    )
    return pad_to_bounding_box(inner, max(more_rows // 2, 0), max(more_columns // 2, 0), height, width)


def _in_floats(image: Any, function: Any) -> Any:
    """``function`` of the image as float32; integers count as parts of their largest and come back as integers."""
    image = convert_to_tensor(image)
    if image.dtype.is_floating:
        return function(image)
    largest = float(np.iinfo(image.dtype.numpy).max)
    cast = public["cast"]
    scaled = function(cast(image, "float32") * (1.0 / largest)) * (largest + 0.5)
    return cast(registry["maximum"].run(registry["minimum"].run(scaled, largest), 0.0), image.dtype)


@by_numbers("delta", form=as_given)
def adjust_brightness(image: Any, delta: float) -> Any:
    """The image with ``delta`` added; where its elements are integers, ``delta`` is a part of the largest.

    >>> import tapeviz as tf
    >>> tf.image.adjust_brightness(tf.constant([[[0.25]]]), 0.5).numpy()
    array([[[0.75]]], dtype=float32)
    """
    return _in_floats(image, lambda x: x + float(delta))


@by_rank()
@by_numbers("contrast_factor", form=as_given)
def adjust_contrast(images: Any, contrast_factor: float) -> Any:
    """The images with the distance of each element from its channel's mean multiplied.

    Raises:
        ValueError: they have fewer than three axes.

    >>> import tapeviz as tf
    >>> tf.image.adjust_contrast(tf.constant([[[1.0], [3.0]]]), 2.0).numpy().ravel()
    array([0., 4.], dtype=float32)
    """

    def spread(x: Any) -> Any:
        mean = reduce_mean(x, (-3, -2), keepdims=True)
        return (x - mean) * float(contrast_factor) + mean

    return _in_floats(_image(images, "images"), spread)


@by_rank()
def rgb_to_grayscale(images: Any, name: str | None = None) -> Any:
    """One channel as bright as the three of red, green and blue are to the eye.

    Raises:
        InvalidArgumentError: there are not three channels.

    >>> import tapeviz as tf
    >>> tf.image.rgb_to_grayscale(tf.constant([[[1.0, 1.0, 1.0]]])).numpy().round(3)
    array([[[1.]]], dtype=float32)
    """

    def mix(x: Any) -> Any:
        shape = x._a.shape
        rows = registry["reshape"].run(x, (-1, shape[-1]))
        weights = convert_to_tensor([[weight] for weight in _GREY], dtype=x.dtype)
        return registry["reshape"].run(registry["matmul"].run(rows, weights, False, False), (*shape[:-1], 1))

    return _in_floats(images, mix)


@by_rank(_in_single_precision)
def per_image_standardization(image: Any) -> Any:
    """The image moved and scaled to mean 0 and variance 1 (one without contrast, only so far as its size allows).

    Raises:
        ValueError: it has fewer than three axes.

    >>> import tapeviz as tf
    >>> tf.image.per_image_standardization(tf.constant([[[1.0], [3.0]]])).numpy().ravel()
    array([-1.,  1.], dtype=float32)
    """
    image = _image(image)
    x = image if image.dtype.is_floating else public["cast"](image, "float32")
    axes, size = (-3, -2, -1), math.prod(x._a.shape[-3:])
    if isinstance(size, Deferred):
        least = registry["rsqrt"].run(public["number"](size, x._a.dtype))
    else:
        least = 1.0 / math.sqrt(size)
    mean = reduce_mean(x, axes, keepdims=True)
    return (x - mean) / registry["maximum"].run(reduce_std(x, axes, keepdims=True), least)


def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Any:
    """The peak signal-to-noise ratio of two images in decibels: more is more alike.

    Args:
        a: images.
        b: images of the same shape.
        max_val: the largest value that an element may have.
        name: accepted as TensorFlow does.

    >>> import tapeviz as tf
    >>> tf.image.psnr(tf.zeros([2, 2, 1]), tf.ones([2, 2, 1]), max_val=10.0).numpy()
    np.float32(20.0)
    """
    a, b = (public["cast"](convert_to_tensor(image), "float32") for image in (a, b))
    error = reduce_mean(registry["squared_difference"].run(a, b), (-3, -2, -1))
    log = registry["log"].run
    return log(convert_to_tensor(max_val, dtype="float32")) * (20.0 / np.log(10.0)) - log(error) * (10.0 / np.log(10.0))


def total_variation(images: Any, name: str | None = None) -> Any:
    """The total variation: the sum of the differences between neighbouring pixels, one number an image.

    Raises:
        ValueError: they have neither three nor four axes.

    >>> import tapeviz as tf
    >>> tf.image.total_variation(tf.reshape([1.0, 4.0], [1, 2, 1])).numpy()
    np.float32(3.0)
    """
    x = convert_to_tensor(images)
    if x.ndim not in (_ONE, _BATCH):
        raise ValueError("'images' must be either 3 or 4-dimensional.")
    axes, size = (-3, -2, -1), registry["abs"].run
    down = x[..., 1:, :, :] - x[..., :-1, :, :]
    across = x[..., :, 1:, :] - x[..., :, :-1, :]
    return reduce_sum(size(down), axes) + reduce_sum(size(across), axes)


def image_gradients(image: Any) -> tuple[Any, Any]:
    """The differences to the next row and to the next column, 0 in the last.

    Raises:
        ValueError: the images do not have four axes.

    >>> import tapeviz as tf
    >>> down, across = tf.image.image_gradients(tf.reshape([1.0, 4.0], [1, 1, 2, 1]))
    >>> across.numpy().ravel()
    array([3., 0.], dtype=float32)
    """
    x = convert_to_tensor(image)
    if x.ndim != _BATCH:
        raise ValueError(f"`image` (shape {x.shape}) must be a 4D tensor [batch_size, h, w, d].")
    down = pad(x[:, 1:] - x[:, :-1], [(0, 0), (0, 1), (0, 0), (0, 0)])
    across = pad(x[:, :, 1:] - x[:, :, :-1], [(0, 0), (0, 0), (0, 1), (0, 0)])
    return down, across


def sobel_edges(image: Any) -> Any:
    """How much each pixel's neighbors change downwards and to the right: the Sobel operator.

    Args:
        image: ``[examples, height, width, channels]``.

    Returns:
        ``[examples, height, width, channels, 2]``: changes downwards, then to the right.

    >>> import tapeviz as tf
    >>> ramp = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.image.sobel_edges(ramp).numpy()[0, 1, 1, 0]
    array([24.,  8.], dtype=float32)
    """
    padded = pad(convert_to_tensor(image), [[0, 0], [1, 1], [1, 1], [0, 0]], "REFLECT")
    down, right = padded[:, 2:] - padded[:, :-2], padded[:, :, 2:] - padded[:, :, :-2]
    smoothed = (
        down[:, :, :-2] + 2 * down[:, :, 1:-1] + down[:, :, 2:],
        right[:, :-2] + 2 * right[:, 1:-1] + right[:, 2:],
    )
    return stack(smoothed, axis=-1)
