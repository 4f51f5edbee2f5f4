"""NaN, and training that goes wrong in silence."""

from __future__ import annotations

import numpy as np
import tensorflow as tf
from tensorflow import keras

from tests.adapters.tensorflow.bugs_of_gradients import data
from tests.adapters.tensorflow.catalogue import bug


def steps(model, x, y, loss_of, count=3, optimizer=None):
    optimizer = optimizer or keras.optimizers.SGD(0.1)
    for _ in range(count):
        with tf.GradientTape() as tape:
            loss = loss_of(y, model(x, training=True))
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))


@bug("https://github.com/tensorflow/tensorflow/issues/20355", "tf.where hands on NaN gradients", "where")
def pole_behind_where():
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = tf.where(x < 0, 1.0 / (1.0 - x), tf.math.log(x + 1.0))  # bug
    print(tape.gradient(y, x))


@bug("https://github.com/tensorflow/tensorflow/issues/27684", "nan on the other branch of tf.where", "where", "maximum")
def log_behind_where():
    x, alpha = tf.constant([-1.0, 0.5, 2.0]), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        s = tf.where(x >= 0, alpha * tf.math.log(x), tf.zeros_like(x))  # bug
    print(tape.gradient(s, alpha))


@bug("https://github.com/tensorflow/tensorflow/issues/4914", "gradient of sqrt(x) for x = 0", "maximum", "1e-")
def root_of_zero():
    x, c = tf.Variable([2.0, 3.0]), tf.Variable([0.0, 1.0])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.sqrt(c * x))  # bug
    print(tape.gradient(loss, c))


@bug(
    "https://github.com/tensorflow/tensorflow/issues/20091",
    "division by zero on the false branch",
    "divide_no_nan",
    "where",
)
def ratio_of_zeros():
    a, b = tf.Variable([0.0, 1.0]), tf.Variable([0.0, 2.0])
    with tf.GradientTape() as tape:
        safe = tf.where(b > 0, a / b, tf.zeros_like(a))  # bug
        loss = tf.reduce_sum(safe)
    print(tape.gradient(loss, [a, b]))


@bug("https://github.com/udacity/sdc-issue-reports/issues/894", "accuracy=0.1 and no loss", "log")
def log_of_softmax():
    scores = tf.Variable([[0.5, -200.0, 1.5]])
    with tf.GradientTape() as tape:
        p = tf.nn.softmax(scores)
        loss = -tf.reduce_sum(tf.constant([[0.0, 1.0, 0.0]]) * tf.math.log(p))  # bug
    print(tape.gradient(loss, scores))


@bug(
    "https://github.com/tensorflow/tensorflow/issues/28901",
    "not converging with a custom loop",
    "squeeze",
    "newaxis",
    "shape",
)
def row_against_column():
    x, y = data()
    y = tf.squeeze(y)
    model = keras.Sequential([keras.layers.Dense(1)])
    optimizer = keras.optimizers.SGD(0.1)
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((y - model(x)) ** 2)  # bug
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))


@bug(
    "https://github.com/nfmcclure/tensorflow_cookbook/issues/86", "Double softmax in cross entropy", "logits", "softmax"
)
def softmax_twice():
    x, _ = data()
    labels = tf.constant(np.arange(16) % 3)
    dense = keras.layers.Dense(3)
    optimizer = keras.optimizers.SGD(0.1)
    for _ in range(3):
        with tf.GradientTape() as tape:
            p = tf.nn.softmax(dense(x))
            each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, p)  # bug
            loss = tf.reduce_mean(each)
        gradients = tape.gradient(loss, dense.trainable_variables)
        optimizer.apply_gradients(zip(gradients, dense.trainable_variables))


@bug("https://geek-tips.imtqy.com/articles/557592/index.html", "softmax of one node is always 1", "sigmoid")
def softmax_of_one_unit():
    x, y = data()
    y = tf.cast(y > 0, tf.float32)
    dense = keras.layers.Dense(1)
    optimizer = keras.optimizers.SGD(0.1)
    for _ in range(3):
        with tf.GradientTape() as tape:
            p = tf.nn.softmax(dense(x))  # bug
            loss = tf.reduce_mean(keras.losses.binary_crossentropy(y, p))
        gradients = tape.gradient(loss, dense.trainable_variables)
        optimizer.apply_gradients(zip(gradients, dense.trainable_variables))


@bug("https://github.com/tensorflow/tensorflow/issues/27120", "a new optimizer in every training step", "once")
def optimizer_each_step():
    x, y = data()
    model = keras.Sequential([keras.layers.Dense(1)])
    for _ in range(4):
        optimizer = keras.optimizers.Adam(0.01)  # bug
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x) - y) ** 2)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))


@bug("https://github.com/tensorflow/tensorflow/issues/31184", "a loop does worse than fit", "training=True")
def training_flag_left_out():
    x, y = data()
    model = keras.Sequential([keras.layers.Dense(8), keras.layers.Dropout(0.5), keras.layers.Dense(1)])
    optimizer = keras.optimizers.SGD(0.1)
    for _ in range(4):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x) - y) ** 2)  # bug
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
