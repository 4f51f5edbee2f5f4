"""A matplotlib figure to draw on in inches, with texts that are measured before they are placed."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final, TypeAlias

from matplotlib import font_manager, rcParams
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import Collection, LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.ft2font import FT2Font
from matplotlib.patches import FancyBboxPatch, PathPatch
from matplotlib.transforms import Affine2D

from tapeviz.exports.figures.palette import BACKGROUND, TEXT, Family
from tapeviz.files import atomic_writer

__all__ = ["Board", "Box", "Line", "Picture", "fit", "printable", "width_of"]

Box: TypeAlias = tuple[float, float, float, float]
"""A rectangle: x, y, width, height, in inches."""

Line: TypeAlias = Sequence[tuple[float, float]]
"""A line through points, in inches."""

# Comes with matplotlib, so that texts have the same width wherever a figure is drawn.
_SANS: Final = "DejaVu Sans"
_MONO: Final = "DejaVu Sans Mono"
_SCREEN_DPI: Final = 200
_POINT: Final = 1 / 72


class Picture(Figure):
    """A matplotlib figure that shows itself in a notebook without pyplot.

    Attributes:
        alt: what it shows, in words.
    """

    def __init__(self, width: float, height: float, alt: str) -> None:
        super().__init__(figsize=(width, height), dpi=100, facecolor=BACKGROUND, layout=None)
        self.alt = alt
        FigureCanvasAgg(self)

    def png(self, dpi: float = _SCREEN_DPI) -> bytes:
        """The figure as a PNG."""
        buffer = io.BytesIO()
        self.savefig(buffer, format="png", dpi=dpi, facecolor=BACKGROUND, metadata={"Description": self.alt})
        return buffer.getvalue()

    def savefig(self, fname: Any, **kwargs: Any) -> None:
        """Write the figure as matplotlib does: to a file, which is there whole or as it was, or to something open.

        Args:
            fname: a path, whose suffix says the format, or something open for writing bytes.
            **kwargs: what `matplotlib.figure.Figure.savefig` takes.

        Raises:
            OSError: it cannot be written.
        """
        if not isinstance(fname, (str, os.PathLike)):
            super().savefig(fname, **kwargs)
            return
        path = Path(fname)
        kind = path.suffix.removeprefix(".") or rcParams["savefig.format"]
        with atomic_writer(path if path.suffix else path.with_suffix(f".{kwargs.get('format', kind)}")) as file:
            super().savefig(file, **{"format": kind, **kwargs})

    def pixels(self, dpi: float) -> tuple[int, int, bytes]:
        """The figure as width, height and four bytes a pixel: red, green, blue, opaque."""
        self.set_dpi(dpi)
        canvas: Any = FigureCanvasAgg(self)
        canvas.draw()
        return (*canvas.get_width_height(), bytes(canvas.buffer_rgba()))

    def _repr_png_(self) -> tuple[bytes, dict[str, Any]]:
        width, height = (round(100 * side) for side in self.get_size_inches())
        return self.png(), {"width": width, "height": height}


class Board:
    """Draws in inches from the upper left corner, y downwards; what is drawn later lies above."""

    def __init__(self, width: float, height: float, alt: str) -> None:
        self.width = width
        self.height = height
        self.picture: Picture = Picture(width, height, alt)
        self.axes: Any = self.picture.add_axes((0, 0, 1, 1))
        self.axes.set(xlim=(0, width), ylim=(height, 0))
        self.axes.axis("off")
        self._level = 2.0

    def _add(self, artist: Any) -> None:
        self._level += 0.001
        artist.set_zorder(self._level)
        if isinstance(artist, Collection):
            self.axes.add_collection(artist, autolim=False)
        else:
            self.axes.add_artist(artist)  # not add_patch, which works out limits that are fixed here

    def rounded(self, box: Box, fill: str, edge: str, radius: float = 0.03) -> None:
        """A rectangle with round corners."""
        x, y, w, h = box
        r = min(radius, w / 2.5, h / 2.5)
        style = f"round,pad=0,rounding_size={r}"
        self._add(FancyBboxPatch((x, y), w, h, boxstyle=style, facecolor=fill, edgecolor=edge, linewidth=0.8))

    def boxes(self, boxes: Sequence[Box], fills: Sequence[str]) -> None:
        """Many plain rectangles at once."""
        corners = [[(x, y), (x + w, y), (x + w, y + h), (x, y + h)] for x, y, w, h in boxes]
        self._add(PolyCollection(corners, facecolors=list(fills), edgecolors="none", antialiaseds=False))

    def polygon(self, points: Line, fill: str) -> None:
        """A filled area."""
        self._add(PolyCollection([list(points)], facecolors=[fill], edgecolors="none"))

    def lines(self, lines: Sequence[Line], color: str, width: float = 0.8, dash: Any = "-") -> None:
        """Lines through points."""
        self._add(LineCollection(lines, colors=color, linewidths=width, linestyles=dash, capstyle="butt"))

    def hatch(self, box: Box, color: str, lean: str = "/", pitch: float = 0.06) -> None:
        r"""Diagonal lines in a rectangle: "/" for backward, "\" for failed."""
        self.lines(list(_diagonals(box, lean, pitch)), color, 0.7)

    def glyph(self, family: Family, x: float, y: float, size: float, color: str, edge: str = "none") -> None:
        """A family's sign with its middle at (x, y)."""
        place = Affine2D().scale(size / 2, -size / 2).translate(x, y)
        self._add(PathPatch(family.outline.transformed(place), facecolor=color, edgecolor=edge, linewidth=0.6))

    def text(self, x: float, y: float, text: str, **options: Any) -> None:
        """A text with its middle line at y; options as for `width_of`, and color, align, turned (upwards)."""
        size, weight, mono = options.get("size", 8), options.get("weight", "normal"), options.get("mono", False)
        turned = options.get("turned", False)
        self._level += 0.001
        self.axes.text(
            x, y, printable(text, mono=mono), color=options.get("color", TEXT), ha=options.get("align", "left"),
            va="center" if turned else "center_baseline", rotation=90 if turned else 0, rotation_mode="anchor",
            parse_math=False, fontproperties=_font(size, weight, mono), zorder=self._level,
        )  # fmt: skip


def width_of(text: str, *, size: float = 8, weight: str = "normal", mono: bool = False) -> float:
    """How many inches wide a text is."""
    return _width(printable(text, mono=mono), size, weight, mono)


def fit(text: str, room: float, **options: Any) -> str:
    """The text, cut with an ellipsis where it is wider than there is room; empty when not even two letters fit."""
    if width_of(text, **options) <= room:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if width_of(text[:middle] + "…", **options) <= room else (low, middle - 1)
    return f"{text[:low].rstrip()}…" if low >= 2 else ""


def printable(text: str, *, mono: bool = False) -> str:
    """The text, with □ for what the font lacks, which matplotlib would warn about."""
    known = _letters(mono)
    return "".join(c if ord(c) in known else " " if c.isspace() else "" if ord(c) < 32 else "□" for c in text)


@cache
def _font(size: float, weight: str, mono: bool) -> FontProperties:
    return FontProperties(family=_MONO if mono else _SANS, size=size, weight=weight)


@cache
def _letters(mono: bool) -> frozenset[int]:
    return frozenset(FT2Font(font_manager.findfont(_font(8, "normal", mono))).get_charmap())


@cache
def _measuring() -> Any:
    """A renderer to measure with, finer than any screen, so that rounding to pixels does not matter."""
    canvas: Any = FigureCanvasAgg(Figure(figsize=(1, 1), dpi=720))
    return canvas.get_renderer()


# Few, for times and sizes are other texts in each figure.
@lru_cache(maxsize=256)
def _width(text: str, size: float, weight: str, mono: bool) -> float:
    if not text:
        return 0.0
    width, _, _ = _measuring().get_text_width_height_descent(text, _font(size, weight, mono), ismath=False)
    # Screens hint letters to whole pixels, which can make a line a little wider.
    return float(width) / 720 * 1.03 + _POINT


def _diagonals(box: Box, lean: str, pitch: float) -> Iterator[Line]:
    """Lines at 45 degrees in a rectangle. Where they cross it depends on the page, so that neighbours join."""
    x, y, w, h = box
    sign = 1 if lean == "/" else -1
    # On each line x + sign * y is constant.
    corners = [a + sign * b for a in (x, x + w) for b in (y, y + h)]
    k = int(min(corners) // pitch) + 1
    while k * pitch < max(corners):
        ends = _crossings((x, y, w, h), k * pitch, sign)
        if len(ends) == 2:
            yield ends
        k += 1


def _crossings(box: Box, total: float, sign: int) -> Line:
    """Where the line x + sign * y = total enters and leaves a rectangle."""
    x, y, w, h = box
    low, high = sorted(((total - x) * sign, (total - x - w) * sign))
    top, bottom = max(y, low), min(y + h, high)
    return [(total - sign * top, top), (total - sign * bottom, bottom)] if bottom > top else []
