"""What a full disk and a kill mean to those who write streams."""

import errno
import os

import pytest

import tapeviz as tf
from tapeviz.recording import read


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
