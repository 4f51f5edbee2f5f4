from __future__ import annotations

from pathlib import Path

import pytest

from tests.verdicts.snippets import findings, program

_SETUP = """
rng = np.random.default_rng(0)
image = tf.constant(rng.integers(0, 256, (8, 8)), tf.uint8)
unit = tf.constant(rng.uniform(0.01, 0.99, (8, 8)), tf.float32)
far = tf.constant(4000 + 0.1 * rng.normal(size=(64, 3)), tf.float32)
hits = tf.constant([1, 0, 1, 1])
"""

WRONG = {
    "a difference of frames": "d = image - tf.constant(rng.integers(0, 256, (8, 8)), tf.uint8)",
    "brighter": "b = image + tf.constant(100, tf.uint8)",
    "a mean taken off": "d = image - tf.constant([200] * 8, tf.uint8)",
    "a sum of pixels": "s = tf.reduce_sum(image)",
    "a sum of int8": "s = tf.constant([100, 100], tf.int8) + tf.constant([100, 50], tf.int8)",
    "an image from 0 to 1": "i = tf.cast(unit, tf.uint8)",
    "probabilities as whole numbers": "i = tf.cast(unit, tf.int32)",
    "too small for a half": "h = tf.cast(unit * 1e-9, tf.float16)",
    "accuracy": "a = tf.reduce_mean(hits)",
    "accuracy of rows": "a = tf.reduce_mean(tf.cast(tf.constant([True, False, False]), tf.int64))",
    "a count": "c = tf.Variable(2.0**24)\nc.assign_add(1.0)",
    "a count of halves": "c = tf.Variable(4096.0, dtype=tf.float16)\nc.assign_add(1.0)",
    "a variance": "v = tf.reduce_mean(far * far, axis=0) - tf.reduce_mean(far, axis=0) ** 2",
    "a variance by square": "m = tf.reduce_mean(far)\nv = tf.reduce_mean(tf.square(far)) - tf.square(m)",
    "squares of halves": "h = tf.constant([300.0, 2.0], tf.float16)\nr = 1.0 / (h * h)",
    "squares of a half": "s = tf.square(tf.cast(unit * 1e-4, tf.float16))",
    "a half by itself": "h = tf.cast(unit * 1e-4, tf.float16)\ns = h * h",
    "two halves": "s = tf.cast(unit * 1e-4, tf.float16) * tf.cast(unit * 1e-4 + 1e-5, tf.float16)",
    "a half by a number": "s = tf.cast(unit * 1e-3, tf.float16) * tf.constant(1e-6, tf.float16)",
    "a norm of halves": "n = tf.sqrt(tf.reduce_sum(tf.square(tf.cast(unit * 1e-4, tf.float16)), axis=1))",
    "a variance of halves": "h = tf.cast(unit * 1e-4, tf.float16)\nv = tf.square(h - tf.reduce_mean(h))",
    "squares of float32": "s = tf.square(unit * 1e-30)",
    "a probability of many": "p = (unit * 1e-20) * (unit * 1e-20) * (unit * 1e-20)",
    "in a trace": "f = tf.function(lambda h: tf.square(h))\nf(tf.cast(unit * 1e-4, tf.float16))",
    "in double": "d = tf.cast(unit, tf.float64) * 1e-200\ns = d * d",
}

FINE = {
    "squares of what a half holds": "s = tf.square(tf.cast(unit, tf.float16))",
    "squares of float32 that are small": "s = tf.square(unit * 1e-4)",
    "squares of bfloat16": "s = tf.square(tf.cast(unit * 1e-4, tf.bfloat16))",
    "two masks": "s = tf.cast(unit > 0.5, tf.float32) * tf.cast(unit <= 0.5, tf.float32)",
    "what is left and right of 0": "s = tf.nn.relu(unit - 0.5) * tf.nn.relu(0.5 - unit)",
    "zeros squared": "s = tf.square(tf.zeros([8, 8], tf.float16))",
    "times 0": "s = unit * 0.0",
    "the difference of equals": "s = tf.math.squared_difference(unit, unit)",
    "a mask by row": "s = tf.constant([[0.0]] * 8) * unit",
    "whole numbers": "s = tf.zeros([4], tf.int32) * 3",
    "within the range": "d = image // 4 + tf.constant(10, tf.uint8)",
    "cast before": "d = tf.cast(image, tf.int32) - 300",
    "a scaled image": "i = tf.cast(unit * 255, tf.uint8)",
    "a mask": "i = tf.cast(unit > 0.5, tf.int32)",
    "a single number": "i = tf.cast(tf.constant(0.3), tf.int32)",
    "zeros": "i = tf.cast(tf.zeros([8, 8]), tf.float16)",
    "half of it": "h = tf.cast(unit, tf.float16)",
    "a mean of whole numbers": "m = tf.reduce_mean(tf.constant([2, 4, 7]))",
    "all hits": "m = tf.reduce_mean(tf.constant([1, 1]))",
    "accuracy in float": "m = tf.reduce_mean(tf.cast(hits, tf.float32))",
    "a count of few": "c = tf.Variable(3.0)\nc.assign_add(1.0)",
    "a small step": "w = tf.Variable(1.0)\nw.assign_sub(1e-12)",
    "three less two": "d = tf.constant(3.0) - tf.constant(2.0)",
    "a variance near 0": "x = far - 4000.0\nv = tf.reduce_mean(x * x, axis=0) - tf.reduce_mean(x, axis=0) ** 2",
    "a variance in double": "x = tf.cast(far, tf.float64)\nv = tf.reduce_mean(x * x) - tf.reduce_mean(x) ** 2",
    "a mask of minus infinity": "h = tf.nn.softmax(tf.where(unit > 0.5, unit, -np.inf))",
    "a large mask as a half": "h = tf.cast(tf.where(unit > 0.5, unit, -1e9), tf.float16)\np = tf.nn.softmax(h)",
}


@pytest.mark.parametrize("code", WRONG.values(), ids=WRONG)
def test_what_a_dtype_cannot_hold_is_named_once(code: str, tmp_path: Path):
    assert len(findings(program(_SETUP + code, tmp_path), "precision")) == 1


@pytest.mark.parametrize("code", FINE.values(), ids=FINE)
def test_what_it_can_hold_is_no_finding(code: str, tmp_path: Path):
    assert findings(program(_SETUP + code, tmp_path), "precision") == []
