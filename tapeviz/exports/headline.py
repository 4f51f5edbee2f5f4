"""What is said first about a recording: its title and a few facts, in the order of importance."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from tapeviz.exports import numbers
from tapeviz.recording import Recording
from tapeviz.recording.schema import KINDS

__all__ = ["dropped", "facts", "ops", "rerun", "stale", "stopped", "title"]

_OP = KINDS.index("op")
_CONDITION: Final = re.compile(r"\s*(?:if|elif|while|assert)\b")


def title(recording: Recording) -> str:
    """The title, "tape" where there is none."""
    return str(recording.meta_dict().get("title") or "tape")


def facts(recording: Recording) -> list[str]:
    """Cell, ops, graph runs, time, mode and device, as far as they are known."""
    meta = recording.meta_dict()
    found = []
    if isinstance(meta.get("cell"), int):
        found.append(f"cell {meta['cell']}")
    found.append(ops(int((recording.events.kind == _OP).sum()), meta))
    if runs := len(recording.graph_runs):
        found.append(numbers.plural(runs, "graph run"))
    if isinstance(meta.get("seconds"), (int, float)):
        found.append(numbers.duration(meta["seconds"] * 1e9))
    if ranks := len(recording.ranks):
        found.append(numbers.plural(ranks, "rank"))
    found += [str(meta[key]) for key in ("mode", "device") if meta.get(key)]
    return [*found, *([again] if (again := rerun(recording)) else [])]


def rerun(recording: Recording) -> str:
    """What was other when the program ran again, as a clause; empty for a recording of its first run."""
    again = recording.meta_dict().get("rerun")
    if not isinstance(again, dict):
        return ""
    replaced, dtype = again.get("replaced"), again.get("dtype")
    names = ", ".join(map(str, replaced)) if isinstance(replaced, list) else ""
    return "rerun" + (f" with {names} replaced" if names else "") + (f" in {dtype}" if dtype else "")


def stale(recording: Recording) -> str:
    """Where Python had read what is other in this rerun, and branched on it; empty where it had not."""
    opposite, read = (_lines(recording, fact) for fact in ("branches", "stale"))
    asked = [line for line, text in read.items() if _CONDITION.match(text) and line not in opposite]
    rest = [str(line) for line in read if line not in asked and line not in opposite]
    where = f"line{'s' * (len(rest) > 1)} {', '.join(rest)}"
    told = [
        *(f"Line {line} branched on a value that is the opposite now: the program would go another way."
          for line in opposite),
        *(f"Line {line} asks for a value that is other now: the program may go another way." for line in asked),
        *([f"On {where} Python read a value that is other now: what it made of it, or did because of it, is as it was."]
          if rest else []),
    ]  # fmt: skip
    return " ".join(told)


def _lines(recording: Recording, fact: str) -> dict[int, str]:
    """The lines of the sites that a fact of the rerun lists, with their text."""
    again = recording.meta_dict().get("rerun")
    rows = again.get(fact) if isinstance(again, dict) else None
    sites = recording.sites
    known = [row for row in rows if 0 <= row < len(sites.line)] if isinstance(rows, list) else []
    return {int(sites.line[row]): sites.text[row] for row in known}


def ops(count: int, meta: Mapping[str, Any]) -> str:
    """How many ops there are, and of how many they are the newest."""
    before = dropped(meta)[0]
    last = f"the last {numbers.count(count)} of " if before else ""
    return last + numbers.plural(before + count, "op")


def dropped(meta: Mapping[str, Any]) -> tuple[int, str]:
    """How many ops are not there since only the newest were kept, and which of them failed, as text."""
    found = meta.get("dropped")
    if not isinstance(found, dict):
        return 0, ""
    failures = found.get("failures")
    told = [f"{name} {count:,}" for name, count in failures.items()] if isinstance(failures, dict) else []
    count = found.get("ops")
    return count if isinstance(count, int) else 0, ", ".join(told)


def stopped(recording: Recording) -> str:
    """Where and why a recording ended early; empty for one that ran through."""
    stop = recording.meta_dict().get("stopped")
    if not isinstance(stop, dict):
        return ""
    event, line = stop.get("event", -1), stop.get("line")
    where = [f"at op {event}"] if isinstance(event, int) and event >= 0 else []
    where += [f"line {line}"] if line else []
    said = ": ".join(str(stop[key]).partition("\n")[0] for key in ("type", "text") if stop.get(key))
    return f"Stopped {', '.join(where)}{' · ' if said else ''}{said}".replace("  ", " ")
