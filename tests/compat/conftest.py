"""Each test begins as a program does: no graph, no mode chosen. Programs of their own, where a mode is for good."""

import socket
import subprocess
import sys

import pytest

from tapeviz.compat.v1.graph import default_graph, v2_behavior
from tapeviz.compat.v1.session import session
from tests.first_run_plans import planned_at_once

__all__ = ["free_port", "fresh_start", "planned_at_once", "program"]


@pytest.fixture(autouse=True)
def fresh_start(monkeypatch):
    monkeypatch.setattr(v2_behavior.Start, "options", None)
    monkeypatch.setattr(v2_behavior.Start, "graph_met", False)
    monkeypatch.setattr(default_graph._Process, "graph", None)
    yield
    assert default_graph._stack.graphs == []
    assert session._defaults.sessions == []


@pytest.fixture
def program(tmp_path):
    """Run a program by itself and give what it prints."""

    def run(text):
        file = tmp_path / "program.py"
        file.write_text(text)
        done = subprocess.run([sys.executable, "-W", "error", str(file)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture
def free_port():
    """The number of a port on which nobody listens."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]
