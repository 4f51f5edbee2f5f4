"""A recorded program computes what it computes by itself, bit for bit, and every face of its tape opens."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from tensorflow import keras

import tapeviz
from tests.adapters.tensorflow.programs import PROGRAMS


def bits(items) -> list[bytes]:
    """Values, to be compared to the bit: NaN is itself here."""
    return [np.asarray(item.numpy() if hasattr(item, "numpy") else item).tobytes() for item in items]


def test_there_are_seventy_programs():
    assert len(PROGRAMS) >= 70


@pytest.mark.parametrize("name", PROGRAMS)
def test_recorded_program_is_the_same_to_the_bit(name, tmp_path):
    keras.utils.set_random_seed(0)
    alone, after_alone = bits(PROGRAMS[name]()), bits([tf.random.uniform(())])
    keras.utils.set_random_seed(0)
    with tapeviz.record(framework="tensorflow", values="all") as tape:
        recorded = bits(PROGRAMS[name]())
    assert recorded == alone
    assert bits([tf.random.uniform(())]) == after_alone
    assert len(tape.events) > 0
    assert tapeviz.load(tape.save(tmp_path / "a.tape")).recording.problem is None
    for suffix in ("html", "json"):
        assert tape.save(tmp_path / f"a.{suffix}").stat().st_size > 0
    assert str(tape)
    assert str(tape.steps())
    tape.verdicts()
    str(tape.nonfinite())


def test_each_tensor_on_the_way_has_its_own_gradient():
    w, x, labels = tf.Variable([[0.1, 0.4], [0.3, 0.2]]), tf.constant([[1.0, 2.0]]), tf.constant([1])
    with tapeviz.record(framework="tensorflow", values="all") as tape:
        with tf.GradientTape(persistent=True) as inner:
            logits = tf.matmul(x, w)
            each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
            loss = tf.reduce_sum(each * tf.reduce_sum(logits, axis=1))
        inner.gradient(loss, w)
    table = tape.recording.gradients
    found = dict(zip(table.tensor.tolist(), table.gradient.tolist(), strict=True))  # the last is the whole one
    for tensor in (logits, each):
        number, _ = tape._numbers_of(tensor)
        assert np.array_equal(tape.elements(found[number]), inner.gradient(loss, tensor).numpy())


@pytest.mark.parametrize(
    "name", ["by_hand", "mlp_tanh_3", "conv_norm", "masked_attention", "gathered", "reshaped", "composites"]
)
def test_gradients_of_the_recording_are_those_that_the_program_got(name):
    found = []
    original = tf.GradientTape.gradient

    def gradient(self, target, sources, *args, **kwargs):
        found.append(original(self, target, sources, *args, **kwargs))
        return found[-1]

    tf.GradientTape.gradient = gradient
    try:
        with tapeviz.record(framework="tensorflow", values="all") as tape:
            PROGRAMS[name]()
    finally:
        tf.GradientTape.gradient = original
    handed = [tf.convert_to_tensor(one).numpy() for one in tf.nest.flatten(found)]
    numbers = tape.recording.requests.gradient.tolist()
    assert len(numbers) == len(handed) > 0
    for number, expected in zip(numbers, handed, strict=True):
        assert (tape.elements(number) == expected).all()
