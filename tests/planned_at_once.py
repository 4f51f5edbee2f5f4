"""A fixture under which graphs are planned for their first run: tests that run them once test what usually runs."""

import pytest

from tapeviz.graphs import program


@pytest.fixture(autouse=True)
def planned_at_once(monkeypatch, request):
    if "graphs/test_registry" not in request.node.nodeid:
        monkeypatch.setattr(program, "_UNPLANNED", 0)
