"""Which of the names that TensorFlow documents are here, with the same parameters.

python -m tests.api.coverage            the share of each namespace, and what is missing without a reason
python -m tests.api.coverage --missing  each miss
"""

from __future__ import annotations

import inspect
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
STORED = HERE / "tensorflow_names.json"
REASONS = HERE / "missing.txt"
ABSENT = "absent"


def documented() -> dict[str, dict[str, list[str] | None]]:
    """Return TensorFlow's names by namespace, each with its parameters in order (None for what takes none)."""
    return json.loads(STORED.read_text())


def misses() -> dict[str, str]:
    """Return each name that is not here as TensorFlow has it, with what is different."""
    return {
        f"{space}.{name}": difference
        for space, names in documented().items()
        for name, parameters in names.items()
        if (difference := _difference(space, name, parameters))
    }


def _difference(space: str, name: str, parameters: list[str] | None) -> str:
    ours = _find(space, name)
    if ours is _nothing:
        return ABSENT
    if parameters is None:
        return ""
    mine = parameters_of(ours)
    return "" if mine == parameters else f"({', '.join(parameters)}) there, ({', '.join(mine)}) here"


_nothing = object()


def _find(space: str, name: str) -> Any:
    found: Any = import_module("tapeviz")
    for part in [*space.split(".")[1:], name]:
        found = getattr(found, part, _nothing)
    return found


def parameters_of(value: Any) -> list[str]:
    """Return the names of a function's parameters, or of what a class is made with, in order."""
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    parameters = inspect.signature(value).parameters.values()
    return [stars.get(parameter.kind, "") + parameter.name for parameter in parameters]


def reasons() -> dict[str, str]:
    """Return the reason for each miss, by name."""
    lines = [line.partition("#")[0].strip() for line in REASONS.read_text().splitlines()]
    pairs = [line.partition(":") for line in lines if line]
    return {name.strip(): reason.strip() for name, _, reason in pairs}


def shares() -> dict[str, tuple[int, int]]:
    """Return for each namespace how many names are here with the same parameters, and of how many."""
    missed = misses()
    return {
        space: (sum(f"{space}.{name}" not in missed for name in names), len(names))
        for space, names in documented().items()
    }


def report() -> list[str]:
    """Return the shares as lines of a table."""
    rows = shares()
    rows["together"] = tuple(map(sum, zip(*rows.values(), strict=True)))  # type: ignore[assignment]
    return [f"{space:16} {here:4} of {all_:4}  {here / all_:6.1%}" for space, (here, all_) in rows.items()]


def prune() -> None:
    """Take out the reasons for what is here by now."""
    missed = misses()
    lines = REASONS.read_text().splitlines(keepends=True)
    kept = [line for line in lines if line[:1] in "#\n" or line.partition(":")[0] in missed]
    REASONS.write_text("".join(kept))


if __name__ == "__main__":
    if "--prune" in sys.argv:
        prune()
    print("\n".join(report()))
    known = reasons()
    for miss, difference in misses().items():
        if "--missing" in sys.argv or miss not in known:
            print(f"{miss}: {difference}")
