"""LiveTape without a notebook: what it measures, what it stops, what it keeps, and that it stays small."""

import json
import re
import tracemalloc

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.exports.strip_columns import QUANTITIES, StripColumns, coded
from tapeviz.keras.callbacks import gradient_meter
from tapeviz.widgets import strip_summary
from tests.keras.training.models import line, linear
from tests.memory_in_use import memory_in_use

layers = tf.keras.layers
LiveTape = tf.keras.callbacks.LiveTape


def two_layers(loss="mse", optimizer=None):
    model = tf.keras.Sequential([layers.Dense(4, activation="relu", name="first"), layers.Dense(1, name="last")])
    model.compile(optimizer or tf.keras.optimizers.SGD(0.05), loss)
    return model


def data(count=32):
    rng = np.random.default_rng(3)
    return rng.normal(size=(count, 3)).astype("float32"), rng.normal(size=(count, 1)).astype("float32")


@pytest.mark.parametrize("eagerly", [False, True])
def test_gradient_norms_are_those_of_the_gradients(eagerly):
    x, y = data(8)
    model = two_layers()
    model.run_eagerly = eagerly
    model(x[:1])
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x) - y) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    wanted = [np.sqrt(sum(np.sum(g.numpy() ** 2) for g in pair)) for pair in (gradients[:2], gradients[2:])]
    before = model.get_weights()
    live = LiveTape()
    model.fit(x, y, batch_size=8, verbose=0, callbacks=[live])
    assert live.strip.rows == ["first", "last"]
    np.testing.assert_allclose(live.strip.values("gradient")[:, 0], wanted, rtol=1e-5)
    zeros = [np.mean(np.concatenate([g.numpy().ravel() for g in pair]) == 0) for pair in (gradients[:2], gradients[2:])]
    np.testing.assert_allclose(live.strip.values("zeros")[:, 0], zeros, rtol=1e-6)
    np.testing.assert_allclose(live.strip.losses, [loss.numpy()], rtol=1e-5)
    assert not any((old == new).all() for old, new in zip(before, model.get_weights(), strict=True))


@pytest.mark.parametrize("eagerly", [False, True])
def test_gradients_of_several_dtypes_are_measured(eagerly):
    x, y = data(8)
    sorts = (("first", "float64"), ("second", "float32"), ("third", "float64"))
    model = tf.keras.Sequential([layers.Dense(2, dtype=dtype, name=name) for name, dtype in sorts])
    model.compile("sgd", "mse", run_eagerly=eagerly)
    model(x[:1])
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x) - y) ** 2)
    gradients = [g.numpy().astype("float64") for g in tape.gradient(loss, model.trainable_variables)]
    wanted = [np.sqrt(sum(np.sum(g**2) for g in gradients[2 * place :][:2])) for place in range(3)]
    live = LiveTape()
    model.fit(x, y, batch_size=8, verbose=0, callbacks=[live])
    assert live.strip.rows == ["first", "second", "third"]
    np.testing.assert_allclose(live.strip.values("gradient")[:, 0], wanted, rtol=1e-5)


def test_updates_are_measured_beside_the_weights():
    x, y = data(8)
    model = two_layers()
    live = LiveTape()
    live_weights = []
    kept = tf.keras.callbacks.LambdaCallback(
        on_train_batch_end=lambda batch, logs: live_weights.append([w.copy() for w in model.get_weights()])
    )
    model.fit(x, y, batch_size=8, epochs=2, verbose=0, callbacks=[kept, live])
    old, new = live_weights
    changes = [np.sqrt(sum(np.sum((new[i] - old[i]) ** 2) for i in pair)) for pair in ((0, 1), (2, 3))]
    lengths = [np.sqrt(sum(np.sum(old[i] ** 2) for i in pair)) for pair in ((0, 1), (2, 3))]
    found = live.strip.values("update")[:, 1]
    np.testing.assert_allclose(found, np.divide(changes, lengths), rtol=1e-3)


def test_training_is_the_same_with_it():
    x, y = data()
    found = []
    for callbacks in ([], [LiveTape()]):
        tf.random.set_seed(1)
        model = two_layers(optimizer="adam")
        found.append((model.fit(x, y, epochs=4, verbose=0, callbacks=callbacks).history, model.get_weights()))
    assert found[0][0] == found[1][0]
    for one, other in zip(found[0][1], found[1][1], strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_loss_that_is_nan_stops_before_the_weights_are_changed(capsys):
    x, y = data(24)
    x[17] = np.nan
    model = two_layers()
    live = LiveTape()
    weights = []
    kept = tf.keras.callbacks.LambdaCallback(on_train_batch_end=lambda batch, logs: weights.append(model.get_weights()))
    history = model.fit(x, y, batch_size=8, epochs=5, shuffle=False, callbacks=[kept, live])
    assert history.epoch == [0]
    assert live.reason == "the loss is NaN"
    assert live.strip.steps == 3
    for one, other in zip(weights[1], model.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)
    assert np.isfinite(model.get_weights()[0]).all()
    # The tape is of that step: its layers are spans, and its first NaN is found.
    spans = live.tape.events.to_pandas().query("kind == 'span'").params
    texts = live.tape.strings.to_pandas().text
    assert {json.loads(texts[n]).get("name") for n in spans} >= {"first", "last"}
    assert live.tape.nonfinite()
    said = capsys.readouterr().out
    assert "LiveTape: training was stopped at step 3, epoch 1: the loss is NaN" in said
    assert "The model has the weights from before that step" in said


def test_gradients_that_are_nan_with_a_finite_loss_stop_too():
    class Root(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.w = self.add_weight(name="w", shape=(1,), initializer="zeros")

        def call(self, x):
            return tf.where(x > 0, tf.pow(self.w * x - self.w * x, 0.5), tf.zeros_like(x))

    model = Root()
    model.compile(tf.keras.optimizers.SGD(0.1), "mse")
    live = LiveTape()
    model.fit(np.array([[1.0], [2.0]]), np.array([[0.0], [0.0]]), epochs=3, verbose=0, callbacks=[live])
    assert live.reason == "the loss is a number, but gradients are NaN"
    np.testing.assert_array_equal(model.get_weights()[0], [0.0])
    assert live.tape is not None


def test_metrics_and_moving_averages_do_not_see_the_step_again():
    x, y = data(16)
    x[9] = np.nan
    model = tf.keras.Sequential([layers.BatchNormalization(), layers.Dense(1)])
    model.compile("sgd", "mse", metrics=["mae"])
    model.fit(x, y, batch_size=8, shuffle=False, verbose=0, callbacks=[LiveTape()])
    assert np.isnan(model.get_metrics_result()["loss"])


def test_each_so_manieth_step_has_a_tape():
    x, y = data()
    model = two_layers()
    live = LiveTape(every=4)
    model.fit(x, y, batch_size=4, epochs=3, verbose=0, callbacks=[live])
    assert [mark["step"] + 1 for mark in live.payload()["marks"] if mark["kind"] == "tape"] == [4, 8, 12, 16, 20, 24]
    assert len(live.tapes) == 3
    assert live.tape is live.tapes[-1]
    assert len(live.tape.events) > 10


def test_a_learning_rate_that_changes_is_marked(monkeypatch):
    monkeypatch.setattr("tapeviz.tape.live_strip._OFTEN", 0.0)
    x, y = data()
    live = LiveTape()
    halving = tf.keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate / 2)
    two_layers().fit(x, y, epochs=3, verbose=0, callbacks=[halving, live])
    texts = [mark["text"] for mark in live.payload()["marks"]]
    assert texts == ["learning rate 0.0125", "learning rate 0.00625"]


def test_what_costs_too_much_is_done_less_often(monkeypatch):
    monkeypatch.setattr(gradient_meter, "_DEAR", 1e-6)
    monkeypatch.setattr("tapeviz.tape.live_strip._OFTEN", 0.0)
    x, y = data(128)
    model, live = two_layers(), LiveTape()
    model.fit(x, y, batch_size=4, epochs=4, verbose=0, callbacks=[live])
    payload = live.payload()
    assert payload["note"] == "one step in 4096 is measured: more would cost over 5 % of the time"
    measured = np.sum(live.strip.values("gradient")[0] >= 0)
    assert 16 <= measured < 128
    assert np.isfinite(live.strip.losses).all()
    # Steps that are not measured are guarded all the same.
    x[:] = np.nan
    weights = model.get_weights()
    live_again = LiveTape()
    live_again.every = None
    model.fit(x, y, verbose=0, callbacks=[live_again])
    np.testing.assert_array_equal(model.get_weights()[0], weights[0])


def test_a_step_of_ones_own_is_watched_too():
    class Own(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = layers.Dense(1, name="own_dense")

        def call(self, x):
            return self.dense(x)

        def train_step(self, batch):
            x, y = batch
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((self(x) - y) ** 2)
            self.optimizer.minimize(loss, self.trainable_variables, tape=tape)
            return {"loss": loss}

    model, live = Own(), LiveTape()
    model.compile("sgd")
    model.fit(*data(), verbose=0, callbacks=[live])
    assert live.strip.rows == ["own_dense"]
    assert np.isfinite(live.strip.losses).all()


def test_it_says_what_was_as_lines_where_there_is_no_notebook(capsys):
    linear().fit(*line(), epochs=3, callbacks=[LiveTape()])
    lines = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"LiveTape: done · epoch 3/3 · 3 steps · loss \S+", lines[3])
    assert lines[4].startswith("dense")
    assert "gradient norm: ▁" in lines[5]
    assert lines[6].startswith("loss")
    linear().fit(*line(), epochs=3, verbose=0, callbacks=[LiveTape()])
    assert capsys.readouterr().out == ""


def test_what_is_kept_when_training_is_interrupted():
    def interrupt(batch, _logs):
        if batch == 3:
            raise KeyboardInterrupt

    live = LiveTape()
    model = two_layers()
    with pytest.raises(KeyboardInterrupt):
        model.fit(*data(), batch_size=4, verbose=0,
                  callbacks=[live, tf.keras.callbacks.LambdaCallback(on_train_batch_end=interrupt)])  # fmt: skip
    assert live.payload()["progress"]["state"] == "interrupted"
    assert live.strip.steps == 4
    assert model._watch is None


@pytest.mark.parametrize("wrong", [{"show": "norm"}, {"every": 0}, {"columns": 7}])
def test_arguments_that_cannot_be(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        LiveTape(**wrong)


# The strip.


def test_columns_are_merged_and_nothing_is_lost():
    strip = StripColumns(["a", "b"], columns=8)
    for step in range(100):
        strip.add({"gradient": [step, np.nan if step == 40 else 1.0]}, loss=float(step))
    assert (strip.stride, strip.steps, strip.used) == (16, 100, 7)
    np.testing.assert_array_equal(strip.values("gradient")[0], [15, 31, 47, 63, 79, 95, 99])
    np.testing.assert_array_equal(np.isnan(strip.values("gradient")[1]), [0, 0, 1, 0, 0, 0, 0])
    np.testing.assert_allclose(strip.losses, [7.5, 23.5, 39.5, 55.5, 71.5, 87.5, 97.5])
    assert (strip.values("update") == -1).all()


def test_every_byte_says_what_it_is():
    scale = QUANTITIES["gradient"]
    values = np.array([0.0, -1.0, np.nan, np.inf, 1e-9, 1e-6, 1e2, 1e9, 1e-2])
    assert coded(values, scale).tolist() == [1, 0, 255, 254, 2, 2, 253, 253, 128]


def test_pictures_in_words_and_without_scripts():
    strip = StripColumns(["<first>", "b"], columns=8)
    for step in range(20):
        strip.add({"gradient": [10.0**-step, 0.0]}, loss=1.0 + step)
    page = strip_summary.html({**strip.payload(), "progress": {}, "marks": []}, mark="mine")
    assert "<script" not in page
    assert "&lt;first&gt;" in page
    assert 'class="tapeviz-static mine"' in page
    words = strip_summary.text(strip.payload())
    assert words.splitlines()[2].split() == ["b", "00000"]


# Memory.


class Ring(tf.keras.callbacks.Callback):
    """Notes how much memory there is in use at some steps."""

    def __init__(self, at):
        super().__init__()
        self.at, self.used, self.steps = set(at), [], 0

    def on_train_batch_end(self, batch, logs=None):  # noqa: ARG002
        self.steps += 1
        if self.steps in self.at:
            self.used.append(memory_in_use())


@pytest.mark.parametrize("steps", [1_500, pytest.param(10_000, marks=pytest.mark.nightly)])
def test_memory_stays_flat(steps):
    x, y = data(64)
    model = two_layers(optimizer="adam")
    model.fit(x, y, batch_size=4, verbose=0, callbacks=[LiveTape()])
    ring = Ring([steps // 3, steps])
    live = LiveTape(every=steps // 20, budget="1M")
    tracemalloc.start()
    try:
        model.fit(x, y, batch_size=4, epochs=-(-steps // 16), verbose=0, callbacks=[live, ring])
    finally:
        tracemalloc.stop()
    assert ring.steps >= steps
    assert len(live.tapes) == 3
    first, last = ring.used
    assert last - first < 300_000


@pytest.mark.parametrize("columns", [2, 8, 64])
def test_losses_alone_are_taken_in_as_steps_are(columns):
    one, other = StripColumns(["a"], columns), StripColumns(["a"], columns)
    for step in range(150):
        loss = 1.0 / (1 + step)
        if step % 16 == 0:
            one.add({"gradient": [loss]}, loss)
            other.add({"gradient": [loss]}, loss)
        else:
            one.add({}, loss)
            other.add_loss(loss)
        if step % 37 == 0:
            np.testing.assert_allclose(other.losses, one.losses)
        assert (other.steps, other.used, other.is_new_column) == (one.steps, one.used, one.is_new_column)
    np.testing.assert_array_equal(other.values("gradient"), one.values("gradient"))
    np.testing.assert_allclose(other.losses, one.losses)
    assert other.payload()["stride"] == one.payload()["stride"]


def test_steps_that_are_only_guarded_are_in_the_strip_and_stop_at_nan():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, use_bias=False)])
    model.compile(tf.keras.optimizers.SGD(0.01), "mse")
    x = np.ones([4 * 200, 3], "f4")
    y = np.ones([4 * 200, 1], "f4")
    live = tf.keras.callbacks.LiveTape()

    def rarely(*_):
        live._meter.every = 16

    often = tf.keras.callbacks.LambdaCallback(on_train_batch_begin=rarely)
    model.fit(x, y, batch_size=4, epochs=1, verbose=0, shuffle=False, callbacks=[live, often])
    assert live.strip.steps == 200
    measured = (live.strip.values("gradient") >= 0).any(axis=0)
    assert np.flatnonzero(measured).tolist() == [0, *range(15, 200, 16)]
    assert np.isfinite(live.strip.losses).all()
    assert live.strip.losses[-1] < live.strip.losses[0]
    assert 0 < live.overhead < 1
    y[4 * 101 :] = np.nan
    live = tf.keras.callbacks.LiveTape()
    weights = model.get_weights()
    model.fit(x, y, batch_size=4, epochs=1, verbose=0, shuffle=False, callbacks=[live, often])
    assert (live.strip.steps, live.reason) == (102, "the loss is NaN")
    assert np.isfinite(model.get_weights()[0]).all()
    assert not np.array_equal(weights[0], model.get_weights()[0])


# Triggers.


def test_steps_in_which_something_happens_have_tapes_and_training_goes_on():
    x, y = data(48)
    y[17] = 1e6
    model = two_layers(optimizer=tf.keras.optimizers.SGD(1e-9))
    live = LiveTape().on("|g|>1000", keep=2)
    history = model.fit(x, y, batch_size=8, epochs=3, shuffle=False, verbose=0, callbacks=[live])
    assert len(history.epoch) == 3
    marks = live.payload()["marks"]
    assert [(mark["step"] + 1, mark["text"]) for mark in marks] == [(3, "|g|>1000"), (9, "|g|>1000"), (15, "|g|>1000")]
    assert len(live.triggered) == 2
    assert [bool(mark["tape"]) for mark in marks] == [True, True, False]
    assert len(live.triggered[0].query("|g|>1000")) > 0
    assert "each step is recorded, to watch for |g|>1000" in live.payload()["note"]
    assert live.strip.steps == 18


def test_a_step_that_is_traced_again_has_a_tape_and_changes_nothing_twice():
    def batches():
        x, y = data(40)
        for size in (8, 8, 5, 5, 3, 8):
            yield x[:size], y[:size]

    weights = []
    for callbacks in ([], [LiveTape().on("retrace")]):
        tf.random.set_seed(2)
        model = two_layers()
        model.fit(batches(), verbose=0, callbacks=callbacks)
        weights.append(model.get_weights())
    (live,) = callbacks
    assert [(mark["step"] + 1, mark["kind"]) for mark in live.payload()["marks"]] == [(5, "retrace")]
    assert len(live.triggered) == 1
    for one, other in zip(*weights, strict=True):
        np.testing.assert_array_equal(one, other)


def test_recorded_steps_have_the_spread_of_activations_and_metrics_are_curves(monkeypatch):
    monkeypatch.setattr("tapeviz.tape.live_strip._OFTEN", 0.0)
    x, y = data(8)
    model = two_layers()
    model.compile(tf.keras.optimizers.SGD(0.0), "mse", metrics=["mae"])
    live = LiveTape(every=2)
    model.fit(x, y, batch_size=8, epochs=4, verbose=0, callbacks=[live])
    spread = live.strip.values("spread")
    assert (spread[:, [0, 2]] == -1).all()
    hidden, given = model.layers[0](x).numpy(), model(x).numpy()
    np.testing.assert_allclose(spread[:, 3], [hidden.std(), given.std()], rtol=1e-5)
    assert list(live.payload()["metrics"]) == ["mae"]
