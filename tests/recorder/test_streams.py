"""A recording that is written while it is made: soon, whatever the program does, and the same as one that is not."""

import subprocess
import sys
import threading
import time

import pytest

import tapeviz as tf
from tapeviz.recorder.recorder import Recorder
from tapeviz.recording import read
from tapeviz.recording.schema import KINDS
from tests.zoo.models import ZOO
from tests.zoo.ways import WAYS

# Ops, and then a death at once: nothing is flushed, and no finally block runs.
DIES = """
import os, sys, time
import tapeviz as tf
x = tf.constant(1.0)
with tf.record(save=sys.argv[1]):
    began = time.perf_counter()
    while time.perf_counter() - began < 1.5:
        x = x + 1.0
        time.sleep(0.01)
    os._exit(9)
"""


def test_a_slow_program_that_dies_leaves_all_but_the_last_second(tmp_path):
    path = tmp_path / "run.tape"
    died = subprocess.run([sys.executable, "-c", DIES, str(path)], check=False)
    assert died.returncode == 9
    recording = read(path)
    assert len(recording.events) >= 20
    assert recording.events.t0[-1] > 0.5e9  # ns


def test_what_ran_is_in_the_file_a_second_later(tmp_path):
    path = tmp_path / "run.tape"
    x = tf.constant(1.0)
    with tf.record(save=path):
        for _ in range(3):
            x + 1.0
        time.sleep(1.0)
        x + 1.0  # an op is what writes
        assert len(read(path).events) >= 4


def test_the_clock_stops_with_the_recording(tmp_path):
    before = threading.active_count()
    for turn in range(3):
        with tf.record(save=tmp_path / f"{turn}.tape"):
            assert threading.active_count() == before + 1
    assert threading.active_count() == before
    with tf.record():
        assert threading.active_count() == before  # nobody reads along


def not_gc(recording):
    """How many events there are, but for those of Python's collector."""
    return int((recording.events.kind != KINDS.index("gc")).sum())


@pytest.mark.parametrize("way", list(WAYS))
@pytest.mark.parametrize("name", list(ZOO))
def test_packing_at_each_chance_changes_nothing(name, way, tmp_path, monkeypatch):
    step = WAYS[way](ZOO[name]())
    for _ in range(3):  # traced, and planned, so that both recordings are of a run alone
        step()
    with tf.record(values="stats") as tape:
        step()
    whole = tape.recording
    for module in ("op_hooks", "ledger"):
        monkeypatch.setattr(f"tapeviz.recorder.{module}.PACK_EVERY", 0)
    monkeypatch.setattr(Recorder, "_is_late", lambda _self: True)
    path = tmp_path / "run.tape"
    with tf.record(values="stats", save=path):
        step()
    parts = read(path)
    assert way != "eager" or len(parts.frames) > 20
    for table in ("ends", "edges", "tensors", "gradients", "requests", "node_runs", "messages"):
        assert len(parts.table(table)) == len(whole.table(table)), table
    assert not_gc(parts) == not_gc(whole)
    tensors = set(parts.tensors.id.tolist())
    given = parts.requests.gradient
    assert set(given[given >= 0].tolist()) <= tensors
    assert set(parts.stats.tensor.tolist()) == set(parts.tensors.id.tolist())
    assert (parts.events.t0[1:] >= parts.events.t0[:-1]).all()
