"""Short programs of the tests' own: variations of a mistake, and what looks like it and is fine."""

from __future__ import annotations

import logging
import textwrap
from pathlib import Path
from typing import Any

from tests.verdicts.programs import Program, run

__all__ = ["findings", "program"]

_HEAD = "import numpy as np\nimport tapeviz as tf\n"


def program(text: str, folder: Path, name: str = "snippet") -> Program:
    """The text as a program in a file, from which functions find their source; lines that end in # fault are its."""
    whole = _HEAD + textwrap.dedent(text).strip("\n") + "\n"
    path = folder / f"{name}.py"
    path.write_text(whole, encoding="utf-8")
    lines = [number for number, line in enumerate(whole.splitlines(), 1) if line.endswith("# fault")]
    return Program(path, "", "", "", whole, tuple(lines))


def findings(made: Program, kind: str, above: int = 1) -> list[Any]:
    """The findings of a kind above a severity."""
    logger = logging.getLogger("tapeviz")
    level = logger.level
    logger.setLevel(logging.ERROR)  # some of these warn of what is found
    try:
        found = run(made)[0].verdicts()
    finally:
        logger.setLevel(level)
    return [one for one in found if one.kind == kind and one.severity > above]
