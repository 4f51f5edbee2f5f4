"""A fixture under which graphs are planned for their first run and compiled for their second.

Tests that run them a few times so test all that usually runs.
"""

import pytest

from tapeviz.graphs import program
from tapeviz.graphs.native import wishes


@pytest.fixture(autouse=True)
def planned_at_once(monkeypatch, request):
    if "graphs/test_registry" not in request.node.nodeid:
        monkeypatch.setattr(program, "_UNPLANNED", 0)
    monkeypatch.setattr(wishes, "_RUNS", 2)
