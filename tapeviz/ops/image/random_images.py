"""Images changed at random, as training sees more of them so."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.ops.image.images import adjust_brightness, adjust_contrast, flip_left_right, flip_up_down
from tapeviz.ops.random.random_numbers import uniform

__all__ = ["random_brightness", "random_contrast", "random_flip_left_right", "random_flip_up_down"]

_BATCH: Final = 4  # axes of several images


def _half_of(flip: Any, image: Any, seed: int | None) -> Any:
    """Each image as it is or flipped, with even chances."""
    image = convert_to_tensor(image)
    shape = (image._a.shape[0], 1, 1, 1) if image.ndim == _BATCH else ()
    return registry["where"].run(uniform(shape, seed=seed) < 0.5, flip(image), image)  # noqa: PLR2004 - even chances


def random_flip_left_right(image: Any, seed: int | None = None) -> Any:
    """The image or its mirror image, with even chances; of several images each for itself.

    Raises:
        ValueError: it has fewer than three axes.

    >>> import tapeviz as tf
    >>> flipped = tf.image.random_flip_left_right(tf.reshape([1, 2], [1, 2, 1]), seed=1).numpy().ravel()
    >>> sorted(flipped.tolist())
    [1, 2]
    """
    return _half_of(flip_left_right, image, seed)


def random_flip_up_down(image: Any, seed: int | None = None) -> Any:
    """The image or the same upside down, with even chances; of several images each for itself.

    Raises:
        ValueError: it has fewer than three axes.

    >>> import tapeviz as tf
    >>> flipped = tf.image.random_flip_up_down(tf.reshape([1, 2], [2, 1, 1]), seed=1).numpy().ravel()
    >>> sorted(flipped.tolist())
    [1, 2]
    """
    return _half_of(flip_up_down, image, seed)


def _number(drawn: Any) -> Any:
    """What was drawn as a Python number; in a graph, which draws at each run, the tensor."""
    return drawn if hasattr(drawn, "_numbers") else float(drawn)


def random_brightness(image: Any, max_delta: float, seed: int | None = None) -> Any:
    """``adjust_brightness`` by a number between ``-max_delta`` and ``max_delta``.

    Raises:
        ValueError: ``max_delta`` is negative.

    >>> import tapeviz as tf
    >>> bool(abs(tf.image.random_brightness(tf.zeros([1, 1, 1]), 0.5, seed=1).numpy().item()) <= 0.5)
    True
    """
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return adjust_brightness(image, _number(uniform((), -max_delta, max_delta, seed=seed)))


def random_contrast(image: Any, lower: float, upper: float, seed: int | None = None) -> Any:
    """``adjust_contrast`` by a number from ``lower`` up to ``upper``.

    Raises:
        ValueError: ``lower`` is negative or not below ``upper``.

    >>> import tapeviz as tf
    >>> spread = tf.image.random_contrast(tf.reshape([0.0, 2.0], [1, 2, 1]), 0.5, 2.0, seed=1).numpy().ravel()
    >>> bool(1.0 <= spread[1] - spread[0] <= 4.0)
    True
    """
    if upper <= lower:
        raise ValueError("upper must be > lower.")
    if lower < 0:
        raise ValueError("lower must be non-negative.")
    return adjust_contrast(image, _number(uniform((), lower, upper, seed=seed)))
