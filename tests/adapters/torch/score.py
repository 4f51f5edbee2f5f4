"""How many of the bugs are named, and which of the healthy programs are not silent."""

from __future__ import annotations

import contextlib
import io
import sys
import warnings

import tapeviz
from tests.adapters.torch import bugs_of_gradients, bugs_of_training  # noqa: F401 - they fill the catalogue
from tests.adapters.torch import healthy as _healthy  # noqa: F401
from tests.adapters.torch.catalogue import Bug, Program, bugs, healthy


def recorded(program: Program) -> tapeviz.Tape:
    """The tape of a program, whatever it raises."""
    block = tapeviz.record(framework="torch", values="stats")
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Exception):
        warnings.simplefilter("ignore")
        with block:
            program()
    return block.tape


def findings(program: Program) -> list:
    """What is said of a program, graver than worth knowing."""
    return [found for found in recorded(program).verdicts() if found.severity > 1]


def is_named(bug: Bug, found: list) -> bool:
    """Whether one finding has the line, and one of the words in what it says to do."""
    return any(
        one.site is not None and one.site.line == bug.line and any(word in one.fix for word in bug.words)
        for one in found
    )


if __name__ == "__main__":
    missed = [(bug, found) for bug in bugs if not is_named(bug, found := findings(bug.program))]
    loud = [(program, found) for program in healthy if (found := findings(program))]
    for bug, found in missed:
        print(f"MISSED {bug.program.__name__}, line {bug.line}: {bug.words}", *found, sep="\n")
    for program, found in loud:
        print(f"LOUD {program.__name__}", *found, sep="\n")
    print(f"{len(bugs) - len(missed)} of {len(bugs)} bugs named; {len(healthy) - len(loud)} of {len(healthy)} silent")
    sys.exit(bool(loud))
