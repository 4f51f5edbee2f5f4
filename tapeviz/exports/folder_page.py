"""A folder of tapes by what was found in them: as text, and as one self-contained page without scripts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final

from tapeviz.analysis.verdicts import Verdict
from tapeviz.analysis.verdicts.rules import KINDS
from tapeviz.exports import numbers

__all__ = ["Checked", "page", "text"]

_MARKS: Final = ("●", "◆", "▲")
_WORDS: Final = ("worth knowing", "likely a fault", "a fault")


@dataclass(frozen=True, slots=True)
class Checked:
    """A file of a folder: what was found in it.

    Attributes:
        path: the file, relative to the folder.
        findings: what was found, of the kinds and from the severity on that were asked for.
        notes: what was not looked at, and how many findings the user dismissed, as sentences.
        problem: why it could not be opened, or not to its end; empty for none.
        opened: whether it could be opened.
    """

    path: Path
    findings: tuple[Verdict, ...] = ()
    notes: tuple[str, ...] = ()
    problem: str = ""
    opened: bool = True


def _sentence(files: Sequence[Checked]) -> str:
    found = sum(bool(one.findings) for one in files)
    broken = sum(not one.opened for one in files)
    rest = f", {broken} cannot be opened" if broken else ""
    return f"{numbers.plural(len(files), 'tape')}: {found} with findings, {len(files) - found - broken} without{rest}."


def _by_kind(files: Sequence[Checked]) -> list[tuple[str, list[tuple[Checked, Verdict]]]]:
    """The findings of each kind, the kind of most files first."""
    kinds: dict[str, list[tuple[Checked, Verdict]]] = {}
    for one in files:
        for finding in one.findings:
            kinds.setdefault(finding.kind, []).append((one, finding))
    return sorted(kinds.items(), key=lambda item: (-_files(item[1]), item[0]))


def _files(found: Sequence[tuple[Checked, Verdict]]) -> int:
    return len({one.path for one, _ in found})


def _heading(kind: str, found: Sequence[tuple[Checked, Verdict]]) -> str:
    return f"{kind} · {numbers.plural(_files(found), 'tape')}"


def _meaning(kind: str) -> str:
    words = ", ".join(dict.fromkeys(rule.kinds[kind] for rule in KINDS.get(kind, ())))
    return words[:1].upper() + words[1:]


def text(files: Sequence[Checked]) -> str:
    """The findings by kind, then the tapes without, and those that cannot be opened."""
    return "\n".join(_lines(files))


def _lines(files: Sequence[Checked]) -> Iterator[str]:
    yield _sentence(files)
    for kind, found in _by_kind(files):
        yield f"\n{_heading(kind, found)}\n{_meaning(kind)}"
        for one, finding in found:
            where = "" if finding.site is None else f" · {finding.site}: {finding.site.text}"
            yield f"  {_MARKS[finding.severity - 1]} {one.path}{where}"
            yield f"      {finding.text}. Fix: {finding.fix}."
    if without := [one for one in files if one.opened and not one.findings]:
        yield "\nwithout findings"
        yield from (f"  {one.path}" for one in without)
    if noted := [one for one in files if one.problem or one.notes]:
        yield "\nto know"
        yield from (f"  {one.path}: {note}" for one in noted for note in _notes(one))


def _notes(one: Checked) -> Iterator[str]:
    if one.problem:
        yield one.problem if one.opened else f"cannot be opened: {one.problem}"
    yield from one.notes


_STYLE: Final = """
:root { color-scheme: light dark; --ink: #1f2328; --dim: #59636e; --line: #d1d9e0; --paper: #ffffff; --code: #f6f8fa;
  --one: #0969da; --two: #9a6700; --three: #bc4c00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --dim: #9198a1; --line: #3d444d; --paper: #0d1117;
  --code: #161b22; --one: #4493f8; --two: #d29922; --three: #f0883e; } }
body { margin: 0 auto; max-width: 68rem; padding: 1.5rem 1.25rem 3rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; margin: 0 0 .25rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .25rem; }
p { margin: .25rem 0; } .dim { color: var(--dim); }
nav { display: flex; flex-wrap: wrap; gap: 0 1rem; margin: .5rem 0 0; } nav a { color: inherit; }
ul { list-style: none; margin: 0; padding: 0; } li { border-top: 1px solid var(--line); padding: .6rem 0; }
.file { font-weight: 600; overflow-wrap: anywhere; } .s1 { color: var(--one); } .s2 { color: var(--two); }
.s3 { color: var(--three); }
code { background: var(--code); border-radius: 4px; padding: .1rem .35rem; font: 13px/1.5 ui-monospace, monospace;
  overflow-wrap: anywhere; white-space: pre-wrap; }
"""


def page(files: Sequence[Checked], title: str) -> str:
    """The page, a whole HTML document; light or dark as the reader's system is."""
    return "".join(_pieces(files, title))


def _pieces(files: Sequence[Checked], title: str) -> Iterator[str]:
    yield '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body><main>"
    yield f"<h1>{escape(title)}</h1><p>{escape(_sentence(files))}</p>"
    kinds = _by_kind(files)
    links = "".join(f'<a href="#{escape(kind)}">{escape(_heading(kind, found))}</a>' for kind, found in kinds)
    yield f'<nav aria-label="Kinds of findings" class="dim">{links}</nav>'
    for kind, found in kinds:
        yield f'<section id="{escape(kind)}"><h2>{escape(_heading(kind, found))}</h2>'
        yield f'<p class="dim">{escape(_meaning(kind))}</p><ul>'
        yield from (f"<li>{_item(one, finding)}</li>" for one, finding in found)
        yield "</ul></section>"
    without = [one for one in files if one.opened and not one.findings]
    yield from _listed("Without findings", [str(one.path) for one in without])
    notes = [f"{one.path}: {note}" for one in files for note in _notes(one)]
    yield from _listed("To know", notes)
    yield "</main></body></html>\n"


def _listed(heading: str, items: Sequence[str]) -> Iterator[str]:
    if items:
        yield f"<section><h2>{heading} · {len(items)}</h2><ul>"
        yield from (f"<li>{escape(item)}</li>" for item in items)
        yield "</ul></section>"


def _item(one: Checked, finding: Verdict) -> str:
    severity = finding.severity
    mark = f'<span class="s{severity}" role="img" aria-label="{_WORDS[severity - 1]}">{_MARKS[severity - 1]}</span>'
    site = finding.site
    line = "" if site is None else f"<p>{escape(str(site))}: <code>{escape(site.text.strip())}</code></p>"
    fix = f'<p class="dim">Fix: {escape(finding.fix)}.</p>' if finding.fix else ""
    return f'<p>{mark} <span class="file">{escape(str(one.path))}</span></p><p>{escape(finding.text)}.</p>{line}{fix}'
