"""Functions traced again on request: what came from Python once is named, and nothing else changes."""

import os

import numpy as np
import pytest

import tapeviz as tf


def frozen(tape):
    return [one for one in tape.verdicts(retrace=True) if one.kind == "frozen"]


class Table:
    """Rows that nobody can see into."""

    __slots__ = ("rows",)

    def __init__(self):
        self.rows = [1.0, 2.0]


def test_a_number_that_comes_from_somewhere_is_named_with_its_line():
    table = Table()

    @tf.function
    def scaled(x):
        return x * table.rows[0]

    with tf.record() as tape:
        scaled(tf.ones([2]))
        table.rows[0] = 5.0
        scaled(tf.ones([2]))
    assert [one for one in tape.verdicts() if one.kind == "frozen"] == []
    (found,) = frozen(tape)
    assert "scaled took 1.0 from Python when it was traced" in found.text
    assert found.text.endswith("takes 5.0")
    assert found.site.text == "return x * table.rows[0]"
    assert "scaled" in found.fix


def test_a_branch_that_would_go_the_other_way_is_named(monkeypatch):
    monkeypatch.setenv("TAPEVIZ_TEST_MODE", "fast")

    @tf.function
    def chosen(x):
        if os.environ["TAPEVIZ_TEST_MODE"] == "fast":
            return tf.exp(x)
        return tf.sin(x)

    with tf.record() as tape:
        chosen(tf.ones([2]))
        monkeypatch.setenv("TAPEVIZ_TEST_MODE", "exact")
        chosen(tf.ones([2]))
    (found,) = frozen(tape)
    assert "it has sin here, where its graph has exp" in found.text
    assert found.site.text == "return tf.exp(x)"


def test_what_runs_stays_and_is_not_counted():
    table = Table()

    @tf.function
    def scaled(x):
        return x * table.rows[0]

    with tf.record() as tape:
        scaled(tf.ones([2]))
    table.rows[0] = 7.0
    assert len(frozen(tape)) == 1
    assert scaled.experimental_get_tracing_count() == 1
    np.testing.assert_array_equal(scaled(tf.ones([2])), [1.0, 1.0])


def test_a_graph_that_is_the_same_is_none():
    w = tf.Variable([1.0, 2.0])
    dense = tf.keras.layers.Dense(2)

    @tf.function
    def step(x, rate=0.5):
        noise = tf.random.normal([2])
        for _ in tf.range(3):
            x = dense(x + noise) * rate + w
        return tf.cond(tf.reduce_sum(x) > 0, lambda: x, lambda: -x)

    with tf.record() as tape:
        step(tf.ones([1, 2]))
        step(tf.ones([3, 2]), rate=0.25)
    found = tape.verdicts(retrace=True)
    assert [one for one in found if one.kind == "frozen"] == []
    assert found.unseen == tape.verdicts().unseen


def test_a_line_is_named_once():
    rate = 0.5

    def change():
        nonlocal rate
        rate = 0.25

    @tf.function
    def step(x):
        return x * rate

    with tf.record() as tape:
        step(tf.ones([2]))
        change()
        step(tf.ones([2]))
    assert [one.text for one in frozen(tape)] == [one.text for one in tape.verdicts() if one.kind == "frozen"]


def test_a_branch_inside_a_graph_is_compared():
    table = Table()

    @tf.function
    def step(x):
        return tf.cond(tf.reduce_sum(x) > 0, lambda: x * table.rows[0], lambda: x)

    with tf.record() as tape:
        step(tf.ones([2]))
    table.rows[0] = 3.0
    (found,) = frozen(tape)
    assert "1.0" in found.text
    assert "3.0" in found.text


def test_what_cannot_be_traced_again_is_not_looked_at(tmp_path):
    elements = iter([1.0])

    class Box:
        __slots__ = ()

        def take(self):
            return next(elements)

    box = Box()

    @tf.function
    def step(x):
        return x * box.take()

    with tf.record() as tape:
        step(tf.ones([2]))
    found = tape.verdicts(retrace=True)
    assert "step, which could not be traced again: StopIteration" in found.unseen
    loaded = tf.load(tape.save(tmp_path / "step.tape"))
    assert "step, which is gone and cannot be traced again" in loaded.verdicts(retrace=True).unseen


@pytest.mark.parametrize("compiled", [None, True])
def test_a_step_of_fit_is_the_same(compiled):
    model = tf.keras.Sequential([tf.keras.layers.Dense(4, activation="relu"), tf.keras.layers.Dense(1)])
    model.compile("adam", "mse", jit_compile=compiled)
    with tf.record() as tape:
        model.fit(np.ones([8, 3], "f"), np.ones([8, 1], "f"), epochs=2, verbose=0)
    assert frozen(tape) == []
