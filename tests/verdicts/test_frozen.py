from __future__ import annotations

from pathlib import Path

import pytest

import tapeviz as tf
from tests.verdicts.snippets import findings, program

_MISTAKES = {
    "a global number": """
        rate = 0.1

        @tf.function
        def step(x):
            return x * rate  # fault

        step(tf.constant(1.0))
        rate = 0.2
        step(tf.constant(1.0))
    """,
    "a number of the function around": """
        def make():
            scale = 1.0

            def double():
                nonlocal scale
                scale *= 2

            @tf.function
            def scaled(x):
                return x * scale  # fault

            return scaled, double

        scaled, double = make()
        scaled(tf.constant(1.0))
        double()
        scaled(tf.constant(1.0))
    """,
    "an attribute of a settings object": """
        class Settings:
            def __init__(self):
                self.beta = 0.0

        settings = Settings()

        @tf.function
        def loss(x):
            return x + settings.beta * tf.square(x)  # fault

        for beta in (0.0, 0.5):
            settings.beta = beta
            loss(tf.constant(2.0))
    """,
    "an item of a list": """
        rate = [0.1]

        @tf.function
        def step(x):
            return x * rate[0]  # fault

        for _ in range(3):
            step(tf.constant(1.0))
            rate[0] *= 0.5
    """,
    "a list that grew after the trace": """
        factors = [2.0]

        @tf.function
        def product(x):
            for factor in factors:  # fault
                x = x * factor
            return x

        product(tf.constant(1.0))
        factors.append(3.0)
        product(tf.constant(1.0))
    """,
    "an array changed in place": """
        import numpy as np

        weights = np.ones(3, np.float32)

        @tf.function
        def weighted(x):
            return tf.reduce_sum(x * weights)  # fault

        weighted(tf.ones(3))
        weights *= 2
        weighted(tf.ones(3))
    """,
    "another array by the same name": """
        import numpy as np

        batch = np.arange(4.0, dtype=np.float32)

        @tf.function
        def mean():
            return tf.reduce_mean(batch)  # fault

        for _ in range(3):
            mean()
            batch = batch + 1
    """,
    "an item of a dict": """
        config = {"dropout": 0.5}

        @tf.function
        def dropped(x):
            return x * config["dropout"]  # fault

        dropped(tf.constant(2.0))
        config["dropout"] = 0.0
        dropped(tf.constant(2.0))
    """,
    "a branch taken once": """
        class Model(tf.Module):
            def __init__(self):
                super().__init__()
                self.warm = False

            @tf.function
            def __call__(self, x):
                if self.warm:  # fault
                    return x * 2
                return x

        model = Model()
        model(tf.constant(1.0))
        model.warm = True
        model(tf.constant(1.0))
    """,
    "a tensor that the name no longer means": """
        batch = tf.constant([1.0, 2.0])

        @tf.function
        def mean():
            return tf.reduce_mean(batch)  # fault

        mean()
        batch = tf.constant([3.0, 4.0])
        mean()
    """,
    "a number read in a helper": """
        epoch = 0

        def weight():
            return min(1.0, epoch / 5)  # fault

        @tf.function
        def loss(x):
            return x * weight()

        for epoch in range(3):
            loss(tf.constant(1.0))
    """,
    "numbers from a generator of NumPy's": """
        rng = np.random.default_rng(3)

        @tf.function
        def noisy(x):
            return x + rng.normal(size=2).astype("float32")  # fault

        for _ in range(3):
            noisy(tf.constant([1.0, 2.0]))
    """,
    "numbers from a generator in an attribute": """
        class Jitter(tf.keras.layers.Layer):
            def __init__(self):
                super().__init__()
                self.rng = np.random.RandomState(0)

            def call(self, x):
                return x + self.rng.uniform()  # fault

        model = tf.keras.Sequential([Jitter(), tf.keras.layers.Dense(1)])
        model.compile("sgd", "mse")
        model.fit(np.ones((8, 2), "float32"), np.ones((8, 1), "float32"), batch_size=2, verbose=0)
    """,
    "Python's random": """
        import random

        @tf.function
        def flipped(x):
            if random.random() < 0.5:  # fault
                return x[::-1]
            return x

        for _ in range(4):
            flipped(tf.constant([1.0, 2.0]))
    """,
    "a date": """
        import datetime

        @tf.function
        def stamped(x):
            return x, tf.constant(str(datetime.datetime.now()))  # fault

        stamped(tf.constant(1.0))
        stamped(tf.constant(1.0))
    """,
    "an element of an iterator": """
        batches = iter([1.0, 2.0, 3.0])

        @tf.function
        def step():
            return tf.constant(next(batches)) * 2  # fault

        step()
        step()
    """,
    "a list that should grow": """
        losses = []

        @tf.function
        def step(x):
            losses.append(1)  # fault
            return x

        for _ in range(3):
            step(tf.constant(1.0))
    """,
    "a global counter": """
        steps = 0

        @tf.function
        def step(x):
            global steps
            steps += 1  # fault
            return x

        for _ in range(3):
            step(tf.constant(1.0))
    """,
    "a counter in a dict": """
        seen = {"batches": 0}

        @tf.function
        def step(x):
            seen["batches"] += 1  # fault
            return x

        for _ in range(3):
            step(tf.constant(1.0))
    """,
    "a draw in a pipeline's lambda": """
        data = tf.data.Dataset.range(4).map(lambda x: x + np.random.randint(10))  # fault
        list(data)
    """,
}

_FINE = {
    "the size of a list and of an array": """
        import numpy as np

        seen, data = [], np.zeros((4, 2), np.float32)

        @tf.function
        def scaled(x):
            return x * len(data) + data.shape[1] + len(seen)

        for _ in range(3):
            scaled(tf.constant(1.0))
            data += 1
    """,
    "a list that the caller logs into": """
        losses = []

        @tf.function
        def step(x):
            return x * 2

        def train():
            losses.append(float(step(tf.constant(1.0))))

        for _ in range(3):
            train()
    """,
    "an array that is written to": """
        import numpy as np

        history = np.zeros(4, np.float32)

        @tf.function
        def step(x):
            return x * 2

        for number in range(4):
            history[number] = step(tf.constant(1.0))
    """,
    "a global number that stays": """
        rate = 0.1

        @tf.function
        def step(x):
            return x * rate

        for _ in range(3):
            step(tf.constant(1.0))
    """,
    "a number that changes after the last call": """
        rate = 0.1

        @tf.function
        def step(x):
            return x * rate

        step(tf.constant(1.0))
        step(tf.constant(1.0))
        rate = 0.2
    """,
    "a local of the same name": """
        rate = 0.1

        @tf.function
        def step(x):
            rate = 0.5
            return x * rate

        for rate in range(3):
            step(tf.constant(1.0))
    """,
    "an argument of the same name": """
        rate = 0.1

        @tf.function
        def step(x, rate):
            return x * rate

        for rate in range(3):
            step(tf.constant(1.0), tf.constant(float(rate)))
    """,
    "an attribute of another object of the same name": """
        class Box:
            rate = 1.0

        box, rate = Box(), 0.0

        @tf.function
        def step(x):
            return x * box.rate

        for rate in range(3):
            step(tf.constant(1.0))
    """,
    "a variable": """
        rate = tf.Variable(0.1)

        @tf.function
        def step(x):
            return x * rate

        for value in (0.1, 0.2, 0.3):
            rate.assign(value)
            step(tf.constant(1.0))
    """,
    "what is made when it is not there yet": """
        class Model(tf.Module):
            def __init__(self):
                super().__init__()
                self.w = None
                self.is_built = False

            @tf.function
            def __call__(self, x):
                if not self.is_built:
                    self.w = tf.Variable(np.random.randn(2, 1).astype("float32"))
                    self.is_built = True
                return x @ self.w

        model = Model()
        for _ in range(3):
            model(tf.ones([1, 2]))
    """,
    "traces that are counted": """
        traces = 0
        traced_shapes = []

        @tf.function
        def step(x):
            global traces
            traces += 1
            traced_shapes.append(x.shape)
            return x

        for _ in range(3):
            step(tf.constant(1.0))
    """,
    "random numbers of the graph's own": """
        generator = tf.random.Generator.from_seed(1)

        @tf.function
        def noisy(x):
            return x + tf.random.normal([2]) + generator.normal([2])

        for _ in range(3):
            noisy(tf.constant([1.0, 2.0]))
    """,
    "numbers drawn outside": """
        rng = np.random.default_rng(0)

        @tf.function
        def noisy(x, noise):
            return x + noise

        for _ in range(3):
            noisy(tf.constant([1.0, 2.0]), rng.normal(size=2).astype("float32"))
    """,
    "a draw on a branch that is not taken": """
        augment = False

        @tf.function
        def step(x):
            if augment:
                return x + np.random.normal()
            return x

        for _ in range(3):
            step(tf.constant(1.0))
    """,
    "a list of its own": """
        @tf.function
        def powers(x):
            found = []
            for _ in range(3):
                x = x * x
                found.append(x)
            return tf.stack(found)

        for _ in range(3):
            powers(tf.constant(1.0))
    """,
    "one run": """
        @tf.function
        def draw():
            return tf.constant(np.random.normal(size=3))

        draw()
    """,
    "weights drawn in build": """
        class Dense(tf.keras.layers.Layer):
            def build(self, shape):
                self.w = self.add_weight(shape=(shape[-1], 1))
                self.w.assign(np.random.normal(size=(shape[-1], 1)))

            def call(self, x):
                return x @ self.w

        layer = Dense()
        apply = tf.function(lambda x: layer(x))
        for _ in range(3):
            apply(tf.ones([1, 2]))
    """,
    "an iterator of the library's": """
        batches = iter(tf.data.Dataset.range(4))

        @tf.function
        def step():
            return next(batches) * 2

        for _ in range(3):
            step()
    """,
    "a flag for which there is a trace each": """
        @tf.function
        def step(x, training):
            return x * 2 if training else x

        for training in (True, False, True):
            step(tf.constant(1.0), training)
    """,
    "time around the call": """
        import time

        @tf.function
        def step(x):
            return x * x

        for _ in range(3):
            t = time.perf_counter()
            step(tf.constant(1.0))
            t = time.perf_counter() - t
    """,
}


@pytest.mark.parametrize("text", _MISTAKES.values(), ids=_MISTAKES.keys())
def test_what_a_graph_goes_on_with_is_named_with_its_line(text: str, tmp_path: Path):
    made = program(text, tmp_path)
    (found,) = findings(made, "frozen")
    assert found.site.line in made.faults
    assert found.fix


@pytest.mark.parametrize("text", _FINE.values(), ids=_FINE.keys())
def test_nothing_is_said_of_what_is_meant_or_never_wrong(text: str, tmp_path: Path):
    assert findings(program(text, tmp_path), "frozen") == []


def test_a_value_changed_between_recordings_is_found(tmp_path: Path):
    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.rate = 0.5

        @tf.function
        def step(self, x):
            return x * self.rate

    model = Model()
    model.step(tf.constant(1.0))
    model.rate = 0.25
    with tf.record() as tape:
        model.step(tf.constant(1.0))
        model.step(tf.constant(1.0))
    (found,) = tape.verdicts()
    assert found.kind == "frozen"
    assert "self.rate was 0.5" in found.text
    assert "self.rate is 0.25 now" in found.text
    assert "tf.Variable" in found.fix
    saved = tf.load(tape.save(tmp_path / "step.tape"))
    assert [one.text for one in saved.verdicts()] == [found.text]


def test_a_function_keeps_none_of_what_it_saw_alive():
    import gc
    import weakref

    class Holder:
        rate = 1.0

    holder = Holder()
    holder.rate = 2.0
    seen = weakref.ref(holder)

    @tf.function
    def step(x, given):
        return x * given.rate

    del holder
    gc.collect()
    assert seen() is None
    assert float(step(tf.constant(1.0), Holder())) == 1.0
