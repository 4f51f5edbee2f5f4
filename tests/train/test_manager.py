"""``CheckpointManager``: how many there are, which goes, and going on after a restart."""

import os

import pytest

import tapeviz as tf
from tapeviz.train import manager as managing


def names(folder):
    return sorted(path.stem for path in folder.glob("*.index"))


def test_the_last_are_kept(tmp_path):
    x = tf.Variable(0.0)
    checkpoint = tf.train.Checkpoint(x=x)
    manager = tf.train.CheckpointManager(checkpoint, tmp_path / "run", max_to_keep=2)
    assert (manager.latest_checkpoint, manager.checkpoints, manager.restore_or_initialize()) == (None, [], None)
    for step in range(4):
        x.assign(step)
        assert manager.save() == str(tmp_path / "run" / f"ckpt-{step + 1}")
    assert names(tmp_path / "run") == ["ckpt-3", "ckpt-4"]
    assert len(list((tmp_path / "run").iterdir())) == 5
    assert manager.checkpoints == [str(tmp_path / "run" / f"ckpt-{number}") for number in (3, 4)]
    assert manager.save(checkpoint_number=9) == str(tmp_path / "run" / "ckpt-9")
    again = tf.train.CheckpointManager(tf.train.Checkpoint(x=tf.Variable(0.0)), str(tmp_path / "run"), max_to_keep=2)
    assert again.checkpoints == [str(tmp_path / "run" / f"ckpt-{number}") for number in (4, 9)]
    assert again.restore_or_initialize() == again.latest_checkpoint == str(tmp_path / "run" / "ckpt-9")
    assert float(again.checkpoint.x) == 3.0
    assert again.directory == str(tmp_path / "run")
    state = tf.train.get_checkpoint_state(tmp_path / "run")
    assert state.all_model_checkpoint_paths == again.checkpoints
    assert len(state.all_model_checkpoint_timestamps) == 2


def test_a_folder_can_be_moved(tmp_path):
    tf.train.CheckpointManager(tf.train.Checkpoint(x=tf.Variable(0.0)), tmp_path / "run", max_to_keep=None).save()
    (tmp_path / "run").rename(tmp_path / "moved")
    assert tf.train.latest_checkpoint(tmp_path / "moved") == str(tmp_path / "moved" / "ckpt-1")


def test_one_every_few_hours_is_kept_for_good(tmp_path, monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(managing.time, "time", lambda: now[0])
    manager = tf.train.CheckpointManager(
        tf.train.Checkpoint(x=tf.Variable(0.0)), tmp_path, max_to_keep=1, keep_checkpoint_every_n_hours=1
    )
    for _ in range(6):
        now[0] += 1800.0
        manager.save()
    assert names(tmp_path) == ["ckpt-2", "ckpt-4", "ckpt-6"]
    assert manager.checkpoints == [str(tmp_path / "ckpt-6")]


def test_no_more_often_than_each_few_steps(tmp_path):
    step = tf.Variable(0)
    checkpoint = tf.train.Checkpoint(step=step)
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, 3, step_counter=step, checkpoint_interval=3)
    saved = []
    for number in range(7):
        step.assign(number)
        saved.append(manager.save() is not None)
    assert saved == [True, False, False, True, False, False, True]
    assert manager.checkpoint_interval == 3
    assert manager.save(check_interval=False) is not None


def test_something_is_called_where_there_is_nothing_to_restore(tmp_path):
    called = []
    checkpoint = tf.train.Checkpoint(x=tf.Variable(0.0))
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, 1, init_fn=lambda: called.append(1))
    assert manager.restore_or_initialize() is None
    assert called == [1]
    manager.save()
    assert manager.restore_or_initialize() == manager.latest_checkpoint
    assert called == [1]


def test_following_what_another_process_writes(tmp_path):
    x = tf.Variable(0.0)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(x=x), tmp_path, max_to_keep=2)
    asked, seen = [], []

    def is_over():
        asked.append(manager.save())
        return len(asked) > 2

    for path in tf.train.checkpoints_iterator(tmp_path, timeout=0, timeout_fn=is_over):
        seen.append(path)
        if len(seen) == 1:
            manager.save()
            manager.save()
    assert [path[-1] for path in seen] == ["1", "3", "4"]
    assert [path[-1] for path in asked] == ["1", "4", "5"]


def test_arguments_that_cannot_be(tmp_path):
    checkpoint = tf.train.Checkpoint(x=tf.Variable(0.0))
    with pytest.raises(ValueError, match="Expected a positive integer or `None` for `max_to_keep`, got 0"):
        tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=0)
    with pytest.raises(ValueError, match="`step_counter` should be passed"):
        tf.train.CheckpointManager(checkpoint, tmp_path, 1, checkpoint_interval=5)


def test_nothing_is_removed_when_nothing_can_be_written(tmp_path, monkeypatch):
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(x=tf.Variable(0.0)), tmp_path, max_to_keep=1)
    manager.save()

    def refused(_path, _target):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refused)
    with pytest.raises(tf.errors.PermissionDeniedError, match=r"Cannot write a checkpoint under .*Permission denied"):
        manager.save()
    monkeypatch.undo()
    assert manager.checkpoints == [str(tmp_path / "ckpt-1")]
    assert names(tmp_path) == ["ckpt-1"]
    assert manager.save() == str(tmp_path / "ckpt-2")
    assert names(tmp_path) == ["ckpt-2"]
