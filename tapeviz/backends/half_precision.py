"""Large arrays between single and half precision by the processor's own instruction, which NumPy does not use.

Nearest numbers, ties to even, and the digits of NaNs are NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from tapeviz.backends.fused_steps import run_elements
from tapeviz.native.elementwise import Body, elementwise_text
from tapeviz.native.kernels import Kernel
from tapeviz.native.lanes import Lanes
from tapeviz.native.machine import CompilationError, converts_halves

__all__ = ["between_halves"]

_SINGLE: Final = np.dtype(np.float32)
_HALF: Final = np.dtype(np.float16)


def between_halves(x: Any, dtype: Any) -> Any | None:
    """A large array of one of the two precisions in the other; None for other dtypes, and where NumPy is to do it."""
    kernel = _KERNELS.get((x.dtype, np.dtype(dtype))) if x.__class__ is np.ndarray and x.flags.c_contiguous else None
    function = None if kernel is None else kernel.ready()
    if function is None:
        return None
    result = np.empty(x.shape, dtype)
    run_elements(function, [x], [result])
    return result


def _to_half(lanes: Lanes, inputs: Sequence[str], _numbers: Sequence[str]) -> list[str]:
    (x,) = inputs
    bits = _as(lanes, "bitcast", "float", x, "i32")
    digits = _masked(lanes, _shifted(lanes, "lshr", bits, 13), 0x3FF)
    digits = _chosen(lanes, "eq", digits, 0, _constant(lanes, 1), digits)
    sign = _masked(lanes, _shifted(lanes, "lshr", bits, 16), 0x8000)
    nan = _either(lanes, _either(lanes, sign, _constant(lanes, 0x7C00)), digits)
    plain = _as(lanes, "bitcast", "half", _as(lanes, "fptrunc", "float", x, "half"), "i16")
    return [_unless_nan(lanes, "float", x, "i16", plain, _as(lanes, "trunc", "i32", nan, "i16"))]


def _to_single(lanes: Lanes, inputs: Sequence[str], _numbers: Sequence[str]) -> list[str]:
    (x,) = inputs
    bits = _as(lanes, "zext", "i16", x, "i32")
    digits = _shifted(lanes, "shl", _masked(lanes, bits, 0x3FF), 13)
    sign = _shifted(lanes, "shl", _masked(lanes, bits, 0x8000), 16)
    nan = _either(lanes, _either(lanes, sign, _constant(lanes, 0x7F800000)), digits)
    half = _as(lanes, "bitcast", "i16", x, "half")
    plain = _as(lanes, "fpext", "half", half, "float")
    return [_unless_nan(lanes, "float", plain, "float", plain, _as(lanes, "bitcast", "i32", nan, "float"))]


def _constant(lanes: Lanes, number: int) -> str:
    return lanes.constant("i32", str(number))


def _as(lanes: Lanes, name: str, source: str, value: str, target: str) -> str:
    return lanes.code.value(f"{name} {lanes.kind(source)} {value} to {lanes.kind(target)}")


def _shifted(lanes: Lanes, name: str, value: str, count: int) -> str:
    return lanes.code.value(f"{name} {lanes.kind('i32')} {value}, {_constant(lanes, count)}")


def _masked(lanes: Lanes, value: str, mask: int) -> str:
    return lanes.code.value(f"and {lanes.kind('i32')} {value}, {_constant(lanes, mask)}")


def _either(lanes: Lanes, a: str, b: str) -> str:
    return lanes.code.value(f"or {lanes.kind('i32')} {a}, {b}")


def _chosen(lanes: Lanes, relation: str, value: str, number: int, yes: str, no: str) -> str:
    kind = lanes.kind("i32")
    condition = lanes.code.value(f"icmp {relation} {kind} {value}, {_constant(lanes, number)}")
    return lanes.code.value(f"select {lanes.kind('i1')} {condition}, {kind} {yes}, {kind} {no}")


def _unless_nan(lanes: Lanes, kind: str, x: str, target: str, plain: str, nan: str) -> str:
    condition = lanes.code.value(f"fcmp uno {lanes.kind(kind)} {x}, {x}")
    of = lanes.kind(target)
    return lanes.code.value(f"select {lanes.kind('i1')} {condition}, {of} {nan}, {of} {plain}")


def _text(source: np.dtype, target: np.dtype, body: Body) -> str:
    if not converts_halves():
        raise CompilationError("the processor has no instruction for half precision")
    return elementwise_text([source], [target], 0, body)


def _agrees(function: Callable[..., Any], source: np.dtype, target: np.dtype) -> bool:
    """Whether numbers of all sizes, denormal and infinite ones and NaNs become what NumPy makes of them."""
    patterns = np.arange(1 << 16, dtype=np.uint32)
    bits = patterns.astype(np.uint16) if source == _HALF else patterns * np.uint32(65_521) + np.uint32(0x0FFF)
    x = bits.view(source)
    found = np.empty(x.size, target)
    function(0, x.size, x, found, 0)
    with np.errstate(all="ignore"):
        return found.tobytes() == x.astype(target).tobytes()


_KERNELS: Final = {
    (source, target): Kernel(partial(_text, source, target, body), partial(_agrees, source=source, target=target))
    for source, target, body in ((_SINGLE, _HALF, _to_half), (_HALF, _SINGLE, _to_single))
}
