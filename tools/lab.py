"""Opens a notebook of this repository in JupyterLab.

    python -m tools.lab notebooks/tour.ipynb

Without a graphical browser it prints the address to open instead.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tools import jupyter_home

ROOT = Path(__file__).resolve().parent.parent


def main(notebook: str) -> None:
    """Become JupyterLab."""
    environment = jupyter_home.prepare(Path(sys.prefix) / "jupyter-home")
    screen = sys.platform == "darwin" or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
    # As the default address the notebook is also in the address that is printed. At this level little else is.
    options = [f"--ServerApp.root_dir={ROOT}", f"--LabApp.default_url=/lab/tree/{notebook}", "--log-level=WARN"]
    options += [] if screen else ["--no-browser"]
    os.execve(sys.executable, [sys.executable, "-m", "jupyterlab", *options], environment)


if __name__ == "__main__":
    main(sys.argv[1])
