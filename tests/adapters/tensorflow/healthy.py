"""Programs in which nothing is wrong: of each the verdicts have to be silent."""

from __future__ import annotations

import numpy as np
import tensorflow as tf
from tensorflow import keras

from tests.adapters.tensorflow.bugs_of_gradients import data
from tests.adapters.tensorflow.bugs_of_training import steps
from tests.adapters.tensorflow.catalogue import sound


def mean_square(y, predicted):
    return tf.reduce_mean((y - predicted) ** 2)


@sound
def linear_regression_by_hand():
    x, y = data()
    w, b = tf.Variable(tf.zeros((4, 1))), tf.Variable(tf.zeros(1))
    for _ in range(4):
        with tf.GradientTape() as tape:
            loss = mean_square(y, x @ w + b)
        dw, db = tape.gradient(loss, [w, b])
        w.assign_sub(0.1 * dw)
        b.assign_sub(0.1 * db)


@sound
def dense_network():
    x, y = data()
    model = keras.Sequential([keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)])
    steps(model, x, y, mean_square)


@sound
def network_with_adam():
    x, y = data()
    model = keras.Sequential([keras.layers.Dense(8, activation="tanh"), keras.layers.Dense(1)])
    steps(model, x, y, keras.losses.MeanSquaredError(), 4, keras.optimizers.Adam())


@sound
def classifier_of_logits():
    x, _ = data()
    labels = tf.constant(np.arange(16) % 3)
    model = keras.Sequential([keras.layers.Dense(8, activation="relu"), keras.layers.Dense(3)])
    steps(model, x, labels, keras.losses.SparseCategoricalCrossentropy(from_logits=True))


@sound
def classifier_of_probabilities():
    x, _ = data()
    labels = tf.constant(np.arange(16) % 3)
    model = keras.Sequential([keras.layers.Dense(8, activation="relu"), keras.layers.Dense(3, activation="softmax")])
    steps(model, x, labels, keras.losses.SparseCategoricalCrossentropy())


@sound
def binary_classifier():
    x, y = data()
    model = keras.Sequential([keras.layers.Dense(1, activation="sigmoid")])
    steps(model, x, tf.cast(y > 0, tf.float32), keras.losses.BinaryCrossentropy())


@sound
def convolutions():
    keras.utils.set_random_seed(0)
    layers = keras.layers
    model = keras.Sequential(
        [layers.Conv2D(4, 3, activation="relu"), layers.MaxPooling2D(), layers.Flatten(), layers.Dense(2)]
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    steps(model, tf.random.normal((8, 8, 8, 1)), tf.constant(np.arange(8) % 2), loss)


@sound
def norm_and_dropout_in_training():
    x, y = data()
    layers = keras.layers
    model = keras.Sequential(
        [layers.Dense(8), layers.BatchNormalization(), layers.ReLU(), layers.Dropout(0.2), layers.Dense(1)]
    )
    steps(model, x, y, mean_square)
    model(x, training=False)


@sound
def recurrent():
    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.layers.LSTM(6), keras.layers.Dense(1)])
    steps(model, tf.random.normal((4, 5, 3)), tf.random.normal((4, 1)), mean_square)


@sound
def fitted():
    x, y = data()
    model = keras.Sequential([keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(x, y, epochs=2, batch_size=8, verbose=0)
    model.predict(x, verbose=0)


@sound
def fitted_with_metrics():
    x, _ = data()
    model = keras.Sequential([keras.layers.Dense(3, activation="softmax")])
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(x, np.arange(16) % 3, epochs=2, verbose=0)
    model.evaluate(x, np.arange(16) % 3, verbose=0)


@sound
def traced_step():
    x, y = data()
    w = tf.Variable(tf.zeros((4, 1)))

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = mean_square(y, x @ w)
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    for _ in range(4):
        step()


@sound
def traced_with_a_loop():
    @tf.function
    def power(x, n):
        total = tf.constant(1.0)
        for _ in tf.range(n):
            total *= x
        return total

    print(power(tf.constant(1.5), tf.constant(4)))


@sound
def gradient_of_the_input():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x**3)
    print(tape.gradient(y, x))


@sound
def second_derivative():
    x = tf.Variable(3.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x**3
        first = inner.gradient(y, x)
    print(outer.gradient(first, x))


@sound
def tape_that_persists():
    x = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        square, cube = x**2, x**3
    print(tape.gradient(square, x), tape.gradient(cube, x))


@sound
def jacobian():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x**2
    print(tape.jacobian(y, x))


@sound
def frozen_encoder():
    x, y = data()
    encoder, head = keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)
    encoder.trainable = False
    model = keras.Sequential([encoder, head])
    steps(model, x, y, mean_square)


@sound
def clipped_gradients():
    x, y = data()
    model = keras.Sequential([keras.layers.Dense(4, activation="tanh"), keras.layers.Dense(1)])
    optimizer = keras.optimizers.SGD(0.05)
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = mean_square(y, model(x))
        gradients, _ = tf.clip_by_global_norm(tape.gradient(loss, model.trainable_variables), 1.0)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))


@sound
def custom_gradient():
    @tf.custom_gradient
    def straight_through(x):
        return tf.round(x), lambda upstream: upstream

    a = tf.Variable([1.3, 2.6])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(straight_through(a) ** 2)
    print(tape.gradient(loss, a))


@sound
def embedding():
    keras.utils.set_random_seed(0)
    model = keras.Sequential(
        [keras.layers.Embedding(10, 4), keras.layers.GlobalAveragePooling1D(), keras.layers.Dense(1)]
    )
    steps(model, tf.constant(np.arange(24).reshape(6, 4) % 10), tf.random.normal((6, 1)), mean_square)


@sound
def accuracy_beside_the_loss():
    x, _ = data()
    labels = tf.constant(np.arange(16) % 3)
    model = keras.Sequential([keras.layers.Dense(3)])
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    steps(model, x, labels, loss_of)
    right = tf.equal(tf.argmax(model(x), -1), labels)
    print(float(tf.reduce_mean(tf.cast(right, tf.float32))))


@sound
def values_printed_as_numpy():
    x, y = data()
    w = tf.Variable(tf.zeros((4, 1)))
    losses = []
    for _ in range(4):
        with tf.GradientTape() as tape:
            loss = mean_square(y, x @ w)
        losses.append(loss.numpy())
        w.assign_sub(0.1 * tape.gradient(loss, w))
    print(np.mean(losses))


@sound
def guarded_logarithm():
    x, alpha = tf.constant([-1.0, 0.5, 2.0]), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        safe = tf.where(x > 0, x, tf.ones_like(x))
        s = tf.reduce_sum(tf.where(x > 0, alpha * tf.math.log(safe), tf.zeros_like(x)))
    print(tape.gradient(s, alpha))


@sound
def masked_attention():
    keras.utils.set_random_seed(0)
    w = tf.Variable(tf.random.normal((3, 3)))
    above = tf.constant(np.triu(np.ones((3, 3)), 1) > 0)
    with tf.GradientTape() as tape:
        scores = tf.where(above, tf.constant(-1e9), w @ w)
        loss = tf.reduce_sum(tf.nn.softmax(scores) ** 2)
    print(tape.gradient(loss, w))
