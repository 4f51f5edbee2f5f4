"""What is to be kept, given for what is to be dropped."""

import pytest

from tests.verdicts.cells import findings

MISTAKES = {
    "a layer": "layers.Dropout(0.9)(x, training=True)",
    "the function": "tf.nn.dropout(x, rate=0.85)",
    "noise of one mask for all rows": "layers.Dropout(0.9, noise_shape=(1, 4))(x, training=True)",
    "fit": """
        model = tf.keras.Sequential([
            layers.Dense(8),
            layers.Dropout(0.9),
            layers.Dense(1)])
        model.compile("sgd", "mse")
        model.fit(x, y, verbose=0)
    """,
}
FINE = {
    "half of them": "layers.Dropout(0.5)(x, training=True)",
    "nothing is dropped": "layers.Dropout(0.9)(x, training=False)",
    "a choice by chance": "tf.where(tf.random.uniform([16, 4]) >= 0.9, x, 0.0)",
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_rate_that_drops_nearly_all_is_named(name):
    ((finding, line),) = findings(MISTAKES[name], "dropout_rate")
    assert "dropout" in line.lower()
    assert finding.fix.startswith("if 0.")


@pytest.mark.parametrize("name", FINE)
def test_what_looks_alike_is_fine(name):
    assert findings(FINE[name], "dropout_rate") == []
