"""A recording that keeps so many ops and no more: a program may go on as long as it likes."""

import tracemalloc

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.exports import numbers
from tapeviz.recording import read
from tapeviz.recording.schema import KINDS
from tests.memory_in_use import memory_in_use


def model():
    found = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(2)])
    found.compile("adam", "mse")
    return found


def grown(work, rounds):
    """Bytes that Python has more after the second half of the rounds than before it."""
    sizes = []
    tracemalloc.start()
    try:
        for _ in range(rounds):
            work()
            sizes.append(memory_in_use())
    finally:
        tracemalloc.stop()
    return sizes[-1] - sizes[rounds // 2]


@pytest.mark.parametrize("steps", [400, pytest.param(2500, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("eagerly", [True, False], ids=["eager", "graph"])
def test_steps_of_fit_after_the_last_op_that_is_kept_leave_nothing(eagerly, steps):
    net, rng = model(), np.random.default_rng(2)
    x, y = rng.random((4 * steps, 4), "f4"), rng.random((4 * steps, 2), "f4")

    def train():
        net.fit(x, y, batch_size=4 if not eagerly else 40, epochs=1, verbose=0, shuffle=False)

    net.run_eagerly = eagerly
    train()
    with tf.record(values="none", max_ops=1) as tape:
        for _ in range(12):  # traced steps are few ops each: the limit is looked at every few thousand
            train()
        more = grown(train, 4)
    assert tape.recording.meta_dict()["truncated"]["ops"] < 12_000
    assert more < 24 * steps
    assert tape.recording.to_bytes()


def test_what_has_begun_before_the_limit_ends_after_it():
    x = tf.Variable(tf.ones([3]))
    with tf.record(values="none", max_ops=1) as tape, tf.name_scope("outer"), tf.GradientTape() as gradients:
        for _ in range(5000):
            tf.square(x)
        y = tf.reduce_sum(tf.square(x))
        with tf.name_scope("inner"):
            np.testing.assert_array_equal(gradients.gradient(y, x), [2.0, 2.0, 2.0])
    recording = tape.recording
    spans = recording.events.id[recording.events.kind == KINDS.index("span")]
    assert spans.size
    assert set(spans.tolist()) == set(recording.ends.event.tolist())
    assert recording.meta_dict()["truncated"]["ops"] < 5000
    assert str(tape)


def test_failures_are_told_after_the_limit_too():
    with tf.record(values="none", max_ops=1) as tape:
        for _ in range(5000):
            tf.ones([2]) + 1.0
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.ones([2]) + tf.ones([3])
    assert [finding.kind for finding in tape.verdicts()] == ["failed"]


def test_a_recording_says_that_it_is_full_while_the_program_runs(tmp_path):
    with tf.record(values="none", max_ops=100, save=tmp_path / "run.tape") as tape:
        x = tf.constant(1.0)
        for _ in range(20_000):
            x = x + 1.0
        written = read(tmp_path / "run.tape").meta_dict()
    ops = tape.recording.meta_dict()["truncated"]["ops"]
    assert written["truncated"] == {"ops": ops}
    assert f"The recording was full after {numbers.count(ops)} ops: what ran then is not in it" in str(tape)
