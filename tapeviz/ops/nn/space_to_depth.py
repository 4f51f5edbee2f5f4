"""Blocks of pixels made into channels, and channels into blocks of pixels."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.deferred_numbers import Deferred
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.ops.array.identity import of_rank
from tapeviz.ops.nn.windows import channels_last, is_channels_first

__all__ = ["depth_to_space", "space_to_depth"]

_IMAGES: Final = 4
_SMALLEST: Final = 2


def _checked(images: Any, block_size: Any, data_format: str) -> tuple[Any, int, bool]:
    x, block, first = of_rank(convert_to_tensor(images), _IMAGES), int(block_size), is_channels_first(data_format, 2)
    if block < _SMALLEST:
        raise InvalidArgumentError(f"Value for attr 'block_size' of {block} must be at least minimum {_SMALLEST}")
    if x.ndim != _IMAGES:
        raise InvalidArgumentError(f"Input rank should be {_IMAGES} instead of {x.ndim}")
    return x, block, first


def space_to_depth(input: Any, block_size: Any, data_format: str = "NHWC", name: str | None = None) -> Any:
    """Images with each block of pixels made into one pixel of more channels.

    Args:
        input: images, ``[examples, height, width, channels]``.
        block_size: the height and width of a block.
        data_format: ``"NHWC"``, or ``"NCHW"`` with channels before the height.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the images do not consist of whole blocks.

    >>> import tapeviz as tf
    >>> tf.nn.space_to_depth(tf.reshape(tf.range(4), [1, 2, 2, 1]), 2).numpy()
    array([[[[0, 1, 2, 3]]]], dtype=int32)
    """
    x, block, first = _checked(input, block_size, data_format)

    def deepen(images: Any) -> Any:
        many, height, width, depth = images._a.shape
        if any(not isinstance(size, Deferred) and size % block for size in (height, width)):
            raise InvalidArgumentError(
                f"Image width {width} and height {height} should be divisible by block_size: {block}"
            )
        apart = registry["reshape"].run(images, (many, height // block, block, width // block, block, depth))
        together = registry["transpose"].run(apart, (0, 1, 3, 2, 4, 5))
        return registry["reshape"].run(together, (many, height // block, width // block, block * block * depth))

    return channels_last(deepen, x, channels_first=first)


def depth_to_space(input: Any, block_size: Any, data_format: str = "NHWC", name: str | None = None) -> Any:
    """Images with each pixel made into a block of pixels of fewer channels.

    Args:
        input: images, ``[examples, height, width, channels]``.
        block_size: the height and width of a block.
        data_format: ``"NHWC"``, or ``"NCHW"`` with channels before the height.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the channels cannot be spread over a block.

    >>> import tapeviz as tf
    >>> tf.nn.depth_to_space(tf.reshape(tf.range(4), [1, 1, 1, 4]), 2).numpy()[0, :, :, 0]
    array([[0, 1],
           [2, 3]], dtype=int32)
    """
    x, block, first = _checked(input, block_size, data_format)

    def flatten(images: Any) -> Any:
        many, height, width, depth = images._a.shape
        if not isinstance(depth, Deferred) and depth % (block * block):
            raise InvalidArgumentError(f"Input depth dimension {depth} should be divisible by: {block * block}")
        left = depth // (block * block)
        apart = registry["reshape"].run(images, (many, height, width, block, block, left))
        together = registry["transpose"].run(apart, (0, 1, 3, 2, 4, 5))
        return registry["reshape"].run(together, (many, height * block, width * block, left))

    return channels_last(flatten, x, channels_first=first)
