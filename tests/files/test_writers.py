"""Several processes that write one checkpoint at once: each reading finds a whole one, and the last is there."""

import os

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.train import files
from tapeviz.train.files import CheckpointReader, write_checkpoint

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the writers are forked")


def writer(prefix, number, times):
    """A process that writes checkpoints of its number; how often it could not is its exit status."""
    child = os.fork()
    if child:
        return child
    failed = 0
    for _ in range(times):
        try:
            write_checkpoint(prefix, {"v": np.full(5000, number, np.float32)})
        except tf.errors.OpError:
            failed += 1
    os._exit(min(failed, 9))


def test_each_checkpoint_of_several_writers_is_whole(tmp_path):
    prefix = str(tmp_path / "model")
    write_checkpoint(prefix, {"v": np.zeros(5000, np.float32)})
    children = [writer(prefix, number, 15) for number in (1, 2, 3)]
    running, read = set(children), 0
    while running:
        value = CheckpointReader(prefix).get_tensor("v")
        assert (value == value[0]).all()
        read += 1
        running = {child for child in running if os.waitpid(child, os.WNOHANG) == (0, 0)}
    assert read > 0
    assert CheckpointReader(prefix).get_tensor("v")[0] in (1, 2, 3)
    write_checkpoint(prefix, {"v": np.zeros(5000, np.float32)})  # and clears away what is left
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_a_checkpoint_whose_index_is_in_place_keeps_its_data(error, tmp_path, monkeypatch):
    prefix = str(tmp_path / "model")
    write_checkpoint(prefix, {"v": np.zeros(5, np.float32)})
    write = files.write_atomic

    def interrupted(path, pieces):
        write(path, pieces)
        raise error

    monkeypatch.setattr(files, "write_atomic", interrupted)
    with pytest.raises((KeyboardInterrupt, tf.errors.OpError)):
        write_checkpoint(prefix, {"v": np.ones(5, np.float32)})
    assert CheckpointReader(prefix).get_tensor("v")[0] in (0, 1)


def test_no_writer_fails_beside_others(tmp_path):
    prefix = str(tmp_path / "model")
    children = [writer(prefix, number, 10) for number in (1, 2, 3)]
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0, 0, 0]
