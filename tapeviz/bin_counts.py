"""Counts of elements by bins, in machine code: the part of an array's summary that NumPy has no single function for.

Only whole numbers are counted, and each element's bin is worked out by the same operations on doubles as NumPy's, so
the counts are the same to the last one. Whatever the elements are, nothing is written beside the tables.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final

from tapeviz.graphs.native.machine import AXES, DATA, CompilationError, address_of, compiled, is_available
from tapeviz.recording.statistics import LANES, TABLE

__all__ = ["bin_counter"]

_PAYS: Final = 1 << 26  # elements, for which NumPy alone takes longer than it takes to load the compiler

_TEXT: Final = (
    f"""
define ptr @run(ptr %self, ptr %args, i64 %count) {{
entry:
  %values = load ptr, ptr %args
  %args1 = getelementptr ptr, ptr %args, i64 1
  %line = load ptr, ptr %args1
  %args2 = getelementptr ptr, ptr %args, i64 2
  %found = load ptr, ptr %args2
  %axes.at = getelementptr i8, ptr %values, i64 {AXES}
  %axes = load ptr, ptr %axes.at
  %size = load i64, ptr %axes
  %end = and i64 %size, -{LANES}
  %from.at = getelementptr i8, ptr %values, i64 {DATA}
  %from = load ptr, ptr %from.at
  %line.at = getelementptr i8, ptr %line, i64 {DATA}
  %line.data = load ptr, ptr %line.at
  %low1 = load double, ptr %line.data
  %scale.at = getelementptr double, ptr %line.data, i64 1
  %scale1 = load double, ptr %scale.at
  %low0 = insertelement <4 x double> poison, double %low1, i32 0
  %low = shufflevector <4 x double> %low0, <4 x double> poison, <4 x i32> zeroinitializer
  %scale0 = insertelement <4 x double> poison, double %scale1, i32 0
  %scale = shufflevector <4 x double> %scale0, <4 x double> poison, <4 x i32> zeroinitializer
  %found.at = getelementptr i8, ptr %found, i64 {DATA}
  %table = load ptr, ptr %found.at
  %some = icmp sgt i64 %end, 0
  br i1 %some, label %loop, label %done
loop:
  %at = phi i64 [ 0, %entry ], [ %next, %loop ]
  %zero = phi <4 x i64> [ zeroinitializer, %entry ], [ %zero.new, %loop ]
  %negative = phi <4 x i64> [ zeroinitializer, %entry ], [ %negative.new, %loop ]
  %place = getelementptr float, ptr %from, i64 %at
  %x = load <4 x float>, ptr %place, align 4
  %wide = fpext <4 x float> %x to <4 x double>
  %is.zero = fcmp oeq <4 x double> %wide, zeroinitializer
  %one.zero = sext <4 x i1> %is.zero to <4 x i64>
  %zero.new = sub <4 x i64> %zero, %one.zero
  %is.negative = fcmp olt <4 x double> %wide, zeroinitializer
  %one.negative = sext <4 x i1> %is.negative to <4 x i64>
  %negative.new = sub <4 x i64> %negative, %one.negative
  %moved = fsub <4 x double> %wide, %low
  %scaled = fmul <4 x double> %moved, %scale
  %bins.any = fptosi <4 x double> %scaled to <4 x i32>
  %bins.some = freeze <4 x i32> %bins.any
  %bins = and <4 x i32> %bins.some, <i32 63, i32 63, i32 63, i32 63>
"""
    + "".join(
        f"""
  %bin{lane} = extractelement <4 x i32> %bins, i32 {lane}
  %entry{lane} = zext i32 %bin{lane} to i64
  %shifted{lane} = add i64 %entry{lane}, {lane * TABLE}
  %to{lane} = getelementptr i64, ptr %table, i64 %shifted{lane}
  %old{lane} = load i64, ptr %to{lane}
  %new{lane} = add i64 %old{lane}, 1
  store i64 %new{lane}, ptr %to{lane}
"""
        for lane in range(LANES)
    )
    + f"""
  %next = add i64 %at, {LANES}
  %more = icmp slt i64 %next, %end
  br i1 %more, label %loop, label %after
after:
  %zero.at = getelementptr i64, ptr %table, i64 {LANES * TABLE}
  %zero.old = load <4 x i64>, ptr %zero.at, align 8
  %zero.sum = add <4 x i64> %zero.old, %zero.new
  store <4 x i64> %zero.sum, ptr %zero.at, align 8
  %negative.at = getelementptr i64, ptr %table, i64 {LANES * TABLE + LANES}
  %negative.old = load <4 x i64>, ptr %negative.at, align 8
  %negative.sum = add <4 x i64> %negative.old, %negative.new
  store <4 x i64> %negative.sum, ptr %negative.at, align 8
  br label %done
done:
  %none = inttoptr i64 NONE to ptr
  call void inttoptr (i64 COUNT to ptr)(ptr %none)
  ret ptr %none
}}"""
)


_KEPT: Final[list[Any]] = []  # the code lives as long as the process


class _Read:
    """How many elements have been summarised so far."""

    elements = 0


def bin_counter(elements: int) -> Callable[..., Any] | None:
    """What counts bins for :func:`tapeviz.recording.statistics.summaries` of so many more elements.

    None where there is no compiler, and before so many have come that to load it pays.
    """
    _Read.elements += elements
    return _counter() if _Read.elements >= _PAYS else None


@cache
def _counter() -> Callable[..., Any] | None:
    if not is_available():
        return None
    text = _TEXT.replace("NONE", str(id(None))).replace("COUNT", str(address_of("Py_IncRef")))
    try:
        function, keeper = compiled(text)
    except CompilationError:
        return None
    _KEPT.append(keeper)
    return function
