"""``tf.app``: a program's ``main``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from tapeviz.compat.v1 import flags

__all__ = ["flags", "run"]


def run(main: Callable[..., Any] | None = None, argv: Any = None) -> None:
    """Call the program's ``main`` with the arguments that are no flags, and end the program with what it returns.

    Flags are those of :mod:`tapeviz.compat.v1.flags`, and absl's where the program uses them.
    """
    chosen: Any = main or sys.modules["__main__"].main
    rest = flags.FLAGS(sys.argv if argv is None else argv)
    if (others := sys.modules.get("absl.flags")) is not None:
        rest = others.FLAGS(rest, known_only=True)
    sys.exit(chosen(rest))
