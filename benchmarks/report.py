"""The outcome as a table for people, and as JSON for programs."""

from __future__ import annotations

import json
import os
import platform
import re
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from benchmarks import peers
from benchmarks.environment import threads_now
from benchmarks.harness import Figure, Goal, Row, Spread

__all__ = ["Report", "load"]

_RESULTS: Final = Path(__file__).parent / "results"
_COLUMNS: Final = (
    "torch", "tensorflow", "autograd", "torch.compile", "tf.function", "jit_compile", "jax", "numpy",
)  # fmt: skip
_HEAD: Final = ["subject", "what", "ours", "fastest", *(f"/ {name}" for name in _COLUMNS), "goal", "outcome"]
_RATIOS: Final = "ratios: median of ours / theirs over interleaved rounds [quartiles]"
_TIMES: Final = {False: "processor", True: "the wall's"}
_THREADS: Final = {False: "one thread each, on one core", True: "a thread a core"}
_KIND: Final = {True: "met", False: "NOT MET", None: ""}
_UNITS: Final = ((1e-3, "ms"), (1e-6, "us"), (0.0, "ns"))
_MANY: Final = 1000


def load() -> str:
    """Return the machine's load, where it is known."""
    return " ".join(f"{value:.1f}" for value in os.getloadavg()) if hasattr(os, "getloadavg") else "unknown"


class Report:
    """Rows and figures, and where they were measured.

    Args:
        outcomes: in the order in which they are shown.
        before: the machine's load when measuring began.
    """

    def __init__(self, outcomes: list[Row | Figure], before: str) -> None:
        self.outcomes = outcomes
        self.machine: dict[str, Any] = {
            "date": datetime.now(UTC).date().isoformat(),
            "cpu": _cpu(),
            "cores": os.cpu_count(),
            "system": f"{platform.system()} {platform.machine()}",
            "python": platform.python_version(),
            "versions": peers.versions(),
            "missing": peers.MISSING,
            "load": {"before": before, "after": load()},
            "threads": threads_now(),
        }

    @property
    def unmet(self) -> list[Row | Figure]:
        """What does not meet its goal."""
        return [outcome for outcome in self.outcomes if outcome.met is False]

    def table(self) -> str:
        """Return the outcome as aligned lines."""
        lines = [_HEAD, *map(_cells, self.outcomes)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        left = {0, 1, len(_HEAD) - 2, len(_HEAD) - 1}
        body = [
            "  ".join(
                cell.ljust(width) if at in left else cell.rjust(width)
                for at, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        ]
        return "\n".join([body[0], "-" * len(body[0]), *body[1:]])

    def header(self) -> list[str]:
        """Return the lines that say where and how this was measured."""
        machine, several = self.machine, self.machine["threads"] > 1
        versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
        lines = [
            f"{machine['date']}, {machine['cpu']}, {machine['cores']} cores, {machine['system']}",
            f"Python {machine['python']}, {versions}; {_THREADS[several]}",
            f"load {machine['load']['before']} before, {machine['load']['after']} after",
            f"{_TIMES[several]} time, median and fastest; {_RATIOS}",
        ]
        if machine["missing"]:
            lines.append(f"not installed, so not measured beside: {', '.join(machine['missing'])}")
        return lines

    def closing(self) -> str:
        """Return how many goals are met, and which are not."""
        goals = [outcome for outcome in self.outcomes if outcome.goal is not None]
        met = len(goals) - len(self.unmet)
        lines = [f"{met} of {len(goals)} goals met"]
        lines += [f"  not met: {outcome.subject}: {outcome.title}: {_figure(outcome)}" for outcome in self.unmet]
        lost = [
            f"  slower than {name}: {row.subject}: {row.title}: {ratio.median:.2f}"
            for row in self.outcomes if isinstance(row, Row)
            for name, ratio in row.ratios.items() if name in _COLUMNS[:-1] and ratio.median > 1
        ]  # fmt: skip
        return "\n".join([*lines, *lost])

    def save(self) -> Path:
        """Write JSON named by date and machine, and the table as ``latest.md``; return the former's path."""
        _RESULTS.mkdir(exist_ok=True)
        kind = re.sub(r"[^a-z0-9]+", "-", f"{self.machine['cpu']} {self.machine['cores']} cores".lower()).strip("-")
        path = _RESULTS / f"{self.machine['date']}-{kind}.json"
        outcomes = [{"kind": type(o).__name__.lower(), **asdict(o), "met": o.met} for o in self.outcomes]
        path.write_text(json.dumps({"machine": self.machine, "outcomes": outcomes}, indent=1) + "\n", encoding="utf-8")
        head = "\n".join(f"{line}  " for line in self.header())
        text = f"# Benchmarks\n\nWritten by `make bench`.\n\n{head}\n\n```\n{self.table()}\n\n{self.closing()}\n```\n"
        (_RESULTS / "latest.md").write_text(text, encoding="utf-8")
        return path


def _cells(outcome: Row | Figure) -> list[str]:
    goal, met = outcome.goal, _KIND[outcome.met]
    if isinstance(outcome, Figure):
        ratios = [""] * len(_COLUMNS)
        shown = _figure(outcome)
        return [outcome.subject, outcome.title, shown, "", *ratios, _goal(goal, outcome.unit), _with(met, outcome.note)]
    ratios = [_ratio(outcome.ratios.get(name), exact=goal is not None and goal.against == name) for name in _COLUMNS]
    times = [_seconds(outcome.time.median), _seconds(outcome.time.least)]
    return [outcome.subject, outcome.title, *times, *ratios, _goal(goal, ""), met]


def _with(met: str, note: str) -> str:
    return f"{met} ({note})" if met and note else met or note


def _ratio(ratio: Spread | None, *, exact: bool) -> str:
    if ratio is None:
        return ""
    return f"{ratio.median:.2f} [{ratio.low:.2f}-{ratio.high:.2f}]" if exact else f"{ratio.median:.2f}"


def _seconds(value: float) -> str:
    limit, unit = next((pair for pair in _UNITS if value >= pair[0]), _UNITS[-1])
    return f"{value / (limit or 1e-9):.3g} {unit}" if value < 1 else f"{value:.2f} s"


def _figure(outcome: Row | Figure) -> str:
    if isinstance(outcome, Row):
        return f"{outcome.ratios[outcome.goal.against].median:.2f}" if outcome.goal else ""
    return f"{_number(outcome.value)} {outcome.unit}".rstrip()


def _goal(goal: Goal | None, unit: str) -> str:
    if goal is None:
        return ""
    limits = {"<=": goal.at_most, ">=": goal.at_least}
    texts = [f"{sign} {_number(limit)}" for sign, limit in limits.items() if limit is not None]
    return f"{' and '.join(texts)} {unit}".rstrip() + (f" of {goal.against}" if goal.against else "")


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= _MANY else f"{value:.3g}"


def _cpu() -> str:
    """Return the processor's name as the system tells it."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        found = re.search(r"^model name\s*:\s*(.+)$", info.read_text(encoding="utf-8"), re.MULTILINE)
        if found:
            return " ".join(found[1].split())
    return platform.processor() or platform.machine()
