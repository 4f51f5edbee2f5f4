"""Many programs in stretches of seeds, each a process of its own: over all cores, and to go on with after a stop.

What a stretch came to is a file of a folder. A stretch whose file is there is not run again, unless it had faults, or
anything of the package or of the fuzzer has changed since.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["LENGTH", "Stretch", "run_stretches", "version"]

LENGTH = 250
"""How many seeds a stretch has."""

_ROOT = Path(__file__).parents[2]


class Stretch:
    """The seeds from ``first`` up to ``end``, and the file that says what they came to."""

    def __init__(self, first: int, end: int, folder: Path) -> None:
        self.first, self.end = first, end
        self.path = folder / f"{first}-{end}.json"

    def is_done(self, wanted: str | None) -> bool:
        """Tell whether it was run without a fault, by this version (None: by any)."""
        try:
            kept = json.loads(self.path.read_text())
        except (OSError, ValueError):
            return False
        return not kept["faults"] and wanted in (None, kept["version"])

    def run(self, shrinking: float) -> list[str]:
        """Run it in a process of its own: return its faults, of which the end of the process may be one."""
        self.path.unlink(missing_ok=True)
        done = subprocess.run(
            [sys.executable, "-m", "tests.fuzz", "--seed", str(self.first), "--count", str(self.end - self.first),
             "--shrink", str(shrinking), "--numbers", str(self.path)],
            cwd=_ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if self.path.exists():
            return list(json.loads(self.path.read_text())["faults"])
        said = (done.stdout + done.stderr)[-2000:]
        return [f"seeds {self.first} to {self.end}: the process ended with {done.returncode}\n{said}"]


def run_stretches(
    first: int, end: int, folder: Path, *, processes: int = 0, shrinking: float = 20.0, wanted: str | None = None,
    tell: Callable[[str], Any] = lambda _: None,
) -> tuple[list[Path], list[str]]:  # fmt: skip
    """Run the seeds from ``first`` up to ``end`` that were not run yet.

    Args:
        first: the first seed.
        end: the seed after the last.
        folder: where each stretch leaves its file.
        processes: how many at once; 0 for one a core.
        shrinking: seconds to shrink each fault of a new kind.
        wanted: the version whose files count as done; None for any.
        tell: is told of each stretch at once.

    Returns:
        the files of all stretches, and the faults of those that were run.
    """
    folder.mkdir(parents=True, exist_ok=True)
    stretches = list(_stretches(first, end, folder))
    missing = [stretch for stretch in stretches if not stretch.is_done(wanted)]
    faults: list[str] = []
    with ThreadPoolExecutor(processes or os.cpu_count() or 1) as pool:
        running = {pool.submit(stretch.run, shrinking): stretch for stretch in missing}
        for done in as_completed(running):
            found, stretch = done.result(), running[done]
            faults += found
            tell("\n".join([f"seeds {stretch.first} to {stretch.end}: {len(found)} faults", *found]))
    return [stretch.path for stretch in stretches if stretch.path.exists()], faults


def _stretches(first: int, end: int, folder: Path) -> Iterator[Stretch]:
    for start in range(first, end, LENGTH):
        yield Stretch(start, min(start + LENGTH, end), folder)


def version() -> str:
    """Return a digest of all that decides what a seed gives: the package, the fuzzer, and NumPy."""
    digest = hashlib.sha256(np.__version__.encode())
    for folder, pattern in (("tapeviz", "*.py"), ("tests/fuzz", "*.py"), ("tests/reference/cases", "*.*")):
        for path in sorted((_ROOT / folder).rglob(pattern)):
            digest.update(str(path.relative_to(_ROOT)).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
