"""Images changed at random, as training sees more of them so."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.ops.array.creation import shape as shape_of
from tapeviz.ops.array.strided_slice import slice as part_of
from tapeviz.ops.image.hues import adjust_hue, adjust_saturation
from tapeviz.ops.image.images import adjust_brightness, adjust_contrast, flip_left_right, flip_up_down
from tapeviz.ops.random.random_numbers import uniform
from tapeviz.ops.random.stateless import stateless_uniform

__all__ = [
    "random_brightness", "random_contrast", "random_crop", "random_flip_left_right", "random_flip_up_down",
    "random_hue", "random_saturation",
    "stateless_random_brightness", "stateless_random_contrast", "stateless_random_crop",
    "stateless_random_flip_left_right", "stateless_random_flip_up_down", "stateless_random_hue",
    "stateless_random_saturation",
]  # fmt: skip

_BATCH: Final = 4  # axes of several images


def _half_of(flip: Callable[[Any], Any], image: Any, drawn: Callable[[Any], Any]) -> Any:
    """Each image as it is or flipped, with even chances; ``drawn`` gives so many numbers between 0 and 1."""
    image = convert_to_tensor(image)
    shape = (image._a.shape[0], 1, 1, 1) if image.ndim == _BATCH else ()
    return registry["where"].run(drawn(shape) < 0.5, flip(image), image)  # noqa: PLR2004 - even chances


def random_flip_left_right(image: Any, seed: int | None = None) -> Any:
    """The image or its mirror image, with even chances; of several images each for itself.

    Raises:
        ValueError: it has fewer than three axes.

    >>> import tapeviz as tf
    >>> flipped = tf.image.random_flip_left_right(tf.reshape([1, 2], [1, 2, 1]), seed=1).numpy().ravel()
    >>> sorted(flipped.tolist())
    [1, 2]
    """
    return _half_of(flip_left_right, image, partial(uniform, seed=seed))


def random_flip_up_down(image: Any, seed: int | None = None) -> Any:
    """The image or the same upside down, with even chances; of several images each for itself.

    Raises:
        ValueError: it has fewer than three axes.

    >>> import tapeviz as tf
    >>> flipped = tf.image.random_flip_up_down(tf.reshape([1, 2], [2, 1, 1]), seed=1).numpy().ravel()
    >>> sorted(flipped.tolist())
    [1, 2]
    """
    return _half_of(flip_up_down, image, partial(uniform, seed=seed))


def _number(drawn: Any) -> Any:
    """What was drawn as a Python number; in a graph, which draws at each run, the tensor."""
    return drawn if hasattr(drawn, "_numbers") else float(drawn)


def _brightened(image: Any, max_delta: float, drawn: Callable[..., Any]) -> Any:
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return adjust_brightness(image, _number(drawn((), minval=-max_delta, maxval=max_delta)))


def _contrasted(image: Any, lower: float, upper: float, drawn: Callable[..., Any]) -> Any:
    if upper <= lower:
        raise ValueError("upper must be > lower.")
    if lower < 0:
        raise ValueError("lower must be non-negative.")
    return adjust_contrast(image, _number(drawn((), minval=lower, maxval=upper)))


def random_brightness(image: Any, max_delta: float, seed: int | None = None) -> Any:
    """``adjust_brightness`` by a number between ``-max_delta`` and ``max_delta``.

    Raises:
        ValueError: ``max_delta`` is negative.

    >>> import tapeviz as tf
    >>> bool(abs(tf.image.random_brightness(tf.zeros([1, 1, 1]), 0.5, seed=1).numpy().item()) <= 0.5)
    True
    """
    return _brightened(image, max_delta, partial(uniform, seed=seed))


def random_contrast(image: Any, lower: float, upper: float, seed: int | None = None) -> Any:
    """``adjust_contrast`` by a number from ``lower`` up to ``upper``.

    Raises:
        ValueError: ``lower`` is negative or not below ``upper``.

    >>> import tapeviz as tf
    >>> spread = tf.image.random_contrast(tf.reshape([0.0, 2.0], [1, 2, 1]), 0.5, 2.0, seed=1).numpy().ravel()
    >>> bool(1.0 <= spread[1] - spread[0] <= 4.0)
    True
    """
    return _contrasted(image, lower, upper, partial(uniform, seed=seed))


def random_hue(image: Any, max_delta: float, seed: int | None = None) -> Any:
    """``adjust_hue`` by a number between ``-max_delta`` and ``max_delta``.

    Raises:
        ValueError: it is not between 0 and 0.5.

    >>> import tapeviz as tf
    >>> tf.image.random_hue([[[0.5, 0.5, 0.5]]], 0.2).numpy().tolist()
    [[[0.5, 0.5, 0.5]]]
    """
    return _with_hue(image, max_delta, partial(uniform, seed=seed))


def _with_hue(image: Any, max_delta: float, drawn: Callable[..., Any]) -> Any:
    if not 0 <= max_delta <= 0.5:  # noqa: PLR2004 - half of the circle
        raise ValueError("max_delta must be between 0 and 0.5.")
    return adjust_hue(image, drawn((), minval=-max_delta, maxval=max_delta))


def random_saturation(image: Any, lower: float, upper: float, seed: int | None = None) -> Any:
    """``adjust_saturation`` by a number from ``lower`` up to ``upper``.

    Raises:
        ValueError: ``lower`` is negative or not below ``upper``.

    >>> import tapeviz as tf
    >>> tf.image.random_saturation([[[0.5, 0.5, 0.5]]], 0.5, 2.0).numpy().tolist()
    [[[0.5, 0.5, 0.5]]]
    """
    return _with_saturation(image, lower, upper, partial(uniform, seed=seed))


def _with_saturation(image: Any, lower: float, upper: float, drawn: Callable[..., Any]) -> Any:
    if not 0 <= lower < upper:
        raise ValueError("lower must be non-negative and below upper.")
    return adjust_saturation(image, drawn((), minval=lower, maxval=upper))


def random_crop(value: Any, size: Any, seed: int | None = None, name: str | None = None) -> Any:
    """A part of a tensor of a given size, at a random place.

    >>> import tapeviz as tf
    >>> tf.image.random_crop(tf.zeros([4, 4, 3]), [2, 3, 3]).shape
    TensorShape([2, 3, 3])
    """
    return _cropped(value, size, partial(uniform, seed=seed))


def _cropped(value: Any, size: Any, drawn: Callable[..., Any]) -> Any:
    given, wanted = convert_to_tensor(value), convert_to_tensor(size, dtype="int32")
    room = shape_of(given) - wanted + 1
    place = drawn(shape_of(room), minval=0, maxval=2**31 - 1, dtype="int32")
    return part_of(given, place % room, size)


# The same, by a seed of two integers: the same for the same seed, always.


def stateless_random_flip_left_right(image: Any, seed: Any) -> Any:
    """``random_flip_left_right`` that is the same for the same ``seed`` of two integers.

    >>> import tapeviz as tf
    >>> image = tf.reshape([1, 2], [1, 2, 1])
    >>> a, b = (tf.image.stateless_random_flip_left_right(image, (1, 2)).numpy() for _ in range(2))
    >>> bool((a == b).all())
    True
    """
    return _half_of(flip_left_right, image, partial(stateless_uniform, seed=seed))


def stateless_random_flip_up_down(image: Any, seed: Any) -> Any:
    """``random_flip_up_down`` that is the same for the same ``seed`` of two integers.

    >>> import tapeviz as tf
    >>> image = tf.reshape([1, 2], [2, 1, 1])
    >>> a, b = (tf.image.stateless_random_flip_up_down(image, (1, 2)).numpy() for _ in range(2))
    >>> bool((a == b).all())
    True
    """
    return _half_of(flip_up_down, image, partial(stateless_uniform, seed=seed))


def stateless_random_brightness(image: Any, max_delta: float, seed: Any) -> Any:
    """``random_brightness`` that is the same for the same ``seed`` of two integers.

    >>> import tapeviz as tf
    >>> bool(abs(tf.image.stateless_random_brightness(tf.zeros([1, 1, 1]), 0.5, (1, 2)).numpy().item()) <= 0.5)
    True
    """
    return _brightened(image, max_delta, partial(stateless_uniform, seed=seed))


def stateless_random_contrast(image: Any, lower: float, upper: float, seed: Any) -> Any:
    """``random_contrast`` that is the same for the same ``seed`` of two integers.

    >>> import tapeviz as tf
    >>> image = tf.reshape([0.0, 2.0], [1, 2, 1])
    >>> spread = tf.image.stateless_random_contrast(image, 0.5, 2.0, (1, 2)).numpy().ravel()
    >>> bool(1.0 <= spread[1] - spread[0] <= 4.0)
    True
    """
    return _contrasted(image, lower, upper, partial(stateless_uniform, seed=seed))


def stateless_random_hue(image: Any, max_delta: float, seed: Any) -> Any:
    """``random_hue`` that is the same for the same ``seed`` of two integers.

    >>> import tapeviz as tf
    >>> tf.image.stateless_random_hue([[[0.5, 0.5, 0.5]]], 0.2, (1, 2)).numpy().tolist()
    [[[0.5, 0.5, 0.5]]]
    """
    return _with_hue(image, max_delta, partial(stateless_uniform, seed=seed))


def stateless_random_saturation(image: Any, lower: float, upper: float, seed: Any = None) -> Any:
    """``random_saturation`` that is the same for the same ``seed`` of two integers.

    >>> import tapeviz as tf
    >>> tf.image.stateless_random_saturation([[[0.5, 0.5, 0.5]]], 0.5, 2.0, (1, 2)).numpy().tolist()
    [[[0.5, 0.5, 0.5]]]
    """
    return _with_saturation(image, lower, upper, partial(stateless_uniform, seed=seed))


def stateless_random_crop(value: Any, size: Any, seed: Any, name: str | None = None) -> Any:
    """``random_crop`` that is the same for the same ``seed`` of two integers.

    >>> import tapeviz as tf
    >>> tf.image.stateless_random_crop(tf.zeros([4, 4, 3]), [2, 3, 3], (1, 2)).shape
    TensorShape([2, 3, 3])
    """
    return _cropped(value, size, partial(stateless_uniform, seed=seed))
