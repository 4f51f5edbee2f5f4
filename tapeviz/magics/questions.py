"""``%why`` and ``%nan``: the last tape's answers."""

from __future__ import annotations

from typing import Any

from IPython.core.error import UsageError

from tapeviz.tape import Tape

__all__ = ["nan", "why"]


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
