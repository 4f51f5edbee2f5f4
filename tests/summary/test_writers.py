"""Writers: defaults, steps, conditions, files; nothing is lost when a process dies."""

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.summary import records
from tests.summary.event_reader import read, tensors


def values(folder, tag="loss"):
    return [(step, float(value)) for step, value in tensors(folder, tag)]


def test_without_a_writer_nothing_is_written():
    assert tf.summary.scalar("loss", 1.0, step=0) is False
    assert tf.summary.should_record_summaries() is False


def test_a_block_ends_what_it_began(tmp_path):
    outer, inner = (tf.summary.create_file_writer(tmp_path / name) for name in ("outer", "inner"))
    with outer.as_default(step=1):
        with inner.as_default(step=5):
            assert tf.summary.scalar("loss", 0.5) is True
        tf.summary.scalar("loss", 1.5)
    assert tf.summary.experimental.get_step() is None
    outer.close()
    inner.close()
    assert values(tmp_path / "outer") == [(1, 1.5)]
    assert values(tmp_path / "inner") == [(5, 0.5)]


def test_a_variable_as_step_counts_in_graphs(tmp_path):
    step = tf.Variable(0, dtype=tf.int64)
    writer = tf.summary.create_file_writer(tmp_path)

    @tf.function
    def train(x):
        tf.summary.scalar("loss", x)
        step.assign_add(1)
        tf.summary.scalar("after", x)

    tf.summary.experimental.set_step(step)
    try:
        with writer.as_default():
            for x in (3.0, 2.0, 1.0):
                train(tf.constant(x))
    finally:
        tf.summary.experimental.set_step(None)
    writer.close()
    assert train.experimental_get_tracing_count() == 1
    assert values(tmp_path) == [(0, 3.0), (1, 2.0), (2, 1.0)]
    assert values(tmp_path, "after") == [(1, 3.0), (2, 2.0), (3, 1.0)]


def test_conditions(tmp_path):
    writer, step = tf.summary.create_file_writer(tmp_path), tf.Variable(0, dtype=tf.int64)

    @tf.function
    def tell(x):
        with tf.summary.record_if(lambda: tf.equal(step % 2, 0)):
            tf.summary.scalar("even", x, step=step)
        with tf.summary.record_if(False):
            tf.summary.scalar("never", x, step=step)

    with writer.as_default():
        for number in range(4):
            step.assign(number)
            tell(tf.constant(float(number)))
            with tf.summary.record_if(number > 2):
                assert tf.summary.should_record_summaries() is (number > 2)
                tf.summary.scalar("late", number, step=number)
    writer.close()
    assert read(tmp_path).Tags()["tensors"] == ["even", "late"]
    assert values(tmp_path, "even") == [(0, 0.0), (2, 2.0)]
    assert values(tmp_path, "late") == [(3, 3.0)]


def test_the_default_is_one_threads(tmp_path):
    writer, seen = tf.summary.create_file_writer(tmp_path), []
    with writer.as_default():
        thread = threading.Thread(target=lambda: seen.append(tf.summary.scalar("x", 1.0, step=0)))
        thread.start()
        thread.join()
    writer.close()
    assert seen == [False]


def test_threads_share_a_writer(tmp_path):
    writer = tf.summary.create_file_writer(tmp_path)

    def tell(tag):
        with writer.as_default():
            for step in range(50):
                tf.summary.scalar(tag, step, step=step)

    threads = [threading.Thread(target=tell, args=(f"t{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.close()
    for number in range(4):
        assert values(tmp_path, f"t{number}") == [(step, float(step)) for step in range(50)]


def test_a_closed_writer_says_so(tmp_path):
    writer = tf.summary.create_file_writer(tmp_path)
    tell = tf.function(lambda x: tf.summary.scalar("loss", x, step=0))
    with writer.as_default():
        tell(tf.constant(1.0))
    writer.close()
    writer.close()
    writer.flush()
    with pytest.raises(RuntimeError, match="SummaryWriter is already closed"), writer.as_default():
        pass
    with pytest.raises(RuntimeError, match="SummaryWriter is already closed"):
        writer.set_as_default()
    with pytest.raises(RuntimeError, match="SummaryWriter is already closed"):
        tell(tf.constant(1.0))
    assert repr(writer).endswith(", closed>")


def test_a_closed_default_is_none(tmp_path):
    writer = tf.summary.create_file_writer(tmp_path)
    writer.set_as_default()
    writer.close()
    assert tf.summary.scalar("loss", 1.0, step=0) is False


def test_a_writer_that_writes_nothing():
    with tf.summary.create_noop_writer().as_default(step=0) as writer:
        assert tf.summary.scalar("loss", 1.0) is True
        tf.summary.flush()
    writer.close()
    assert repr(writer) == "<SummaryWriter to nowhere>"


def test_two_writers_of_one_moment_have_two_files(tmp_path):
    writers = [tf.summary.create_file_writer(tmp_path, filename_suffix=".mine") for _ in range(3)]
    for number, writer in enumerate(writers):
        with writer.as_default():
            tf.summary.scalar("loss", number, step=number)
        writer.close()
    names = [path.name for path in tmp_path.iterdir()]
    assert len(names) == 3
    assert all(name.startswith("events.out.tfevents.") and name.endswith(".mine") for name in names)


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"Cannot make the event file .*file"):
        tf.summary.create_file_writer(tmp_path / "file")
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"Cannot make the event file .*inside"):
        tf.summary.create_file_writer(tmp_path / "file" / "inside")
    with pytest.raises(ValueError, match="cannot be None"):
        tf.summary.create_file_writer(None)


def test_a_full_disk_leaves_a_whole_file(tmp_path, monkeypatch):
    writer = tf.summary.create_file_writer(tmp_path)
    write = os.write

    def half(number, data):
        if len(data) > 20:
            return write(number, data[:20])
        raise OSError(28, "No space left on device")

    with writer.as_default():
        tf.summary.scalar("loss", 1.0, step=1)
        monkeypatch.setattr(records.os, "write", half)
        with pytest.raises(tf.errors.ResourceExhaustedError, match="No space left"):
            tf.summary.scalar("loss", 2.0, step=2)
        monkeypatch.undo()
        tf.summary.scalar("loss", 3.0, step=3)
    writer.close()
    assert values(tmp_path) == [(1, 1.0), (3, 3.0)]


PROGRAM = """
import sys, tapeviz as tf
writer = tf.summary.create_file_writer(sys.argv[1])
writer.set_as_default()
step = 0
while True:
    tf.summary.scalar("loss", 1.0 / (step + 1), step=step)
    print(step, flush=True)
    step += 1
"""


def test_a_killed_process_loses_nothing(tmp_path):
    with subprocess.Popen([sys.executable, "-c", PROGRAM, str(tmp_path)], stdout=subprocess.PIPE, text=True) as child:
        for line in child.stdout:
            if int(line) == 40:
                break
        time.sleep(np.random.default_rng().uniform(0, 0.01))
        child.kill()
        told = [int(line) for line in child.stdout.read().splitlines()]
    last = told[-1] if told else 40
    found = values(tmp_path)
    assert [step for step, _ in found][: last + 1] == list(range(last + 1))
    assert found[10] == (10, pytest.approx(1 / 11))
