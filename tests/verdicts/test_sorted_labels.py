"""Labels that come sorted from arrays, without a pipeline; and batches of one class that are meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.verdicts.snippets import findings, program

_START = """
rng = np.random.default_rng(0)
layers = tf.keras.layers
y = np.repeat(np.arange(4), 32)
x = (rng.normal(size=(128, 5)) + y[:, None]).astype("float32")
net = layers.Dense(4)
sparse = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
def entropy(labels, features):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=net(features)))
def step(labels, features):
    with tf.GradientTape() as tape:
        loss = entropy(labels, features)
    for w, g in zip(net.trainable_variables, tape.gradient(loss, net.trainable_variables)):
        w.assign_sub(0.01 * g)
def fit(labels, features, *between, **options):
    model = tf.keras.Sequential([*between, layers.Dense(4)])
    model.compile("sgd", sparse)
    model.fit(features, labels, verbose=0, **options)
"""
_SLICES = "for i in range(0, 128, {size}):\n    step({labels}, x[i : i + {size}])"


def _slices(labels: str = "y[i : i + {size}]", size: int = 16) -> str:
    return _SLICES.replace("{labels}", labels).replace("{size}", str(size))


SORTED = {
    "fit without a shuffle": "fit(y, x, shuffle=False, batch_size=16)",
    "fit in small batches": "fit(y, x, shuffle=False, batch_size=4)",
    "two epochs": "fit(y, x, shuffle=False, batch_size=16, epochs=2)",
    "two classes": "fit(y // 2, x, shuffle=False, batch_size=16)",
    "a deeper model": "fit(y, x, layers.Dense(8, 'relu'), shuffle=False, batch_size=16)",
    "slices": _slices(),
    "small slices": _slices(size=8),
    "backwards": _slices("3 - y[i : i + {size}]"),
    "with some of another class": "y[::32] = 3\n" + _slices(size=8),
    "traced": "step = tf.function(step)\nfor i in range(0, 128, 16):\n"
    "    step(tf.constant(y[i : i + 16]), tf.constant(x[i : i + 16]))",
}

MEANT = {
    "fit with its shuffle": "fit(y, x, batch_size=16)",
    "shuffled before": "order = rng.permutation(128)\nfit(y[order], x[order], shuffle=False, batch_size=16)",
    "all in one batch": "for _ in range(8): step(y, x)",
    "measured in order": "for i in range(0, 128, 16): print(float(entropy(y[i : i + 16], x[i : i + 16])))",
    "one class": "fit(0 * y, x, shuffle=False, batch_size=16)",
    "two kinds in turns": "for i in range(8): step(np.full(16, i % 2), x[:16])",
    "three batches": "for i in range(3): step(np.full(16, i), x[:16])",
    "one example at a time": "for i in range(0, 128, 8): step(y[i : i + 1], x[i : i + 1])",
    "regression": "model = tf.keras.Sequential([layers.Dense(1)])\nmodel.compile('sgd', 'mse')\n"
    "model.fit(x, y.astype('float32')[:, None], shuffle=False, batch_size=16, verbose=0)",
    "mixed": _slices("y[i % 16 :: 8]", size=16),
}


@pytest.mark.parametrize("name", SORTED)
def test_sorted_labels_are_one_finding(name: str, tmp_path: Path):
    assert len(findings(program(_START + SORTED[name], tmp_path), "sorted_labels")) == 1


@pytest.mark.parametrize("name", MEANT)
def test_other_orders_are_none(name: str, tmp_path: Path):
    assert findings(program(_START + MEANT[name], tmp_path), "sorted_labels") == []
