"""Each program of the guides runs twice: as it is, and recorded, to be run again from the recording, to the bit."""

from __future__ import annotations

import inspect

import pytest

import tapeviz as tf
from tapeviz.compat.v1.graph import v2_behavior


def pytest_generate_tests(metafunc):
    """Those that record themselves run once."""
    records = "tf.record(" in inspect.getsource(metafunc.function)
    metafunc.parametrize(
        "_again", [False] if records else [False, True], ids=lambda again: "again" * again, indirect=True
    )


@pytest.fixture(autouse=True)
def _again(request):
    if not request.param:
        yield
        return
    with tf.record(values="inputs") as tape:
        yield
    again = tape.rerun()
    assert "stopped" not in again.recording.meta_dict()
    found = tf.diff(tape, again)
    assert not found.material, found


@pytest.fixture(autouse=True)
def _own_mode(monkeypatch):
    """A program that turns eager execution on does so for itself."""
    monkeypatch.setattr(v2_behavior.Start, "options", None)
