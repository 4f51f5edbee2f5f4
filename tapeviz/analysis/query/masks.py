"""What a term of a filter holds for: a flag for each event and a flag for each tensor.

A term about tensors holds for the events that made such a tensor (name and words: that read or made one), a term
about events for the tensors they made. Backward events stand on the line and in the module of their forward partners,
too.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tapeviz.analysis.links import SPAN, Links, Mask, distinct, latest, pick, rows_of
from tapeviz.analysis.query.grammar import Term
from tapeviz.analysis.query.paths import on_path
from tapeviz.recording.ranks import rank_of_events
from tapeviz.recording.schema import DTYPES, KINDS, PHASES, SOURCES

__all__ = ["COMPARISONS", "OUTER", "Masks", "dimensions", "fits", "glob", "masks_of"]

Masks: TypeAlias = tuple[Mask, Mask]

_OP: Final = KINDS.index("op")
_GRADIENT: Final = SOURCES.index("gradient")
# Spans that are not part of the user's program.
OUTER: Final = frozenset({"backward", "tape", "cell"})
# Deeper nesting than this only a damaged recording has.
_DEEPEST: Final = 256
COMPARISONS: Final[dict[str, Callable[[Any, float], Any]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def masks_of(links: Links, term: Term) -> Masks:
    """The events and the tensors that a term holds for."""
    events, tensors = _MASKS[term.key](links, term)
    return (~events, ~tensors) if term.negated else (events, tensors)


def _of_events(events: Mask, links: Links) -> Masks:
    return events, links.of_producers(events)


def _of_tensors(tensors: Mask, links: Links) -> Masks:
    return links.makers(tensors), tensors


def _op(links: Links, term: Term) -> Masks:
    events = links.recording.events
    hits = _hits(links.recording.ops.name, glob(term.values))
    return _of_events(pick(hits, events.op) & (events.kind == _OP), links)


def _line(links: Links, term: Term) -> Masks:
    own = pick(_in_ranges(links.recording.sites.line, term), links.recording.events.site)
    return _of_events(own | pick(own, links.origin), links)


def _rank(links: Links, term: Term) -> Masks:
    recording = links.recording
    hits = _in_ranges(recording.ranks.number, term)
    of_devices = pick(hits, recording.devices.rank)
    return pick(hits, rank_of_events(recording)), pick(of_devices, recording.tensors.device)


def _in_ranges(numbers: NDArray[Any], term: Term) -> NDArray[np.bool_]:
    hits = np.zeros(len(numbers), np.bool_)
    for value in term.values:
        first, last = value.split("-")
        hits |= (numbers >= int(first)) & (numbers <= int(last))
    return hits


def _phase(links: Links, term: Term) -> Masks:
    return _of_events(pick(_hits(PHASES, glob(term.values)), links.recording.events.phase), links)


def _module(links: Links, term: Term) -> Masks:
    matches = glob(term.values)
    hits = np.zeros(links.events, np.bool_)
    for row, (sort, name) in links.spans.items():
        hits[row] = sort not in OUTER and (matches(name) or matches(name.rpartition("/")[2]))
    inside, around = hits.copy(), links.parent
    for _ in range(_DEEPEST):
        if not (around >= 0).any():
            break
        inside |= pick(hits, around)
        around = np.where(around >= 0, links.parent[around], -1)
    return _of_events(inside | pick(inside, links.origin), links)


def _dur(links: Links, term: Term) -> Masks:
    events, ends = links.recording.events, links.recording.ends
    took = events.dur
    if links.spans:
        last = latest(rows_of(events.id, ends.event), links.events)
        took = np.where(events.kind == SPAN, np.where(last >= 0, pick(ends.t, last) - events.t0, np.nan), took)
    return _of_events(COMPARISONS[term.comparison](took, term.number), links)


def _device(links: Links, term: Term) -> Masks:
    matches = glob(term.values)
    whole = glob([value + ":*" for value in term.values])
    hits = _hits(links.recording.devices.name, lambda name: matches(name) or whole(name))
    events, tensors = links.recording.events, links.recording.tensors
    return pick(hits, events.device) & (events.kind != SPAN), pick(hits, tensors.device)


def _shape(links: Links, term: Term) -> Masks:
    shapes = links.recording.tensors.shape
    texts = links.recording.strings.text
    wanted = [dimensions(value) for value in term.values]
    hits = np.zeros(len(texts), np.bool_)
    for row in distinct(shapes[(shapes >= 0) & (shapes < len(texts))]).tolist():
        sizes = dimensions(re.sub(r"[\s\[\]]", "", texts[row]))
        hits[row] = any(fits(value, sizes) for value in wanted)
    return _of_tensors(pick(hits, shapes), links)


def dimensions(text: str) -> list[str]:
    """The sizes that a shape's text lists."""
    return text.split(",") if text else []


def fits(wanted: Sequence[str], sizes: Sequence[str]) -> bool:
    """Whether a shape is like the one wanted, in which * is any size and ... any number of dimensions."""
    if not wanted:
        return not sizes
    if wanted[0] == "...":
        return any(fits(wanted[1:], sizes[skipped:]) for skipped in range(len(sizes) + 1))
    return bool(sizes) and wanted[0] in ("*", sizes[0]) and fits(wanted[1:], sizes[1:])


def _dtype(links: Links, term: Term) -> Masks:
    return _of_tensors(pick(_hits(DTYPES, glob(term.values)), links.recording.tensors.dtype), links)


def _nan(links: Links, _: Term) -> Masks:
    stats = links.recording.stats
    return _of_tensors(pick((stats.nan + stats.posinf + stats.neginf) > 0, links.stats), links)


def _gradient(links: Links, term: Term) -> Masks:
    """By the norm of a tensor's gradient; where it has none and is itself one, by its own."""
    tensors, gradients = links.recording.tensors, links.recording.gradients
    is_gradient = tensors.source == _GRADIENT
    rows = links.tensor_rows(np.concatenate([gradients.gradient, gradients.addend]))
    is_gradient[rows[rows >= 0]] = True
    measured = np.where(links.gradient >= 0, links.gradient, np.where(is_gradient, np.arange(links.tensors), -1))
    row = np.where(measured >= 0, links.stats[measured] if links.tensors else -1, -1)
    holds = COMPARISONS[term.comparison](links.recording.stats.norm, term.number)
    return _of_tensors(pick(holds, row), links)


def _name(links: Links, term: Term) -> Masks:
    return _touching(_named(links, glob(term.values)), links)


def _touching(tensors: Mask, links: Links) -> Masks:
    return links.makers(tensors) | links.readers(tensors), tensors


def _named(links: Links, matches: Callable[[str], bool]) -> Mask:
    """The tensors with such a name, of the user's or of their variable; for a variable with and without its ``:0``."""
    recording = links.recording
    names: list[str] = recording.names.name
    good = {name for name in set(names) if matches(name)}
    given = np.fromiter((name in good for name in names), np.bool_, len(names))
    rows = links.tensor_rows(recording.names.tensor[given])
    tensors = np.zeros(links.tensors, np.bool_)
    tensors[rows[rows >= 0]] = True
    hits = _hits(recording.variables.name, lambda name: matches(name) or matches(name.removesuffix(":0")))
    of_variables: Mask = pick(hits, rows_of(recording.variables.id, recording.tensors.variable))
    return tensors | of_variables


def _word(links: Links, term: Term) -> Masks:
    part = term.values[0].lower()

    def matches(name: str) -> bool:
        return part in name.lower()

    recording = links.recording
    named_events, tensors = _touching(_named(links, matches), links)
    ops = pick(_hits(recording.ops.name, matches), recording.events.op) & (recording.events.kind == _OP)
    spans = np.zeros(links.events, np.bool_)
    spans[[row for row, (_, name) in links.spans.items() if matches(name)]] = True
    return named_events | ops | spans, tensors | links.of_producers(ops)


def _wrt(links: Links, term: Term) -> Masks:
    return on_path(links, _named(links, glob(term.values)))


def glob(values: Iterable[str]) -> Callable[[str], bool]:
    """Whether a whole text is one of the values, in which * stands for any letters and ? for one; case is all one."""
    parts = (re.escape(value).replace(r"\*", ".*").replace(r"\?", ".") for value in values)
    pattern = re.compile("|".join(parts), re.IGNORECASE | re.DOTALL)
    return lambda text: pattern.fullmatch(text) is not None


def _hits(texts: Iterable[str], matches: Callable[[str], bool]) -> NDArray[np.bool_]:
    return np.array([matches(text) for text in texts], np.bool_)


_MASKS: Final[dict[str, Callable[[Links, Term], Masks]]] = {
    "op": _op,
    "line": _line,
    "phase": _phase,
    "rank": _rank,
    "module": _module,
    "dur": _dur,
    "device": _device,
    "shape": _shape,
    "dtype": _dtype,
    "nan": _nan,
    "|g|": _gradient,
    "name": _name,
    "wrt": _wrt,
    "word": _word,
}
