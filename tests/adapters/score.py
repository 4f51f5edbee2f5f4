"""How many of a framework's bugs are named, and which of its healthy programs are not silent.

python -m tests.adapters.score torch
"""

from __future__ import annotations

import importlib
import sys


def main(framework: str) -> int:
    for part in ("bugs_of_gradients", "bugs_of_training", "healthy"):
        importlib.import_module(f"tests.adapters.{framework}.{part}")
    catalogue = importlib.import_module(f"tests.adapters.{framework}.catalogue").CATALOGUE
    missed = [(bug, found) for bug in catalogue.bugs if not bug.is_named(found := catalogue.findings(bug.program))]
    loud = [(program, found) for program in catalogue.healthy if (found := catalogue.findings(program))]
    for bug, found in missed:
        print(f"MISSED {bug.program.__name__}, line {bug.line}: {bug.words}", *found, sep="\n")
    for program, found in loud:
        print(f"LOUD {program.__name__}", *found, sep="\n")
    bugs, healthy = len(catalogue.bugs), len(catalogue.healthy)
    print(f"{bugs - len(missed)} of {bugs} bugs named; {healthy - len(loud)} of {healthy} silent")
    return len(loud)


if __name__ == "__main__":
    sys.exit(bool(main(sys.argv[1])))
