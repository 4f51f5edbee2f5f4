"""Each notebook is run once, as `jupyter execute` would; the tests look at what came of it."""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from tools import jupyter_home

FOLDER = Path(__file__).parents[2] / "notebooks"


@dataclass(frozen=True)
class Run:
    """A notebook that was run: its outputs by the cells' ids, where it ran, and how long it took."""

    notebook: Any
    folder: Path
    seconds: float

    def outputs(self, cell: str) -> list[Any]:
        """Return the outputs of a cell."""
        return next(found.outputs for found in self.notebook.cells if found.id == cell)

    def text(self, cell: str) -> str:
        """Return what a cell printed, and its value as text."""
        shown = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in self.outputs(cell)]
        return "\n".join(shown)


@pytest.fixture(scope="session")
def run(tmp_path_factory):
    """Return a function that runs a notebook, the first time it is asked for it."""
    done: dict[Path, Run] = {}

    def once(path: Path) -> Run:
        if path not in done:
            folder = tmp_path_factory.mktemp(path.stem)
            with pytest.MonkeyPatch.context() as patch:
                for name, value in jupyter_home.prepare(folder / "jupyter").items():
                    patch.setenv(name, value)
                done[path] = _run(path, folder)
        return done[path]

    return once


def _run(path: Path, folder: Path) -> Run:
    notebook = nbformat.read(path, as_version=4)
    if (data := path.parent / "data").is_dir():
        shutil.copytree(data, folder / "data")
    start = time.monotonic()
    # A cell that is meant to raise is tagged `raises-exception`; any other error ends the run.
    NotebookClient(notebook, kernel_name="python3", resources={"metadata": {"path": str(folder)}}).execute()
    return Run(notebook, folder, time.monotonic() - start)
