"""What a full disk and a kill mean to those who write streams."""

import errno
import os
import subprocess
import sys
import time

import pytest

import tapeviz as tf
from tapeviz.recording import FrameWriter, read
from tests.structure.sources import ROOT


@pytest.fixture
def filling(monkeypatch):
    """Have the disk get full when asked."""
    write = os.write

    def fill():
        def half(number, data):
            if len(data) < 20:
                raise OSError(errno.ENOSPC, "No space left on device")
            return write(number, data[: len(data) // 2])

        monkeypatch.setattr(os, "write", half)

    yield fill
    monkeypatch.undo()


def test_a_full_disk_does_not_stop_the_program_that_is_recorded(tmp_path, filling):
    path, reached = tmp_path / "run.tape", []
    with pytest.raises(OSError, match=r"No space left on device; it has the first \d+ frames") as caught:  # noqa: PT012, SIM117
        with pytest.warns(RuntimeWarning, match="No space left on device"), tf.record(save=path) as tape:  # noqa: PT031
            filling()
            tf.exp(tf.ones([3]))
            reached.append(True)
    assert caught.value.errno == errno.ENOSPC
    assert reached
    assert read(path).problem is None
    assert len(tape.recording.events) > len(read(path).events)


def test_a_full_disk_does_not_hide_the_error_of_the_program(tmp_path, filling):
    with pytest.warns(RuntimeWarning, match="No space"), pytest.raises(ZeroDivisionError):  # noqa: PT012, PT031, SIM117
        with tf.record(save=tmp_path / "run.tape"):
            filling()
            tf.exp(tf.ones([3]))
            _ = 1 // 0


def test_records_that_have_room_are_in_the_file(tmp_path, filling):
    path = tmp_path / "words"
    writer = tf.io.TFRecordWriter(str(path))
    writer.write(b"first")
    writer.flush()
    writer.write(b"second" * 100)
    filling()
    with pytest.raises(tf.errors.ResourceExhaustedError, match=r"Cannot write records: .*words; No space left"):
        writer.flush()
    with pytest.raises(tf.errors.FailedPreconditionError, match="has failed"):
        writer.write(b"third")
    writer.close()
    assert list(tf.data.TFRecordDataset(str(path)).as_numpy_iterator()) == [b"first"]


def test_rows_go_on_behind_a_row_that_a_killed_process_has_left(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("epoch,loss\n0,0.5\n1,0.")
    logger = tf.keras.callbacks.CSVLogger(path, append=True)
    logger.on_train_begin()
    logger.on_epoch_end(2, {"loss": 0.25})
    logger.close(None)
    assert path.read_text() == "epoch,loss\n0,0.5\n1,0.\n2,0.25\n"


# Rows of a recording are known by their position: what somebody else puts between its frames makes all of them wrong.


def add(count, step=0.0):
    x = tf.constant(1.0)
    for _ in range(count):
        x = x + 1.0
    time.sleep(step)


def ops(recording):
    return {name: int((recording.events.op == row).sum()) for row, name in enumerate(recording.ops.name)}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_process_adds_nothing_to_the_recording_of_its_parent(tmp_path):
    path = tmp_path / "run.tape"
    with tf.record(save=path, values="none") as tape:
        add(3000)
        child = os.fork()
        if child == 0:
            x = tf.constant(1.0)
            for _ in range(9000):
                x = x * 1.0
            time.sleep(0.3)
            for _ in range(9000):
                x = x * 1.0
            os._exit(0)
        os.waitpid(child, 0)
        add(3000)
    recording = tf.load(path).recording
    assert recording.problem is None
    assert ops(recording) == ops(tape.recording) == {"add": 6000}
    with tf.record(save=path):  # and the file is free again
        add(1)


def test_a_file_that_is_being_recorded_to_is_nobody_elses(tmp_path):
    path = tmp_path / "run.tape"
    with tf.record(save=path, values="none") as tape:
        add(2000, 0.3)
        for write in (lambda: FrameWriter(path), lambda: tape.save(path)):
            with pytest.raises(OSError, match=r"writing it|being written") as error:
                write()
            assert (error.value.errno, error.value.filename) == (errno.EBUSY, str(path))
        code = f"import tapeviz as tf\nwith tf.record(save={str(path)!r}): tf.constant(1.0) * 2.0"
        other = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
        assert f"something else is writing it: {str(path)!r}" in other.stderr
        add(2000)
    assert ops(tf.load(path).recording) == {"add": 4000}
    tape.save(path)
    assert ops(tf.load(path).recording) == {"add": 4000}


def test_a_recording_whose_file_is_gone_says_so_at_once_and_is_whole_in_memory(tmp_path):
    path = tmp_path / "run.tape"
    recorder = tf.record(save=path, values="none")
    tape = recorder.__enter__()
    add(100)
    path.unlink()
    add(100)
    said = "it was removed, or replaced by another file"
    with pytest.warns(RuntimeWarning, match=said), pytest.raises(OSError, match=said):
        recorder.__exit__(None, None, None)
    assert ops(tape.recording) == {"add": 200}


def test_a_recording_within_another_says_that_it_has_no_file_of_its_own(tmp_path):
    path = tmp_path / "inner.tape"
    said = "a recording is running already and this one is a part of it: nothing is written to .*inner.tape"
    with tf.record(values="none"), pytest.warns(RuntimeWarning, match=said), tf.record(save=path):
        add(1)
    assert not path.exists()
