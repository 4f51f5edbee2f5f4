"""Opens a notebook of this repository in JupyterLab.

    python tools/lab.py notebooks/01_tour.ipynb

Without a graphical browser it prints the address to open instead.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import jupyter_home

ROOT = Path(__file__).resolve().parent.parent


def main(notebook: str) -> None:
    """Become JupyterLab."""
    environment = jupyter_home.prepare(Path(sys.prefix) / "jupyter-home")
    screen = sys.platform == "darwin" or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
    options = [f"--ServerApp.root_dir={ROOT}", *([] if screen else ["--no-browser"])]
    os.chdir(ROOT)
    os.execve(sys.executable, [sys.executable, "-m", "jupyterlab", *options, notebook], environment)


if __name__ == "__main__":
    main(sys.argv[1])
