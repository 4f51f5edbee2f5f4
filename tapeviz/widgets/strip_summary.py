"""A strip of layers x steps where no script runs: in words, and as HTML with a picture."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping
from html import escape
from typing import Any, Final

import numpy as np
from PIL import Image

__all__ = ["html", "text"]

_BARS: Final = "▁▂▃▄▅▆▇█"
_WIDTH: Final = 60
_FIRST, _LAST, _INFINITE, _NAN = 2, 253, 254, 255
_ROW_PIXELS: Final = 14
# Samples of cividis (Nuñez, Anderton, Renslow 2018), as in the front end.
_CIVIDIS: Final = (
    "00224e", "083370", "35456c", "4f576c", "666970", "7d7c78", "948e77", "aea371", "c8b866", "e5cf52", "fee838",
)  # fmt: skip
_GREY, _ORANGE, _WHITE = (232, 232, 232), (213, 94, 0), (255, 255, 255)


def text(strip: Mapping[str, Any], show: str = "gradient") -> str:
    """The strip in words: a line a layer, the loss, and how far it is.

    Args:
        strip: what ``StripColumns.payload`` gives, with ``progress``.
        show: which quantity.

    >>> text({"rows": [], "steps": 0})
    'LiveTape: no step yet'
    """
    if not strip.get("steps"):
        return f"{strip.get('title', 'LiveTape')}: no step yet"
    shown = show if show in strip["quantities"] else next(iter(strip["quantities"]), "")
    lines = [headline(strip)]
    width = max([len(name) for name in strip["rows"]] + [4])
    if shown:
        codes = _codes(strip, shown)
        present = codes[(codes >= _FIRST) & (codes <= _LAST)]
        low, high = (int(present.min()), int(present.max())) if present.size else (_FIRST, _LAST)
        lines += [f"{name:<{width}} {_bars(row, low, high)}" for name, row in zip(strip["rows"], codes, strict=True)]
        if present.size:
            scale = strip["scales"][shown]
            lines.append(f"{'':<{width}} {scale['title']}: ▁ {_value(low, scale):.2g} … █ {_value(high, scale):.2g}")
    losses = _losses(strip)
    finite = losses[np.isfinite(losses)]
    if finite.size:
        low_loss, high_loss = float(finite.min()), float(finite.max())
        lines.append(f"{'loss':<{width}} {_line(losses, low_loss, high_loss)} {low_loss:.3g} … {high_loss:.3g}")
    lines += [f"{mark['text']} (step {mark['step'] + 1})" for mark in strip.get("marks", ()) if mark["kind"] == "nan"]
    return "\n".join(lines)


def headline(strip: Mapping[str, Any]) -> str:
    """Where training is, in a line."""
    progress = strip.get("progress", {})
    parts = [f"{strip.get('title', 'LiveTape')}: {progress.get('state', '')}".rstrip(": ")]
    if progress.get("epochs"):
        parts.append(f"epoch {progress['epoch']}/{progress['epochs']}")
    parts.append(f"{strip.get('steps', 0)} steps")
    parts += [f"{name} {value}" for name, value in progress.get("results", ())]
    return " · ".join([*parts, *([strip["note"]] if strip.get("note") else [])])


def html(strip: Mapping[str, Any], show: str = "gradient", *, mark: str = "") -> str:
    """The strip as a piece of HTML: a picture, and all in words.

    Args:
        strip: as for :func:`text`.
        show: which quantity.
        mark: a class of the outermost element, by which the widget finds what stands in for it.
    """
    words = escape(text(strip, show))
    picture = ""
    if strip.get("steps") and strip.get("quantities"):
        shown = show if show in strip["quantities"] else next(iter(strip["quantities"]))
        title = escape(f"{strip['scales'][shown]['title']}, layers x steps")
        names = "".join(
            f'<div style="height:{_ROW_PIXELS}px;line-height:{_ROW_PIXELS}px">{escape(n)}</div>' for n in strip["rows"]
        )
        data = base64.b64encode(_png(_codes(strip, shown))).decode("ascii")
        picture = (
            f'<div style="display:flex;gap:8px;font-size:11px;font-family:monospace"><div>{names}</div>'
            f'<img alt="{title}" style="width:480px;height:{_ROW_PIXELS * len(strip["rows"])}px;'
            f'image-rendering:pixelated" src="data:image/png;base64,{data}"></div>'
        )
    return (
        f'<div class="{escape(f"tapeviz-static {mark}".strip())}">{picture}<details><summary>'
        f'{escape(headline(strip))}</summary><pre style="line-height:1.25">{words}</pre></details></div>'
    )


def _png(codes: np.ndarray) -> bytes:
    stops = np.array([[int(color[at : at + 2], 16) for at in (0, 2, 4)] for color in _CIVIDIS], float)
    palette = np.empty((256, 3), np.uint8)
    places = np.linspace(0, len(stops) - 1, _LAST - _FIRST + 1)
    for channel in range(3):
        palette[_FIRST : _LAST + 1, channel] = np.interp(places, np.arange(len(stops)), stops[:, channel]).round()
    palette[0], palette[1], palette[_INFINITE], palette[_NAN] = _WHITE, _GREY, _ORANGE, _ORANGE
    image = Image.fromarray(codes, "P")
    image.putpalette(palette.tobytes())
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def _codes(strip: Mapping[str, Any], quantity: str) -> np.ndarray:
    found = np.frombuffer(base64.b64decode(strip["quantities"][quantity]), np.uint8)
    return found.reshape(len(strip["rows"]), -1)


def _losses(strip: Mapping[str, Any]) -> np.ndarray:
    """Of each column, from the first one that has a loss."""
    found = np.frombuffer(base64.b64decode(strip["loss"]), "<f4")
    return found[np.argmax(~np.isneginf(found)) :] if len(found) and not np.isneginf(found).all() else found[:0]


def _value(code: int, scale: Mapping[str, Any]) -> float:
    place = (code - _FIRST) / (_LAST - _FIRST)
    if scale["log"]:
        return float(scale["low"] * (scale["high"] / scale["low"]) ** place)
    return float(scale["low"] + place * (scale["high"] - scale["low"]))


def _bars(codes: np.ndarray, low: int, high: int) -> str:
    """A row in so many characters: the largest code of each part."""
    parts = np.array_split(codes, min(len(codes), _WIDTH))
    return "".join(_bar(int(part.max()), low, high) for part in parts)


def _bar(code: int, low: int, high: int) -> str:
    if code in (0, 1, _INFINITE, _NAN):
        return {0: " ", 1: "0", _INFINITE: "∞", _NAN: "N"}[code]
    return _BARS[round((code - low) / max(high - low, 1) * (len(_BARS) - 1))]


def _line(losses: np.ndarray, low: float, high: float) -> str:
    found = []
    for part in np.array_split(losses, min(len(losses), _WIDTH)):
        if not np.isfinite(part).all():
            found.append("N")
        else:
            found.append(_BARS[round((float(part.mean()) - low) / ((high - low) or 1.0) * (len(_BARS) - 1))])
    return "".join(found)
