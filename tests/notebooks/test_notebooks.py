"""Each notebook runs from top to bottom in under a minute, and is stored without outputs."""

import time
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tools import jupyter_home

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
SECONDS = 60

each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


@pytest.mark.slow
@each_notebook
def test_it_runs_from_top_to_bottom(path, tmp_path, monkeypatch):
    for name, value in jupyter_home.prepare(tmp_path / "jupyter").items():
        monkeypatch.setenv(name, value)
    notebook = nbformat.read(path, as_version=4)
    start = time.monotonic()
    # A cell that is meant to raise is tagged `raises-exception`; any other error ends the run.
    NotebookClient(notebook, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert time.monotonic() - start < SECONDS


@each_notebook
def test_it_is_stored_without_outputs(path):
    notebook = nbformat.read(path, as_version=4)
    outputs = [cell.id for cell in notebook.cells if cell.get("outputs") or cell.get("execution_count")]
    assert outputs == []
    assert "widgets" not in notebook.metadata
