"""Windows that slide over the axes between the examples and the channels: sizes, padding, and the arguments for them.

The ops take one number an axis and channels last; what TensorFlow's functions take besides is made into that here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any, Final

import numpy as np

from tapeviz.backends.blocks import LARGE, places_of, run_blocks
from tapeviz.engine.declaration import registry
from tapeviz.engine.errors import InvalidArgumentError, UnimplementedError
from tapeviz.engine.rules import shape_text

__all__ = ["Padding", "channels_last", "geometry", "is_channels_first", "padded", "padding_of", "per_axis", "refuse",
           "shifted", "slices", "unpadded", "window_sizes"]  # fmt: skip

Padding = str | tuple[tuple[int, int], ...]
"""``"SAME"``, ``"VALID"``, or how much goes before and after each axis."""

_LETTERS: Final = {1: "W", 2: "HW", 3: "DHW"}


def per_axis(value: Any, count: int, what: str, *, channels_first: bool = False) -> tuple[int, ...]:
    """One number for each of ``count`` axes, from one for all, one each, or one for examples and channels too.

    Raises:
        ValueError: there are more or fewer.
        UnimplementedError: the number for examples or channels is not 1.
    """
    if value is None:
        return (1,) * count
    numbers = [int(value)] if not isinstance(value, Iterable) else [int(number) for number in value]
    if len(numbers) == 1:
        return tuple(numbers * count)
    if len(numbers) == count:
        return tuple(numbers)
    if len(numbers) != count + 2:
        raise ValueError(
            f"{what} should be of length 1, {count} or {count + 2}. Received: {what}={value} of length {len(numbers)}"
        )
    inner, outer = (numbers[2:], numbers[:2]) if channels_first else (numbers[1:-1], [numbers[0], numbers[-1]])
    if outer != [1, 1]:
        raise UnimplementedError(
            f"Current implementation does not yet support {what} in the batch and depth dimensions."
        )
    return tuple(inner)


def padding_of(padding: Any, count: int, *, channels_first: bool = False) -> Padding:
    """Padding as the ops take it.

    Raises:
        ValueError: it does not have an entry an axis.
        InvalidArgumentError: it is a word other than SAME and VALID.
    """
    if isinstance(padding, str):
        if padding not in {"SAME", "VALID"}:
            raise InvalidArgumentError(
                f'Value for attr \'padding\' of "{padding}" is not in the list of allowed values: "SAME", "VALID"'
            )
        return padding
    pairs = [(int(before), int(after)) for before, after in padding]
    if len(pairs) != count + 2:
        raise ValueError(
            f"When padding is a list, it must be of size {count + 2}. Received: padding={padding} of size {len(pairs)}"
        )
    return tuple(pairs[2:] if channels_first else pairs[1:-1])


def is_channels_first(data_format: str | None, count: int) -> bool:
    """Whether channels come before the axes that windows slide over.

    Raises:
        InvalidArgumentError: there is no such format.
    """
    last, first = f"N{_LETTERS[count]}C", f"NC{_LETTERS[count]}"
    if data_format is None or data_format == last:
        return False
    if data_format != first:
        raise InvalidArgumentError(
            f'Value for attr \'data_format\' of "{data_format}" is not in the list of allowed values: "{last}", '
            f'"{first}"'
        )
    return True


def channels_last(function: Callable[[Any], Any], value: Any, *, channels_first: bool) -> Any:
    """``function`` of a tensor that has its channels last, given and giving one that has them first."""
    if not channels_first:
        return function(value)
    rank, transpose = value.ndim, registry["transpose"].run
    result = function(transpose(value, (0, *range(2, rank), 1)))
    return transpose(result, (0, rank - 1, *range(1, rank - 1)))


def geometry(
    sizes: Sequence[int], kernel: Sequence[int], strides: Sequence[int], padding: Padding, dilations: Sequence[int]
) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...]]:
    """How many windows fit along each axis, and how much padding goes before and after it.

    Raises:
        InvalidArgumentError: a window does not fit, or a stride or a dilation is not positive.
    """
    if min(kernel) <= 0:
        raise InvalidArgumentError(f"Sliding window ksize must be positive. The specified ksize is: {list(kernel)}")
    if min(strides) <= 0:
        raise InvalidArgumentError(f"Stride must be > 0, but got {min(strides)}")
    if min(dilations) <= 0:
        raise InvalidArgumentError("Dilated rates should be larger than 0.")
    counts, pads = [], []
    for axis, (size, stride) in enumerate(zip(sizes, strides, strict=True)):
        reach = (kernel[axis] - 1) * dilations[axis] + 1
        if padding == "SAME":
            count = -(-size // stride)
            total = max((count - 1) * stride + reach - size, 0)
            pad = (total // 2, total - total // 2)
        else:
            pad = (0, 0) if padding == "VALID" else (int(padding[axis][0]), int(padding[axis][1]))
            count = (size + sum(pad) - reach) // stride + 1
        if count < 0 or min(pad) < 0:
            raise InvalidArgumentError(
                f"Computed output size would be negative: {count} [input_size: {size}, effective_filter_size: "
                f"{reach}, stride: {stride}]"
            )
        counts.append(count)
        pads.append(pad)
    return tuple(counts), tuple(pads)


def window_sizes(
    spec_shape: tuple[int, ...], kernel: Sequence[int], strides: Sequence[int], padding: Padding
) -> tuple[int, ...]:
    """The sizes of the axes after windows without holes have slid over them."""
    return geometry(spec_shape[1:-1], kernel, strides, padding, (1,) * len(strides))[0]


def refuse(shape: tuple[int, ...], count: int, what: str) -> None:
    """Refuse a tensor that does not have examples, ``count`` axes and channels.

    Raises:
        InvalidArgumentError: it does not.
    """
    if len(shape) != count + 2:
        raise InvalidArgumentError(f"{what} must be {count + 2}-dimensional: {shape_text(shape)}")


def padded(xp: Any, x: Any, pads: Sequence[tuple[int, int]], fill: Any = 0) -> Any:
    """``x`` with ``fill`` around it (half as long as ``xp.pad`` takes), in memory in the order of its axes."""
    if not any(map(any, pads)):
        return xp.ascontiguousarray(x)
    sizes = x.shape[1:-1]
    whole = tuple(before + size + after for (before, after), size in zip(pads, sizes, strict=True))
    shape = (x.shape[0], *whole, x.shape[-1])
    larger, inside = xp.empty(shape, x.dtype), _inside(pads, sizes)

    def copy(some: slice) -> None:
        larger[some] = fill
        larger[some][inside] = x[some]

    if xp is np and x.size >= LARGE:
        run_blocks(copy, places_of(len(x), larger[0].nbytes))
    else:
        copy(slice(None))
    return larger


def unpadded(x: Any, pads: Sequence[tuple[int, int]], sizes: Sequence[int]) -> Any:
    """``x`` without what :func:`padded` put around it."""
    return x[_inside(pads, sizes)]


def _inside(pads: Sequence[tuple[int, int]], sizes: Sequence[int]) -> tuple[slice, ...]:
    return (slice(None), *(slice(before, before + size) for (before, _), size in zip(pads, sizes, strict=True)))


def slices(
    position: Sequence[int], counts: Sequence[int], strides: Sequence[int], dilations: Sequence[int]
) -> tuple[slice, ...]:
    """Where the element at ``position`` of each window lies in the padded tensor, examples first."""
    starts = [place * dilation for place, dilation in zip(position, dilations, strict=True)]
    return (
        slice(None),
        *(
            slice(start, start + (count - 1) * stride + 1 if count else start, stride)
            for start, count, stride in zip(starts, counts, strides, strict=True)
        ),
    )


def shifted(
    kernel: Sequence[int], counts: Sequence[int], strides: Sequence[int], dilations: Sequence[int] | None = None
) -> list[tuple[slice, ...]]:
    """:func:`slices` for each position in the window, in the order of memory."""
    holes = dilations or (1,) * len(kernel)
    return [slices(position, counts, strides, holes) for position in product(*map(range, kernel))]
