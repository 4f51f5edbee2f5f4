"""Elementwise ops on some elements at once, in LLVM's language.

Only ops whose results IEEE 754 defines to the last bit are here, so that the results are NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

import numpy as np

__all__ = [
    "Instructions",
    "Lanes",
    "Writer",
    "cast_writer",
    "copied",
    "inlined",
    "kind_of",
    "memory_kind",
    "select",
    "square",
]

_KINDS: Final = {"f4": "float", "f8": "double", "i4": "i32", "i8": "i64", "b1": "i1"}
_BOOL: Final = np.dtype(np.bool_)


def kind_of(dtype: np.dtype) -> str | None:
    """What LLVM calls the numbers of a dtype, None where they are not computed with here."""
    return _KINDS.get(dtype.str[1:]) if dtype.isnative else None


def memory_kind(dtype: np.dtype) -> str:
    """What LLVM calls numbers of that size in memory, computed with or not."""
    return {"float32": "float", "float64": "double"}.get(dtype.name, f"i{8 * dtype.itemsize}")


class Instructions(Protocol):
    """A function that is being written."""

    def line(self, text: str) -> None:
        """Add an instruction without a result."""

    def value(self, expression: str) -> str:
        """Add an instruction; the name of its result."""

    def declare(self, text: str) -> None:
        """Say what a function that is called looks like."""


class Lanes:
    """Writes the computation of some elements at once: ``width`` of them."""

    def __init__(self, code: Instructions, width: int) -> None:
        self.code = code
        self.width = width

    def kind(self, scalar: str) -> str:
        """What LLVM calls so many numbers."""
        return scalar if self.width == 1 else f"<{self.width} x {scalar}>"

    def constant(self, scalar: str, value: str) -> str:
        """The same fixed number in all lanes."""
        return value if self.width == 1 else f"<{', '.join([f'{scalar} {value}'] * self.width)}>"

    def intrinsic(self, name: str, scalar: str, argument: str) -> str:
        """A call of a function that LLVM knows."""
        kind = self.kind(scalar)
        suffix = {"float": "f32", "double": "f64"}[scalar]
        full = f"@llvm.{name}.{suffix if self.width == 1 else f'v{self.width}{suffix}'}"
        self.code.declare(f"{kind} {full}({kind})")
        return self.code.value(f"call {kind} {full}({kind} {argument})")

    def spread(self, scalar: str, value: str) -> str:
        """One number in all lanes."""
        if self.width == 1:
            return value
        kind = self.kind(scalar)
        one = self.code.value(f"insertelement {kind} poison, {scalar} {value}, i64 0")
        zeros = f"<{self.width} x i32> zeroinitializer"
        return self.code.value(f"shufflevector {kind} {one}, {kind} poison, {zeros}")

    def load(self, address: str, dtype: np.dtype) -> str:
        """Read from memory."""
        memory = memory_kind(dtype)
        align = min(dtype.itemsize, 8)
        found = self.code.value(f"load {self.kind(memory)}, ptr {address}, align {align}")
        if dtype != _BOOL:
            return found
        return self.code.value(f"icmp ne {self.kind('i8')} {found}, zeroinitializer") if self.width > 1 else (
            self.code.value(f"icmp ne i8 {found}, 0")
        )  # fmt: skip

    def store(self, value: str, address: str, dtype: np.dtype, *, past: bool = False) -> None:
        """Write to memory; ``past`` the processor's cache what fills lines of it."""
        memory = memory_kind(dtype)
        if dtype == _BOOL:
            value = self.code.value(f"zext {self.kind('i1')} {value} to {self.kind('i8')}")
        align, hint = (64, ", !nontemporal !{i32 1}") if past else (dtype.itemsize, "")
        self.code.line(f"store {self.kind(memory)} {value}, ptr {address}, align {align}{hint}")


Writer = Callable[[Lanes, str, Sequence[str]], str]
"""Writes an op: the lanes, what LLVM calls the operands' numbers, the operands; gives the result."""


def _binary(floats: str, whole: str) -> Writer:
    def write(lanes: Lanes, scalar: str, operands: Sequence[str]) -> str:
        name = floats if scalar in ("float", "double") else whole
        return lanes.code.value(f"{name} {lanes.kind(scalar)} {operands[0]}, {operands[1]}")

    return write


def _comparison(floats: str, whole: str) -> Writer:
    def write(lanes: Lanes, scalar: str, operands: Sequence[str]) -> str:
        name = f"fcmp {floats}" if scalar in ("float", "double") else f"icmp {whole}"
        return lanes.code.value(f"{name} {lanes.kind(scalar)} {operands[0]}, {operands[1]}")

    return write


def _intrinsic(name: str) -> Writer:
    return lambda lanes, scalar, operands: lanes.intrinsic(name, scalar, operands[0])


def _negative(lanes: Lanes, scalar: str, operands: Sequence[str]) -> str:
    return lanes.code.value(f"fneg {lanes.kind(scalar)} {operands[0]}")


def square(lanes: Lanes, scalar: str, operands: Sequence[str]) -> str:
    """Each element times itself."""
    return lanes.code.value(f"fmul {lanes.kind(scalar)} {operands[0]}, {operands[0]}")


def _reciprocal(lanes: Lanes, scalar: str, operands: Sequence[str]) -> str:
    one = lanes.constant(scalar, "1.0")
    return lanes.code.value(f"fdiv {lanes.kind(scalar)} {one}, {operands[0]}")


def select(lanes: Lanes, scalar: str, condition: str, yes: str, no: str) -> str:
    """One of two by a truth value each."""
    kind = lanes.kind(scalar)
    return lanes.code.value(f"select {lanes.kind('i1')} {condition}, {kind} {yes}, {kind} {no}")


_ANY: Final[dict[Any, Writer]] = {
    np.equal: _comparison("oeq", "eq"), np.not_equal: _comparison("une", "ne"),
}  # fmt: skip
_NUMBERS: Final[dict[Any, Writer]] = {
    **_ANY, np.add: _binary("fadd", "add"), np.subtract: _binary("fsub", "sub"), np.multiply: _binary("fmul", "mul"),
    np.less: _comparison("olt", "slt"), np.less_equal: _comparison("ole", "sle"),
    np.greater: _comparison("ogt", "sgt"), np.greater_equal: _comparison("oge", "sge"),
}  # fmt: skip
_FLOATS: Final[dict[Any, Writer]] = {
    **_NUMBERS, np.true_divide: _binary("fdiv", ""), np.negative: _negative, np.absolute: _intrinsic("fabs"),
    np.sqrt: _intrinsic("sqrt"), np.square: square, np.reciprocal: _reciprocal, np.floor: _intrinsic("floor"),
    np.ceil: _intrinsic("ceil"), np.rint: _intrinsic("roundeven"),
}  # fmt: skip
_TRUTHS: Final[dict[Any, Writer]] = {
    np.logical_and: _binary("", "and"), np.logical_or: _binary("", "or"),
}  # fmt: skip
_CASTS: Final = {
    ("float", "double"): "fpext", ("double", "float"): "fptrunc", ("i32", "i64"): "sext", ("i64", "i32"): "trunc",
    **{("i1", target): "uitofp" for target in ("float", "double")},
    **{("i1", target): "zext" for target in ("i32", "i64")},
    **{(source, target): "sitofp" for source in ("i32", "i64") for target in ("float", "double")},
}  # fmt: skip
_TABLES: Final = {"f": _FLOATS, "i": _NUMBERS, "b": _TRUTHS}


def inlined(ufunc: Any, dtypes: Sequence[np.dtype]) -> Writer | None:
    """What writes a ufunc for operands of these dtypes; None where NumPy must be called."""
    kinds = {kind_of(dtype) for dtype in dtypes}
    return None if None in kinds or len(kinds) > 1 else _TABLES[dtypes[0].kind].get(ufunc)


def cast_writer(source: np.dtype, target: np.dtype) -> Writer | None:
    """What writes a cast between two dtypes; None where C leaves open what comes out."""
    before, after = str(kind_of(source)), str(kind_of(target))
    name = _CASTS.get((before, after))
    if name is None:
        return None
    return lambda lanes, _scalar, operands: lanes.code.value(
        f"{name} {lanes.kind(before)} {operands[0]} to {lanes.kind(after)}"
    )


def copied(dtype: np.dtype) -> Writer | None:
    """What writes an element as it is, None for a dtype that is not computed with here."""
    return None if kind_of(dtype) is None else lambda _lanes, _scalar, operands: operands[0]
