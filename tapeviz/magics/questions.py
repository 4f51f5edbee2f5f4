"""``%why`` and ``%nan``: the last tape's answers."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from IPython.core.error import UsageError

from tapeviz.functions.function import Function
from tapeviz.functions.retraces import Retraces, retraces
from tapeviz.tape.tape import Tape

__all__ = ["nan", "retraced", "why"]


def why(tape: Tape, line: str, namespace: dict[str, Any]) -> Any:
    """Why the gradient by a name is None, or how it came about; without a name, each None of the latest backward pass.

    Raises:
        UsageError: a name is not in the tape, no gradient was asked for, or there are too many names.
    """
    words = line.replace(",", " ").split()
    if len(words) > 2:  # noqa: PLR2004 - a target and a source
        raise UsageError("%why asks about one name, as in %why w, or about a target and a name, as in %why loss w")
    target, source = [None, None, *(_meant(word, namespace) for word in words)][-2:]
    try:
        return tape.why(target, source)
    except LookupError as error:
        raise UsageError(f"%why {line.strip()}: {error}".replace("\n", " ")) from None


def _meant(word: str, namespace: dict[str, Any]) -> Any:
    """A name as it is; one with dots in it as the object that it stands for."""
    first, *further = word.split(".")
    value = namespace.get(first)
    for name in further:
        value = getattr(value, name, None)
    return value if further and value is not None else word


def nan(tape: Tape) -> Any:
    """Where the NaNs and infinities of a tape come from, first cause first."""
    return tape.nonfinite()


def retraced(line: str, namespace: dict[str, Any]) -> Any:
    """Why a function was traced, each time; without a name, the traces of each function that has one.

    Raises:
        UsageError: there is no such function, or it is none that is traced.
    """
    name = line.strip()
    if not name:
        found = [retraces(value) for key, value in namespace.items() if isinstance(value, Function) and key[0] != "_"]
        if not found:
            raise UsageError("%retraces: no tapeviz.function is defined here; decorate one with @tf.function")
        return found[0] if len(found) == 1 else _Several(found)
    meant = _meant(name, namespace)
    function = namespace.get(name) if meant is name else meant
    if not isinstance(function, Function):
        known = [key for key, value in namespace.items() if isinstance(value, Function) and key[0] != "_"]
        near = get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known) or 'none yet'}"
        raise UsageError(f"%retraces {name}: that is not a tapeviz.function; {hint}")
    return retraces(function)


class _Several:
    """The traces of several functions, one below the other."""

    def __init__(self, tables: list[Retraces]) -> None:
        self._tables = tables

    def __repr__(self) -> str:
        return "\n".join(map(repr, self._tables))

    def _repr_html_(self) -> str:
        return "".join(table._repr_html_() for table in self._tables)
