"""The set of programs with reported bugs, and of healthy ones: its reader, its runner and its score.

A program is one cell, in a file of its own. ``python -m tests.verdicts.programs`` runs those with bugs and prints, by
kind, how many there are, in how many a finding names the line (recall), and how many of the findings of such a kind, in
all programs, are about their mistake (precision). With ``--write`` it runs the healthy ones too and writes
``docs/verdicts.md``.
"""

from __future__ import annotations

import contextlib
import io
import logging
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import tapeviz as tf
from tapeviz.analysis.verdicts.rules import KINDS as RULES_OF_KINDS
from tapeviz.analysis.verdicts.rules import THRESHOLDS

__all__ = ["BUGS", "HEALTHY", "KINDS", "PAGE", "Program", "Score", "page", "programs", "run", "score", "tallies"]

BUGS = Path(__file__).parent / "bugs"
HEALTHY = Path(__file__).parent / "healthy"
PAGE = Path(__file__).parents[2] / "docs" / "verdicts.md"

KINDS = (
    "broadcast", "not_learning", "diverging", "softmax", "frozen", "retrace", "variables", "training_flag", "precision",
    "data", "nan", "none",
)  # fmt: skip
"""What is wrong with a program. A finding fits when its kind has that name, or is one of these:"""

_FITS = {
    "not_learning": {"vanishing", "labels"},
    "diverging": {"exploding", "nonfinite"},
    "variables": {"gradient_none"},
    "precision": {"nonfinite", "vanishing"},
    "training_flag": {"dropout_rate"},
    "data": {"reshape_for_transpose", "padding_in_mean", "shuffled_apart", "sorted_labels", "scaled_twice"},
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


def run(program: Program, **options: Any) -> tuple[tf.Tape, str]:
    """The recording of a program, and what it printed; what it draws without a seed of its own is always the same."""
    tf.keras.utils.set_random_seed(0)
    code = compile(program.text, str(program.path), "exec")
    printed = io.StringIO()
    module = ModuleType(f"program_{program.name}")
    module.__file__ = str(program.path)
    sys.modules[module.__name__] = module  # where a dataclass looks for its names
    try:
        # A program may warn of its mistake; the findings are asked for more.
        quiet = contextlib.redirect_stdout(printed)
        with warnings.catch_warnings(action="ignore"), quiet, tf.record(**options) as tape:
            exec(code, vars(module))
    finally:
        del sys.modules[module.__name__]
    return tape, printed.getvalue()


def score(program: Program, findings: Iterable[Any]) -> Score:
    """How well findings name the fault: those of severity 1, "worth knowing", don't count."""
    kinds = {program.kind} | _FITS.get(program.kind, set())
    grave = [finding for finding in findings if finding.severity > _WORTH_KNOWING]
    hits = [finding for finding in grave if finding.kind in kinds and _line(finding) in program.faults]
    return Score(bool(hits), tuple(finding for finding in grave if finding not in hits))


def _line(finding: Any) -> int:
    return finding.site.line if finding.site is not None else 0


@dataclass(slots=True)
class Tally:
    """Of a kind: its programs, those named, and the findings of kinds that fit it, right and wrong ones."""

    programs: int = 0
    named: int = 0
    right: int = 0
    wrong: int = 0

    @property
    def cells(self) -> tuple[str, ...]:
        """Programs, named, recall, wrong findings, precision."""
        found = self.right + self.wrong
        precision = f"{self.right / found:.0%}" if found else "-"
        recall = f"{self.named / self.programs:.0%}" if self.programs else "-"
        return str(self.programs), str(self.named), recall, str(self.wrong), precision


def tallies(chosen: Iterable[Program]) -> dict[str, Tally]:
    """How findings do by kind, and in all; a healthy program has no kind, and all its findings are wrong ones."""
    found = {kind: Tally() for kind in (*KINDS, "other", "all")}
    for program in chosen:
        result = score(program, run(program)[0].verdicts())
        for tally in (found[program.kind], found["all"]) if program.kind else ():
            tally.programs += 1
            tally.named += result.named
            tally.right += result.named
        for finding in result.others:
            kind = next((kind for kind in KINDS if finding.kind in {kind} | _FITS.get(kind, set())), "other")
            home = program.kind if finding.kind in {program.kind} | _FITS.get(program.kind, set()) else kind
            found[home].wrong += 1
            found["all"].wrong += 1
    return found


HEADS = ("kind", "programs", "named", "recall", "wrong findings", "precision")


def table(found: dict[str, Tally]) -> Iterator[str]:
    """The score as lines of a table."""
    for row in (HEADS, *((kind, *tally.cells) for kind, tally in found.items())):
        yield f"{row[0]:<16}" + "".join(f"{cell:>16}" for cell in row[1:])


_ABOUT = """\
Written by `python -m tests.verdicts.programs --write`. What to do with findings is in [checks.md](checks.md)."""
_SCORED = """\
Each of the {programs} programs in `tests/verdicts/bugs` has a mistake that somebody reported in public (its docstring
says where), and the lines that a good answer names are marked. A program is *named* when a finding of a fitting kind,
of severity 2 or 3, stands on such a line. A *wrong* finding is one of severity 2 or 3 on another line or of another
kind, those in the {healthy} healthy programs included. Precision is the part of the findings that is right; right ones
in one program count as one."""


def _looked_for() -> dict[str, str]:
    """Each kind of finding once, with what its rules look for in different words."""
    return {
        kind: ", ".join(dict.fromkeys(rule.kinds[kind] for rule in rules)) for kind, rules in RULES_OF_KINDS.items()
    }


def page(found: dict[str, Tally], healthy: int) -> str:
    """``docs/verdicts.md``."""
    rows = [f"| {' | '.join((kind, *tally.cells))} |" for kind, tally in found.items() if any(tally.cells)]
    return "\n".join([
        "# Verdicts: what is looked for, and how well", "", _ABOUT, "",
        "## On programs with reported bugs", "", _SCORED.format(programs=found["all"].programs, healthy=healthy), "",
        f"| {' | '.join(HEADS)} |", "|---" + "|---:" * (len(HEADS) - 1) + "|", *rows, "",
        "## Kinds", "", "| kind | what is looked for |", "|---|---|",
        *(f"| `{kind}` | {words} |" for kind, words in _looked_for().items()), "",
        "## Thresholds", "", "| name | value | meaning |", "|---|---:|---|",
        *(f"| `{name}` | {one.value:g} | {one.meaning} |" for name, one in THRESHOLDS.items()), "",
    ])  # fmt: skip


def main(arguments: Sequence[str]) -> None:
    """Print the score, of all programs or of those named."""
    logging.getLogger("tapeviz").setLevel(logging.ERROR)  # what a program is warned of is its mistake
    wanted = [name for name in arguments if name != "--write"]
    chosen = [program for program in programs() if not wanted or program.name in wanted]
    healthy = programs(HEALTHY) if "--write" in arguments else []
    found = tallies([*chosen, *healthy])
    print("\n".join(table(found)))
    if healthy:
        PAGE.write_text(page(found, len(healthy)), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
