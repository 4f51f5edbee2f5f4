"""``--compare``: the tape that is meant, and its difference from the one just recorded."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Final

from IPython.core.error import UsageError

from tapeviz.magics.tape_history import TapeHistory
from tapeviz.tape.diff import Diff, diff
from tapeviz.tape.tape import Tape

__all__ = ["compared", "event_to_see", "meant"]

_LOOKED_AT: Final = 20


def meant(word: str, tape_history: TapeHistory, namespace: Mapping[str, Any], magic: str) -> Tape:
    """The tape that a word means: its number in ``%tapes``, the name it is kept under, or its title.

    It is asked for before the code runs: by then the tape of this cell's last run may have made room.

    Raises:
        UsageError: there is no such tape; one line that names what is near, or what there is.
    """
    entry = tape_history.find(int(word)) if word.isdigit() else None
    found = namespace.get(word) if entry is None else entry.tape
    if isinstance(found, Tape):
        return found
    titled = tape_history.titled()
    if word in titled:
        return titled[word]
    kept = [name for name, value in namespace.items() if isinstance(value, Tape)]
    own = [name for name in kept if not name.startswith("_")]
    numbers = list(map(str, tape_history.numbers()))
    near = get_close_matches(word, [*own, *titled, "graph", "gpu"], 1)
    there = ", ".join([*numbers, *own, *(title for title in titled if title not in own)])
    if near:
        hint = f"did you mean {near[0]}?"
    else:
        hint = f"there are {there}" if there else "nothing is recorded yet; keep a tape with -o NAME"
    raise UsageError(f"{magic}: --compare {word}: there is no such tape; {hint}")


def compared(before: Tape, now: Tape) -> Diff:
    """The difference of an earlier tape and the one just recorded."""
    return diff(before, now)


def event_to_see(found: Diff) -> int | None:
    """The first event of the new tape that differs, None where there is none; of what came in, the op that read it."""
    if found.unlike:
        return None
    return next((row.b for row in found.striking(_LOOKED_AT) if row.material and row.b >= 0), None)
