"""Run the programs of the list, fetched from where they are public, with tapeviz in TensorFlow's place.

    python tests/strangers/run.py                       all of them; those that cannot be fetched are named
    python tests/strangers/run.py --only TensorFlow-Ex  of repositories whose name has that in it
    python tests/strangers/run.py --checkouts FOLDER    from checkouts FOLDER/owner+name that are there already

Each runs in a process and a folder of its own, on little data and for few steps (see program.py). What is printed is
sorted by what stops the most. The programs stay outside of the repository.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LIST = HERE / "programs.toml"
FETCHED = ROOT / ".strangers"
SECONDS = 120


class Stranger(NamedTuple):
    """A program of the list."""

    repository: str
    commit: str
    path: str
    level: str


def listed(only: str = "") -> Iterator[Stranger]:
    """Give the programs of the list."""
    for entry in tomllib.loads(LIST.read_text(encoding="utf-8"))["repository"]:
        if only.lower() in entry["name"].lower():
            for level in ("2.21", "1.15"):
                for path in entry.get(f"level-{level}", ()):
                    yield Stranger(entry["name"], entry["commit"], path, level)


def fetch(repository: str, commit: str, paths: list[str], checkouts: Path | None) -> Path | None:
    """Return a folder with these files of a repository at a commit; None where it cannot be had."""
    folder = (checkouts or FETCHED) / repository.replace("/", "+")
    if checkouts is not None:
        return folder if folder.is_dir() else None
    git = ["git", "-C", str(folder)]
    if not folder.is_dir():
        source = f"https://github.com/{repository}.git"
        clone = ["git", "clone", "--quiet", "--filter=blob:none", "--no-checkout", source, str(folder)]
        if subprocess.run(clone, check=False).returncode:
            return None
    # Whole folders: programs import what lies beside them.
    beside = sorted({str(Path(path).parent) for path in paths})
    return (
        None if subprocess.run([*git, "checkout", "--quiet", commit, "--", *beside], check=False).returncode else folder
    )


def run(stranger: Stranger, folder: Path) -> dict[str, Any]:
    """Return what happened: cells, how many ran, what stopped each of the others."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-W", "ignore", str(HERE / "program.py"), str(folder / stranger.path)]
    with tempfile.TemporaryDirectory() as place:
        try:
            done = subprocess.run(
                [*command, "--level", stranger.level], cwd=place, env=environment, capture_output=True, text=True,
                timeout=SECONDS, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return _stopped("Timeout", f"more than {SECONDS} seconds")
    try:
        found: dict[str, Any] = json.loads(done.stdout.rstrip().rpartition("\n")[2])
    except ValueError:
        return _stopped("Crash", done.stderr[-300:])
    return found


def _stopped(kind: str, message: str) -> dict[str, Any]:
    return {"cells": 1, "ran": 0, "stops": [{"type": kind, "message": message, "line": ""}]}


def report(results: dict[Stranger, dict[str, Any]]) -> str:
    """Return how many ran whole, then what stopped the others first, what stops the most before."""
    whole = sum(not found["stops"] for found in results.values())
    cells, ran = (sum(found[name] for found in results.values()) for name in ("cells", "ran"))
    stops: dict[str, list[Stranger]] = defaultdict(list)
    for stranger, found in results.items():
        for stop in found["stops"][:1]:
            stops[f"{stop['type']}: {stop['message'][:200]}".replace("\n", " ")].append(stranger)
    lines = [f"{whole} of {len(results)} programs whole; {ran} of {cells} scripts and cells"]
    for stop, programs in sorted(stops.items(), key=lambda item: -len(item[1])):
        lines += [f"{len(programs):3} {stop}", *(f"      {one.repository} {one.path}" for one in programs[:3])]
    return "\n".join(lines)


def main() -> None:
    """Fetch, run, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="", help="of repositories whose name has this in it")
    parser.add_argument("--checkouts", type=Path, help="a folder of checkouts, owner+name each")
    given = parser.parse_args()
    groups: dict[tuple[str, str], list[Stranger]] = defaultdict(list)
    for stranger in listed(given.only):
        groups[stranger.repository, stranger.commit].append(stranger)
    results: dict[Stranger, dict[str, Any]] = {}
    for (repository, commit), strangers in groups.items():
        folder = fetch(repository, commit, [one.path for one in strangers], given.checkouts)
        if folder is None:
            print(f"{repository} cannot be fetched: {len(strangers)} programs are left out", file=sys.stderr)
            continue
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            results |= dict(zip(strangers, pool.map(lambda one, at=folder: run(one, at), strangers), strict=True))
    print(report(results))


if __name__ == "__main__":
    main()
