"""A recording as one interactive page: it opens from disk, and asks the network for nothing.

The page holds the front end's script, the recording's bytes in base64, and the summary that is there without scripts.
Its content policy forbids all requests, so that what was recorded stays with whoever has the file.
"""

from __future__ import annotations

import base64
import json
import re
import warnings
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Final

from tapeviz.exports import numbers, summary_html
from tapeviz.exports.target import Target, put
from tapeviz.recording import Recording

__all__ = ["document", "page", "within_element", "within_limit", "write"]

_SCRIPT: Final = Path(__file__).parent.parent / "widgets" / "static" / "standalone.js"

# Bytes of tensors' elements that a page holds: as text a third more, and a browser has to take it in one piece.
_CONTENTS: Final = 2**26

_POLICY: Final = (
    "default-src 'none'; script-src 'unsafe-inline' blob:; style-src 'unsafe-inline'; img-src data: blob:; "
    "worker-src blob:; base-uri 'none'; form-action 'none'"
)

_STYLE: Final = """
:root { color-scheme: light dark; background: #fff; color: #1b1f24; }
@media (prefers-color-scheme: dark) { :root { background: #16191d; color: #e7eaee; } }
h1 { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); margin: 0; }
body { margin: 0; font: 14px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
.tapeviz-static { max-width: 960px; margin: 0 auto; padding: 16px; }
"""

_HEAD: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="tapeviz">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<header><h1>{heading}</h1></header>
<main data-tapeviz>
{summary}
</main>
<script type="{kind}" {marks}>"""

_TAIL: Final = """</script>
<script>
{script}
</script>
</body>
</html>
"""


def write(recording: Recording, target: Target, view: str = "") -> None:
    """Write the page.

    It holds at most 64 MiB of the elements of tensors, the smaller ones first. A warning says what is left out, as does
    the page.

    Args:
        recording: what to show; the page holds what the recording holds, so values only when they were kept.
        target: a path, or a file open for writing bytes.
        view: the view that it opens at, such as ``"step"``; the first one by default.

    Raises:
        OSError: it cannot be written.
        FileNotFoundError: the package was installed without its front end.

    Example::

        write(tape.recording, "run.html")
    """
    light = within_limit(recording)
    put((piece.encode() for piece in _pieces(light, view)), target)
    if light is not recording:
        left = light.meta_dict()["left_out"]
        tensors, size = numbers.plural(left["tensors"], "tensor"), numbers.bytes_(left["bytes"])
        warnings.warn(
            f"a page holds {numbers.bytes_(_CONTENTS)} of elements at most: those of {tensors} ({size}) are left out. "
            "Their statistics are there, and a .tape holds everything",
            stacklevel=3,
        )


def page(recording: Recording, view: str = "") -> str:
    """The page as text, with at most 64 MiB of the elements of tensors."""
    return "".join(_pieces(within_limit(recording), view))


def within_limit(recording: Recording) -> Recording:
    """What a page holds of it; where something is left out, the fact ``left_out`` says what."""
    light = recording.without_contents(_CONTENTS, _CONTENTS)
    if light is recording:
        return recording
    whole, held = recording.values, light.values
    left = {
        "tensors": len({*whole.tensor.tolist()} - {*held.tensor.tolist()}),
        "bytes": sum(map(len, whole.data)) - sum(map(len, held.data)),
        "limit": _CONTENTS,
    }
    return light.with_rows("meta", [{"key": "left_out", "value": json.dumps(left)}])


def _pieces(recording: Recording, view: str) -> Iterator[str]:
    title = str(recording.meta_dict().get("title") or "tape")
    opening = f' data-view="{escape(view)}"' if view else ""
    contents = base64.b64encode(recording.to_bytes()).decode("ascii")
    kind = "application/octet-stream+base64"
    return document(title, summary_html.summary(recording), kind, f"data-tapeviz{opening}", contents)


def document(title: str, summary: str, kind: str, marks: str, contents: str) -> Iterator[str]:
    """A page that the views draw what it holds on, piece by piece.

    Args:
        title: its title.
        summary: HTML that is there without scripts, and hidden by the views.
        kind: the media type of what it holds.
        marks: attributes of the element that holds it, by which the script finds it.
        contents: what it holds, as text without markup.
    """
    yield _HEAD.format(
        policy=_POLICY,
        title=escape(f"{title} · tapeviz"),
        heading=escape(title),
        style=_STYLE,
        summary=summary,
        kind=kind,
        marks=marks,
    )
    yield contents
    yield _TAIL.format(script=within_element(_SCRIPT.read_text(encoding="utf-8")))


def within_element(script: str) -> str:
    """The script, with nothing that an HTML parser takes for the end of its element or the start of a comment.

    In a minified script these stand in strings, templates and regular expressions only, where a backslash changes
    nothing.
    """
    return re.sub(r"<(?=/script|script|!--)", r"\\x3C", script, flags=re.IGNORECASE)
