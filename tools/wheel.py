"""Builds the source distribution and the wheel, and shows that the wheel works where there is nothing else.

    make wheel

The wheel is made from the source distribution, as pip does. It goes into a new environment with no Node on the PATH,
and the tour is run there, in a folder that is none of this repository's.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
TOUR = ROOT / "notebooks" / "tour.ipynb"
LOOKS = """
import pathlib, sys, tapeviz as tf
assert pathlib.Path(tf.__file__).is_relative_to(sys.prefix), tf.__file__
assert (pathlib.Path(sys.prefix) / "share/jupyter/labextensions/tapeviz/package.json").exists()
with tf.record() as tape:
    tf.exp(tf.ones([3]))
tape.save("tape.html")
"""


def main() -> None:
    """Build both, install the wheel, and run the tour."""
    for old in (*DIST.glob("tapeviz-*.whl"), *DIST.glob("tapeviz-*.tar.gz")):
        old.unlink()
    _run([sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", DIST], ROOT)
    (source,) = DIST.glob("tapeviz-*.tar.gz")
    _run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", DIST, source], ROOT)
    (wheel,) = DIST.glob("tapeviz-*.whl")
    with tempfile.TemporaryDirectory() as folder:
        _try(wheel, Path(folder))
    print(f"{source.relative_to(ROOT)} and {wheel.relative_to(ROOT)} are made; the tour ran from the wheel")


def _try(wheel: Path, folder: Path) -> None:
    environment = folder / "environment"
    _run([sys.executable, "-m", "venv", environment], folder)
    commands = environment / ("Scripts" if os.name == "nt" else "bin")
    python = commands / "python"
    ours = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"}
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    # Nothing else is on the PATH: no Node, and no other Python.
    alone = {**kept, "PATH": str(commands), "JUPYTER_CONFIG_DIR": str(folder / "config"),
             "JUPYTER_DATA_DIR": str(folder / "data"), "IPYTHONDIR": str(folder / "ipython")}  # fmt: skip
    _run([python, "-m", "pip", "install", "--quiet", f"{wheel}[lab]"], folder, alone)
    _run([python, "-c", LOOKS], folder, alone)
    shutil.copy(TOUR, folder / TOUR.name)
    _run([python, "-m", "nbconvert", "--to", "notebook", "--execute", "--log-level=WARN", TOUR.name], folder, alone)


def _run(command: list[object], folder: Path, environment: dict[str, str] | None = None) -> None:
    subprocess.run([str(part) for part in command], cwd=folder, env=environment, check=True)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"Failed: {' '.join(map(str, error.cmd))}")
