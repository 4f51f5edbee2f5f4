"""Pixels that are brought from 0 to 255 down to 0 to 1, and then once more."""

import pytest

from tests.verdicts.cells import findings

_PICTURES = """
pixels = rng.integers(0, 256, (4, 8, 8, 1)).astype("uint8")
scaled = tf.cast(pixels, tf.float32) / 255.0
"""
MISTAKES = {
    "divided again": "again = scaled / 255.0",
    "multiplied": "again = scaled * (1 / 255)",
    "by a layer": "layers.Rescaling(1 / 255)(scaled)",
    "to -1 and 1": "again = scaled / 127.5 - 1.0",
    "NumPy divided them before": "again = tf.constant((pixels / 255).astype('float32')) / 255",
}
FINE = {
    "once": "tf.cast(pixels, tf.float32) / 127.5 - 1.0",
    "back to bytes": "tf.cast(scaled * 255.0, tf.uint8)",
    "a column of numbers": "tf.constant(rng.uniform(size=(64, 1)).astype('float32')) / 255.0",
    "what a model gives": "layers.Conv2D(2, 3, activation='sigmoid')(scaled) / 255.0",
}


@pytest.mark.parametrize("name", MISTAKES)
def test_what_is_scaled_twice_is_named(name):
    ((finding, line),) = findings(_PICTURES + MISTAKES[name], "scaled_twice")
    assert line == MISTAKES[name]
    assert "already" in finding.text


@pytest.mark.parametrize("name", FINE)
def test_what_looks_alike_is_fine(name):
    assert findings(_PICTURES + FINE[name], "scaled_twice") == []
