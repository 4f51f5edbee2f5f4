"""A sparse autoencoder of layers, trained by l-BFGS: all pictures at every step, and few steps."""

import numpy as np
import pytest

import tapeviz as tf
from tests.programs.digits import as_rows

HIDDEN, GOAL, PRICE, DECAY = 25, 0.1, 0.1, 1e-4
EVALUATIONS = 40


class Autoencoder(tf.keras.Model):
    """Gives back what it is given, through units of which few are to be active at a time."""

    def __init__(self):
        super().__init__(dtype="float64")
        begin = tf.keras.initializers.GlorotUniform(seed=1)
        sigmoid = {"activation": "sigmoid", "kernel_initializer": begin, "dtype": "float64"}
        self.encode = tf.keras.layers.Dense(HIDDEN, **sigmoid)
        self.decode = tf.keras.layers.Dense(64, **sigmoid)

    def call(self, x):
        active = self.encode(x)
        often = tf.reduce_mean(active, axis=0)
        surprise = GOAL * tf.math.log(GOAL / often) + (1 - GOAL) * tf.math.log((1 - GOAL) / (1 - often))
        self.add_loss(PRICE * tf.reduce_sum(surprise))
        return self.decode(active)


@pytest.fixture(scope="module")
def pictures():
    rows, _ = as_rows(300)
    return tf.constant(0.1 + 0.8 * rows.astype(np.float64))


def loss_of(model, x):
    error = 0.5 * tf.reduce_mean(tf.reduce_sum(tf.square(model(x) - x), axis=1))
    decay = sum(tf.reduce_sum(tf.square(layer.kernel)) for layer in (model.encode, model.decode))
    return error + tf.add_n(model.losses) + 0.5 * DECAY * decay


def begun(x):
    tf.random.set_seed(3)
    model = Autoencoder()
    model(x)
    return model


def by_lbfgs(x, history, *, traced):
    model = begun(x)
    found = tf.optimizers.lbfgs(
        lambda: loss_of(model, x), model.trainable_variables, 200, history_size=history, traced=traced,
        max_eval=EVALUATIONS,
    )  # fmt: skip
    return model, found


@pytest.mark.parametrize("history", [5, 100])
def test_the_same_losses_as_a_graph(pictures, history):
    (_, eager), (_, graph) = (by_lbfgs(pictures, history, traced=traced) for traced in (False, True))
    assert graph.losses == pytest.approx(eager.losses, rel=1e-8)
    assert eager.losses == sorted(eager.losses, reverse=True)


def test_it_gets_further_than_gradient_descent(pictures):
    """With as many evaluations of the loss and its gradient, whatever rate descent is given."""
    model, found = by_lbfgs(pictures, 20, traced=True)
    for rate in (0.03, 0.1, 0.3, 1.0):
        descending, optimizer = begun(pictures), tf.keras.optimizers.SGD(rate)
        for _ in range(EVALUATIONS):
            with tf.GradientTape() as tape:
                loss = loss_of(descending, pictures)
            variables = descending.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        assert found.losses[-1] < 0.7 * loss_of(descending, pictures).numpy()
    often = tf.reduce_mean(model.encode(pictures), axis=0).numpy()
    assert abs(often.mean() - GOAL) < 0.05
