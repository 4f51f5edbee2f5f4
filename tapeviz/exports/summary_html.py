"""A recording as a piece of HTML without scripts: what stays of a view where nothing runs, in light and dark pages.

Notebooks that are not trusted drop the style sheet: everything is readable without it. Texts have the page's colour;
the pictures have a white ground of their own, which the style sheet turns dark in dark notebooks.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any, Final

import numpy as np
from PIL import Image

from tapeviz.analysis.op_times import op_times
from tapeviz.analysis.verdicts import Verdict, verdicts
from tapeviz.exports import figures, graph_html, headline, numbers, summary_text
from tapeviz.exports.figures.palette import family_of
from tapeviz.exports.target import Target, put
from tapeviz.recording import Recording
from tapeviz.recording.schema import KINDS

__all__ = ["summary", "write"]

_OP: Final = KINDS.index("op")
_MOST_FINDINGS: Final = 6
_MOST_OPS: Final = 8
_MOST_RUNGS: Final = 14
_DENSITY: Final = 125  # pixels an inch; 100 is the size on the page
_COLORS: Final = 36
_WHITE: Final = 255
_SIGNS: Final = ("", "●", "◆", "▲")
_SIGN_COLORS: Final = ("", "#0b7bd0", "#b57a00", "#d2500c")

_DARK: Final = ('[data-jp-theme-light="false"]', ".vscode-dark", ".vscode-high-contrast", 'html[theme="dark"]')
_STYLE: Final = (
    f"{', '.join(f'{page} .tapeviz-static img' for page in _DARK)} {{ filter: invert(.93) hue-rotate(180deg); }}"
)


def write(recording: Recording, target: Target) -> None:
    """Write the piece of HTML; see `summary`."""
    put([summary(recording).encode()], target)


def summary(recording: Recording, *, mark: str = "") -> str:
    """Title, findings, timeline, gradients, the longest ops, traces, and all that in words; about 40 kB at most.

    Args:
        recording: what to show.
        mark: a further class of the outermost element, by which a widget finds what stands in for it.
    """
    return "".join(_pieces(recording, mark))


def _pieces(recording: Recording, mark: str) -> Iterator[str]:
    yield f'<div class="{escape(f"tapeviz-static {mark}".strip())}" style="line-height: 1.5; padding: 4px 0">'
    yield f"<style>{_STYLE}</style>"
    told = " · ".join(headline.facts(recording))
    yield f'<p style="margin: 0 0 6px"><strong>{escape(headline.title(recording))}</strong> &nbsp; {escape(told)}</p>'
    if stopped := headline.stopped(recording):
        yield f'<p style="margin: 0 0 6px">{_sign(3)}<strong>{escape(stopped)}</strong></p>'
    if stale := headline.stale(recording):
        yield f'<p style="margin: 0 0 6px">{_sign(1)}{escape(stale)}</p>'
    yield from _findings(recording)
    yield _picture(figures.timeline(recording, header=False))
    if len(recording.requests):
        yield _picture(figures.gradients(recording, most=_MOST_RUNGS))
    yield from _ops(recording)
    yield from graph_html.section(recording)
    yield '<details style="margin: 6px 0 0"><summary>In words</summary>'
    yield f'<pre style="overflow-x: auto; margin: 4px 0 0">{escape(summary_text.summary(recording))}</pre></details>'
    yield "</div>"


def _findings(recording: Recording) -> Iterator[str]:
    found = verdicts(recording)
    if not found:
        yield f'<p style="margin: 0 0 6px">{escape(found.sentence)}</p>'
    else:
        yield from _listed(found)
    if found.coverage is not None and found.expected:
        yield f'<p style="margin: 0 0 6px">{escape(found.coverage.dismissed)}</p>'
    for sentence in found.unseen:
        yield f'<p style="margin: 0 0 6px">{_sign(1)}Not looked at: {escape(sentence)}.</p>'


def _listed(found: Sequence[Verdict]) -> Iterator[str]:
    yield '<ul style="list-style: none; margin: 0 0 6px; padding: 0">'
    yield from (f'<li style="margin: 2px 0">{_finding(verdict)}</li>' for verdict in found[:_MOST_FINDINGS])
    if len(found) > _MOST_FINDINGS:
        yield f"<li>… and {numbers.count(len(found) - _MOST_FINDINGS)} more: <code>tape.verdicts()</code></li>"
    yield "</ul>"


def _finding(verdict: Verdict) -> str:
    where = f" ({escape(str(verdict.site))})" if verdict.site is not None else ""
    fix = f"<br><span>Fix: {escape(verdict.fix)}.</span>" if verdict.fix else ""
    return f"{_sign(verdict.severity)}{escape(verdict.text)}{where}{fix}"


def _sign(severity: int) -> str:
    grave = min(max(severity, 1), 3)
    return f'<span aria-hidden="true" style="color: {_SIGN_COLORS[grave]}">{_SIGNS[grave]}</span> '


def _picture(picture: figures.Picture) -> str:
    width, height = (round(100 * side) for side in picture.get_size_inches())
    data = base64.b64encode(_small_png(picture)).decode("ascii")
    return (
        '<div style="overflow-x: auto; margin: 0 0 6px" tabindex="0" role="group" aria-label="Picture">'
        f'<img src="data:image/png;base64,{data}" alt="{escape(picture.alt)}" width="{width}" height="{height}" '
        'style="max-width: none; background: #fff; border-radius: 4px"></div>'
    )


def _small_png(picture: figures.Picture) -> bytes:
    """A picture with few colours: a fifth of the bytes, and nobody sees it."""
    width, height, pixels = picture.pixels(_DENSITY)
    drawn = Image.frombuffer("RGBA", (width, height), pixels).convert("RGB")
    # A third of the rows knows all colours, and finding the best few takes most of the time.
    some = drawn.resize((width, height // 3), Image.Resampling.NEAREST)
    palette = some.quantize(_COLORS, method=Image.Quantize.MEDIANCUT, kmeans=2)
    few = np.asarray(drawn.quantize(palette=palette, dither=Image.Dither.NONE)).copy()
    # White stays white: nearly white beside the white of a page shows.
    few[(np.asarray(drawn) == _WHITE).all(axis=-1)] = _COLORS
    small = Image.fromarray(few)
    small.putpalette([*(palette.getpalette() or [])[: 3 * _COLORS], *[_WHITE] * 3])
    target = io.BytesIO()
    small.save(target, "PNG", optimize=True)
    return target.getvalue()


def _ops(recording: Recording) -> Iterator[str]:
    """A table of the ops that took longest, all runs of one together."""
    events, ops = recording.events, recording.ops
    rows = np.flatnonzero((events.kind == _OP) & (events.op >= 0) & (events.op < len(ops)))
    if not len(rows):
        return
    runs = np.bincount(events.op[rows], minlength=len(ops))
    time = np.bincount(events.op[rows], weights=op_times(recording)[rows], minlength=len(ops))
    order = [row for row in np.argsort(-time, kind="stable").tolist() if runs[row]]
    cells = "".join(f'<th scope="col" style="{_CELL}; text-align: {side}">{name}</th>' for name, side in _COLUMNS)
    yield f'<table style="border-collapse: collapse; margin: 0"><thead><tr>{cells}</tr></thead><tbody>'
    for row in order[:_MOST_OPS]:
        name = f'<span aria-hidden="true">{family_of(ops.family[row]).glyph}</span> {escape(ops.name[row])}'
        yield _row(name, numbers.count(runs[row]), numbers.duration(time[row]), _share(time[row], time.sum()))
    if rest := order[_MOST_OPS:]:
        took = time[rest].sum()
        name = f"… {numbers.plural(len(rest), 'other')}"
        yield _row(name, numbers.count(int(runs[rest].sum())), numbers.duration(took), _share(took, time.sum()))
    yield "</tbody></table>"


_CELL: Final = "padding: 1px 12px 1px 0; border: 0"
_COLUMNS: Final = (("Longest ops", "left"), ("runs", "right"), ("time", "right"), ("share", "right"))


def _row(name: str, *figures: str) -> str:
    cells = "".join(f'<td style="{_CELL}; text-align: right">{figure}</td>' for figure in figures)
    return f'<tr><td style="{_CELL}; text-align: left">{name}</td>{cells}</tr>'


def _share(time: Any, total: Any) -> str:
    return numbers.percent(float(time / (total or 1)))
