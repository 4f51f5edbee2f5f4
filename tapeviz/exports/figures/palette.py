"""Colours and signs, the same as in the views: a colour never stands alone, a glyph or a word goes with it.

The front end's ``families.ts`` says the same of the families; a test compares the two.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from matplotlib.colors import LinearSegmentedColormap, to_hex, to_rgb
from matplotlib.path import Path

__all__ = [
    "BACKGROUND", "BAND", "EDGE", "ERROR", "FAMILIES", "FAULT", "LINE", "MUTED", "ORANGE", "OTHER", "PURPLE", "SIGNED",
    "SURFACE", "TEXT", "Family", "family_of", "ink", "mix",
]  # fmt: skip


def mix(one: str, other: str, part: float) -> str:
    """``part`` of one colour and the rest of the other."""
    (r, g, b), (s, h, c) = to_rgb(one), to_rgb(other)
    rest = 1 - part
    return to_hex((part * r + rest * s, part * g + rest * h, part * b + rest * c))


def ink(ground: str) -> str:
    """Black or white, whichever reads better on a ground."""
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in to_rgb(ground)]
    luminance = sum(part * v for part, v in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    # Where both have the same contrast: (L + 0.05)^2 = 1.05 * 0.05.
    return "#000000" if luminance > 0.179 else "#ffffff"


BACKGROUND: Final = "#ffffff"
TEXT: Final = "#1b1f24"
MUTED: Final = "#59626d"
FAULT: Final = "#b3400a"
SURFACE: Final = mix("#0d1b2a", BACKGROUND, 0.025)
BAND: Final = mix("#0d1b2a", BACKGROUND, 0.05)
LINE: Final = mix("#0d1b2a", BACKGROUND, 0.13)
EDGE: Final = mix("#0d1b2a", BACKGROUND, 0.42)

PURPLE: Final = ("#f7f4f9", "#d6cfe6", "#a99ccb", "#7a65a8", "#4f2a85", "#2d004b")
ORANGE: Final = ("#f7f4f9", "#fddbb0", "#f5ad5c", "#dc7a1c", "#ab4f07", "#7f3b08")

SIGNED: Final = LinearSegmentedColormap.from_list("tapeviz signed", (*PURPLE[:0:-1], *ORANGE))
"""Signed values: purple below 0, nearly white at 0, orange above."""


@dataclass(frozen=True, slots=True)
class Family:
    """A family of ops: its title, its colour, its glyph as text and as an outline between -1 and 1, y upwards."""

    name: str
    title: str
    color: str
    glyph: str
    outline: Path


def _closed(*rings: Sequence[tuple[float, float]]) -> Path:
    """An outline of polygons."""
    parts = [Path([*ring, ring[0]], closed=True) for ring in rings]
    return Path.make_compound_path(*parts)


def _ring(outer: float, inner: float) -> Path:
    hole: Any = Path.circle((0, 0), inner)
    # The other way round, so that it is a hole.
    return Path.make_compound_path(Path.circle((0, 0), outer), Path(hole.vertices[::-1], hole.codes))


def _box(left: float, bottom: float, right: float, top: float) -> Sequence[tuple[float, float]]:
    return [(left, bottom), (right, bottom), (right, top), (left, top)]


def _turning() -> Path:
    """Three quarters of a ring that begins at the top and goes round to the left, and the head of an arrow."""
    angles = [math.radians(90 + 10 * step) for step in range(28)]
    outer = [(0.85 * math.cos(angle), 0.85 * math.sin(angle)) for angle in angles]
    inner = [(0.45 * math.cos(angle), 0.45 * math.sin(angle)) for angle in reversed(angles)]
    return _closed([*outer, *inner], [(-0.02, 1.1), (-0.02, 0.2), (0.6, 0.65)])


def _star() -> Path:
    return _closed([(0, 1), (0.25, 0.25), (1, 0), (0.25, -0.25), (0, -1), (-0.25, -0.25), (-1, 0), (-0.25, 0.25)])


def _cross() -> Path:
    right = [(0, 0.3), (0.6, 0.9), (0.9, 0.6), (0.3, 0), (0.9, -0.6), (0.6, -0.9), (0, -0.3)]
    return _closed([*right, *((-x, y) for x, y in right[-2:0:-1])])


def _exchange() -> Path:
    """An arrow to the right above one to the left."""
    tip = [(0.125, 0.9), (0.875, 0.4625), (0.125, 0.025)]
    right = [(-0.875, 0.6), (0.125, 0.6), *tip, (0.125, 0.325), (-0.875, 0.325)]
    return _closed(right, [(-x, -y) for x, y in right])


FAMILIES: Final = (
    Family("linalg", "linear algebra", "#0072B2", "■", _closed(_box(-0.72, -0.72, 0.72, 0.72))),
    Family("elementwise", "elementwise", "#56B4E9", "●", Path.circle((0, 0), 0.78)),
    Family("reduction", "reduction", "#E69F00", "▼", _closed([(-0.85, 0.65), (0.85, 0.65), (0, -0.75)])),
    Family("shape", "shape", "#C8C8C8", "▱", _closed([(-0.4, 0.58), (0.95, 0.58), (0.4, -0.58), (-0.95, -0.58)])),
    Family("indexing", "indexing", "#8A6A45", "▤", _closed(
        _box(-0.78, 0.38, 0.78, 0.72), _box(-0.78, -0.17, 0.78, 0.17), _box(-0.78, -0.72, 0.78, -0.38))),
    Family("variable", "variable", "#009E73", "◆", _closed([(0, 0.9), (0.9, 0), (0, -0.9), (-0.9, 0)])),
    Family("control", "control", "#CC79A7", "⟲", _turning()),
    Family("random", "random", "#F0E442", "✦", _star()),
    Family("collective", "between processes", "#3F1652", "⇄", _exchange()),
)  # fmt: skip

ERROR: Final = Family("error", "failed", "#D55E00", "✕", _cross())
OTHER: Final = Family("other", "other", "#74787D", "○", _ring(0.78, 0.44))

_BY_NAME: Final = {family.name: family for family in FAMILIES}


def family_of(name: str) -> Family:
    """The family of that name."""
    return _BY_NAME.get(name, OTHER)
