"""An elementwise formula as steps of NumPy's that write where they should: into results, and into few arrays between.

The formula is called once with values that note what is done to them. For a block of arrays the same ufuncs then run in
the same order, so the numbers are those of the formula; only no step makes an array, and no result is copied.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeviz.backends.blocks import into_blocks
from tapeviz.backends.fused_steps import Form, run_fused

__all__ = ["Steps", "steps_of"]


class _Value:
    """An array that will be there: an input, or the result of a ufunc."""

    __array_ufunc__ = None  # an array or scalar of NumPy's leaves operators to us

    def __init__(self, steps: list[_Value], ufunc: Any = None, inputs: tuple[Any, ...] = ()) -> None:
        self.steps, self.ufunc, self.inputs = steps, ufunc, inputs
        if ufunc is not None:
            steps.append(self)

    def __neg__(self) -> _Value:
        return _Value(self.steps, np.negative, (self,))


def _operator(ufunc: Any, *, turned: bool = False) -> Any:
    def apply(self: _Value, other: Any) -> _Value:
        return _Value(self.steps, ufunc, (other, self) if turned else (self, other))

    return apply


for _name, _ufunc in (("add", np.add), ("sub", np.subtract), ("mul", np.multiply), ("truediv", np.true_divide)):
    setattr(_Value, f"__{_name}__", _operator(_ufunc))
    setattr(_Value, f"__r{_name}__", _operator(_ufunc, turned=True))


class _Noted:
    """Ops by name, of such values."""

    def __init__(self, ops: Any, steps: list[_Value]) -> None:
        self._ops, self._steps = ops, steps

    def __getattr__(self, name: str) -> Callable[..., _Value]:
        ufunc = getattr(self._ops, name)
        if not isinstance(ufunc, np.ufunc):
            raise TypeError(f"{name} is no ufunc")
        return lambda *inputs: _Value(self._steps, ufunc, inputs)


class Steps:
    """What a formula does, for blocks of arrays.

    Args:
        given: the values that stand for the inputs.
        results: those that it gives.
    """

    def __init__(self, given: Sequence[_Value], results: Sequence[_Value]) -> None:
        places = {id(value): place for place, value in enumerate((*given, *results))}
        self._first = len(places)
        self._steps: list[tuple[Any, list[Any], int]] = []
        steps = given[0].steps
        last = {id(one): number for number, step in enumerate(steps) for one in step.inputs}
        free: list[int] = []
        self._count = 0
        for number, step in enumerate(steps):
            read = [_Place(places[id(one)]) if isinstance(one, _Value) else one for one in step.inputs]
            ended = {id(one) for one in step.inputs if last[id(one)] == number}
            free += [place for key in ended if (place := places.get(key, -1)) >= self._first]
            if id(step) not in places:
                places[id(step)] = free.pop() if free else self._next()
            self._steps.append((step.ufunc, read, places[id(step)]))

    def run(self, arrays: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> None:
        """Compute results of arrays that are alike: in one pass where that can be, else block by block."""
        form, numbers = self._form(arrays[0].dtype)
        if form is None or not run_fused(form, arrays, results, numbers):
            into_blocks(self, *arrays, *results)

    def _form(self, dtype: np.dtype) -> tuple[Form | None, list[float]]:
        """The steps without their numbers, and these; None where a number is not of this dtype, or none is an array."""
        form: list[Any] = []
        numbers: list[float] = []
        for ufunc, read, place in self._steps:
            operands = []
            for one in read:
                is_number = one.__class__ is not _Place
                operands.append((is_number, len(numbers) if is_number else int(one)))
                if is_number:
                    if one.__class__ not in (int, float) and getattr(one, "dtype", None) != dtype:
                        return None, []
                    numbers.append(float(one))
            if all(is_number for is_number, _ in operands):
                return None, []
            form.append((ufunc, tuple(operands), place))
        return tuple(form), numbers

    def _next(self) -> int:
        self._count += 1
        return self._first + self._count - 1

    def __call__(self, *blocks: np.ndarray) -> None:
        """Run them: ``blocks`` are those of the inputs, and then of the results, which are written to."""
        arrays = [*blocks, *(np.empty_like(blocks[0]) for _ in range(self._count))]
        for ufunc, read, place in self._steps:
            ufunc(*[arrays[one] if one.__class__ is _Place else one for one in read], out=arrays[place])


class _Place(int):
    """Where an array is among those of a block; no number of the formula's."""


def steps_of(formula: Callable[..., Sequence[Any]], ops: Any, count: int, numbers: Sequence[Any]) -> Steps | None:
    """The steps of a formula of ``count`` arrays and of numbers; None where it is not made of ufuncs alone."""
    steps: list[_Value] = []
    given = [_Value(steps) for _ in range(count)]
    try:
        results = formula(_Noted(ops, steps), *given, *numbers)
    except TypeError:
        return None
    if any(getattr(value, "ufunc", None) is None for value in results) or len({*map(id, results)}) < len(results):
        return None
    return Steps(given, results)
