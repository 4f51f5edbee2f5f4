"""``BackupAndRestore``: a run that was killed goes on, and comes to the same."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tapeviz as tf
from tests.keras.callbacks.resumption import model, run
from tests.keras.training.models import line, linear

Backup = tf.keras.callbacks.BackupAndRestore
ROOT = Path(__file__).parents[3]


def in_a_process(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "tests.keras.callbacks.resumption", *map(str, arguments)],
        cwd=ROOT, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip


def same(found, wanted):
    for one, other in zip(found["weights"], wanted["weights"], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_a_process_that_is_killed_goes_on_at_the_epoch_it_was_at(tmp_path):
    folder = tmp_path / "backup"
    for epoch, step in ((2, 1), (4, 3)):  # in the middle of the third epoch, and at the very end of the fifth
        killed = in_a_process(folder, 7, epoch, step)
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        assert folder.is_dir()
    last = in_a_process(folder, 7)
    assert last.returncode == 0, last.stderr
    found, wanted = json.loads(last.stdout), run("", 7)
    assert found["epochs"] == [4, 5, 6]
    assert found["losses"] == pytest.approx(wanted["losses"][4:], rel=1e-5)
    assert found["steps"] == wanted["steps"] == 28
    same(found, wanted)
    assert not folder.exists()


def interrupted(backup, *, epoch, epochs=6, made=None):
    """Train until an epoch, in which something goes wrong; return the model."""
    made = made or linear()

    def stop(number, _logs):
        if number == epoch:
            raise RuntimeError("it stops here")

    stopping = tf.keras.callbacks.LambdaCallback(on_epoch_begin=stop)
    with pytest.raises(RuntimeError, match="it stops here"):
        made.fit(*line(), epochs=epochs, verbose=0, callbacks=[backup, stopping])
    return made


def test_another_model_takes_over_before_it_is_built(tmp_path):
    first = interrupted(Backup(tmp_path / "b"), epoch=3)
    second = linear()
    assert second.fit(*line(), epochs=3, verbose=0, callbacks=[Backup(tmp_path / "b")]).epoch == []
    third = linear()
    interrupted(Backup(tmp_path / "b"), epoch=3)
    third.fit(*line(), epochs=4, verbose=0, callbacks=[Backup(tmp_path / "b")])
    assert first.get_weights()[0].item() < third.get_weights()[0].item()
    assert int(third.optimizer.iterations) == 4


def test_a_backup_within_an_epoch(tmp_path):
    """The epoch is begun again with the values of the backup."""

    class Ends(tf.keras.callbacks.Callback):
        def on_train_batch_end(self, *_):
            if self.model.optimizer.iterations == 7:
                raise RuntimeError("it stops here")

    x, y = line(32)
    first, backup = linear(), Backup(tmp_path / "b", save_freq=3)
    with pytest.raises(RuntimeError, match="it stops here"):
        first.fit(x, y, batch_size=8, epochs=3, shuffle=False, verbose=0, callbacks=[backup, Ends()])
    second = linear()
    backup = Backup(tmp_path / "b", save_freq=3)
    found = second.fit(x, y, batch_size=8, epochs=3, shuffle=False, verbose=0, callbacks=[backup])
    assert found.epoch == [1, 2]
    assert int(second.optimizer.iterations) == 6 + 8  # the sixth step was the last one in the backup


def test_what_is_damaged(tmp_path):
    def damage():
        (latest,) = tmp_path.glob(f"b/{Path(tf.train.latest_checkpoint(tmp_path / 'b')).name}.*.safetensors")
        content = bytearray(latest.read_bytes())
        content[-1] ^= 1
        latest.write_bytes(content)

    interrupted(Backup(tmp_path / "b"), epoch=3)
    damage()
    with pytest.raises(tf.errors.DataLossError):
        linear().fit(*line(), epochs=6, verbose=0, callbacks=[Backup(tmp_path / "b")])
    for file in (tmp_path / "b").iterdir():
        file.unlink()
    interrupted(Backup(tmp_path / "b", double_checkpoint=True), epoch=3)
    damage()
    again = Backup(tmp_path / "b", double_checkpoint=True)
    assert linear().fit(*line(), epochs=6, verbose=0, callbacks=[again]).epoch == [2, 3, 4, 5]


def test_a_backup_that_is_kept(tmp_path):
    for epochs, wanted in ((2, [0, 1]), (2, []), (5, [2, 3, 4])):
        backup = Backup(tmp_path, delete_checkpoint=False)
        assert linear().fit(*line(), epochs=epochs, verbose=0, callbacks=[backup]).epoch == wanted
    assert tf.train.latest_checkpoint(tmp_path) is not None


def test_files_of_others_stay(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    linear().fit(*line(), epochs=2, verbose=0, callbacks=[Backup(tmp_path)])
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_backup_of_another_model(tmp_path):
    interrupted(Backup(tmp_path), epoch=1)
    other = model()
    other(line()[0])
    with pytest.raises(ValueError, match=r"not of this model|shape"):
        other.fit(*line(), epochs=3, verbose=0, callbacks=[Backup(tmp_path)])


@pytest.mark.parametrize(
    ("given", "options", "said"),
    [
        ("", {}, "Empty `backup_dir`"),
        ("b", {"save_freq": "batch"}, "Expected either 'epoch' or a positive integer"),
        ("b", {"save_freq": 0}, "Expected either 'epoch' or a positive integer"),
    ],
)
def test_what_is_refused(given, options, said):
    with pytest.raises(ValueError, match=said):
        Backup(given, **options)


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(tf.errors.FailedPreconditionError, match="file"):
        linear().fit(*line(), epochs=3, verbose=0, callbacks=[Backup(tmp_path / "file" / "b")])
    assert (tmp_path / "file").read_text() == "in the way"
