"""Steps of a plan as machine code, as far as there is a way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tapeviz.engine.rules import axes_of
from tapeviz.graphs.memory.array_calls import ufunc_of
from tapeviz.graphs.native.code import Code
from tapeviz.graphs.native.elementwise import inlined
from tapeviz.graphs.native.library_calls import Mapped, Picked, argmax, matmul, one_hot, reduction
from tapeviz.graphs.native.loops import Element
from tapeviz.graphs.native.operands import Place, meeting
from tapeviz.graphs.passes.plan import Step

__all__ = ["Lowered", "element", "lowered"]

Lowered = Element | Callable[[Code], None]
"""An elementwise op that can join others in a loop, or what writes the code of another one."""

Operand = tuple[int, Place]
"""A value by its identity, and where it is."""

_MEMORY: Final = 0  # an operand that is read from its place, whatever a register has
_NOBODY: Final = -1  # a result that is only read from its place


def element(what: Any, step: Step, operands: list[Operand], out: Operand) -> Element | None:
    """An elementwise op that IEEE 754 defines, for operands that meet the result in some way."""
    write = inlined(what, [place.dtype for _, place in operands], out[1].dtype)
    ways = [meeting(place.shape, out[1].shape) for _, place in operands]
    rows = {way[1] for way in ways if way is not None and way[1]}
    if write is None or None in ways or len(rows) > 1 or 0 in out[1].shape:
        return None
    met = [(key, place, way[0]) for (key, place), way in zip(operands, ways, strict=True) if way is not None]
    return Element(step, write, met, *out, next(iter(rows), 0))


def lowered(step: Step, operands: list[Operand], out: Operand) -> list[Lowered] | None:
    """The code of a step that writes its result to a place, None where there is no way."""
    ufunc = ufunc_of(step.op)
    if ufunc is None:
        rule = _RULES.get(step.op.name)
        return None if rule is None else rule(step, operands, out)
    if (found := element(ufunc, step, operands, out)) is not None:
        return [found]
    return _some(Mapped.of(ufunc, [place for _, place in operands], out[1]))


def _some(*found: Lowered | None) -> list[Lowered] | None:
    every = [each for each in found if each is not None]
    return every if len(every) == len(found) else None


def _by_name(what: Any) -> Callable[[Step, list[Operand], Operand], list[Lowered] | None]:
    return lambda step, operands, out: _some(element(what, step, operands, out))


def _matmul(step: Step, operands: list[Operand], out: Operand) -> list[Lowered] | None:
    first, second = (
        place.swapped() if step.attrs.get(flag) else place
        for (_, place), flag in zip(operands, ("transpose_a", "transpose_b"), strict=True)
    )
    return _some(matmul(first, second, out[1]))


def _reduced(ufunc: Any) -> Callable[[Step, list[Operand], Operand], list[Lowered] | None]:
    def lower(step: Step, operands: list[Operand], out: Operand) -> list[Lowered] | None:
        source, axis = operands[0][1], step.attrs["axis"]
        rank = len(source.shape)
        gone = set(range(rank)) if axis is None else set(axes_of(axis, rank))
        return _some(reduction(ufunc, source, [place not in gone for place in range(rank)], out[1]))

    return lower


def _mean(step: Step, operands: list[Operand], out: Operand) -> list[Lowered] | None:
    """A sum, and then each element of it divided by how many there were."""
    total = _reduced(np.add)(step, operands, out)
    count = np.asarray(operands[0][1].size // max(1, out[1].size), out[1].dtype)
    number = Place(count.ctypes.data, 0, (), count.dtype, fixed=True, kept=count)
    share = element(np.true_divide, step, [(_MEMORY, out[1]), (_MEMORY, number)], out)
    return None if total is None else _some(*total, share)


def _sigmoid(step: Step, operands: list[Operand], out: Operand) -> list[Lowered] | None:
    """The steps of its kernel, in the result's own memory."""
    negative = element(np.negative, step, operands, (_NOBODY, out[1]))
    if negative is not None:
        negative.forced = True
    return _some(negative, Mapped.of(np.exp, [out[1]], out[1]), element("sigmoid end", step, [(_MEMORY, out[1])], out))


def _pick(_step: Step, operands: list[Operand], out: Operand) -> list[Lowered] | None:
    return _some(Picked.of(operands[0][1], operands[1][1], out[1]))


def _one_hot(_step: Step, operands: list[Operand], out: Operand) -> list[Lowered] | None:
    return _some(one_hot(operands[0][1], out[1]))


def _argmax(step: Step, operands: list[Operand], out: Operand) -> list[Lowered] | None:
    return _some(argmax(operands[0][1], step.attrs["axis"], out[1]))


_RULES: Final[dict[str, Callable[[Step, list[Operand], Operand], list[Lowered] | None]]] = {
    **{name: _by_name(name) for name in ("relu", "relu_grad", "cast", "where", "divide_no_nan", "multiply_no_nan")},
    "squared_difference": _by_name("squared_difference"),
    "broadcast_to": _by_name("copy"), "bias_add": _by_name(np.add), "matmul": _matmul,
    "reduce_sum": _reduced(np.add), "reduce_max": _reduced(np.maximum), "reduce_mean": _mean, "sigmoid": _sigmoid,
    "pick": _pick, "one_hot": _one_hot, "argmax": _argmax,
}  # fmt: skip
