"""Variables that are left out, made anew or updated amiss; and what only looks so."""

from __future__ import annotations

import pytest

import tapeviz as tf
from tests.verdicts.cells import findings

MISTAKES = {
    "one of two weights": """
        a, b = tf.Variable(tf.random.normal([4, 3]), name="a"), tf.Variable(tf.random.normal([3, 1]), name="b")
        for _ in range(4):
            with tf.GradientTape() as tape:
                loss = mse(tf.tanh(x @ a) @ b, y)
            a.assign_sub(0.1 * tape.gradient(loss, a))  # here
        """,
    "the bias, with an optimizer": """
        w, bias = tf.Variable(tf.random.normal([4, 1])), tf.Variable([1.0])
        optimizer = optimizers.Adam(0.1)
        for _ in range(4):
            with tf.GradientTape() as tape:
                loss = mse(x @ w + bias, y)
            gradients = tape.gradient(loss, [w])  # here
            optimizer.apply_gradients(zip(gradients, [w]))
        """,
    "the encoder, in a traced function": """
        encoder, head = layers.Dense(5, activation="tanh"), layers.Dense(1)
        head(encoder(x))
        @tf.function
        def step():
            with tf.GradientTape() as tape:
                loss = mse(head(encoder(x)), y)
            gradients = tape.gradient(loss, head.trainable_variables)  # here
            for v, g in zip(head.trainable_variables, gradients):
                v.assign_sub(0.1 * g)
        for _ in range(4):
            step()
        """,
    "an embedding": """
        table, w = tf.Variable(tf.random.normal([7, 4])), tf.Variable(tf.random.normal([4, 1]))
        for _ in range(4):
            with tf.GradientTape() as tape:
                loss = mse(tf.gather(table, [1, 2, 3, 4]) @ w, y[:4])
            g = tape.gradient(loss, w)  # here
            w.assign_sub(0.1 * g)
        """,
    "an empty list": """
        model = tf.keras.Sequential([layers.Dense(3), layers.Dense(1)])
        variables = list(model.trainable_variables)
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = mse(model(x), y)
            gradients = tape.gradient(loss, variables)  # here
        """,
    "a variable made in the loop": """
        w = tf.Variable(tf.random.normal([4, 3]))
        for _ in range(5):
            head = tf.Variable(tf.random.normal([3, 1]))  # here
            with tf.GradientTape() as tape:
                loss = mse(tf.tanh(x @ w) @ head, y)
            for v, g in zip([w, head], tape.gradient(loss, [w, head])):
                v.assign_sub(0.1 * g)
        """,
    "a model made in the loop": """
        for _ in range(5):
            model = tf.keras.Sequential([layers.Dense(1)])  # here
            with tf.GradientTape() as tape:
                loss = mse(model(x), y)
            for v, g in zip(model.trainable_variables, tape.gradient(loss, model.trainable_variables)):
                v.assign_sub(0.1 * g)
        """,
    "Adam made in the loop": """
        w = tf.Variable(tf.random.normal([4, 1]))
        for _ in range(5):
            with tf.GradientTape() as tape:
                loss = mse(x @ w, y)
            optimizer = optimizers.Adam(0.1)  # here
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        """,
    "momentum made in the loop": """
        w = tf.Variable(tf.random.normal([4, 1]))
        for _ in range(5):
            optimizer = optimizers.SGD(0.1, momentum=0.9)  # here
            with tf.GradientTape() as tape:
                loss = mse(x @ w, y)
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        """,
    "gradients in another order": """
        a, b = tf.Variable(tf.random.normal([4, 4])), tf.Variable(tf.random.normal([4, 4]))
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = mse(tf.tanh(x @ a) @ b, x)
            for v, g in zip([a, b], reversed(tape.gradient(loss, [a, b]))):
                v.assign_sub(0.1 * g)  # here
        """,
    "the same gradient for both": """
        a, b = tf.Variable(tf.random.normal([4, 1])), tf.Variable(tf.random.normal([4, 1]))
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = mse(x @ a - x @ b, y)
            da, db = tape.gradient(loss, [a, b])
            a.assign_sub(0.1 * da)
            b.assign_sub(0.1 * da)  # here
        """,
}

LOOK_ALIKES = {
    "an input on which a model fails": """
        model = layers.Dense(3)
        attacked = tf.Variable(x)
        model(attacked)
        for _ in range(4):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(model(attacked)))
            attacked.assign_add(0.05 * tf.sign(tape.gradient(loss, attacked)))
        """,
    "an image that a unit responds to": """
        model = layers.Dense(3)
        image = tf.Variable(x)
        model(image)
        for _ in range(4):
            with tf.GradientTape() as tape:
                loss = -tf.reduce_mean(model(image)[:, 0])
            image.assign_sub(0.1 * tape.gradient(loss, image))
        """,
    "a frozen base": """
        base, head = layers.Dense(5, activation="tanh"), layers.Dense(1)
        head(base(x))
        base.trainable = False
        for _ in range(4):
            with tf.GradientTape() as tape:
                loss = mse(head(base(x)), y)
            for v, g in zip(head.trainable_variables, tape.gradient(loss, head.trainable_variables)):
                v.assign_sub(0.1 * g)
        """,
    "a base frozen before it was built": """
        base, head = tf.keras.Sequential([layers.Dense(5), layers.Dense(3, trainable=False)]), layers.Dense(1)
        base.layers[0].trainable = False
        head(base(x))
        for _ in range(4):
            with tf.GradientTape() as tape:
                loss = mse(head(base(x)), y)
            for v, g in zip(head.trainable_variables, tape.gradient(loss, head.trainable_variables)):
                v.assign_sub(0.1 * g)
        """,
    "loaded weights": """
        base, head = layers.Dense(5, activation="tanh"), layers.Dense(1)
        head(base(x))
        base.set_weights([np.ones([4, 5], "float32"), np.zeros(5, "float32")])
        for _ in range(4):
            with tf.GradientTape() as tape:
                loss = mse(head(base(x)), y)
            for v, g in zip(head.trainable_variables, tape.gradient(loss, head.trainable_variables)):
                v.assign_sub(0.1 * g)
        """,
    "two players": """
        a, b = tf.Variable(tf.random.normal([4, 2])), tf.Variable(tf.random.normal([2, 1]))
        for _ in range(3):
            for v, sign in ((a, -1.0), (b, 1.0)):
                with tf.GradientTape() as tape:
                    loss = sign * mse(x @ a @ b, y)
                v.assign_sub(0.01 * tape.gradient(loss, v))
        """,
    "a stopped gradient": """
        a, b = tf.Variable(tf.random.normal([4, 2])), tf.Variable(tf.random.normal([2, 1]))
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = mse(tf.stop_gradient(x @ a) @ b, y)
            b.assign_sub(0.1 * tape.gradient(loss, b))
        """,
    "an input optimized": """
        model = layers.Dense(1)
        picture = tf.Variable(x)
        model(picture)
        model.trainable = False
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(model(picture))
            picture.assign_sub(0.1 * tape.gradient(loss, picture))
        """,
    "saliency": """
        model = layers.Dense(1)
        for _ in range(3):
            with tf.GradientTape() as tape:
                tape.watch(x)
                score = tf.reduce_sum(model(x))
            tape.gradient(score, x)
        """,
    "initializers compared": """
        for scale in (0.1, 1.0, 3.0, 10.0):
            w = tf.Variable(scale * tf.random.normal([4, 1]))
            with tf.GradientTape() as tape:
                loss = mse(x @ w, y)
            print(tape.gradient(loss, w))
        """,
    "an optimizer for each fold": """
        for fold in range(3):
            model, optimizer = layers.Dense(1), optimizers.Adam(0.1)
            model(x)
            for _ in range(3):
                with tf.GradientTape() as tape:
                    loss = mse(model(x), y)
                v = model.trainable_variables
                optimizer.apply_gradients(zip(tape.gradient(loss, v), v))
        """,
    "a target that follows": """
        w, slow = tf.Variable(tf.random.normal([4, 1])), tf.Variable(tf.random.normal([4, 1]))
        for _ in range(4):
            wanted = x @ slow
            with tf.GradientTape() as tape:
                loss = mse(x @ w, 0.5 * wanted + y)
            w.assign_sub(0.1 * tape.gradient(loss, w))
            slow.assign(0.9 * slow + 0.1 * w)
        """,
    "clipped together": """
        a, b = tf.Variable(tf.random.normal([4, 2])), tf.Variable(tf.random.normal([2, 1]))
        optimizer = optimizers.Adam(0.1)
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = mse(x @ a @ b, y)
            gradients, _norm = tf.clip_by_global_norm(tape.gradient(loss, [a, b]), 1.0)
            optimizer.apply_gradients(zip(gradients, [a, b]))
        """,
    "an inner loop": """
        w = tf.Variable(tf.random.normal([4, 1]))
        for _ in range(4):
            fast = tf.Variable(w)
            with tf.GradientTape() as tape:
                loss = mse(x @ fast, y)
            fast.assign_sub(0.1 * tape.gradient(loss, fast))
            w.assign_add(0.1 * (fast - w))
        """,
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_with_variables_is_named_on_its_line(name: str):
    found = findings(MISTAKES[name], "variables")
    assert [line.endswith("# here") for _, line in found] == [True]
    assert found[0][0].fix


@pytest.mark.parametrize("name", LOOK_ALIKES)
def test_what_only_looks_like_one_is_none(name: str):
    assert [str(one) for one, _ in findings(LOOK_ALIKES[name], "variables")] == []


def test_models_that_are_trained_one_after_the_other_are_not_made_anew():
    with tf.record() as tape:
        for _ in range(5):
            model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
            model.compile("sgd", "mse")
            model.fit(tf.ones([2, 2]), tf.ones([2, 1]), verbose=0)
    assert [verdict for verdict in tape.verdicts() if verdict.severity > 1] == []
