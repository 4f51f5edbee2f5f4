"""A strip of layers x steps where no script runs: in words, and as HTML with a picture."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from html import escape
from typing import Any, Final

import numpy as np

from tapeviz.widgets.strip_picture import picture, value_of

__all__ = ["html", "text"]

_BARS: Final = "▁▂▃▄▅▆▇█"
_WIDTH: Final = 60
_FIRST, _LAST, _INFINITE, _NAN = 2, 253, 254, 255


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
            lines.append(
                f"{'':<{width}} {scale['title']}: ▁ {value_of(low, scale):.2g} … █ {value_of(high, scale):.2g}"
            )
    losses = _losses(strip)
    finite = losses[np.isfinite(losses)]
    if finite.size:
        low_loss, high_loss = float(finite.min()), float(finite.max())
        lines.append(f"{'loss':<{width}} {_line(losses, low_loss, high_loss)} {low_loss:.3g} … {high_loss:.3g}")
    lines += [f"{word}: {name}" for name, word in strip.get("words", {}).items()]
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
    drawn = ""
    if strip.get("steps"):
        shown = show if show in strip["quantities"] else next(iter(strip["quantities"]), "")
        curves = {"loss": strip["loss"], **strip.get("metrics", {})}
        each = {name: np.frombuffer(base64.b64decode(of), "<f4") for name, of in curves.items()}
        name = next((name for name, of in each.items() if not np.isneginf(of).all()), "loss")
        codes = _codes(strip, shown) if shown else np.zeros((0, 1), np.uint8)
        scale = strip["scales"].get(shown, {"title": "no gradients", "low": 0.0, "high": 1.0, "log": False})
        drawn = picture(strip, codes, each[name], name, scale)
    return (
        f'<div class="{escape(f"tapeviz-static {mark}".strip())}">{drawn}<details><summary>'
        f'{escape(headline(strip))}</summary><pre style="line-height:1.25">{words}</pre></details></div>'
    )


def _codes(strip: Mapping[str, Any], quantity: str) -> np.ndarray:
    found = np.frombuffer(base64.b64decode(strip["quantities"][quantity]), np.uint8)
    return found.reshape(len(strip["rows"]), -1)


def _losses(strip: Mapping[str, Any]) -> np.ndarray:
    """Of each column, from the first one that has a loss."""
    found = np.frombuffer(base64.b64decode(strip["loss"]), "<f4")
    return found[np.argmax(~np.isneginf(found)) :] if len(found) and not np.isneginf(found).all() else found[:0]


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
