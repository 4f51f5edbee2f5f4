from __future__ import annotations

from pathlib import Path

import pytest

import tapeviz as tf
from tests.verdicts.snippets import findings, program

_SETUP = """
layers = tf.keras.layers
tf.random.set_seed(0)
x = np.random.default_rng(0).normal(size=(16, 4)).astype("float32")
y = x[:, :1]
drop = tf.keras.Sequential([layers.Dense(8), layers.Dropout(0.5), layers.Dense(1)])
norm = tf.keras.Sequential([layers.Dense(8), layers.BatchNormalization(), layers.Dense(1)])
opt = tf.keras.optimizers.Adam(0.01)
def train(model, steps=2, **mode):
    opt = tf.keras.optimizers.Adam(0.01)
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x, **mode) - y) ** 2)
        opt.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
"""

WRONG = {
    "dropout off": "train(drop)",
    "dropout off, said": "train(drop, training=False)",
    "averages at rest": "train(norm)",
    "a layer alone": "n = layers.BatchNormalization()\nd = layers.Dense(1)\n"
    "with tf.GradientTape() as tape:\n    loss = tf.reduce_mean(d(n(x)) ** 2)\n"
    "tape.gradient(loss, n.trainable_variables)",
    "evaluated with noise": "train(drop, training=True)\nfor i in range(3):\n"
    "    print(tf.reduce_mean((drop(x + i, training=True) - y) ** 2).numpy())",
    "a prediction from the batch": "train(norm, training=True)\nprint(norm(x, training=True).numpy())",
    "a validation that is traced": "train(drop, training=True)\n"
    "@tf.function\ndef step(a, b):\n    with tf.GradientTape() as tape:\n"
    "        loss = tf.reduce_mean((drop(a, training=True) - b) ** 2)\n"
    "    opt.apply_gradients(zip(tape.gradient(loss, drop.trainable_variables), drop.trainable_variables))\n"
    "@tf.function\ndef check(a, b):\n    return tf.reduce_mean((drop(a, training=True) - b) ** 2)\n"
    "step(x, y)\ncheck(x, y)",
    "dropout by hand": "w = tf.Variable(tf.ones([4, 1]))\ndef f(a):\n    return tf.matmul(tf.nn.dropout(a, 0.5), w)\n"
    "with tf.GradientTape() as tape:\n    loss = tf.reduce_mean(f(x))\ntape.gradient(loss, w)\nprint(f(x).numpy())",
}

FINE = {
    "as it should be": "train(drop, training=True)\n"
    "train(norm, training=True)\nprint(drop(x).numpy(), norm(x).numpy())",
    "fit and predict": "drop.compile('sgd', 'mse')\ndrop.fit(x, y, verbose=0)\ndrop.predict(x, verbose=0)",
    "no rate": "m = tf.keras.Sequential([layers.Dense(2), layers.Dropout(0.0), layers.Dense(1)])\n"
    "train(m, training=True)",
    "samples": "train(drop, training=True)\ns = tf.stack([drop(x, training=True) for _ in range(4)])",
    "samples in Python": "train(drop, training=True)\ns = np.stack([drop(x, training=True).numpy() for _ in range(8)])",
    "a gradient by the inputs": "train(drop, training=True)\na = tf.constant(x)\nwith tf.GradientTape() as tape:\n"
    "    tape.watch(a)\n    z = tf.reduce_sum(drop(a))\ntape.gradient(z, a)",
    "frozen averages": "train(norm, training=True)\ntrain(norm, training=False)",
    "frozen": "norm(x)\nnorm.layers[1].trainable = False\ntrain(norm)",
    "weights made by a call": "drop(x[:1], training=True)\ntrain(drop, training=True)",
    "a generator": "g, d = norm, drop\nz = tf.constant(x)\nfor _ in range(2):\n"
    "    fake = g(z, training=True)\n    with tf.GradientTape() as tape:\n"
    "        loss = tf.reduce_mean(d(tf.tile(fake, [1, 4]), training=True))\n"
    "    tape.gradient(loss, d.trainable_variables)\n    with tf.GradientTape() as tape:\n"
    "        loss = -tf.reduce_mean(d(tf.tile(g(z, training=True), [1, 4]), training=True))\n"
    "    tape.gradient(loss, g.trainable_variables)",
}


@pytest.mark.parametrize("code", WRONG.values(), ids=WRONG)
def test_the_wrong_mode_is_named_once(code: str, tmp_path: Path):
    assert len(findings(program(_SETUP + code, tmp_path), "training_flag")) == 1


@pytest.mark.parametrize("code", FINE.values(), ids=FINE)
def test_modes_on_purpose_are_no_finding(code: str, tmp_path: Path):
    assert findings(program(_SETUP + code, tmp_path), "training_flag") == []


@pytest.mark.parametrize("layer", ["Dropout(0.0)", "GaussianNoise(0.0)", "SpatialDropout1D(0.0)"])
def test_noise_of_nothing_needs_no_training_mode(layer):
    noise = eval(f"tf.keras.layers.{layer}")
    attention, x = tf.keras.layers.MultiHeadAttention(2, 3), tf.ones([2, 3, 4])
    optimizer = tf.keras.optimizers.SGD(0.1)
    with tf.record() as tape:
        for _ in range(3):
            with tf.GradientTape() as g:
                loss = tf.reduce_mean(noise(attention(x, x)) ** 2)
            optimizer.apply_gradients(
                zip(g.gradient(loss, attention.trainable_variables), attention.trainable_variables, strict=True)
            )
    assert [verdict for verdict in tape.verdicts() if verdict.kind == "training_flag"] == []
