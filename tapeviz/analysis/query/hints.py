"""Why a term of a filter holds for nothing, with the name that was perhaps meant."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tapeviz.analysis.links import Links
from tapeviz.analysis.query.grammar import Term, nearest
from tapeviz.analysis.query.masks import OUTER

__all__ = ["hint_of"]

_NOUNS: Final = {"op": "op", "name": "tensor", "wrt": "tensor", "module": "module", "device": "device"}


def hint_of(links: Links, term: Term) -> str:
    """What to write instead of a term that holds for nothing, in a sentence; empty where its key goes by no names."""
    if term.key == "word":
        return f"nothing has '{term.values[0]}' in its name"
    if term.key not in _NOUNS:
        return ""
    names = list(dict.fromkeys(_names(links, term.key)))
    return "; ".join(_hint(term.key, value, names) for value in term.values)


def _hint(key: str, value: str, names: list[str]) -> str:
    noun = _NOUNS[key]
    if "*" in value or "?" in value:
        return f"no {noun}'s name is like '{value}'"
    low = value.lower()
    longer = next((name for name in names if name.lower().startswith(low)), "")
    if longer:
        return f"no {noun} is called '{value}'; {key}:{value}* finds '{longer}'"
    near = nearest(low, (name.lower() for name in names))
    return f"no {noun} is called '{value}'" + (f"; did you mean '{_as_written(near, names)}'?" if near else "")


def _as_written(low: str, names: list[str]) -> str:
    return next(name for name in names if name.lower() == low)


def _names(links: Links, key: str) -> Iterable[str]:
    """What there is of a kind, in the order of the recording."""
    recording = links.recording
    if key == "op":
        yield from recording.ops.name
    elif key == "device":
        yield from recording.devices.name
    elif key == "module":
        for kind, name in links.spans.values():
            if kind not in OUTER:
                yield name
                yield name.rpartition("/")[2]
    else:
        yield from recording.names.name
        yield from (name.removesuffix(":0") for name in recording.variables.name)
