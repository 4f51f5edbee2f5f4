"""Numbers, sizes, times and shapes as people read them: the same words as in the views."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

__all__ = ["bytes_", "count", "duration", "number", "percent", "plural", "raised", "shape", "spec"]

_THIN: Final = "\u202f"
_RAISED: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_SMALLEST: Final = 1e-3
_LARGEST: Final = 1e5


def count(n: float) -> str:
    """A whole number with thin spaces between thousands: 12345 -> "12 345"."""
    return f"{round(n):,}".replace(",", _THIN)


def plural(n: float, noun: str) -> str:
    """A count with its noun: (1, "op") -> "1 op", (3, "op") -> "3 ops"."""
    return f"{count(n)} {noun}{'' if round(n) == 1 else 's'}"


def number(x: float, digits: int = 3) -> str:
    """Three significant digits; powers of ten outside 0.001 ... 99 999; "NaN", "+inf" and "−inf" spelled out.

    >>> number(1e-8), number(0.12345), number(float("-inf"))
    ('1×10⁻⁸', '0.123', '−inf')
    """
    if math.isnan(x):
        return "NaN"
    if math.isinf(x):
        return "+inf" if x > 0 else "−inf"
    if x == 0:
        return "0"
    if not _SMALLEST <= abs(x) < _LARGEST:
        mantissa, exponent = f"{x:.{digits - 1}e}".split("e")
        return f"{float(mantissa):g}×10{raised(int(exponent))}".replace("-", "−")
    text = f"{x:.0f}" if abs(x) >= 10**digits else f"{float(f'{x:.{digits}g}'):g}"
    return text.replace("-", "−")


def raised(n: int) -> str:
    """A whole number in raised digits: -8 -> "⁻⁸"."""
    return str(n).translate(_RAISED)


def duration(ns: float) -> str:
    """A time given in ns: 1234 -> "1.23 µs"."""
    return _scaled(ns, ("ns", "µs", "ms", "s"), 1000)


def bytes_(n: float) -> str:
    """A size given in bytes: 8192 -> "8 KiB"."""
    return _scaled(n, ("B", "KiB", "MiB", "GiB", "TiB"), 1024)


def percent(part: float) -> str:
    """A part of a whole: 0.1234 -> "12 %"."""
    value = 100 * part
    return f"{'<1' if 0 < value < 1 else f'{value:.0f}'} %"


def shape(sizes: Sequence[int]) -> str:
    """The sizes of a tensor's axes: (32, 64) -> "32×64", () -> "scalar"."""
    return "×".join(map(str, sizes)) if len(sizes) else "scalar"


def spec(sizes: Sequence[int], dtype: str) -> str:
    """A shape and a dtype as TensorFlow says them: "(32, 64) float32"."""
    return f"({', '.join(map(str, sizes))}{',' if len(sizes) == 1 else ''}) {dtype}"


def _scaled(value: float, units: Sequence[str], factor: int) -> str:
    unit = 0
    while abs(value) >= factor * 0.9995 and unit < len(units) - 1:
        value /= factor
        unit += 1
    return f"{number(value)} {units[unit]}"
