"""``%why`` and ``%nan``: what the last tape says, as text."""

from __future__ import annotations

from IPython.core.error import UsageError

from tapeviz.tape import Tape

__all__ = ["nan", "why"]


def why(tape: Tape, line: str) -> str:
    """Why the gradient by a name is None, or how it came about.

    Raises:
        UsageError: no name is given, or too many.
    """
    words = line.replace(",", " ").split()
    if len(words) not in (1, 2):
        raise UsageError("%why asks about one name, as in %why w, or about a target and a name, as in %why loss w")
    target, source = (None, words[0]) if len(words) == 1 else words
    return str(tape.why(target, source))


def nan(tape: Tape) -> str:
    """Where the first NaN or infinity of a tape comes from."""
    found = tape.nonfinite()
    if not found.known:
        return str(found)
    if not found:
        return "no NaN and no infinity in this tape"
    return "\n".join(map(str, found))
