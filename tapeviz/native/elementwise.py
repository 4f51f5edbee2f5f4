"""Kernels that compute each element from the elements at the same place: one pass through memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from tapeviz.native.functions import Function
from tapeviz.native.kernels import kernel_text
from tapeviz.native.lanes import Lanes, memory_kind

__all__ = ["Body", "elementwise_text"]

_LINE: Final = 64
"""Bytes of a line of the processor's cache: what is stored at once, past the cache where it is told so."""

Body = Callable[[Lanes, Sequence[str], Sequence[str]], Sequence[str]]
"""Writes the results, given the lanes, the inputs' elements and the numbers, in every lane."""


def elementwise_text(inputs: Sequence[np.dtype], outputs: Sequence[np.dtype], numbers: int, body: Body) -> str:
    """The text of ``run(start, stop, *inputs, *outputs, *numbers, past)`` for :class:`Kernel`.

    Where ``past`` is 1 results are stored past the cache: right for what is larger than it. Numbers have the dtype of
    the first input.
    """
    return kernel_text([_Block(inputs, outputs, numbers, body).written()], len(inputs) + len(outputs), numbers, 1)


class _Block:
    """Writes the function that goes through the elements from ``start`` to below ``stop``."""

    def __init__(self, inputs: Sequence[np.dtype], outputs: Sequence[np.dtype], count: int, body: Body) -> None:
        self._dtypes, self._inputs, self._body = [*inputs, *outputs], len(inputs), body
        self._width = _LINE // min(dtype.itemsize for dtype in self._dtypes)
        arrays = [f"ptr %x{place}" for place in range(len(self._dtypes))]
        numbers = [f"double %n{place}" for place in range(count)]
        parameters = ", ".join(["i64 %start", "i64 %stop", *arrays, *numbers, "i64 %past"])
        self._f = Function("void", "block", parameters)
        self._numbers = [self._narrowed(f"%n{place}") for place in range(count)]

    def _narrowed(self, number: str) -> str:
        return number if self._dtypes[0].itemsize == 8 else self._f.value(f"fptrunc double {number} to float")  # noqa: PLR2004

    def written(self) -> Function:
        f = self._f
        aligned, together = self._alignment()
        even = f.value(f"add i64 {aligned}, {self._whole(f.value(f'sub i64 %stop, {aligned}'))}")
        self._elements("%start", aligned, 1)
        past = f.value(f"and i1 {together}, {f.value('icmp ne i64 %past, 0')}")
        f.when(past, lambda: self._elements(aligned, even, self._width, past=True))
        f.when(f.value(f"xor i1 {past}, true"), lambda: self._elements(aligned, even, self._width))
        self._elements(even, "%stop", 1)
        f.when(past, lambda: f.line("fence seq_cst"))
        f.ret()
        return f

    def _alignment(self) -> tuple[str, str]:
        """The first element from which on results fill whole lines, and whether it is the same for all of them."""
        f, found = self._f, []
        for place in range(self._inputs, len(self._dtypes)):
            dtype = self._dtypes[place]
            address = f.value(f"ptrtoint ptr {f.at(f'%x{place}', memory_kind(dtype), '%start')} to i64")
            left = f.value(f"and i64 {f.value(f'sub i64 0, {address}')}, {_LINE - 1}")
            found.append(f.value(f"lshr i64 {left}, {dtype.itemsize.bit_length() - 1}"))
        together = "true"
        for other in found[1:]:
            together = f.value(f"and i1 {together}, {f.value(f'icmp eq i64 {found[0]}, {other}')}")
        first = f.value(f"add i64 %start, {found[0]}")
        short = f.value(f"icmp slt i64 %stop, {first}")
        return f.value(f"select i1 {short}, i64 %stop, i64 {first}"), together

    def _whole(self, count: str) -> str:
        return self._f.value(f"and i64 {count}, -{self._width}")

    def _elements(self, start: str, stop: str, width: int, *, past: bool = False) -> None:
        f, lanes = self._f, Lanes(self._f, width)
        scalar = memory_kind(self._dtypes[0])
        numbers = [lanes.spread(scalar, number) for number in self._numbers]

        def turn(i: str) -> Sequence[str]:
            places = [f.at(f"%x{k}", memory_kind(dtype), i) for k, dtype in enumerate(self._dtypes)]
            read = [lanes.load(*one) for one in zip(places[: self._inputs], self._dtypes, strict=False)]
            made = self._body(lanes, read, numbers)
            for value, place, dtype in zip(made, places[self._inputs :], self._dtypes[self._inputs :], strict=True):
                lanes.store(value, place, dtype, past=past)
            return ()

        f.loop(start, stop, width, (), turn)
