"""compile, fit, evaluate, predict: what they compute, what they call, what they refuse."""

import random
import re

import numpy as np
import pandas as pd
import pytest

import tapeviz as tf
from tests.keras.training.models import TwoHeads, line, linear


def test_history_has_the_results_of_each_epoch():
    x, y = line()
    model = linear(metrics=["mae"])
    history = model.fit(x, y, epochs=5, verbose=0, validation_split=0.25)
    assert history.epoch == [0, 1, 2, 3, 4]
    assert set(history.history) == {"loss", "mae", "val_loss", "val_mae"}
    assert all(len(values) == 5 for values in history.history.values())
    assert history.history["loss"][-1] < history.history["loss"][0]
    assert model.history is history


def test_the_loss_of_an_epoch_is_the_mean_over_samples_also_of_a_smaller_last_batch():
    x, y = line(10)
    model = linear(optimizer=tf.keras.optimizers.SGD(0.0))
    history = model.fit(x, y, batch_size=4, verbose=0)
    np.testing.assert_allclose(history.history["loss"][0], np.mean(y**2), rtol=1e-6)
    np.testing.assert_allclose(model.evaluate(x, y, batch_size=4, verbose=0), np.mean(y**2), rtol=1e-6)


def test_a_step_is_traced_once_and_once_for_the_last_smaller_batch():
    x, y = line(10)
    model = linear()
    model.fit(x, y, batch_size=4, epochs=6, verbose=0, validation_data=(x, y))
    assert model._steps_traced["train"].traces == 2
    assert model._steps_traced["test"].traces == 2
    model.fit(x, y, batch_size=4, epochs=2, verbose=0)
    assert model._steps_traced["train"].traces == 2


def test_batches_of_ever_other_sizes_share_a_graph():
    x, y = line(60)
    batches = [(x[:n], y[:n]) for n in range(2, 30)]
    model = linear()
    model.fit(iter(batches), epochs=1, steps_per_epoch=28, verbose=0)
    assert model._steps_traced["train"].traces <= 5


@pytest.mark.parametrize("eagerly", [True, False])
def test_eager_and_traced_learn_the_same(eagerly):
    x, y = line(12)
    model = linear(run_eagerly=eagerly, metrics=["mse", tf.keras.metrics.MeanAbsoluteError()])
    history = model.fit(x, y, batch_size=5, epochs=3, shuffle=False, verbose=0)
    w = b = 0.0
    for _ in range(3):
        for at in (slice(0, 5), slice(5, 10), slice(10, 12)):
            error = w * x[at] + b - y[at]
            w, b = w - 0.1 * 2 * np.mean(error * x[at]), b - 0.1 * 2 * np.mean(error)
    np.testing.assert_allclose(np.ravel(model.get_weights()[0]), [w], rtol=1e-5)
    np.testing.assert_allclose(model.get_weights()[1], [b], rtol=1e-5)
    assert set(history.history) == {"loss", "mse", "mean_absolute_error"}


def test_weights_of_samples_and_classes():
    x, y = line(8)
    weights = np.arange(8.0)
    model = linear(weighted_metrics=["mse"], metrics=["mae"])
    loss, mae, mse = model.evaluate(x, y, sample_weight=weights, verbose=0)
    np.testing.assert_allclose(loss, np.mean(weights[:, None] * y**2), rtol=1e-5)
    np.testing.assert_allclose(mse, np.sum(weights[:, None] * y**2) / weights.sum(), rtol=1e-5)
    np.testing.assert_allclose(mae, np.mean(np.abs(y)), rtol=1e-5)
    classes = np.array([0, 1, 1, 0, 1, 0, 0, 1])
    still = tf.keras.optimizers.SGD(0.0)
    by_class = linear(optimizer=still, loss="mse").fit(x, classes, class_weight={0: 0.0, 1: 2.0}, verbose=0)
    np.testing.assert_allclose(by_class.history["loss"], [2 * np.mean(classes**2)], rtol=1e-6)
    one_hot = np.eye(2)[classes]
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, kernel_initializer="zeros")])
    model.compile(tf.keras.optimizers.SGD(0.0), "mse")
    rows = model.fit(x, one_hot, class_weight={0: 0.0, 1: 2.0}, verbose=0)
    np.testing.assert_allclose(rows.history["loss"], [2 * 0.5 * np.mean(classes)], rtol=1e-6)


@pytest.mark.parametrize("as_dict", [True, False])
def test_several_outputs_by_name_and_by_place(as_dict):
    x, y = line(8)
    losses = {"a": "mse", "b": "mae"} if as_dict else ["mse", "mae"]
    weights = {"a": 1.0, "b": 0.5} if as_dict else [1.0, 0.5]
    metrics = {"b": ["mse"]} if as_dict else [None, ["mse"]]
    targets = {"a": y, "b": y} if as_dict else [y, y]
    model = TwoHeads(as_dict)
    model.compile(tf.keras.optimizers.SGD(0.0), losses, loss_weights=weights, metrics=metrics)
    found = model.fit(x, targets, batch_size=8, verbose=0).history
    a, b = np.mean((x - y) ** 2), np.mean(np.abs(y))
    name = "b_mse" if as_dict else "output_1_mse"
    np.testing.assert_allclose(found["loss"], [a + 0.5 * b], rtol=1e-5)
    np.testing.assert_allclose(found["a_loss" if as_dict else "output_0_loss"], [a], rtol=1e-5)
    np.testing.assert_allclose(found[name], [np.mean(y**2)], rtol=1e-5)
    predicted = model.predict(x, batch_size=3, verbose=0)
    first = predicted["a"] if as_dict else predicted[0]
    np.testing.assert_allclose(first, x, rtol=1e-6)


def test_accuracy_means_what_the_targets_are():
    logits = np.array([[2.0, 1.0, 0.0], [0.0, 1.0, 2.0]], "float32")
    model = tf.keras.Sequential([tf.keras.layers.Activation("linear")])
    model.compile(loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
    assert model.evaluate(logits, np.array([0, 0]), verbose=0)[1] == 0.5
    model.compile(loss=tf.keras.losses.CategoricalCrossentropy(from_logits=True), metrics=["acc"])
    found = model.evaluate(logits, np.eye(3)[[0, 2]], verbose=0, return_dict=True)
    assert found["acc"] == 1.0
    model.compile(loss="mse", metrics=["accuracy"])
    assert model.evaluate(np.array([[0.7], [0.2]]), np.array([[1.0], [1.0]]), verbose=0)[1] == 0.5


def test_the_data_may_be_many_things():
    x, y = line(8)

    class Batches(tf.keras.utils.PyDataset):
        ended = 0

        def __len__(self):
            return 2

        def __getitem__(self, number):
            return x[4 * number : 4 * number + 4], y[4 * number : 4 * number + 4]

        def on_epoch_end(self):
            self.ended += 1

    sequence = Batches(workers=2)
    given = {
        "lists": (x.tolist(), y.tolist()),
        "tensors": (tf.constant(x), tf.constant(y)),
        "frames": (pd.DataFrame(x), pd.Series(y[:, 0])),
        "dataset": (tf.data.Dataset.from_tensor_slices((x, y)).batch(4),),
        "sequence": (sequence,),
    }
    found = {}
    for name, data in given.items():
        model = linear()
        model.fit(*data, batch_size=4, epochs=2, shuffle=False, verbose=0)
        found[name] = np.ravel(model.get_weights()[0])[0]
    generated = linear()
    generated.fit(((x[at : at + 4], y[at : at + 4]) for at in (0, 4, 0, 4)), epochs=2, steps_per_epoch=2, verbose=0)
    found["generator"] = np.ravel(generated.get_weights()[0])[0]
    assert found == pytest.approx(dict.fromkeys(found, found["lists"]), rel=1e-5)
    assert sequence.ended == 2


def test_inputs_by_name():
    class Sum(tf.keras.Model):
        def call(self, inputs):
            return inputs["left"] + inputs["right"]

    x = np.ones((3, 1), "float32")
    model = Sum()
    model.compile(loss="mse")
    assert model.evaluate({"left": x, "right": 2 * x}, 3 * x, verbose=0) == 0.0


def test_steps_of_an_epoch_go_on_where_the_last_one_stopped():
    seen = []
    x = np.arange(12.0)[:, None]

    class Watched(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.w = self.add_weight(name="w", shape=(), initializer="zeros")

        def call(self, inputs):
            tf.py_function(lambda v: seen.append(int(v.numpy()[0, 0])) or 0.0, [inputs], tf.float32)
            return inputs * self.w

    model = Watched()
    model.compile("sgd", "mse")
    model._ready = True
    model.fit(x, x, batch_size=4, steps_per_epoch=2, epochs=3, shuffle=False, verbose=0)
    assert seen[-6:] == [0, 4, 8, 0, 4, 8]


def test_steps_per_execution_calls_back_so_often():
    x, y = line(20)
    called = []
    told = tf.keras.callbacks.LambdaCallback(on_train_batch_end=lambda batch, logs: called.append(batch))
    linear(steps_per_execution=3).fit(x, y, batch_size=2, verbose=0, callbacks=[told])
    assert called == [2, 5, 8, 11]


def test_validation_when_it_is_due():
    x, y = line()
    found = linear().fit(x, y, epochs=5, verbose=0, validation_data=(x, y), validation_freq=2).history
    assert len(found["val_loss"]) == 2
    found = linear().fit(x, y, epochs=5, verbose=0, validation_data=(x, y), validation_freq=[1, 5]).history
    assert len(found["val_loss"]) == 2


def test_training_can_go_on_at_a_later_epoch():
    x, y = line()
    assert linear().fit(x, y, epochs=5, initial_epoch=3, verbose=0).epoch == [3, 4]


def test_a_step_of_ones_own():
    class Own(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = tf.keras.layers.Dense(1)

        def call(self, x):
            return self.dense(x)

        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
            gradients = tape.gradient(loss, self.trainable_variables)
            if loss > 0.0:  # a tensor: AutoGraph makes it a part of the graph
                self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
            return {"my_loss": loss}

    x, y = line()
    model = Own()
    model.compile(tf.keras.optimizers.SGD(0.1))
    losses = model.fit(x, y, epochs=10, verbose=0).history["my_loss"]
    assert losses[-1] < losses[0]


def test_one_batch_at_a_time():
    x, y = line(4)
    model = linear(metrics=["mae"])
    loss, mae = model.test_on_batch(x, y)
    np.testing.assert_allclose([loss, mae], [np.mean(y**2), np.mean(np.abs(y))], rtol=1e-6)
    model.reset_metrics()
    assert model.train_on_batch(x, y, return_dict=True)["loss"] == pytest.approx(np.mean(y**2))
    assert model.predict_on_batch(x).shape == (4, 1)


def test_layers_that_act_differently_in_training():
    x = np.random.default_rng(0).normal(3.0, 2.0, (64, 4)).astype("float32")
    model = tf.keras.Sequential([tf.keras.layers.BatchNormalization(momentum=0.5), tf.keras.layers.Dropout(0.5)])
    model.compile(tf.keras.optimizers.SGD(0.0), "mse")
    model.fit(x, np.zeros_like(x), epochs=8, batch_size=64, verbose=0)
    mean, variance = model.get_weights()[2:]
    np.testing.assert_allclose(mean, x.mean(0), rtol=0.02)
    np.testing.assert_allclose(variance, x.var(0), rtol=0.05)
    np.testing.assert_allclose(model.predict(x, verbose=0).mean(0), 0.0, atol=0.05)


def test_the_same_seed_shuffles_the_same():
    x, y = line()
    found = []
    for _ in range(2):
        tf.random.set_seed(5)
        model = linear()
        model.fit(x, y, batch_size=3, epochs=2, verbose=0)
        found.append(np.ravel(model.get_weights()[0])[0])
    assert found[0] == found[1]


def test_one_seed_for_all_that_draws():
    class Numbers(tf.keras.utils.PyDataset):
        def __len__(self):
            return 12

        def __getitem__(self, number):
            seen.append(number)
            return np.float32([[number]]), np.float32([[0.0]])

    orders = []
    for seed in (5, 5, 6):
        seen = []
        tf.keras.utils.set_random_seed(seed)
        linear().fit(Numbers(), shuffle=True, epochs=2, verbose=0)
        orders.append([*seen, random.random(), np.random.rand(), float(tf.random.normal([]))])  # noqa: NPY002
    assert orders[0] == orders[1]
    assert orders[0][:24] != orders[2][:24]
    assert sorted(orders[0][:12]) == sorted(orders[0][12:24]) == list(range(12))


# What bad input gets.


@pytest.mark.parametrize("seed", [-1, 2**32, 1.0, None])
def test_a_seed_that_is_none(seed):
    with pytest.raises(ValueError, match="set_random_seed: `seed` must be an integer from 0 to 4294967295"):
        tf.keras.utils.set_random_seed(seed)


@pytest.mark.parametrize("method", ["fit", "evaluate", "train_on_batch"])
def test_a_model_that_is_not_compiled(method):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    with pytest.raises(ValueError, match=rf"You must call `compile\(\)` before calling `{method}\(\)`"):
        getattr(model, method)(*line())


def test_an_unknown_argument():
    with pytest.raises(TypeError, match="epoch_count"):
        linear().fit(*line(), epoch_count=3)


def test_arrays_of_other_lengths():
    x, y = line(10)
    message = "Data cardinality is ambiguous. Make sure all arrays contain the same number of samples.'x' sizes: 10\n"
    with pytest.raises(ValueError, match=re.escape(message)):
        linear().fit(x, y[:9], verbose=0)


def test_inputs_of_another_rank_name_the_layer():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, name="only")])
    model.compile("sgd", "mse")
    with pytest.raises(ValueError, match='"only" is incompatible with the layer: expected min_ndim=2, found ndim=1'):
        model.fit(np.ones(4), np.ones(4), verbose=0)


def test_targets_that_do_not_fit_the_outputs():
    x, y = line(8)
    model = TwoHeads()
    model.compile("sgd", {"a": "mse", "c": "mse"})
    with pytest.raises(ValueError, match="key 'c' does not correspond to any model output"):
        model.fit(x, {"a": y, "b": y}, verbose=0)
    model.compile("sgd", {"a": "mse", "b": "mse"})
    with pytest.raises(ValueError, match=re.escape("but not ['b']: the outputs are ['a', 'b']")):
        model.fit(x, {"a": y}, verbose=0)
    with pytest.raises(ValueError, match="`y` is a single tensor, but the model has 2 outputs"):
        model.fit(x, y, verbose=0)


def test_a_loss_that_is_none():
    x, y = line()
    with pytest.raises(ValueError, match="No loss to compute"):
        linear(loss=None).fit(x, y, verbose=0)
    with pytest.raises(ValueError, match="There are no targets to compute the loss with"):
        linear().fit(x, verbose=0)
    with pytest.raises(ValueError, match="mean_squarred"):
        linear(loss="mean_squarred")
    with pytest.raises(ValueError, match="Expected `metrics` argument to be a list"):
        linear(metrics="accuracy")


def test_targets_beside_data_that_has_its_own():
    x, y = line()
    with pytest.raises(ValueError, match="`y` should not be passed"):
        linear().fit(tf.data.Dataset.from_tensor_slices((x, y)).batch(4), y, verbose=0)


def test_a_generator_that_ends_early_says_so_and_nothing_is_lost():
    x, y = line(8)
    model = linear()
    with pytest.warns(UserWarning, match="Your input ran out of data; interrupting training"):
        history = model.fit(iter([(x, y)] * 3), steps_per_epoch=2, epochs=4, verbose=0)
    assert history.epoch == [0, 1]


def test_a_generator_that_raises_leaves_what_was_learned():
    x, y = line(8)

    def batches():
        for _ in range(5):
            yield x, y
        raise OSError("the disk is gone")

    model = linear()
    with pytest.raises(OSError, match="the disk is gone"):
        model.fit(batches(), steps_per_epoch=2, epochs=4, verbose=0)
    assert model.history.epoch == [0, 1]
    assert np.ravel(model.get_weights()[0])[0] != 0.0


def test_data_without_an_end_needs_a_number_of_steps():
    x, y = line(8)
    endless = tf.data.Dataset.from_tensor_slices((x, y)).batch(4).repeat()
    with pytest.raises(ValueError, match="please specify a `steps_per_epoch` value"):
        linear().fit(endless, verbose=0)
    assert len(linear().fit(endless, steps_per_epoch=3, epochs=2, verbose=0).epoch) == 2


def test_nothing_to_train_on():
    with pytest.raises(ValueError, match="Expected input data to be non-empty"):
        linear().fit(np.ones((0, 1)), np.ones((0, 1)), verbose=0)
    with pytest.raises(ValueError, match="not sufficient to split"):
        linear().fit(*line(1), validation_split=0.5, verbose=0)
    with pytest.raises(ValueError, match="`batch_size` must be a positive integer"):
        linear().fit(*line(), batch_size=0, verbose=0)


# Progress.


def test_lines_where_there_is_no_terminal(capsys):
    x, y = line()
    linear().fit(x, y, epochs=3)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert re.fullmatch(r"Epoch 1/3 - \d+\.\ds - loss: \d\.\d{4}", lines[0])


def test_many_epochs_do_not_flood(capsys):
    x, y = line()
    linear().fit(x, y, epochs=500)
    assert len(capsys.readouterr().out.splitlines()) <= 52
    linear().fit(x, y, epochs=60, verbose=2)
    assert len(capsys.readouterr().out.splitlines()) == 60
    linear().fit(x, y, epochs=3, verbose=0)
    linear().predict(x)
    assert capsys.readouterr().out == ""


def test_a_bar_in_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    x, y = line()
    linear().fit(x, y, epochs=2, verbose=1)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "Epoch 2/2: 100%" in shown.err
    assert "loss: " in shown.err
    linear().fit(x, y, epochs=100)
    assert capsys.readouterr().err.count("\n") == 1


def test_verbose_of_another_kind():
    with pytest.raises(ValueError, match="`verbose` must be 'auto', 0, 1 or 2"):
        linear().fit(*line(), verbose=3)


def test_the_inputs_of_a_traced_step_are_called_what_they_are():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile(optimizer="sgd", loss="mse")
    x, y = np.ones([4, 2], np.float32), np.ones([4, 1], np.float32)
    with tf.record() as tape:
        model.fit(x, y, sample_weight=np.ones(4, np.float32), batch_size=2, epochs=1, verbose=0)
    names = {tape.recording.nodes.name[row] for row in range(len(tape.recording.nodes.name))}
    assert {"x", "y", "sample_weight"} <= names
    assert not any("leaves" in name for name in names)


INPUTS = np.zeros((2, 2))


@pytest.mark.parametrize(
    ("given", "kind"), [(INPUTS, "SymbolicTensor"), ([INPUTS, INPUTS], "tuple"), ({"a": INPUTS}, "dict")]
)
@pytest.mark.parametrize("weights", [None, np.ones(2)])
def test_without_targets_a_step_is_given_the_inputs_themselves(given, kind, weights):
    seen = []

    class Looks(tf.keras.Model):
        def train_step(self, data):
            seen.append(type(data).__name__)
            return {"loss": tf.constant(0.0)}

    model = Looks()
    model.compile("sgd")
    model.fit(given, sample_weight=weights, verbose=0)
    assert seen == [kind]
