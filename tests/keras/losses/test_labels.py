"""Labels reach a loss of one's own with the dtype that they have. Keras 2 gives the same."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz as tf

X = np.ones((4, 2), np.float32)


class Seeing(tf.keras.losses.Loss):
    """Keep what ``call`` is given."""

    def __init__(self):
        super().__init__()
        self.seen = set()

    def call(self, y_true, y_pred):
        """Note the dtypes."""
        self.seen.add((y_true.dtype.name, y_pred.dtype.name))
        return tf.reduce_mean((tf.cast(y_true, y_pred.dtype) - y_pred) ** 2, axis=-1)


def fitted(loss, labels):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("sgd", loss)
    model.fit(X, labels, verbose=0)
    model.evaluate(X, labels, verbose=0)
    model.train_on_batch(X, labels)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8", "bool"])
@pytest.mark.parametrize("shape", [(4,), (4, 1)])
def test_whole_numbers_and_truths_reach_call_as_they_are(dtype, shape):
    labels = np.ones(shape, dtype)
    loss = Seeing()
    fitted(loss, labels)
    loss(labels, tf.ones([4, 1]))
    loss(tf.constant(labels), tf.ones([4, 1]))
    loss(tf.Variable(labels), tf.ones([4, 1]))
    assert loss.seen == {(dtype, "float32")}


@pytest.mark.parametrize("labels", [np.ones((4, 1)), np.ones((4, 1), np.float32), [[1.0]] * 4, [[1]] * 4])
def test_floats_and_lists_are_of_the_losss_dtype(labels):
    loss = Seeing()
    loss(labels, tf.ones([4, 1]))
    assert loss.seen == {("float32", "float32")}


def test_a_function_as_loss_sees_them_too():
    seen = set()

    def gathered(y_true, y_pred):
        seen.add(y_true.dtype.name)
        return -tf.gather(y_pred, y_true[:, 0], batch_dims=1)

    model = tf.keras.Sequential([tf.keras.layers.Dense(3)])
    model.compile("sgd", gathered)
    model.fit(X, np.array([[0], [1], [2], [1]]), verbose=0)
    assert seen == {"int64"}


def test_strings_reach_call():
    class Named(tf.keras.losses.Loss):
        def call(self, y_true, y_pred):
            return tf.where(tf.equal(y_true, "a"), y_pred, 0.0)

    found = Named(reduction="none")(tf.constant(["a", "b"]), tf.constant([2.0, 3.0]))
    assert found.numpy().tolist() == [2.0, 0.0]
