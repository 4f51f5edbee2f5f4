"""The difference of two tapes in words: where they first differ, by how much, and what follows from it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from textwrap import wrap
from typing import Final

from tapeviz.analysis.differences import Differences, Row
from tapeviz.exports import numbers
from tapeviz.recording.terminal_text import visible

__all__ = ["COLUMNS", "ULP", "cells", "explained", "places", "sentence", "summary"]

_WIDTH: Final = 80
_MOST: Final = 14
_IN_FIGURES: Final = "in all figures of their statistics; their values were not kept"

ULP: Final = "ULP: units in the last place; 1 ULP is the gap between a number and the next one that its dtype can hold."
COLUMNS: Final = ("line", "op", "run", "differs in", "ULP", "relative", "absolute")
_WORDS: Final = {"nonfinite": "NaN or inf", "only_a": "only in a", "only_b": "only in b", "not_kept": "not kept"}


def summary(diff: Differences) -> str:
    """The difference in at most 80 columns.

    Example::

        print(summary(differences(one.recording, other.recording)))
    """
    if diff.unlike or diff.agree:
        return sentence(diff)
    parts = [_head(diff), _said(diff), _table(diff), _ulp(diff)]
    return visible("\n\n".join("\n".join(part) for lines in parts if (part := list(lines))))


def sentence(diff: Differences) -> str:
    """The difference in one sentence."""
    both, only_a, only_b = diff.counts
    if not both + only_a + only_b:
        return "Neither tape has ops."
    if not both + only_a or not both + only_b:
        return f"Tape {'b' if both + only_a else 'a'} has no ops to compare."
    if diff.unlike:
        longer = both + max(only_a, only_b)
        return (
            f"These are tapes of different programs: of {numbers.plural(longer, 'op')} "
            f"{'only ' if both else ''}{numbers.count(both) if both else 'none'} "
            f"{'has' if both <= 1 else 'have'} a partner, the same op on the same line."
        )
    return _verdict(diff)


def _verdict(diff: Differences) -> str:
    first, tally = diff.first, diff.tally
    if first is not None:
        rest = tally["material"] - 1
        more = f"; {_more(rest)} {'differs' if rest == 1 else 'differ'}" if rest else ""
        return f"They first differ at {_place(first)}: {first.title} {_differs(first)}{more}."
    if tally["value"]:
        (worst,) = diff.striking(1)
        return (
            f"No difference beyond rounding: {numbers.plural(tally['value'], 'row')} differ, "
            f"most of all {worst.title} at {_place(worst)}, by {_errors(worst)}."
        )
    if tally["not_kept"]:
        known = "Shapes and dtypes agree" if tally["not_kept"] == len(diff) else "What was kept agrees"
        rows = numbers.plural(tally["not_kept"], "row")
        return f"{known}; the values of {rows} were not kept to compare: record both with values='all'."
    return f"No difference: {_agreement(tally)}."


def _agreement(tally: dict[str, int]) -> str:
    """How well rows agree, where none differs."""
    equal, stats = tally["equal"], tally["stats"]
    part = f", {numbers.count(stats)} of them" if 0 < stats < equal else ""
    agree = "agrees" if equal == 1 else "agree"
    found = f"{numbers.plural(equal, 'row')} {agree}{part} {_IN_FIGURES if stats else 'to the last bit'}"
    alone = tally["only_a"] + tally["only_b"]
    fused = [f"{numbers.count(tally['fused'])} ran inside fused ops"] if tally["fused"] else []
    needless = [f"{numbers.count(alone)} ran in one of the two, where the other need not"] if alone else []
    return "; ".join([found, *fused, *needless])


def explained(diff: Differences, row: Row, *, element: bool = True) -> Iterator[str]:
    """What a row says, sentence by sentence; with the ``element`` that is furthest apart, unless those are listed."""
    yield f"{row.title}{_run(row)} {_differs(row)}."
    if row.cause >= 0:
        yield f"What went into it differs already: see {diff[row.cause].title} at {_place(diff[row.cause])}."
    if element and (found := diff.element(row)) is not None:
        where = f"At {list(found.index)} it" if found.index else "It"
        yield f"{where} is {found.a!s} in a and {found.b!s} in b."
    if row.basis == "stats" and row.what == "value":
        yield "Its values were not kept: these are the errors of its norm, mean, smallest and largest element."
    if row.what not in ("value", "nonfinite") or row.op == "gradient" or row.cause >= 0:
        return
    if row.op in ("constant", "variable"):
        yield "It came in like this: no op made it."
    elif row.draws:
        yield "It draws random numbers: with the same seed, set by tf.random.set_seed, both draw the same."
    elif row.allowed and not math.isnan(row.ulp):
        yield f"What went into it agrees within rounding, which explains {numbers.number(row.allowed)} ULP here."
    else:
        yield "What went into it agrees."


def cells(row: Row) -> tuple[str, ...]:
    """A row as texts, one for each of `COLUMNS`."""
    words = _WORDS.get(row.what, row.what)
    return (
        str(row.line) if row.line >= 0 else "",
        row.title,
        str(row.occurrence) if row.occurrence > 1 else "",
        "–" if row.what == "equal" else words,
        *(_figure(error) for error in (row.ulp, row.relative, row.absolute)),
    )


def places(row: Row) -> list[str]:
    """The line of a row in both tapes: once where the text is the same."""
    one, other = row.site, row.other_site
    if one is None:
        return []
    if other is None or other.text == one.text:
        return [one.text] if one.text else []
    return [f"a: {one.text}", f"b: {other.text}"]


def _head(diff: Differences) -> Iterator[str]:
    yield from (_cut(f"{letter}  {name}") for letter, name in zip("ab", diff.names, strict=True))
    yield "─" * _WIDTH
    both, only_a, only_b = diff.counts
    alone = [f"{numbers.count(n)} only in {letter}" for letter, n in (("a", only_a), ("b", only_b)) if n]
    yield ", ".join([f"{numbers.plural(both, 'op')} in both", *alone])


def _said(diff: Differences) -> Iterator[str]:
    first = diff.first
    if first is None:
        yield from wrap(sentence(diff), _WIDTH)
        return
    yield f"First difference: {_place(first)}"
    yield from (_cut(f"    {text}") for text in places(first))
    for said in explained(diff, first):
        yield from wrap(said, _WIDTH, initial_indent="  ", subsequent_indent="  ")
    inherited = diff.tally["inherited"]
    own = diff.tally["material"] - inherited - 1
    if inherited:
        yield f"{_more(inherited)} {'inherits' if inherited == 1 else 'inherit'} it, for what went in differs."
    if own:
        yield f"{_more(own)} {'differs' if own == 1 else 'differ'} without that."


def _table(diff: Differences) -> Iterator[str]:
    rows = diff.striking(_MOST)
    if not rows or (len(diff) > _MOST and not any(row.what != "equal" for row in rows)):
        return
    texts = [COLUMNS, *(cells(row) for row in rows)]
    widths = [max(len(text[at]) for text in texts) for at in range(len(COLUMNS))]
    widths[1] = min(widths[1], _WIDTH - 2 - sum(widths) + widths[1] - 2 * (len(widths) - 1))
    marks = [" ", *("▲" if row.material and not row.inherited else "│" if row.inherited else " " for row in rows)]
    for mark, text in zip(marks, texts, strict=True):
        line = [text[0].rjust(widths[0]), _cut(text[1], widths[1]).ljust(widths[1]), text[2].rjust(widths[2])]
        line += [text[3].ljust(widths[3]), *(text[at].rjust(widths[at]) for at in range(4, len(COLUMNS)))]
        yield f"{mark} {'  '.join(line)}".rstrip()
    if len(diff) > len(rows):
        yield f"  … and {numbers.plural(len(diff) - len(rows), 'other')}: diff.rows"


def _ulp(diff: Differences) -> Iterator[str]:
    if diff.tally["value"]:
        yield from wrap(ULP, _WIDTH)


def _more(count: int) -> str:
    return f"{numbers.count(count)} more row{'' if count == 1 else 's'}"


def _place(row: Row) -> str:
    return "no known line" if row.site is None else str(row.site)


def _run(row: Row) -> str:
    return f" (run {numbers.count(row.occurrence)} on that line)" if row.occurrence > 1 else ""


def _differs(row: Row) -> str:
    """What is different, or that nothing is, as the end of a sentence."""
    if row.what in ("only_a", "only_b"):
        return f"is only in {row.what[-1]}" + (f": {row.note}" if row.note else "")
    if row.what == "equal":
        return "agrees to the last bit" if row.basis == "values" else "agrees in what was kept of it"
    alike = {"not_kept": "agrees in shape and dtype; its values were not kept to compare",
             "fused": "ran as a part of another op in one of the two, which keeps no value of it"}  # fmt: skip
    if row.what in alike:
        return alike[row.what]
    found = {"nonfinite": "differs in NaN or infinity", "dtype": "has another dtype", "shape": "has another shape"}
    note = f" ({row.note})" if row.note else ""
    return f"{found[row.what]}{note}" if row.what in found else f"differs by {_errors(row)}"


def _errors(row: Row) -> str:
    ulp = [] if math.isnan(row.ulp) else [f"{numbers.number(row.ulp)} ULP"]
    return ", ".join([*ulp, f"relative {numbers.number(row.relative)}", f"absolute {numbers.number(row.absolute)}"])


def _figure(error: float) -> str:
    return "" if math.isnan(error) else numbers.number(error)


def _cut(text: str, width: int = _WIDTH) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
