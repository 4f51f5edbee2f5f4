"""What is said first about a recording: its title and a few facts, in the order of importance."""

from __future__ import annotations

from tapeviz.exports import numbers
from tapeviz.recording import Recording
from tapeviz.recording.schema import KINDS

__all__ = ["facts", "stopped", "title"]

_OP = KINDS.index("op")


def title(recording: Recording) -> str:
    """The title, "tape" where there is none."""
    return str(recording.meta_dict().get("title") or "tape")


def facts(recording: Recording) -> list[str]:
    """Cell, ops, graph runs, time, mode and device, as far as they are known."""
    meta = recording.meta_dict()
    ops = int((recording.events.kind == _OP).sum())
    found = []
    if isinstance(meta.get("cell"), int):
        found.append(f"cell {meta['cell']}")
    found.append(numbers.plural(ops, "op"))
    if runs := len(recording.graph_runs):
        found.append(numbers.plural(runs, "graph run"))
    if isinstance(meta.get("seconds"), (int, float)):
        found.append(numbers.duration(meta["seconds"] * 1e9))
    return [*found, *(str(meta[key]) for key in ("mode", "device") if meta.get(key))]


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
