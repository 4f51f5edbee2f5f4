"""``save_weights`` and ``load_weights``: under plain prefixes, into models that are built and that are not."""

import logging

import numpy as np
import pytest

import tapeviz as tf
import tapeviz.compat.v1 as tf1
from tapeviz.errors import DataLossError, FailedPreconditionError, NotFoundError

layers = tf.keras.layers
X = tf.constant(np.random.default_rng(0).normal(size=(4, 5)).astype("f"))


def made(last=3, **options):
    return tf.keras.Sequential([layers.Dense(4, activation="relu"), layers.BatchNormalization(),
                                layers.Dense(last)], **options)  # fmt: skip


class Net(tf.keras.Model):
    """Layers in attributes, a list and a dict, some of which it makes when it is called."""

    def __init__(self, sizes=(4, 3)):
        super().__init__()
        self.parts = [layers.Dense(size, activation="relu") for size in sizes]
        self.named = {"last": layers.Dense(2)}
        self.scale = self.add_weight(name="scale", shape=(), initializer="ones")
        self.late = None

    def call(self, x):
        for part in self.parts:
            x = part(x)
        if self.late is None:
            self.late = layers.Dense(2)
        return self.late(self.named["last"](x)) * self.scale


def shaken(model):
    """The model with other weights than it began with."""
    rng = np.random.default_rng(1)
    model(X)
    model.set_weights([rng.normal(size=weight.shape) for weight in model.get_weights()])
    return model


@pytest.mark.parametrize("make", [made, Net])
@pytest.mark.parametrize("built", [False, True])
@pytest.mark.parametrize("way", ["eager", "function"])
def test_weights_come_back(tmp_path, monkeypatch, make, built, way):
    monkeypatch.chdir(tmp_path)
    first, second = shaken(make()), make()
    first.save_weights("weights")
    assert (tmp_path / "weights.index").exists()
    if built:
        second(X)
    status = second.load_weights("weights")
    run = second if way == "eager" else tf.function(second.call)
    np.testing.assert_allclose(run(X).numpy(), first(X).numpy(), rtol=1e-6)
    status.assert_consumed()
    for mine, theirs in zip(first.get_weights(), second.get_weights(), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_compiled_models_save_weights_alone(tmp_path):
    model = made()
    model.compile("adam", "mse")
    model.fit(X, np.zeros((4, 3)), verbose=0)
    model.save_weights(tmp_path / "my.weights.h5")
    assert len(tf.train.list_variables(tmp_path / "my.weights.h5")) == len(model.weights)
    again = made()
    again.load_weights(tmp_path / "my.weights.h5")
    np.testing.assert_array_equal(again(X).numpy(), model(X).numpy())


def test_sequential_and_functional_models_share_weights(tmp_path):
    inputs = tf.keras.Input((5,))
    hidden = layers.BatchNormalization()(layers.Dense(4, activation="relu")(inputs))
    functional = tf.keras.Model(inputs, layers.Dense(3)(hidden))
    first = shaken(made())
    first.save_weights(tmp_path / "weights")
    functional.load_weights(tmp_path / "weights").assert_consumed()
    np.testing.assert_array_equal(functional(X).numpy(), first(X).numpy())
    functional.save_weights(tmp_path / "back")
    second = made()
    second.load_weights(tmp_path / "back")
    np.testing.assert_array_equal(second(X).numpy(), first(X).numpy())


def test_checkpoints_and_savers_read_weights(tmp_path):
    first = shaken(made())
    first.save_weights(tmp_path / "weights")
    again = made()
    tf.train.Checkpoint(again).read(tmp_path / "weights")
    np.testing.assert_array_equal(again(X).numpy(), first(X).numpy())
    saved = first.get_weights()[0]
    with tf1.Graph().as_default(), tf1.Session() as session:
        kernel = tf1.get_variable("kernel", initializer=np.zeros((5, 4), "f"))
        name = first.weights[0].name.partition(":")[0]
        tf1.train.Saver({name: kernel}).restore(session, str(tmp_path / "weights"))
        np.testing.assert_array_equal(session.run(kernel), saved)
        tf1.train.Saver({name: kernel}).save(session, str(tmp_path / "graph"))
    first.layers[0].kernel.assign(tf.zeros([5, 4]))
    first.load_weights(tmp_path / "graph")
    assert np.any(first.layers[0].kernel.numpy())


def test_layers_that_are_put_to_a_list_later(tmp_path):
    class Late(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.chain = []

        def call(self, x):
            for layer in self.chain:
                x = layer(x)
            return x

    first, second = Late(), Late()
    for model in (first, second):
        if model is second:
            first.save_weights(tmp_path / "weights")
            status = second.load_weights(tmp_path / "weights")
        for size in (4, 3):
            model.chain.append(layers.Dense(size))
        model(X)
    np.testing.assert_array_equal(second(X).numpy(), first(X).numpy())
    status.assert_consumed()


# What does not fit.


def test_other_weights_are_told_in_a_table(tmp_path):
    shaken(made()).save_weights(tmp_path / "weights")
    other = made(7, name="other")
    other(X)
    before = other.get_weights()
    with pytest.raises(ValueError, match=r"(?s)A total of 2 weights could not be loaded .*model 'other'") as caught:
        other.load_weights(tmp_path / "weights")
    lines = str(caught.value).splitlines()
    assert lines[1].split() == ["weight", "expected", "found"]
    kernel = other.layers[-1].kernel.name
    assert [kernel, "(4,", "7)", "(4,", "3)", "<-"] in [line.split() for line in lines]
    assert sum(line.endswith("<-") for line in lines) == 2
    for mine, theirs in zip(before, other.get_weights(), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_more_and_fewer_layers(tmp_path):
    first = shaken(made())
    first.save_weights(tmp_path / "weights")
    longer = made()
    longer.add(layers.Dense(2))
    longer(X)
    with pytest.raises(ValueError, match=r"(?s)A total of 2 weights.*/kernel:0 +\(3, 2\) +- +<-"):
        longer.load_weights(tmp_path / "weights")
    shorter = tf.keras.Sequential([layers.Dense(4)])
    shorter(X)
    with pytest.raises(ValueError, match=r"(?s)A total of 6 weights.*gamma:0 +- +\(4,\) +<-"):
        shorter.load_weights(tmp_path / "weights")


def test_what_fits_alone(tmp_path, caplog):
    first = shaken(made())
    first.save_weights(tmp_path / "weights")
    other = made(7)
    other(X)
    with caplog.at_level(logging.WARNING, "tapeviz"):
        other.load_weights(tmp_path / "weights", skip_mismatch=True)
    assert "2 weights were not loaded from" in caplog.text
    for mine, theirs in zip(first.get_weights()[:2], other.get_weights()[:2], strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_by_name(tmp_path):
    first = tf.keras.Sequential([layers.Dense(4, name="one"), layers.Dense(2, name="two")])
    shaken(first).save_weights(tmp_path / "weights")
    other = tf.keras.Sequential(
        [layers.Dense(4, name="one"), layers.Dense(3, name="new"), layers.Dense(2, name="last")]
    )
    other(X)
    before = other.get_weights()
    status = other.load_weights(tmp_path / "weights", by_name=True)
    np.testing.assert_array_equal(other.get_weights()[0], first.get_weights()[0])
    np.testing.assert_array_equal(other.get_weights()[4], before[4])
    with pytest.raises(AssertionError):
        status.assert_consumed()
    wide = tf.keras.Sequential([layers.Dense(9, name="one")])
    wide(X)
    with pytest.raises(ValueError, match=r"one/kernel:0 +\(5, 9\) +\(5, 4\) +<-"):
        wide.load_weights(tmp_path / "weights", by_name=True)


def test_files_that_are_not_there_or_damaged(tmp_path):
    model = made()
    with pytest.raises(ValueError, match="You are saving a model that has not yet been built"):
        model.save_weights(tmp_path / "weights")
    with pytest.raises(FileNotFoundError, match="there are no weights under it") as caught:
        model.load_weights(tmp_path / "weights")
    assert isinstance(caught.value, NotFoundError)
    (tmp_path / "other.h5").write_bytes(b"HDF")
    with pytest.raises(
        FileNotFoundError, match="the file of this name is not a weights file, and HDF5 is not supported"
    ):
        model.load_weights(tmp_path / "other.h5")
    model(X)
    before = model.get_weights()
    model.save_weights(tmp_path / "weights")
    with pytest.raises(FileExistsError, match="overwrite=False"):
        model.save_weights(tmp_path / "weights", overwrite=False)
    (path,) = tmp_path.glob("weights.*.safetensors")
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(DataLossError, match=path.name.replace(".", r"\.")):
        model.load_weights(tmp_path / "weights")
    np.testing.assert_array_equal(model.get_weights()[0], before[0])
    (tmp_path / "file").write_text("")
    with pytest.raises(FailedPreconditionError, match="Cannot write weights under"):
        model.save_weights(tmp_path / "file" / "weights")
