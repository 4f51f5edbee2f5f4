"""Weights under a prefix say beside them which are the latest, as those of Keras 2 do."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz as tf


@pytest.fixture
def model():
    made = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    made.build((None, 2))
    made.compile("sgd", "mse")
    return made


def fitted(model, path):
    keep = tf.keras.callbacks.ModelCheckpoint(path, save_weights_only=True)
    model.fit(np.ones((4, 2)), np.ones((4, 1)), epochs=2, verbose=0, callbacks=[keep])


def test_save_weights_writes_a_checkpoint_file(model, tmp_path):
    model.save_weights(tmp_path / "weights")
    assert (tmp_path / "checkpoint").read_text().startswith('model_checkpoint_path: "weights"\n')
    assert tf.train.latest_checkpoint(tmp_path) == str(tmp_path / "weights")


def test_model_checkpoint_names_the_weights_of_the_last_epoch(model, tmp_path):
    fitted(model, tmp_path / "w-{epoch}")
    latest = tf.train.latest_checkpoint(tmp_path)
    assert latest == str(tmp_path / "w-2")
    saved = [value.tolist() for value in model.get_weights()]
    model.set_weights([np.zeros_like(value) for value in model.get_weights()])
    model.load_weights(latest)
    assert [value.tolist() for value in model.get_weights()] == saved


@pytest.mark.parametrize("name", ["w.h5", "w.weights.h5", "w.hdf5", "w.keras"])
def test_a_file_of_kerass_own_has_none_beside_it(model, tmp_path, name):
    fitted(model, tmp_path / name)
    assert not (tmp_path / "checkpoint").exists()


def test_the_folder_can_be_moved(model, tmp_path):
    fitted(model, tmp_path / "old" / "w")
    (tmp_path / "old").rename(tmp_path / "new")
    assert tf.train.latest_checkpoint(tmp_path / "new") == str(tmp_path / "new" / "w")
