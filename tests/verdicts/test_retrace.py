from __future__ import annotations

from pathlib import Path

import pytest

import tapeviz as tf
from tests.verdicts.snippets import findings, program

_DOUBLE = """
@tf.function
def double(x, n=1):
    return x * n

"""

_MISTAKES = {
    "a python float": _DOUBLE + "for i in range(8):\n    double(tf.constant(1.0), 0.5 * i)  # fault",
    "a python int by keyword": _DOUBLE + "for i in range(8):\n    double(tf.constant(1), n=i)  # fault",
    "shapes": _DOUBLE + "for i in range(8):\n    double(tf.ones([i]))  # fault",
    "shapes of a nested argument": """
        @tf.function
        def total(batch):
            return tf.reduce_sum(batch["x"]) + batch["y"][0]

        for i in range(8):
            total({"x": tf.ones([i + 1]), "y": [tf.constant(1.0)]})  # fault
    """,
    "ranks": """
        @tf.function(reduce_retracing=True)
        def total(x):
            return tf.reduce_sum(x)

        for i in range(6):
            total(tf.ones([1] * i))  # fault
    """,
    "a new object": """
        class Settings:
            rate = 0.1

        @tf.function
        def step(x, settings):
            return x * settings.rate

        for _ in range(7):
            step(tf.constant(1.0), Settings())  # fault
    """,
    "a lambda": """
        @tf.function
        def apply(x, activation):
            return activation(x)

        for _ in range(7):
            apply(tf.constant(1.0), lambda x: tf.nn.relu(x))  # fault
    """,
    "a string": """
        @tf.function
        def tagged(x, tag):
            return tf.identity(x, name="t")

        for i in range(7):
            tagged(tf.constant(1.0), f"step {i}")  # fault
    """,
    "made within a loop": """
        for _ in range(7):
            square = tf.function(lambda x: x * x)  # fault
            square(tf.constant(2.0))
    """,
    "made within a function": """
        def loss_of(x):
            @tf.function  # fault
            def loss(x):
                return tf.reduce_sum(x * x)

            return loss(x)

        for _ in range(9):
            loss_of(tf.constant([2.0]))
    """,
    "the method of a new object": """
        class Loss:
            @tf.function  # fault
            def __call__(self, x):
                return tf.reduce_sum(x * x)

        for _ in range(9):
            Loss()(tf.constant([2.0]))
    """,
    "dtypes and shapes": _DOUBLE
    + """
for i in range(3):
    for dtype in (tf.float32, tf.float64, tf.int32):
        double(tf.ones([i + 1], dtype))  # fault
""",
}

_FINE = {
    "one shape": _DOUBLE + "for i in range(20):\n    double(tf.constant(1.0 * i))",
    "a few shapes": _DOUBLE + "for i in range(20):\n    double(tf.ones([i % 3]))",
    "buckets, each used often": _DOUBLE + "for i in range(60):\n    double(tf.ones([i % 6]))",
    "a flag": _DOUBLE + "for i in range(9):\n    double(tf.constant(1.0), i % 2 == 0)",
    "sizes left open": """
        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def total(x):
            return tf.reduce_sum(x)

        for i in range(9):
            total(tf.ones([i]))
    """,
    "relaxed sizes": """
        @tf.function(reduce_retracing=True)
        def total(x):
            return tf.reduce_sum(x)

        for i in range(9):
            total(tf.ones([i]))
    """,
    "numbers as tensors": _DOUBLE + "for i in range(9):\n    double(tf.constant(1.0), tf.constant(0.5 * i))",
    "a function each for two models": """
        def make_step(w):
            @tf.function
            def step(x):
                return x * w

            return step

        for w in (tf.Variable(1.0), tf.Variable(2.0)):
            step = make_step(w)
            for _ in range(2):
                step(tf.constant(1.0))
    """,
    "a function for each fold, used often": """
        def make_step(w):
            @tf.function
            def step(x):
                return x * w

            return step

        for fold in range(6):
            step = make_step(tf.Variable(1.0))
            for _ in range(12):
                step(tf.constant(1.0))
    """,
    "one object": """
        class Settings:
            rate = 0.1

        @tf.function
        def step(x, settings):
            return x * settings.rate

        settings = Settings()
        for _ in range(9):
            step(tf.constant(1.0), settings)
    """,
    "a last batch that is smaller": """
        model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        model.compile("sgd", "mse")
        model.fit(np.ones((10, 2), "float32"), np.ones((10, 1), "float32"), batch_size=4, epochs=2, verbose=0)
    """,
}


@pytest.mark.parametrize("text", _MISTAKES.values(), ids=_MISTAKES.keys())
def test_a_function_traced_again_and_again_is_named_with_its_line(text: str, tmp_path: Path):
    made = program(text, tmp_path)
    (found,) = findings(made, "retrace")
    assert found.site.line in made.faults
    assert found.fix


@pytest.mark.parametrize("text", _FINE.values(), ids=_FINE.keys())
def test_a_few_traces_are_none_too_many(text: str, tmp_path: Path):
    assert findings(program(text, tmp_path), "retrace") == []


def test_verdict_card_and_list_say_the_same():
    @tf.function
    def power(x, n):
        return x**n

    with tf.record() as tape:
        for n in range(6):
            power(tf.constant(2.0), 0.5 * n)
    (found,) = (one for one in tape.verdicts() if one.kind == "retrace")
    listed = tf.retraces(power)[-1]
    assert listed.reason in found.text
    assert (found.fix, found.evidence["before"], found.evidence["after"]) == (listed.fix, "2.0", "2.5")
    assert (listed.reason, listed.fix) == (tape.graphs.reason[-1], tape.graphs.fix[-1])


def test_the_warning_and_the_verdict_on_functions_made_anew_say_the_same(caplog):
    with tf.record() as tape:
        for _ in range(6):
            tf.function(lambda x: x + 1.0)(tf.constant(1.0))
    (found,) = (one for one in tape.verdicts() if one.kind == "retrace")
    (warning,) = (record.getMessage() for record in caplog.records)
    named = warning.replace("<lambda>", "lambda")
    assert found.fix in named
    assert found.text.partition(": ")[2] in named
