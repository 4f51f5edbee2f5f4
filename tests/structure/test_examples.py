"""The examples in docstrings give what they say."""

import doctest
import re
from importlib import import_module

import pytest

import tapeviz.keras
from tapeviz.compat.v1.graph import default_graph, v2_behavior
from tests.structure.sources import modules

WITH_EXAMPLES = [name for name, path in modules().items() if re.search(r"^ *>>> ", path.read_text(), re.MULTILINE)]


@pytest.fixture(autouse=True)
def fresh_start(monkeypatch, tmp_path):
    """Each module begins as a program does: no graph, no mode chosen, no name taken, and a folder of its own."""
    monkeypatch.setattr(v2_behavior.Start, "options", None)
    monkeypatch.setattr(v2_behavior.Start, "graph_met", False)
    monkeypatch.setattr(default_graph._Process, "graph", None)
    monkeypatch.chdir(tmp_path)
    tapeviz.keras.backend.clear_session()


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_are_true(name):
    failures: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for example in doctest.DocTestFinder().find(import_module(name)):
        runner.run(example, out=failures.append)
    assert not runner.failures, "".join(failures)
