"""The set of programs with reported bugs, and of healthy ones: its reader, its runner and its score.

A program is one cell, in a file of its own. ``python -m tests.verdicts.programs`` runs those with bugs and prints, by
kind, how many there are, in how many a finding names the line, and how many findings stand on other lines.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tapeviz as tf

__all__ = ["BUGS", "HEALTHY", "KINDS", "Program", "Score", "programs", "run", "score", "table"]

BUGS = Path(__file__).parent / "bugs"
HEALTHY = Path(__file__).parent / "healthy"

KINDS = (
    "broadcast", "not_learning", "diverging", "softmax", "frozen", "retrace", "variables", "training_flag", "precision",
    "data", "nan", "none",
)  # fmt: skip
"""What is wrong with a program. A finding fits when its kind has that name, or is one of these:"""

_FITS = {
    "not_learning": {"vanishing"},
    "diverging": {"exploding", "nonfinite"},
    "variables": {"gradient_none"},
    "precision": {"nonfinite", "vanishing"},
    "data": {"reshape_for_transpose", "padding_in_mean"},
    "nan": {"nonfinite"},
    "none": {"gradient_none"},
}
_WORTH_KNOWING = 1
_FAULT = re.compile(r"#\s*fault\s*$")


@dataclass(frozen=True, slots=True)
class Program:
    """A program of the set; ``kind`` is empty and ``faults`` too for a healthy one."""

    path: Path
    symptom: str
    kind: str
    source: str
    text: str
    faults: tuple[int, ...]

    @property
    def name(self) -> str:
        return self.path.stem


@dataclass(frozen=True, slots=True)
class Score:
    """Whether a finding of a fitting kind stands on a line with the fault, and the findings on other lines."""

    named: bool
    others: tuple[Any, ...]


def programs(folder: Path = BUGS) -> list[Program]:
    """All programs of a folder, by name."""
    return [_read(path) for path in sorted(folder.glob("*.py"))]


def _read(path: Path) -> Program:
    text = path.read_text(encoding="utf-8")
    described = text.split('"""')[1]
    fields = dict(re.findall(r"^(Kind|Source): (\S+)$", described, re.MULTILINE))
    lines = [number for number, line in enumerate(text.splitlines(), 1) if _FAULT.search(line)]
    symptom = " ".join(described.split()).partition(". ")[0]
    return Program(path, symptom, fields.get("Kind", ""), fields.get("Source", ""), text, tuple(lines))


def run(program: Program) -> tuple[tf.Tape, str]:
    """The recording of a program, and what it printed."""
    code = compile(program.text, str(program.path), "exec")
    printed = io.StringIO()
    # A program may warn of its mistake; the findings are asked for more.
    with warnings.catch_warnings(action="ignore"), contextlib.redirect_stdout(printed), tf.record() as tape:
        exec(code, {"__name__": f"program_{program.name}", "__file__": str(program.path)})
    return tape, printed.getvalue()


def score(program: Program, findings: Iterable[Any]) -> Score:
    """How well findings name the fault: those of severity 1, "worth knowing", don't count."""
    kinds = {program.kind} | _FITS.get(program.kind, set())
    grave = [finding for finding in findings if finding.severity > _WORTH_KNOWING]
    hits = [finding for finding in grave if finding.kind in kinds and _line(finding) in program.faults]
    return Score(bool(hits), tuple(finding for finding in grave if finding not in hits))


def _line(finding: Any) -> int:
    return finding.site.line if finding.site is not None else 0


def table(chosen: Iterable[Program]) -> Iterator[str]:
    """The score as lines of a table: kind, programs, named, findings on other lines."""
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    for program in chosen:
        result = score(program, run(program)[0].verdicts())
        counts[program.kind].update(programs=1, named=int(result.named), others=len(result.others))
    yield f"{'kind':<16}{'programs':>9}{'named':>7}{'other findings':>16}"
    for kind, count in [*counts.items(), ("all", sum(counts.values(), Counter()))]:
        yield f"{kind:<16}{count['programs']:>9}{count['named']:>7}{count['others']:>16}"


if __name__ == "__main__":
    wanted = sys.argv[1:]
    print("\n".join(table(program for program in programs() if not wanted or program.name in wanted)))
