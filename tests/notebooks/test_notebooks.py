"""Each notebook runs from top to bottom in under a minute, and is stored clean."""

import re

import nbformat
import pytest

from tests.notebooks.conftest import FOLDER

# Of other frameworks, which the tests' environment has not: `make test-adapters` runs them.
ELSEWHERE = {"pytorch", "tensorflow"}
EVERY = sorted(path for folder in ("", "programs", "exercises") for path in (FOLDER / folder).glob("*.ipynb"))
NOTEBOOKS = [path for path in EVERY if path.stem not in ELSEWHERE]
SECONDS = 60

each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
each_of_all = pytest.mark.parametrize("path", EVERY, ids=lambda path: path.stem)


def test_there_are_notebooks():
    assert NOTEBOOKS


@pytest.mark.slow
@each_notebook
def test_it_runs_from_top_to_bottom(path, run):
    assert run(path).seconds < SECONDS


@pytest.mark.slow
@each_notebook
def test_it_warns_of_nothing(path, run):
    streams = [output for cell in run(path).notebook.cells for output in cell.get("outputs", [])]
    assert [output.text for output in streams if output.get("name") == "stderr"] == []


@each_of_all
def test_it_is_stored_clean(path):
    notebook = nbformat.read(path, as_version=4)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    nbformat.validate(notebook)
    assert [cell.id for cell in notebook.cells if cell.get("outputs") or cell.get("execution_count")] == []
    assert notebook.metadata.keys() <= {"kernelspec", "language_info"}


@each_of_all
def test_its_links_lead_somewhere(path):
    notebook = nbformat.read(path, as_version=4)
    texts = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    links = [link for text in texts for link in re.findall(r"\]\((?!https?:)([^)#\s]+)", text)]
    assert [link for link in links if not (path.parent / link).exists()] == []
