"""A fixture under which graphs are planned for their first run and compiled for their second.

Tests that run them a few times so test all that usually runs.
"""

import pytest

from tapeviz.graphs.native import compile_policy
from tapeviz.graphs.run import executable


@pytest.fixture(autouse=True)
def planned_at_once(monkeypatch, request):
    if "graphs/test_registry" not in request.node.nodeid:
        monkeypatch.setattr(executable, "_UNPLANNED", 0)
    monkeypatch.setattr(compile_policy, "_RUNS", 2)
    monkeypatch.setattr(compile_policy, "_BESIDE", False)
