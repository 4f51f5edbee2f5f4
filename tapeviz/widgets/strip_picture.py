"""A strip of layers x steps as SVG, for where no script runs: sharp at any size, with its scale, curve and axis."""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any, Final

import numpy as np
from PIL import Image

__all__ = ["picture", "value_of"]

_UNKNOWN, _ZERO, _FIRST, _LAST, _INFINITE, _NAN = 0, 1, 2, 253, 254, 255
_WIDTH, _ROW, _CURVE, _GAP = 900, 18, 70, 10
_LETTER: Final = 6.7  # pixels of a letter, at most
_FAULT: Final = "#d55e00"
_LINE: Final = "#0b58a8"
_INK: Final = "#1f2328"
# Samples of cividis (Nuñez, Anderton, Renslow 2018), as in the front end.
_CIVIDIS: Final = (
    "00224e", "083370", "35456c", "4f576c", "666970", "7d7c78", "948e77", "aea371", "c8b866", "e5cf52", "fee838",
)  # fmt: skip
_GREY, _ORANGE = (150, 156, 162), (213, 94, 0)


def picture(strip: Mapping[str, Any], codes: np.ndarray, curve: np.ndarray, name: str, scale: Mapping[str, Any]) -> str:
    """The picture as an element of HTML: an image, which also stays where elements of SVG are taken out of a page.

    Args:
        strip: what ``LiveStrip.payload`` gives.
        codes: a byte a cell, a row for each layer.
        curve: a number a column, -inf where there is none yet.
        name: what the curve is of.
        scale: the range of the colours, and what they stand for.
    """
    rows = strip["rows"]
    left = round(max(_LETTER * max(map(len, [*rows, name, "1.23e-05"])), 50)) + 10
    plot = max(_WIDTH - left, 300)
    top = 34
    bottom = top + _ROW * len(rows) + _GAP
    height = bottom + _CURVE + 24
    parts = [
        *_legend(scale, left),
        *_rows(strip, codes, left, plot, top),
        *_curve(curve, name, left, plot, bottom),
        *_axis(strip, left, plot, bottom + _CURVE),
    ]
    title = escape(f"{scale['title']}, layers x steps")
    width = left + plot + 8
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="sans-serif" font-size="11" color="{_INK}" fill="{_INK}">'
        f'<rect width="100%" height="100%" fill="#fff"/>{"".join(parts)}</svg>'
    )
    data = base64.b64encode(svg.encode()).decode("ascii")
    return (
        f'<img alt="{title}" width="{width}" style="max-width:100%;height:auto;border-radius:4px" '
        f'src="data:image/svg+xml;base64,{data}">'
    )


def _text(x: float, y: float, words: str, anchor: str = "start", more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(words)}</text>'


def _legend(scale: Mapping[str, Any], left: int) -> Iterator[str]:
    stops = "".join(f'<stop offset="{at / 10}" stop-color="#{color}"/>' for at, color in enumerate(_CIVIDIS))
    yield f'<defs><linearGradient id="tapeviz-cividis">{stops}</linearGradient></defs>'
    yield _text(left, 12, str(scale["title"]), more=' font-weight="bold"')
    x = left + _LETTER * len(scale["title"]) + 14
    low, high = f"{scale['low']:g}", f"{scale['high']:g}"
    yield _text(x, 12, low)
    x += _LETTER * len(low) + 4
    yield f'<rect x="{x:.0f}" y="3" width="90" height="10" fill="url(#tapeviz-cividis)"/>'
    yield _text(x + 94, 12, high)
    x += 94 + _LETTER * len(high) + 14
    signs = ((10, "#7d7c78", 3, "held"), (3, "#969ca2", 10, "exactly 0"), (3, _FAULT, 10, "NaN, inf"))
    for y, color, size, word in signs:
        yield f'<rect x="{x:.0f}" y="{y - 4 if size < 9 else y}" width="12" height="{size}" fill="{color}"/>'  # noqa: PLR2004
        yield _text(x + 16, 12, word)
        x += 16 + _LETTER * len(word) + 12
    yield f'<rect x="{x:.0f}" y="3.5" width="12" height="9" fill="none" stroke="currentColor" stroke-dasharray="2 2"/>'
    yield _text(x + 16, 12, "not measured")


def _rows(strip: Mapping[str, Any], codes: np.ndarray, left: int, plot: int, top: int) -> Iterator[str]:
    last = np.maximum.accumulate(np.where(codes != _UNKNOWN, np.arange(codes.shape[1]), -1), axis=1)
    held = np.where(last >= 0, np.take_along_axis(codes, np.maximum(last, 0), axis=1), _UNKNOWN).astype(np.uint8)
    held[codes != _UNKNOWN] = _UNKNOWN
    box = f'x="{left}" y="{top}" width="{plot}" height="{_ROW * len(codes)}"'
    clips = "".join(
        f'<rect x="{left}" y="{top + _ROW * row + 7}" width="{plot}" height="5"/>' for row in range(len(codes))
    )
    yield f'<rect {box} fill="currentColor" fill-opacity="0.06"/>'
    yield f'<clipPath id="tapeviz-held-{strip.get("loop", 0)}">{clips}</clipPath>'
    clipped = f' clip-path="url(#tapeviz-held-{strip.get("loop", 0)})"'
    for image, clip in ((held, clipped), (codes, "")):
        if image.any():
            yield (
                f'<image {box}{clip} preserveAspectRatio="none" style="image-rendering:pixelated" '
                f'href="data:image/png;base64,{_png(image)}"/>'
            )
    for row, name in enumerate(strip["rows"]):
        y = top + _ROW * row
        yield _text(left - 6, y + 13, name, "end")
        yield f'<path d="M{left} {y}h{plot}" stroke="currentColor" stroke-opacity="0.25"/>'
        if word := strip.get("words", {}).get(name):
            wide = _LETTER * len(word) + 8
            yield f'<rect x="{left + plot - wide:.0f}" y="{y + 2}" width="{wide:.0f}" height="14" fill="{_FAULT}"/>'
            yield _text(left + plot - 4, y + 13, word, "end", ' fill="#000" font-weight="bold"')


def _curve(curve: np.ndarray, name: str, left: int, plot: int, top: int) -> Iterator[str]:
    finite = curve[np.isfinite(curve)]
    if not finite.size:
        return
    low, high = float(finite.min()), float(finite.max())
    log = low > 0 and high / low > 30  # noqa: PLR2004 - as in the front end
    to = np.log10 if log else np.asarray
    values = to(np.where(np.isfinite(curve), curve, low))
    span = float(to(high) - to(low)) or 1.0
    ys = top + 4 + (_CURVE - 8) * (1 - (values - to(low)) / span)
    x = left + (np.arange(len(curve)) + 0.5) * plot / len(curve)
    path, down = [], False
    for here, there, value in zip(x.tolist(), ys.tolist(), curve.tolist(), strict=True):
        if math.isfinite(value):
            path.append(f"{'L' if down else 'M'}{here:.1f} {there:.1f}")
        down = math.isfinite(value)
    yield f'<path d="{"".join(path)}" fill="none" stroke="{_LINE}" stroke-width="1.5" stroke-linejoin="round"/>'
    yield _text(left - 6, top + 10, f"{high:.3g}", "end")
    yield _text(left - 6, top + _CURVE / 2 + 4, name, "end", ' font-weight="bold"')
    yield _text(left - 6, top + _CURVE - 2, f"{low:.3g}", "end")
    if log:
        yield _text(left + plot, top + 10, "log axis", "end", ' fill-opacity="0.75"')


def _axis(strip: Mapping[str, Any], left: int, plot: int, y: int) -> Iterator[str]:
    yield f'<path d="M{left} {y}h{plot}" stroke="currentColor" stroke-opacity="0.5"/>'
    steps = strip["steps"]
    every = 10 ** math.floor(math.log10(max(steps / 4, 1)))
    every *= next(factor for factor in (1, 2, 5, 10) if steps / (every * factor) <= 8)  # noqa: PLR2004 - ticks
    columns = -(-steps // strip["stride"]) * strip["stride"]
    for step in range(0, steps, every):
        x = left + plot * step / columns
        if x < left + plot - 70:
            yield f'<path d="M{x:.1f} {y}v4" stroke="currentColor"/>'
            yield _text(x, y + 15, f"{step:,}", "middle")
    yield _text(left + plot, y + 15, "steps", "end")


def _png(codes: np.ndarray) -> str:
    stops = np.array([[int(color[at : at + 2], 16) for at in (0, 2, 4)] for color in _CIVIDIS], float)
    palette = np.zeros((256, 3), np.uint8)
    places = np.linspace(0, len(stops) - 1, _LAST - _FIRST + 1)
    for channel in range(3):
        palette[_FIRST : _LAST + 1, channel] = np.interp(places, np.arange(len(stops)), stops[:, channel]).round()
    palette[_ZERO], palette[_INFINITE], palette[_NAN] = _GREY, _ORANGE, _ORANGE
    image = Image.fromarray(codes, "P")
    image.putpalette(palette.tobytes())
    out = io.BytesIO()
    image.save(out, "PNG", transparency=_UNKNOWN)
    return base64.b64encode(out.getvalue()).decode("ascii")


def value_of(code: int, scale: Mapping[str, Any]) -> float:
    """The number that a byte stands for."""
    place = (code - _FIRST) / (_LAST - _FIRST)
    if scale["log"]:
        return float(scale["low"] * (scale["high"] / scale["low"]) ** place)
    return float(scale["low"] + place * (scale["high"] - scale["low"]))
