"""The difference of two tapes as a piece of HTML without scripts, in the look of a tape's summary."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Final

from tapeviz.analysis.differences import Differences, Row
from tapeviz.exports import diff_text, numbers

__all__ = ["summary"]

_MOST: Final = 30
_CELL: Final = "padding: 1px 12px 1px 0; border: 0"
_ALERT: Final = '<span style="color: #d2500c">▲</span> '
_SIDES: Final = ("right", "left", "right", "left", "right", "right", "right")


def summary(diff: Differences, mark: str = "") -> str:
    """Where the tapes first differ, by how much, and the rows around it; a few kB. One sentence where they agree.

    Args:
        diff: the comparison.
        mark: another class of the element, such as that by which the views hide it.
    """
    return "".join(_pieces(diff, mark))


def _pieces(diff: Differences, mark: str) -> Iterator[str]:
    classes = f"tapeviz-static tapeviz-diff{' ' if mark else ''}{escape(mark)}"
    yield f'<div class="{classes}" style="line-height: 1.5; padding: 4px 0">'
    first = None if diff.unlike else diff.first
    sign = "" if first is None and not diff.unlike else _ALERT
    yield f'<p style="margin: 0 0 6px">{sign}<strong>{escape(diff_text.sentence(diff))}</strong></p>'
    if not diff.unlike and not diff.agree:
        yield from _names(diff)
        if first is not None:
            yield from _first(diff, first)
        yield from _table(diff)
        yield '<details style="margin: 6px 0 0"><summary>In words</summary>'
        yield f'<pre style="overflow-x: auto; margin: 4px 0 0">{escape(diff_text.summary(diff))}</pre></details>'
    yield "</div>"


def _names(diff: Differences) -> Iterator[str]:
    named = " &nbsp; ".join(f"<b>{letter}</b> {escape(name)}" for letter, name in zip("ab", diff.names, strict=True))
    yield f'<p style="margin: 0 0 6px">{named}</p>'


def _first(diff: Differences, row: Row) -> Iterator[str]:
    lines = "<br>".join(f"<code>{escape(text)}</code>" for text in diff_text.places(row))
    said = escape(" ".join(diff_text.explained(diff, row)))
    yield f'<p style="margin: 0 0 6px">{lines}{"<br>" if lines else ""}{said}</p>'


def _table(diff: Differences) -> Iterator[str]:
    rows = diff.striking(_MOST)
    if not rows or (len(diff) > _MOST and not any(row.what != "equal" for row in rows)):
        return
    heads = "".join(
        f'<th scope="col" style="{_CELL}; text-align: {side}">{name}</th>'
        for name, side in zip(diff_text.COLUMNS, _SIDES, strict=True)
    )
    yield '<div style="overflow-x: auto" tabindex="0" role="group" aria-label="Table of ops">'
    yield f'<table style="border-collapse: collapse; margin: 0"><thead><tr><td></td>{heads}</tr></thead><tbody>'
    yield from (_row(row) for row in rows)
    yield "</tbody></table></div>"
    if len(diff) > len(rows):
        yield f"<p>… and {numbers.plural(len(diff) - len(rows), 'other')}: <code>diff.rows</code></p>"
    yield f'<p style="margin: 6px 0 0"><small>▲ differs by itself, │ inherits it. {escape(diff_text.ULP)}</small></p>'


def _row(row: Row) -> str:
    mark = "" if not row.material else '<span title="inherited">│</span>' if row.inherited else _ALERT
    cells = "".join(
        f'<td style="{_CELL}; text-align: {side}">{escape(text)}</td>'
        for text, side in zip(diff_text.cells(row), _SIDES, strict=True)
    )
    return f'<tr><td style="{_CELL}">{mark}</td>{cells}</tr>'
