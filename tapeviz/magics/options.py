"""The options of ``%%tape`` and ``%tape``: one table, and a parser whose complaints fit on one line."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, Final

from IPython.core.error import UsageError

from tapeviz.exports.view_names import VIEWS
from tapeviz.magics import choices
from tapeviz.tape.conditions import condition
from tapeviz.tape.frameworks import FRAMEWORKS
from tapeviz.tape.record import byte_budget, known_thresholds

__all__ = ["Options", "parse", "usage"]


_OF_RECORDINGS: Final = (
    "name", "values", "budget", "max_ops", "keep", "stop", "live", "save", "height", "view", "compare",
    "thresholds",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Options:
    """What the header of a cell asked for."""

    output: str | None = None
    returned: bool = False
    quiet: bool = False
    name: str | None = None
    view: str = "timeline"
    mode: str = ""
    fallback: bool = False
    device: str = ""
    wrt: tuple[str, ...] = ()
    values: str = "stats"
    budget: str = "64M"
    max_ops: int | None = None
    keep: str = "first"
    height: int | None = None
    save: str | None = None
    compare: str | None = None
    keep_going: bool = False
    stop: str | None = None
    live: bool = False
    thresholds: tuple[tuple[str, float], ...] = ()
    framework: str = ""

    @property
    def of_the_recording(self) -> str:
        """The options given that belong to a recording, as text: inside another one they have no effect."""
        return ", ".join(
            f"--{name.replace('_', '-')}" for name in _OF_RECORDINGS if getattr(self, name) != getattr(Options(), name)
        )


@dataclass(frozen=True, slots=True)
class _Option:
    """One option: how it is written, which field it sets, what its value is called (flags have none), its check."""

    flags: tuple[str, ...]
    field: str
    value: str
    check: Callable[[str], Any]
    meaning: str


def _identifier(text: str) -> str:
    if not text.isidentifier():
        raise ValueError(f"{text!r} is not a variable name")
    return text


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    for name in names:
        if not all(part.isidentifier() for part in name.split(".")):
            raise ValueError(f"{name!r} is not a name; write names with commas between, as in w,b or model.w")
    if not names:
        raise ValueError("names are missing, as in w,b")
    return names


def _budget(text: str) -> str:
    byte_budget(text)
    return text


def _condition(text: str) -> str:
    condition(text)
    return text


def _thresholds(text: str) -> tuple[tuple[str, float], ...]:
    found = {}
    for part in text.split(","):
        name, _, number = part.partition("=")
        try:
            found[name.strip()] = float(number)
        except ValueError:
            raise ValueError(f"{part!r} is not a threshold; write saturated_units=0.1") from None
    return tuple(known_thresholds(found).items())


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise ValueError(f"{text!r} is not a positive whole number")
    return int(text)


def _height(text: str) -> int:
    number = _positive(text.removesuffix("px"))
    if number < choices.LEAST_HEIGHT:
        raise ValueError(f"{number} pixels are too few to read; {choices.LEAST_HEIGHT} is the least")
    return number


def _one_of(*words: str) -> Callable[[str], str]:
    return lambda text: choices.chosen(text, words)


_TABLE: Final = (
    _Option(("-o", "--output"), "output", "NAME", _identifier, "keep the tape under this name"),
    _Option(("-r", "--return"), "returned", "", bool, "the tape is the cell's value (and is shown as such)"),
    _Option(("-q", "--quiet"), "quiet", "", bool, "show nothing"),
    _Option(("-n", "--name"), "name", "TITLE", str, "a title"),
    _Option(("--view",), "view", "|".join(VIEWS), choices.view, "the view to open with"),
    _Option(("--mode",), "mode", "eager|graph", choices.mode, "how ops run"),
    _Option(("--fallback",), "fallback", "", bool, "run eagerly what a graph cannot have, and say so"),
    _Option(("--device",), "device", "cpu|gpu|auto", choices.device, "where ops run"),
    _Option(("--wrt",), "wrt", "A,B", _names, "watch these, and differentiate the last expression by them"),
    _Option(
        ("--values",),
        "values",
        "none|stats|inputs|all",
        _one_of("none", "stats", "inputs", "all"),
        "what to keep of tensors",
    ),
    _Option(("--budget",), "budget", "64M", _budget, "how many bytes of tensors to keep at most"),
    _Option(("--max-ops",), "max_ops", "N", _positive, "how many ops to keep at most"),
    _Option(("--keep",), "keep", "first|last", _one_of("first", "last"), "which ones: the first, or the newest"),
    _Option(("--live",), "live", "", lambda _flag: True, "show the cell while it runs, and hold it at any op"),
    _Option(("--no-live",), "live", "", lambda _flag: False, "show the tape when the cell is done (the default)"),
    _Option(("--stop",), "stop", "CONDITION", _condition, "end the cell at the first op for which it holds"),
    _Option(("--compare",), "compare", "graph|gpu|TAPE", choices.compare, "show where it first differs from a tape"),
    _Option(("--height",), "height", "PX", _height, "how high the view is, in pixels"),
    _Option(("--save",), "save", "PATH", choices.save_path, "write the tape to a .tape, .html or .json file"),
    _Option(("--thresholds",), "thresholds", "NAME=NUMBER,...", _thresholds, "judge by other numbers than usual"),
    _Option(
        ("--framework",),
        "framework",
        "|".join(FRAMEWORKS),
        _one_of(*FRAMEWORKS),
        "what the cell computes with; by itself it is seen from the cell's names",
    ),
    _Option(("--keep-going",), "keep_going", "", bool, "after an error show it, and let the next cells run"),
)
_FIELDS: Final = frozenset(Options.__dataclass_fields__)
_BY_FLAG: Final = {flag: option for option in _TABLE for flag in option.flags}
_TOKEN: Final = re.compile(r"""\s*((?:"[^"]*"|'[^']*'|[^\s"'])+)""")


def parse(header: str, magic: str, *, code_follows: bool, live: bool = False) -> tuple[Options, str]:
    """The options at the head of a line, and the rest of the line.

    Args:
        header: the line behind the magic's name, as it was written: no variable is expanded in it.
        magic: the magic's name for messages, such as ``%%tape``.
        code_follows: whether code may stand behind the options, as in ``%tape f(x)``.
        live: what is chosen for cells that do not say.

    Raises:
        UsageError: one line that says which option is wrong and what would be right.
    """
    found: dict[str, Any] = {}
    at = 0
    while (token := _TOKEN.match(header, at)) and token[1].startswith("-") and token[1] != "-":
        at = token.end()
        if token[1] == "--":
            break
        flag, joined, value = _unquoted(token[1]).partition("=")
        option = _known(flag, magic)
        if option.value and not joined:
            value, at = _value(header, at, flag, option, magic)
        found |= _checked(option, flag, value, magic)
    if found.get("keep") == "last" and "max_ops" not in found:
        raise UsageError(f"{magic}: --keep last goes with --max-ops N, which says how many")
    if found.get("view") == "step":
        found.setdefault("values", "all")  # a step is told with its numbers
    found.setdefault("live", live and found.get("keep") != "last")
    if found.get("keep") == "last" and found["live"]:
        raise UsageError(f"{magic}: --live shows the cell from its beginning, so it does not go with --keep last")
    rest = header[at:].strip()
    if rest and not code_follows:
        raise UsageError(f"{magic}: {_unexpected(rest)}")
    return replace(Options(), **found), rest


def _known(flag: str, magic: str) -> _Option:
    option = _BY_FLAG.get(flag)
    if option is None:
        dashed = [flag, f"-{flag}", f"--{flag.strip('-').replace('_', '-')}"]
        near = next((hit for text in dashed for hit in get_close_matches(text, _BY_FLAG, 1, 0.7)), None)
        hint = f"did you mean {near}?" if near else f"the options are {' '.join(option.flags[0] for option in _TABLE)}"
        raise UsageError(f"{magic}: unknown option {flag}; {hint}")
    return option


def _value(header: str, at: int, flag: str, option: _Option, magic: str) -> tuple[str, int]:
    token = _TOKEN.match(header, at)
    if token is None or (token[1] in _BY_FLAG):
        raise UsageError(f"{magic}: {flag} needs a value: {flag} {option.value}")
    value, at = _unquoted(token[1]), token.end()
    while option.field == "wrt" and value.endswith(",") and (token := _TOKEN.match(header, at)):
        value, at = value + _unquoted(token[1]), token.end()
    return value, at


def _checked(option: _Option, flag: str, value: str, magic: str) -> dict[str, Any]:
    if value and not option.value:
        raise UsageError(f"{magic}: {flag} takes no value")
    try:
        checked = option.check(value) if option.value else option.check(flag)
    except ValueError as error:
        raise UsageError(f"{magic}: {flag}{' ' + value if value else ''}: {error}") from None
    return {option.field: checked} if option.field in _FIELDS else {}


def _unquoted(token: str) -> str:
    return re.sub(r"""(["'])(.*?)\1""", r"\2", token)


def _unexpected(rest: str) -> str:
    word = rest.split(maxsplit=1)[0]
    if word == "-" or (near := get_close_matches(f"--{word}", _BY_FLAG, 1, 0.8)) == []:
        return f"{rest!r} is not an option; the code goes on the lines below"
    return f"{word!r} is not an option; did you mean {near[0]}?"


def usage(magic: str, kinds: Sequence[str] = ()) -> str:
    """The table as text, for the magic's help."""
    rows = [(", ".join(o.flags) + (f" {o.value}" if o.value else ""), o.meaning) for o in _TABLE]
    width = max(len(head) for head, _ in rows)
    return "\n".join([f"{magic} [options]", "", *(f"  {head:{width}}  {text}" for head, text in rows), *kinds])
