"""Many programs in a row: what they found, shrunk, and what they reached."""

from __future__ import annotations

import gc
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from tests.fuzz.generators.randomness import write_random
from tests.fuzz.generators.writer import write
from tests.fuzz.programs import Program
from tests.fuzz.random_runs import check_random
from tests.fuzz.runs import Finding, check
from tests.fuzz.shrinking import shrink

__all__ = ["SURFACES", "Fault", "Tally", "run"]

SURFACES: dict[str, tuple[Callable[[int], Any], Callable[..., Any]]] = {
    "whole": (write, check), "random": (write_random, check_random),
}  # fmt: skip
"""Streams of programs: what writes the program of a seed, and what runs it."""

_FUNCTION = re.compile(r"\btf(?:\.\w+)+(?=\()")
_LAYER = re.compile(r"\btf\.keras\.layers\.(\w+)\(")
_OPTIMIZER = re.compile(r"\btf\.keras\.optimizers\.(\w+)\(")


@dataclass
class Fault:
    """A program that differs, and how; shrunk."""

    seed: int
    finding: Finding
    program: Program

    def __str__(self) -> str:
        head = f"seed {self.seed}, {self.finding.way}: {self.finding.told}"
        note = "\n# Pieces are smaller for it: tests/fuzz/runs.py, early(lowered=True)." if self.program.lowered else ""
        return f"{head}{note}\n\n{self.program.source()}"


@dataclass
class Tally:
    """What a row of programs came to."""

    programs: int = 0
    lines: int = 0
    traced: int = 0
    compiled: int = 0
    differentiated: int = 0
    next_seed: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    ops: Counter[str] = field(default_factory=Counter)
    dtypes: Counter[str] = field(default_factory=Counter)
    ways: Counter[str] = field(default_factory=Counter)
    functions: Counter[str] = field(default_factory=Counter)
    layers: Counter[str] = field(default_factory=Counter)
    optimizers: Counter[str] = field(default_factory=Counter)
    statements: Counter[str] = field(default_factory=Counter)
    faults: list[Fault] = field(default_factory=list)

    def add(self, program: Program, report: Any) -> None:
        """Count a program."""
        text = program.source()
        self.programs += 1
        self.lines += program.length()
        self.traced += report.traced
        self.compiled += report.compiled
        self.differentiated += bool(program.around)
        self.reasons.update(report.reasons)
        self.ops.update(report.ops)
        self.dtypes.update(report.dtypes)
        self.ways.update(report.ways)
        self.functions.update({name for name in _FUNCTION.findall(text) if ".keras.layers." not in name})
        self.layers.update(set(_LAYER.findall(text)))
        self.optimizers.update(set(_OPTIMIZER.findall(text)))
        self.statements.update({line.split()[0] for line in text.splitlines() if line.strip().endswith(":")})


def run(
    seeds: Iterable[int], *, seconds: float = float("inf"), shrinking: float = 20.0,
    tell: Callable[[str], object] = lambda _: None, surface: str = "whole",
) -> Tally:  # fmt: skip
    """Write and run the programs of these seeds.

    Args:
        seeds: one a program.
        seconds: after which no further program is begun; ``next_seed`` of the result says where to go on.
        shrinking: seconds to shrink each fault of a new kind.
        tell: is told of each fault at once.
        surface: which stream of programs: ``"whole"`` or, of those that draw numbers, ``"random"``.
    """
    write, check = SURFACES[surface]
    end, tally = monotonic() + seconds, Tally()
    gc.collect()
    gc.freeze()  # what is imported takes half of the time of each collection
    seen: set[Any] = set()
    for seed in seeds:
        tally.next_seed = seed
        if monotonic() > end:
            return tally
        try:
            program, build = write(seed)
        except Exception as error:
            raise RuntimeError(f"the program of seed {seed} could not be written") from error
        faults = [Fault(seed, Finding("eager", f"{text}: {words}"), program) for text, words in build.rude]
        if program.results:
            report = check(program)
            tally.add(program, report)
            faults += [Fault(seed, finding, program) for finding in report.findings]
        for fault in faults:
            if fault.finding.way != "eager" and fault.finding.kind not in seen:
                seen.add(fault.finding.kind)
                fault.program = shrink(program, fault.finding, shrinking, check)
            tell(str(fault))
        tally.faults += faults
        if seed % 64 == 0:
            gc.collect()
    tally.next_seed += 1
    return tally
