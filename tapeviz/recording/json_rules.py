"""JSON in the cells of a recording: what of it counts as JSON, the same here as in a browser (``json.ts``)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

__all__ = ["MEANINGS", "is_fact", "is_json"]

# A browser parses deeper, and Python less deep the deeper its own stack: what programs record is nested a few times.
_DEEPEST: Final = 100
_LONGEST: Final = 400  # digits of a number
_AXES: Final = 64
_EXACT: Final = 2**53
_PAIR: Final = 2
_LINES: Final = 2**31

_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_DIGITS: Final = re.compile(f"[0-9]{{{_LONGEST}}}")
_SIZES: Final = re.compile(r"\[(?: *(?:0|[1-9][0-9]{0,15})(?: *, *(?:0|[1-9][0-9]{0,15}))*)? *\]")

MEANINGS: Final = {
    "json": "JSON", "list": "JSON list", "lines": "list of lines", "object": "JSON object", "sizes": "shape",
}  # fmt: skip
"""What texts are said not to be, by the rule that they break."""

_KINDS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "text": lambda value: isinstance(value, str),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "amount": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "list": lambda value: isinstance(value, list),
    "lines": lambda value: isinstance(value, list) and all(map(_is_pair, value)),
    "object": lambda value: isinstance(value, dict),
}


def is_json(rule: str, text: str) -> bool:
    """Whether a text keeps a rule: ``json`` (any), ``list``, ``lines``, ``object`` or ``sizes`` (a shape)."""
    if rule == "sizes":
        return _is_shape(text)
    value = _parsed(text)
    return value is not _NOTHING and (rule == "json" or _KINDS[rule](value))


def is_fact(known: str | Mapping[str, str] | None, text: str) -> bool:
    """Whether a fact of ``meta`` is what its declaration says; without one any JSON is."""
    value = _parsed(text)
    if value is None or known is None or value is _NOTHING:
        return value is not _NOTHING
    if isinstance(known, str):
        return _KINDS[known](value)
    return isinstance(value, dict) and all(
        value.get(field) is None or _KINDS[kind](value[field]) for field, kind in known.items()
    )


_NOTHING: Final = object()


def _parsed(text: str) -> Any:
    bare = _STRING.sub("", text) if len(text) > _DEEPEST else text
    if _depth(bare) > _DEEPEST or _DIGITS.search(bare):
        return _NOTHING
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _NOTHING


def _depth(bare: str) -> int:
    if bare.count("[") + bare.count("{") <= _DEEPEST:
        return 0
    depth = deepest = 0
    for letter in bare:
        depth += (letter in "[{") - (letter in "]}")
        deepest = max(deepest, depth)
    return deepest


def _is_pair(value: Any) -> bool:
    """Whether a value is two whole numbers from 0 up; 3.0 is one in a browser, and so it is here."""
    return isinstance(value, list) and len(value) == _PAIR and all(map(_is_line, value))


def _is_line(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < _LINES and value % 1 == 0


def _is_shape(text: str) -> bool:
    if not _SIZES.fullmatch(text):
        return False
    sizes = json.loads(text)
    elements = 1
    for size in sizes:
        elements *= size
        if elements >= _EXACT:  # a browser rounds what is above
            return False
    return len(sizes) <= _AXES
