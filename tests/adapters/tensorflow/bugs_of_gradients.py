"""Gradients that are None, and calls that raise: the ways in which a program of TensorFlow's loses a gradient."""

from __future__ import annotations

import numpy as np
import tensorflow as tf
from tensorflow import keras

from tests.adapters.tensorflow.catalogue import bug


def data(rows=16, features=4):
    keras.utils.set_random_seed(0)
    return tf.random.normal((rows, features)), tf.random.normal((rows, 1))


@bug(
    "https://worldofsoftware.org/debugging-disconnected-gradients-in-tensorflow-step-by-step-hackernoon/",
    "Replaced a variable with a tensor",
    "assign_add",
)
def variable_replaced():
    x = tf.Variable(2.0)
    for _ in range(2):
        with tf.GradientTape() as tape:
            y = x * x
        print(tape.gradient(y, x))
        x = x + 1  # bug


@bug("https://github.com/tensorflow/tensorflow/issues/29942", "returns None when sources is a tensor", "watch")
def tensor_not_watched():
    base = tf.Variable(2.0)
    x = base + tf.constant(3.0)
    y = tf.constant(4.0)
    with tf.GradientTape() as tape:
        z = x + y  # bug
    print(tape.gradient(z, x))


@bug("https://github.com/tensorflow/tensorflow/issues/27660", "gradient not computed unless assigned", "with block")
def called_behind_the_block():
    def square(x):
        return x**2

    x = tf.convert_to_tensor(9.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
    print(tape.gradient(square(x), x))  # bug


@bug("https://github.com/tensorflow/tensorflow/issues/41510", "the first gradient is not on the tape", "inside")
def second_gradient_outside():
    y, v = tf.constant(2.0), tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(y)
        w = y * y * v
    first = tape.gradient(w, y)  # bug
    print(tape.gradient(first, v))


@bug("https://github.com/tensorflow/tensorflow/issues/30234", "gradients for a meta learning loop", "in place of")
def assigned_inside():
    v, x = tf.Variable(1.0), tf.convert_to_tensor(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        v.assign_add(x)  # bug
        loss = v * v
    print(tape.gradient(loss, x))


@bug("https://github.com/tensorflow/tensorflow/issues/43845", "no gradients if not a float variable", "floating")
def variable_of_integers():
    w = tf.Variable(3)  # bug
    with tf.GradientTape() as tape:
        loss = tf.square(w - 5)
    print(tape.gradient(loss, w))


@bug("https://github.com/tensorflow/tensorflow/issues/50111", "converted the tensor in the loss", ".numpy()", "tf.")
def numpy_in_the_loss():
    x, y = data()
    w = tf.Variable(tf.ones((4, 1)))
    with tf.GradientTape() as tape:
        predicted = (x @ w).numpy()  # bug
        loss = tf.reduce_mean((predicted - y) ** 2)
    print(tape.gradient(loss, w))


@bug("https://github.com/tensorflow/tensorflow/issues/35713", "spearman correlation as a loss", "custom_gradient")
def ranks_by_numpy_function():
    x, y = data(8)
    w = tf.Variable(tf.ones((4, 1)))
    with tf.GradientTape() as tape:
        scores = tf.squeeze(x @ w)
        ranks = tf.numpy_function(lambda a: a.argsort().argsort().astype("f4"), [scores], tf.float32)  # bug
        loss = tf.reduce_sum((ranks - tf.squeeze(y)) ** 2)
    print(tape.gradient(loss, w))


@bug("https://github.com/tensorflow/tensorflow/issues/56396", "a loss of orders", "sort", "softmax", "custom_gradient")
def orders_by_argsort():
    x, y = data(8)
    w = tf.Variable(tf.ones((4, 1)))
    with tf.GradientTape() as tape:
        order = tf.argsort(tf.squeeze(x @ w))  # bug
        loss = tf.reduce_sum(tf.abs(tf.cast(order, tf.float32) - tf.squeeze(y)))
    print(tape.gradient(loss, w))


@bug("https://github.com/tensorflow/tensorflow/issues/58614", "counting right answers as a loss", "compar", "round")
def right_answers_counted():
    x, y = data()
    y = tf.cast(y > 0, tf.float32)
    model = keras.Sequential([keras.layers.Dense(1, activation="sigmoid")])
    model(x)
    with tf.GradientTape() as tape:
        predicted = model(x)
        right = tf.equal(predicted, y)  # bug
        loss = tf.reduce_mean(tf.cast(right, tf.float32))
    print(tape.gradient(loss, model.trainable_variables))


@bug("https://github.com/tensorflow/tensorflow/issues/15278", "No gradient for argmax", "softmax")
def classes_by_argmax():
    x, _ = data()
    w = tf.Variable(tf.random.normal((4, 3)))
    with tf.GradientTape() as tape:
        chosen = tf.argmax(x @ w, axis=-1)  # bug
        loss = tf.reduce_mean(tf.cast(chosen, tf.float32))
    print(tape.gradient(loss, w))


@bug(
    "https://github.com/tensorflow/tensorflow/issues/5888", "No gradient defined for round", "custom_gradient", "round"
)
def rounded():
    a = tf.Variable([1.3, 2.6])
    with tf.GradientTape() as tape:
        x = tf.round(a)  # bug
        loss = tf.reduce_sum(x * x)
    print(tape.gradient(loss, a))


@bug("https://github.com/tensorflow/tensorflow/issues/47083", "Problem with tf.cast op", "cast")
def cast_to_integers():
    score = tf.Variable([0.4, 1.7])
    target = tf.constant([1.0, 1.0])
    with tf.GradientTape() as tape:
        whole = tf.cast(score, tf.int32)  # bug
        loss = tf.reduce_sum((tf.cast(whole, tf.float32) - target) ** 2)
    print(tape.gradient(loss, score))


@bug("https://taourl.com/read-2033525.html", "why tape.gradient is None", "trainable")
def not_trainable():
    x = tf.Variable(3.0, trainable=False)
    with tf.GradientTape() as tape:
        y = x**2  # bug
    print(tape.gradient(y, x))


@bug(
    "https://insights.willogy.io/tensorflow-part-3-automatic-differentiation/",
    "can only be used to compute one set of gradients",
    "persistent=True",
)
def tape_used_twice():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        square, cube = x**2, x**3
    print(tape.gradient(square, x))
    print(tape.gradient(cube, x))  # bug
