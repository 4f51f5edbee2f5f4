"""Steps of ufuncs as one loop of machine code, where there is a compiler and IEEE 754 defines every step.

Each element goes through the same operations in the same order as step by step, so the numbers are the same to the bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np

from tapeviz.backends.blocks import places_of, run_blocks
from tapeviz.native.elementwise import elementwise_text
from tapeviz.native.kernels import Kernel
from tapeviz.native.lanes import Lanes, inlined, kind_of

__all__ = ["Form", "run_elements", "run_fused"]

Form = tuple[tuple[Any, tuple[tuple[bool, int], ...], int], ...]
"""Steps: a ufunc, its operands, and the place of its result.

An operand is an array, or one of the numbers, by its place among them: inputs come first, then results.
"""

_BEYOND: Final = 1 << 24
"""Bytes of an array that is not left in the cache anyway."""
_BLOCK: Final = 1 << 20


def run_fused(form: Form, arrays: Sequence[Any], results: Sequence[Any], numbers: Sequence[float]) -> bool:
    """Compute results of arrays that are alike, on several threads; False where it is to be done step by step."""
    kernel = _kernel(form, len(arrays), len(results), len(numbers), arrays[0].dtype)
    function = None if kernel is None else kernel.ready()
    if function is None:
        return False
    run_elements(function, arrays, results, numbers)
    return True


def run_elements(
    function: Callable[..., Any], arrays: Sequence[Any], results: Sequence[Any], numbers: Sequence[float] = ()
) -> None:
    """Call a kernel that was written by ``elementwise_text``, for arrays that are alike, on several threads."""
    given = (*arrays, *results, *numbers, int(results[0].nbytes >= _BEYOND))
    size, each = arrays[0].size, arrays[0].itemsize
    if size * each <= _BLOCK:
        function(0, size, *given)
    else:
        run_blocks(lambda place: function(place.start, place.stop, *given), places_of(size, each, _BLOCK))


@lru_cache(maxsize=256)
def _kernel(form: Form, inputs: int, results: int, numbers: int, dtype: np.dtype) -> Kernel | None:
    scalar = kind_of(dtype)
    writers = [inlined(ufunc, [dtype] * len(operands)) for ufunc, operands, _ in form]
    if scalar is None or None in writers:
        return None

    def body(lanes: Lanes, given: Sequence[str], plain: Sequence[str]) -> Sequence[str]:
        values = dict(enumerate(given))
        for write, (_, operands, place) in zip(writers, form, strict=True):
            read = [plain[index] if is_number else values[index] for is_number, index in operands]
            values[place] = write(lanes, scalar, read)  # type: ignore[misc]
        return [values[inputs + index] for index in range(results)]

    return Kernel(lambda: elementwise_text([dtype] * inputs, [dtype] * results, numbers, body))
