"""What layers whose windows slide over sequences, images and volumes have in common: arguments, and where channels are.

Layers keep Keras' words, ``"same"`` and ``"channels_first"``; the ops take one number an axis and channels last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tapeviz.engine.tensor import Tensor
from tapeviz.ops.nn.windows import Padding, channels_last

__all__ = [
    "channel_axis",
    "format_of",
    "inner",
    "numbers_of",
    "outer",
    "padding_of",
    "slid",
    "turned",
    "window_padding",
]


def numbers_of(value: Any, count: int, what: str, least: int = 1) -> tuple[int, ...]:
    """One whole number for each of ``count`` axes, from one for all or one each.

    Raises:
        ValueError: there are more or fewer, they are not whole numbers, or one is less than ``least``.
    """
    given = tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else (value,) * count
    if len(given) != count or not all(hasattr(number, "__index__") for number in given):
        raise ValueError(f"The `{what}` argument must be a tuple of {count} integers. Received {what}={value}")
    numbers = tuple(number.__index__() for number in given)
    if min(numbers) < least:
        raise ValueError(
            f"The `{what}` argument must be a tuple of {count} integers of at least {least}. Received {what}={value}, "
            f"including {min(numbers)}"
        )
    return numbers


def padding_of(padding: Any, words: tuple[str, ...] = ("valid", "same")) -> str:
    """The word for the padding, in lower case.

    Raises:
        ValueError: it is another word.
    """
    if not isinstance(padding, str) or padding.lower() not in words:
        raise ValueError(f"The `padding` argument must be one of {set(words)}. Received: {padding}")
    return padding.lower()


def format_of(data_format: str | None) -> str:
    """Where the channels are, in lower case: ``"channels_last"`` unless said otherwise.

    Raises:
        ValueError: it is another word.
    """
    said = "channels_last" if data_format is None else str(data_format).lower()
    if said not in {"channels_last", "channels_first"}:
        raise ValueError(
            "The `data_format` argument must be one of {'channels_first', 'channels_last'}. Received: data_format="
            f"{data_format}"
        )
    return said


def channel_axis(layer: Any) -> int:
    """The axis of the channels, as an index of the input's shape."""
    return -1 if layer.data_format == "channels_last" else 1


def turned(function: Callable[[Any], Any], layer: Any, inputs: Any) -> Tensor:
    """``function`` of the inputs with their channels last; what it gives has them where the layer does."""
    result: Tensor = channels_last(function, inputs, channels_first=layer.data_format == "channels_first")
    return result


def inner(layer: Any, shape: Any) -> tuple[Any, ...]:
    """The sizes that windows slide over."""
    return tuple(shape[1:-1] if layer.data_format == "channels_last" else shape[2:])


def outer(layer: Any, shape: Any, sizes: Iterable[Any], channels: Any = None) -> tuple[Any, ...]:
    """A shape with these sizes for those that windows slide over, and as many channels."""
    count = shape[channel_axis(layer)] if channels is None else channels
    return (shape[0], *sizes, count) if layer.data_format == "channels_last" else (shape[0], count, *sizes)


def slid(
    layer: Any, sizes: Iterable[Any], window: tuple[int, ...], strides: tuple[int, ...], holes: tuple[int, ...]
) -> tuple[Any, ...]:
    """How many windows there are along each axis; None where the size is.

    Raises:
        ValueError: a window is larger than its axis.
    """
    counts = []
    for size, width, stride, hole in zip(sizes, window, strides, holes, strict=True):
        reach = (width - 1) * hole + 1
        whole = layer.padding != "valid"
        counts.append(size if size is None else -(-size // stride) if whole else (size - reach) // stride + 1)
        if counts[-1] is not None and counts[-1] <= 0:
            raise ValueError(
                f'Computed output size would be negative: layer "{layer.name}" slides a window of {reach} over an axis '
                f"of size {size}"
            )
    return tuple(counts)


def window_padding(layer: Any, window: tuple[int, ...], holes: tuple[int, ...]) -> Padding:
    """The layer's padding as the ops take it: causal padding goes before the sequence only."""
    if layer.padding != "causal":
        return str(layer.padding.upper())
    return tuple(((width - 1) * hole, 0) for width, hole in zip(window, holes, strict=True))
