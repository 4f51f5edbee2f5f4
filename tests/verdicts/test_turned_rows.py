"""Rows that meet what was reduced of them along the columns, and masks that hide nothing from a softmax."""

import pytest

from tests.verdicts.cells import findings

_SQUARE = "s = x @ tf.transpose(x)\n"
TURNED = {
    "a mean": "loss = tf.reduce_sum((s - tf.reduce_mean(s, axis=1)) ** 2)",
    "a softmax by hand": "p = tf.exp(s) / tf.reduce_sum(tf.exp(s), axis=-1)",
    "a norm with a floor": "n = s / tf.maximum(tf.norm(s, axis=1), 1e-12)",
    "batches of rows": "t = tf.reshape(s, [16, 4, 4])[:4]; n = t / tf.norm(t, axis=2)",
}
NOT_TURNED = {
    "kept": "n = s / tf.norm(s, axis=1, keepdims=True)",
    "columns": "n = s / tf.reduce_sum(s, axis=0)",
    "a graph's edges from both sides": "d = tf.math.rsqrt(tf.reduce_sum(tf.abs(s), 1)); n = d[:, None] * s * d",
    "distances": "q = tf.reduce_sum(x * x, 1); d = q[:, None] - 2 * s + q",
}
_SCORES = """
logits = tf.Variable(rng.normal(size=(3, 6)).astype("float32"))
mask = tf.sequence_mask([6, 2, 4], 6, dtype=tf.float32)
"""
HIDES_NOTHING = {
    "a product": "p = tf.nn.softmax(logits * mask)",
    "with an axis behind": "p = tf.nn.softmax(tf.expand_dims(logits * mask, -1), axis=1)",
}
HIDES = {
    "added": "p = tf.nn.softmax(logits * mask + (1 - mask) * -1e9)",
    "chosen": "p = tf.nn.softmax(tf.where(mask > 0, logits, -1e9))",
    "afterwards": "p = tf.nn.softmax(logits) * mask",
    "a gate of its own": "p = tf.nn.softmax(logits * tf.cast(logits > 0, tf.float32))",
    "a temperature": "p = tf.nn.softmax(logits * tf.constant([0.0, 0.5, 1.0, 1.0, 1.0, 1.0]))",
}


@pytest.mark.parametrize("name", TURNED)
def test_rows_that_meet_their_own_sums_along_columns_are_named(name):
    ((finding, line),) = findings(_SQUARE + TURNED[name], "broadcast")
    assert line == TURNED[name]
    assert "keepdims=True" in finding.fix


@pytest.mark.parametrize("name", NOT_TURNED)
def test_other_ways_to_reduce_are_fine(name):
    assert findings(_SQUARE + NOT_TURNED[name], "broadcast") == []


@pytest.mark.parametrize("name", HIDES_NOTHING)
def test_a_mask_by_product_is_named(name):
    ((finding, line),) = findings(_SCORES + HIDES_NOTHING[name], "softmax")
    assert line == HIDES_NOTHING[name]
    assert "tf.where(mask > 0, logits" in finding.fix


@pytest.mark.parametrize("name", HIDES)
def test_masks_that_hide_are_fine(name):
    assert findings(_SCORES + HIDES[name], "softmax") == []
