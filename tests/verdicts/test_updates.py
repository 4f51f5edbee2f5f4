"""Updates that do nothing or go uphill, and units that stay alike; and what looks like them and is fine."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.verdicts.snippets import findings, program

_START = """
tf.random.set_seed(0)
rng = np.random.default_rng(0)
layers, optimizers = tf.keras.layers, tf.keras.optimizers
x = tf.constant(rng.normal(size=(16, 4)).astype("float32"))
y = tf.constant(rng.normal(size=(16, 1)).astype("float32"))
def mse(a, b): return tf.reduce_mean(tf.square(a - b))
"""

_FIT = """
        model.compile({optimizer}, "mse")
        model.fit(x, y, epochs=5, batch_size=16, verbose=0)"""


def _by_hand(rule: str, loss: str = "loss", steps: int = 8, start: str = "tf.random.normal([4, 1])") -> str:
    return f"""
        w = tf.Variable({start})
        for _ in range({steps}):
            with tf.GradientTape() as tape:
                {loss} = mse(x @ w, y)
            g = tape.gradient({loss}, w)
            {rule}
        """


def _by_optimizer(made: str, pairs: str = "zip(g, model.trainable_variables)", *, steps: int = 6) -> str:
    return f"""
        model = tf.keras.Sequential([layers.Dense(6, activation="tanh"), layers.Dense(1)])
        model(x)
        optimizer = {made}
        for _ in range({steps}):
            with tf.GradientTape() as tape:
                loss = mse(model(x), y)
            g = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients({pairs})  # fault
        """


WITHOUT_EFFECT = {
    "by hand": _by_hand("w.assign_sub(1e-12 * g)  # fault"),
    "assigned": _by_hand("w.assign(w - 1e-12 * g)  # fault"),
    "by an optimizer": _by_optimizer("optimizers.SGD(1e-12)"),
    "by Adam": _by_optimizer("optimizers.Adam(1e-14)"),
    "with momentum": _by_optimizer("optimizers.SGD(1e-12, momentum=0.9)"),
    "a rate divided by the number of pixels": _by_hand("w.assign_sub(0.001 / 224**5 * g)  # fault"),
    "a schedule that has ended": _by_optimizer("optimizers.SGD(optimizers.schedules.ExponentialDecay(0.1, 1, 1e-30))")
    .replace("range(6)", "range(1, 7)").replace("SGD(optimizers", "SGD(1e-13 * 1.0) or (optimizers"),
    "weights that are large": _by_hand("w.assign_sub(1e-6 * g)  # fault", start="1e6 + tf.random.normal([4, 1])")
    .replace("x @ w", "1e-4 * x @ w"),
    "half precision": """
        w = tf.Variable(tf.ones([4, 1], tf.float16))
        half = tf.cast(x, tf.float16)
        for _ in range(6):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(half @ w))
            w.assign_sub(tf.constant(1e-5, tf.float16) * tape.gradient(loss, w))  # fault
        """,
    "traced": """
        w = tf.Variable(tf.random.normal([4, 1]))
        @tf.function
        def step():
            with tf.GradientTape() as tape:
                loss = mse(x @ w, y)
            w.assign_sub(1e-12 * tape.gradient(loss, w))  # fault
        for _ in range(6):
            step()
        """,
}  # fmt: skip

WITH_EFFECT = {
    "a small rate": _by_hand("w.assign_sub(1e-5 * g)"),
    "a rate of 0 while it warms up": _by_optimizer(
        "optimizers.SGD(optimizers.schedules.PolynomialDecay(0.0, 4, 0.1))", steps=8
    ),
    "a gradient of 0": _by_hand("w.assign_sub(0.1 * g)").replace("mse(x @ w, y)", "mse(x @ w, x @ w)"),
    "weights that begin at 0": _by_hand("w.assign_sub(1e-12 * g)", start="tf.zeros([4, 1])"),
    "two steps": _by_hand("w.assign_sub(1e-12 * g)", steps=2),
    "clipped weights": _by_hand("w.assign(tf.clip_by_value(w - 0.1 * g, -0.1, 0.1))"),
    "a layer that moves slowly beside one that learns": _by_optimizer(
        "optimizers.SGD(0.1)", "[(g[0] * 1e-12, model.trainable_variables[0]), (g[2], model.trainable_variables[2])]"
    ),
    "a moving average": _by_hand("w.assign_sub(0.1 * g); mean.assign(0.999 * mean + 0.001 * w)").replace(
        "w = tf", "mean = tf.Variable(tf.ones([4, 1]), trainable=False); w = tf"
    ),
    "adam": _by_optimizer("optimizers.Adam()"),
    "by fit": "\n        model = tf.keras.Sequential([layers.Dense(1)])"
    + _FIT.format(optimizer="optimizers.SGD(0.01)"),
}

UPHILL = {
    "added": _by_hand("w.assign_add(0.02 * g)  # fault"),
    "assigned": _by_hand("w.assign(w + 0.02 * g)  # fault"),
    "a rate below 0": _by_hand("w.assign_sub(-0.02 * g)  # fault"),
    "a cost": _by_hand("w.assign_add(0.02 * g)  # fault", "cost"),
    "an error": _by_hand("w.assign_add(0.02 * g)  # fault", "error"),
    "negated for an optimizer": _by_optimizer("optimizers.SGD(0.02)", "[(-a, b) for a, b in zip(g, model.variables)]"),
    "negated with momentum": _by_optimizer(
        "optimizers.SGD(0.01, momentum=0.9)", "[(-a, b) for a, b in zip(g, model.variables)]"
    ),
    "divided by the number of examples": _by_hand("w.assign_add(g / 30.0)  # fault"),
    "with a bias": """
        w, b = tf.Variable(tf.random.normal([4, 1])), tf.Variable(tf.zeros([1]))
        for _ in range(8):
            with tf.GradientTape() as tape:
                loss = mse(x @ w + b, y)
            dw, db = tape.gradient(loss, [w, b])
            w.assign_add(0.02 * dw)  # fault
            b.assign_add(0.02 * db)  # fault
        """,
    "a single number": _by_hand("w.assign_add(0.02 * g)  # fault", start="3.0").replace("x @ w", "x[:, :1] * w"),
}

DOWNHILL = {
    "subtracted": _by_hand("w.assign_sub(0.02 * g)"),
    "a rate that is too large": _by_hand("w.assign_sub(1.5 * g)"),
    "a likelihood that is maximized": _by_hand("w.assign_add(0.02 * g)", "score"),
    "an input on which a model fails": """
        model = layers.Dense(1)
        model(x)
        noise = tf.Variable(tf.zeros([16, 4]))
        for _ in range(8):
            with tf.GradientTape() as tape:
                loss = mse(model(x + noise), y)
            noise.assign_add(0.1 * tape.gradient(loss, noise))
        """,
    "the sign of a gradient": """
        model = layers.Dense(1)
        model(x)
        noise = tf.Variable(tf.zeros([16, 4]))
        for _ in range(8):
            with tf.GradientTape() as tape:
                loss = mse(model(x + noise), y)
            noise.assign_add(0.1 * tf.sign(tape.gradient(loss, noise)))
        """,
    "a loss below 0": _by_hand("w.assign_add(0.02 * g)").replace("mse(x @ w, y)", "-100.0 + mse(x @ w, y)"),
    "a gradient that is negated twice": _by_hand("w.assign_add(-0.02 * g)"),
    "an optimizer's": _by_optimizer("optimizers.SGD(0.02)"),
    "a loss of harder and harder examples": _by_hand("w.assign_sub(0.001 * g)").replace(
        "mse(x @ w, y)", "mse(x @ w, y) * (1.0 + 3.0 * _)"
    ),
    "two calls": _by_hand("w.assign_add(0.02 * g)", steps=2),
}


def _layers(first: str, last: str, between: str = "") -> str:
    return f"""
        model = tf.keras.Sequential()
        model.add({first})  # fault
        {between}
        model.add({last})""" + _FIT.format(optimizer='"sgd"')


_ONES = "kernel_initializer='ones'"
_CONSTANT = "kernel_initializer=tf.keras.initializers.Constant(0.1)"

ALIKE = {
    "ones": _layers(f"layers.Dense(5, activation='tanh', {_ONES})", f"layers.Dense(1, {_ONES})"),
    "a constant": _layers(f"layers.Dense(5, activation='sigmoid', {_CONSTANT})", f"layers.Dense(1, {_CONSTANT})"),
    "relu": _layers(f"layers.Dense(5, activation='relu', {_ONES})", f"layers.Dense(1, {_ONES})"),
    "no activation": _layers(f"layers.Dense(5, {_ONES})", f"layers.Dense(1, {_ONES})"),
    "0 behind": _layers(f"layers.Dense(5, activation='tanh', {_ONES})", "layers.Dense(1, kernel_initializer='zeros')"),
    "0 before": _layers(
        "layers.Dense(5, activation='sigmoid', kernel_initializer='zeros')", f"layers.Dense(1, {_ONES})"
    ),
    "no bias": _layers(f"layers.Dense(5, use_bias=False, activation='tanh', {_ONES})", f"layers.Dense(1, {_ONES})"),
    "an activation of its own": _layers(
        f"layers.Dense(5, {_ONES})", f"layers.Dense(1, {_ONES})", "model.add(layers.Activation('tanh'))"
    ),
    "by hand": """
        v = tf.Variable(tf.ones([4, 5]))  # fault
        u = tf.Variable(tf.fill([5, 1], 0.3))
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = mse(tf.tanh(x @ v) @ u, y)
            dv, du = tape.gradient(loss, [v, u])
            v.assign_sub(0.1 * dv)
            u.assign_sub(0.1 * du)
        """,
    "traced": """
        v = tf.Variable(tf.ones([4, 5]))  # fault
        u = tf.Variable(tf.ones([5, 1]))
        @tf.function
        def step():
            with tf.GradientTape() as tape:
                loss = mse(tf.nn.relu(x @ v) @ u, y)
            dv, du = tape.gradient(loss, [v, u])
            v.assign_sub(0.01 * dv)
            u.assign_sub(0.01 * du)
        for _ in range(3):
            step()
        """,
}

APART = {
    "random weights": _layers("layers.Dense(5, activation='tanh')", "layers.Dense(1)"),
    "random weights behind": _layers(f"layers.Dense(5, activation='tanh', {_ONES})", "layers.Dense(1)"),
    "a last layer of 0": _layers("layers.Dense(5)", "layers.Dense(1, kernel_initializer='zeros')"),
    "one layer of ones": "\n        model = tf.keras.Sequential([layers.Dense(1, kernel_initializer='ones')])"
    + _FIT.format(optimizer='"sgd"'),
    "dropout between": _layers(
        f"layers.Dense(5, {_ONES})", f"layers.Dense(1, {_ONES})", "model.add(layers.Dropout(0.5))"
    ),
    "a single unit": _layers(f"layers.Dense(1, {_ONES})", f"layers.Dense(1, {_ONES})"),
    "biases that differ": _layers(
        f"layers.Dense(5, activation='tanh', bias_initializer='random_normal', {_ONES})", f"layers.Dense(1, {_ONES})"
    ),
    "not trained": """
        v, u = tf.Variable(tf.ones([4, 5])), tf.Variable(tf.ones([5, 1]))
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = mse(tf.tanh(x @ v) @ u, y)
            du = tape.gradient(loss, u)
            u.assign_sub(0.1 * du)
        """,
    "averages over a window": """
        v = tf.constant(np.full((4, 5), 0.25, "float32"))
        u = tf.Variable(tf.ones([5, 1]))
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = mse(x @ v @ u, y)
            u.assign_sub(0.1 * tape.gradient(loss, u))
        """,
    "another reader": """
        v, u = tf.Variable(tf.ones([4, 5])), tf.Variable(tf.ones([5, 1]))
        for _ in range(3):
            with tf.GradientTape() as tape:
                h = tf.tanh(x @ v)
                loss = mse(h @ u, y) + mse(h, tf.constant(np.arange(80.0).reshape(16, 5), tf.float32))
            dv, du = tape.gradient(loss, [v, u])
            v.assign_sub(0.1 * dv)
            u.assign_sub(0.1 * du)
        """,
}

MISTAKES = {
    **{f"without effect, {name}": ("not_learning", body) for name, body in WITHOUT_EFFECT.items()},
    **{f"uphill, {name}": ("diverging", body) for name, body in UPHILL.items()},
    **{f"alike, {name}": ("not_learning", body) for name, body in ALIKE.items()},
}
LOOK_ALIKES = {
    **{f"with effect, {name}": body for name, body in WITH_EFFECT.items()},
    **{f"downhill, {name}": body for name, body in DOWNHILL.items()},
    **{f"apart, {name}": body for name, body in APART.items()},
}
_SAID = ("leave", "rises at each", "stay one unit")


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_finding_on_its_line(name: str, tmp_path: Path):
    kind, body = MISTAKES[name]
    made = program(_START + textwrap.dedent(body), tmp_path)
    found = [one for one in findings(made, kind) if any(said in one.text for said in _SAID)]
    assert [one.site.line in made.faults for one in found] == [True]


@pytest.mark.parametrize("name", LOOK_ALIKES)
def test_what_looks_alike_is_none(name: str, tmp_path: Path):
    made = program(_START + textwrap.dedent(LOOK_ALIKES[name]), tmp_path)
    found = [one for kind in ("not_learning", "diverging") for one in findings(made, kind)]
    assert [str(one) for one in found if any(said in one.text for said in _SAID)] == []
