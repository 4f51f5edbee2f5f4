"""The filter's grammar: from a line of text to terms that all have to hold.

``docs/filter.md`` explains it to users; the views read the same text with ``grammar.ts``, and both are held to the same
vectors.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from tapeviz.recording.schema import DTYPES, PHASES

__all__ = ["FilterError", "Term", "parse"]

MATCHED: Final = {
    "op": "op:matmul",
    "name": "name:w1",
    "line": "line:9",
    "shape": "shape:[32,64]",
    "dtype": "dtype:float32",
    "device": "device:CPU:0",
    "module": "module:dense",
    "phase": "phase:backward",
    "rank": "rank:1",
    "wrt": "wrt:w1",
}
COMPARED: Final = {"|g|": "|g|<1e-6", "dur": "dur>1ms"}
FLAGS: Final = ("nan",)

_TERM: Final = re.compile(r'([^\s:<>="]+)(:|<=|>=|<|>)(.*)', re.DOTALL)
_NUMBER: Final = re.compile(r"([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?", re.IGNORECASE)
_LINES: Final = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")
_DIMENSION: Final = re.compile(r"[0-9]{1,15}|\*|\.\.\.")
_NANOSECONDS: Final = {"ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9}
_FAR: Final = 2


class FilterError(ValueError):
    """A filter that cannot be read; its text is one line with a hint."""


@dataclass(frozen=True, slots=True)
class Term:
    """One condition: what it asks, and the answers that satisfy it.

    ``values`` are alternatives: text with * and ? for op, name, device, module, wrt, dtype and phase and for a word,
    ``first-last`` for line and rank, dimensions joined by commas for shape. ``comparison`` and ``number`` (in ns for
    dur) are for what is compared.
    """

    key: str
    negated: bool = False
    values: tuple[str, ...] = ()
    comparison: str = ""
    number: float = 0.0


def parse(text: str) -> list[Term]:
    """The terms of a filter.

    Raises:
        FilterError: a key that does not exist or a value that its key cannot take, with a hint.
    """
    return [_term(token) for token in _tokens(text) if token]


def _tokens(text: str) -> Iterator[str]:
    """The parts between spaces; a space between quotes or brackets is no end."""
    start, is_quoted, depth = 0, False, 0
    for at, character in enumerate(text):
        if character == '"':
            is_quoted = not is_quoted
        elif not is_quoted:
            depth = max(0, depth + {"[": 1, "]": -1}.get(character, 0))
        if character.isspace() and not is_quoted and not depth:
            yield text[start:at]
            start = at + 1
    if is_quoted or depth:
        raise FilterError(f"a {'quote' if is_quoted else '['} is not closed in {text[start:]}")
    yield text[start:]


def _term(token: str) -> Term:
    is_negated = len(token) > 1 and token[0] == "-"
    body = token[1:] if is_negated else token
    if body.lower() in FLAGS:
        return Term(body.lower(), is_negated)
    if body.lower() in COMPARED:
        raise FilterError(_wrong_key(body.lower(), body))
    parts = _TERM.fullmatch(body)
    if not parts:
        return Term("word", is_negated, (_bare(body),))
    key, sign, value = parts[1].lower(), parts[2], parts[3]
    if key in MATCHED and sign == ":":
        return Term(key, is_negated, _values(key, value))
    if key in COMPARED and sign != ":":
        return Term(key, is_negated, comparison=sign, number=_number(key, value))
    raise FilterError(_wrong_key(key, body))


def _wrong_key(key: str, body: str) -> str:
    if key in COMPARED:
        return f"{key} is compared, as in {COMPARED[key]}"
    if key in MATCHED:
        return f"{key} takes a colon, as in {MATCHED[key]}"
    if key in FLAGS:
        return f"{key} stands alone"
    known = [*MATCHED, *COMPARED, *FLAGS]
    near = nearest(key, known)
    if near:
        return f"unknown key {key!r} in {body}; did you mean {near!r}?"
    return f"unknown key {key!r} in {body}; the keys are {', '.join(known)}; quotes make it a word"


def _values(key: str, text: str) -> tuple[str, ...]:
    values = tuple(value for value in _split(text, "|" if key == "shape" else "|,") if value)
    if not values:
        raise FilterError(f"{key}: needs a value, as in {MATCHED[key]}")
    check = {"line": _range("line"), "rank": _range("rank"), "shape": _shape, "dtype": _dtype, "phase": _phase}.get(key)
    return tuple(map(check, values)) if check else values


def _split(text: str, separators: str) -> list[str]:
    """The alternatives of a value, without their quotes."""
    values, is_quoted = [""], False
    for character in text:
        if character == '"':
            is_quoted = not is_quoted
        elif character in separators and not is_quoted:
            values.append("")
        else:
            values[-1] += character
    return values


def _bare(text: str) -> str:
    return text.replace('"', "")


def _range(key: str) -> Callable[[str], str]:
    def checked(value: str) -> str:
        parts = _LINES.fullmatch(value)
        if not parts:
            raise FilterError(f"{key}: {value!r} is no {key}; write {key}:9 or {key}:9-12")
        return f"{int(parts[1])}-{int(parts[2] or parts[1])}"

    return checked


def _shape(value: str) -> str:
    inner = value.strip().removeprefix("[").removesuffix("]")
    dimensions = [part.strip() for part in re.split("[,x]", inner)] if inner.strip() else []
    if not all(map(_DIMENSION.fullmatch, dimensions)):
        raise FilterError(f"shape: {value!r} is no shape; write [32,64], with * for any size and ... for any rest")
    return ",".join(dimensions)


def _dtype(value: str) -> str:
    return _one_of("dtype", value, DTYPES)


def _phase(value: str) -> str:
    return _one_of("phase", value, PHASES)


def _one_of(key: str, value: str, choices: Iterable[str]) -> str:
    value = value.lower()
    if value in choices or "*" in value or "?" in value:
        return value
    near = nearest(value, choices)
    hint = f"did you mean {near!r}?" if near else f"there are {', '.join(choices)}"
    raise FilterError(f"{key}: no {key} is called {value!r}; {hint}")


def _number(key: str, value: str) -> float:
    parts = _NUMBER.match(value)
    unit = value[parts.end() :].strip().lower() if parts else ""
    if not parts or (unit not in _NANOSECONDS if key == "dur" else unit):
        takes = "a time with its unit (ns, us, ms, s)" if key == "dur" else "a number"
        raise FilterError(f"{key} is compared with {takes}, as in {COMPARED[key]}; got {value!r}")
    return float(parts[0]) * _NANOSECONDS.get(unit, 1.0)


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name that the fewest single changes make of this one; empty when all are far."""
    best, least = "", _FAR + 1
    for candidate in known:
        distance = _distance(name, candidate)
        if distance < least and distance < len(name):
            best, least = candidate, distance
    return best


def _distance(a: str, b: str) -> int:
    """How many letters to add, remove or change from one text to the other."""
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(b, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (letter != other))
    return row[-1]
