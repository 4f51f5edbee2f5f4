"""What a loop of any kind shows of itself: figures out of recorded steps, numbers that are logged, triggers."""

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.analysis.step_figures import step_figures
from tapeviz.tape.live_strip import tape_behind


def network():
    tf.random.set_seed(1)
    model = tf.keras.Sequential([tf.keras.layers.Dense(4, "relu", name="first"), tf.keras.layers.Dense(1, name="last")])
    optimizer = tf.keras.optimizers.SGD(0.1)
    x, y = tf.random.normal([8, 3]), tf.random.normal([8, 1])

    def step():
        with tf.GradientTape() as tape:
            cost = tf.reduce_mean((model(x) - y) ** 2)
        gradients = tape.gradient(cost, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return cost, gradients

    return model, x, step


@pytest.mark.parametrize("traced", [False, True])
def test_figures_are_those_of_gradients_updates_and_activations(traced):
    model, x, step = network()
    run = tf.function(step) if traced else step
    run()
    before = [w.copy() for w in model.get_weights()]
    hidden, given = model.layers[0](x).numpy(), model(x).numpy()
    with tf.record() as tape:
        cost, gradients = run()
    found = step_figures(tape.recording, tape.elements)
    assert found.rows == ["first", "last"]
    pairs = [gradients[:2], gradients[2:]]
    wanted = [np.sqrt(sum(np.sum(g.numpy() ** 2) for g in pair)) for pair in pairs]
    np.testing.assert_allclose(found.measured["gradient"], wanted, rtol=1e-5)
    zeros = [np.mean(np.concatenate([g.numpy().ravel() for g in pair]) == 0) for pair in pairs]
    np.testing.assert_allclose(found.measured["zeros"], zeros, rtol=1e-6)
    moved = [
        0.1 * norm / np.sqrt(np.sum(w**2) + np.sum(b**2))
        for norm, w, b in zip(wanted, before[::2], before[1::2], strict=True)
    ]
    np.testing.assert_allclose(found.measured["update"], moved, rtol=1e-3)
    np.testing.assert_allclose(found.measured["spread"], [hidden.std(), given.std()], rtol=1e-5)
    assert found.measured["nan"] == [0, 0]
    np.testing.assert_allclose(list(found.losses.values()), [cost.numpy()], rtol=1e-6)


def test_variables_of_ones_own_have_the_users_names():
    w, b = tf.Variable(tf.ones([3])), tf.Variable(0.0)
    with tf.record() as tape:
        with tf.GradientTape() as g:
            loss = tf.reduce_sum(w * w) + 0.0 * b
        g.gradient(loss, [w, b])
    found = step_figures(tape.recording, tape.elements)
    assert found.rows == ["w", "b"]
    np.testing.assert_allclose(found.measured["gradient"], [np.sqrt(12), 0.0], rtol=1e-6)
    assert found.measured["update"] == found.measured["spread"] == [-1.0, -1.0]  # there is none: that is not 0
    assert found.losses == {"loss": 3.0}


def test_a_loop_shows_layers_and_losses():
    _, _, step = network()
    loop = tf.live(range(6))
    costs = []
    for _ in loop:
        cost, _ = step()
        costs.append(float(cost))
        loop.log(loss=cost, twice=2 * cost)
    strip = loop.payload()
    assert (strip["rows"], strip["steps"], strip["title"]) == (["first", "last"], 6, "Live")
    assert (loop._strip.columns.values("gradient")[:, 0] > 0).all()
    np.testing.assert_allclose(loop._strip.columns.losses, costs, rtol=1e-6)
    assert list(strip["metrics"]) == ["twice"]
    assert strip["progress"]["results"][0] == ["loss", f"{costs[-1]:.4g}"]
    assert repr(loop).startswith("Live: done · 6 steps · loss")


def test_only_so_much_is_measured_and_the_rest_is_not_taken_for_zero():
    _, _, step = network()
    loop = tf.live(range(400))
    for _ in loop:
        loop._began = 0.0 if loop.steps < 5 else loop._began
        loop._spent = 0.0 if loop.steps < 5 else 1e9
        step()
    norms = loop._strip.columns.values("gradient")
    assert (norms[:, :4] > 0).all()
    assert (norms[:, 6:] == -1).all()


def test_dots_open_tapes_while_these_are_kept():
    loop = tf.live(range(9)).on("nan", keep=2)
    x = tf.ones([2])
    for item in loop:
        tf.math.log(x * (0.0 if item in {2, 4, 6} else 1.0))
    assert len(loop.triggered) == 2
    marks = [mark for mark in loop.payload()["marks"] if mark["kind"] == "nan"]
    assert [mark["step"] for mark in marks] == [2, 4, 6]
    opening = [tape_behind(mark["tape"]) for mark in marks if mark["tape"]]
    assert opening[:2] == loop.triggered
    with pytest.raises(ValueError, match="no longer kept"):
        tape_behind(0)
    assert "each step is recorded" in loop.payload()["note"]


def test_large_gradients_and_traces_trigger():
    w = tf.Variable(1.0)
    f = tf.function(lambda x: w * tf.reduce_sum(x))
    loop = tf.live(range(6)).on("|g|>100", "retrace")
    for item in loop:
        with tf.GradientTape() as g:
            loss = f(tf.fill([3 + (item == 4)], 1000.0 if item == 2 else 1.0))
        g.gradient(loss, w)
    found = [(mark["step"], mark["text"]) for mark in loop.payload()["marks"] if mark["kind"] != "measured"]
    assert found == [(2, "|g|>100"), (4, "retrace")]
    assert len(loop.triggered) == 2


def test_triggers_that_cannot_be():
    with pytest.raises(ValueError, match="on\\(\\) takes conditions"):
        tf.live().on()
    with pytest.raises(ValueError, match="`keep` must be a positive"):
        tf.live().on("nan", keep=0)
    with pytest.raises(ValueError, match="unknown key"):
        tf.live().on("opp:matmul")


def test_a_loop_that_is_left_says_so():
    loop = tf.live(range(5))
    for item in loop:
        if item == 2:
            break
    assert loop.payload()["progress"]["state"] == "ended"
    endless = tf.live()
    for item in endless:
        if item == 20:
            endless.stop()
    assert (endless.steps, endless.payload()["progress"]["state"]) == (21, "stopped by hand")


def test_inside_a_recording_steps_are_parts_of_it():
    _, _, step = network()
    with tf.record() as tape:
        loop = tf.live(range(3)).on("nan")
        for _ in loop:
            step()
    assert loop.steps == 3
    assert len(tape.query("module:2")) > 0
