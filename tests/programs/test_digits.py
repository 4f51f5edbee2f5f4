"""Digits with a dense and with the guide's convolutional model: by a loop of one's own, and by ``fit``."""

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import tapeviz as tf
from tests.programs.digits import as_pictures, as_rows
from tests.programs.ways import WAYS, both_ways, in_both_ways


def dense():
    layers = tf.keras.layers
    return tf.keras.Sequential([
        layers.Dense(32, activation="relu", input_shape=(64,)),
        layers.Dense(10),
    ])  # fmt: skip


def convolutional():
    layers = tf.keras.layers
    return tf.keras.Sequential([
        layers.Conv2D(16, [3, 3], activation="relu", input_shape=(None, None, 1)),
        layers.Conv2D(16, [3, 3], activation="relu"),
        layers.GlobalAveragePooling2D(),
        layers.Dense(10),
    ])  # fmt: skip


MODELS = {"dense": (dense, as_rows), "convolutional": (convolutional, as_pictures)}
each_model = pytest.mark.parametrize("kind", MODELS)


def begun(kind):
    """A model with the same weights each time, and its pictures."""
    tf.random.set_seed(4)
    make, data = MODELS[kind]
    model = make()
    images, labels = data(256)
    model(images[:1])
    rng = np.random.default_rng(5)
    model.set_weights([rng.normal(size=w.shape, scale=0.3).astype(np.float32) for w in model.get_weights()])
    return model, images, labels


def batches(images, labels):
    pairs = tf.data.Dataset.from_tensor_slices((tf.cast(images, tf.float32), tf.cast(labels, tf.int64)))
    return pairs.shuffle(1000, seed=2, reshuffle_each_iteration=True).batch(32)


def program(way, kind, epochs):
    """Train as the guide does; return the loss of each step."""
    model, images, labels = begun(kind)
    optimizer = tf.keras.optimizers.Adam(0.01)
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    @way
    def step(pictures, digits):
        with tf.GradientTape() as tape:
            scores = model(pictures, training=True)
            tf.debugging.assert_equal(scores.shape, (32, 10))
            loss = loss_of(digits, scores)
        slopes = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(slopes, model.trainable_variables, strict=True))
        return loss

    data, history = batches(images, labels), []
    for _ in range(epochs):
        for pictures, digits in data:
            history.append(step(pictures, digits).numpy())
    return history


@each_model
def test_a_model_answers_before_it_has_learned(kind):
    model, images, _ = begun(kind)
    for pictures, digits in batches(*MODELS[kind][1](64)).take(1):
        assert model(pictures[0:1]).shape == (1, 10)
        assert digits.dtype == tf.int64
    assert model.predict(images[:40], verbose=0).shape == (40, 10)


@each_model
def test_it_learns_the_same_as_a_graph(kind):
    eager, graph = in_both_ways(program, kind, 3)
    assert len(eager) == 3 * 256 // 32
    assert graph == pytest.approx(eager, rel=2e-4)
    assert np.mean(eager[-4:]) < 0.9 * np.mean(eager[:4])


@both_ways
def test_the_dense_model_learns_to_read(way):
    history = program(way, "dense", 12)
    assert history[-1] < 0.2 * history[0]


@each_model
def test_fit_learns_the_same_eager_and_as_a_graph(kind):
    losses = []
    for eagerly in (True, False):
        model, images, labels = begun(kind)
        loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile("adam", loss, metrics=["accuracy"], run_eagerly=eagerly)
        found = model.fit(images, labels, batch_size=32, epochs=2, shuffle=False, validation_split=0.25, verbose=0)
        assert found.history.keys() == {"loss", "accuracy", "val_loss", "val_accuracy"}
        losses.append(found.history["loss"] + found.history["val_loss"])
    assert losses[1] == pytest.approx(losses[0], rel=1e-4)


def test_fit_does_what_the_loop_does():
    model, images, labels = begun("dense")
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(tf.keras.optimizers.Adam(0.01), loss)
    found = model.fit(batches(images, labels), epochs=2, verbose=0).history["loss"]
    by_hand = program(tf.function, "dense", 2)
    assert found == pytest.approx([np.mean(by_hand[:8]), np.mean(by_hand[8:])], rel=1e-3)


EPOCHS, BATCH = 30, 64


def learn(way, by, seed, pictures, digits):
    """Train a dense model by a loop of one's own, or by ``fit``; return it and the mean loss of each epoch."""
    tf.random.set_seed(seed)
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Flatten(), layers.Dense(512, activation="relu"), layers.Dense(10)])
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = tf.keras.optimizers.Adam(0.002)
    model.compile(optimizer, loss_of, metrics=["accuracy"], run_eagerly=way is not tf.function)
    model(pictures[:1])
    data = tf.data.Dataset.from_tensor_slices((pictures, digits)).shuffle(len(digits), seed=seed).batch(BATCH)
    if by == "fit":
        return model, model.fit(data, epochs=EPOCHS, verbose=0).history["loss"]

    @way
    def step(some, answers):
        with tf.GradientTape() as tape:
            loss = loss_of(answers, model(some, training=True))
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss * tf.cast(tf.shape(answers)[0], loss.dtype)

    return model, [sum(step(*pair).numpy() for pair in data) / len(digits) for _ in range(EPOCHS)]


@pytest.mark.parametrize("by", ["loop", "fit"])
def test_97_percent_of_what_it_has_not_seen_eager_and_as_a_graph(by):
    """A dense model on a fixed hold-out of a fifth, the same share of each digit: the median of five seeds."""
    (images, labels), (unseen, answers) = tf.keras.datasets.digits.load_data(test_split=0.2)
    assert len(answers) == pytest.approx(1797 / 5, abs=5)
    assert np.bincount(answers).min() >= 34
    images, unseen = ((rows / 16.0).astype(np.float32) for rows in (images, unseen))
    right = {name: [] for name in WAYS}
    with threadpool_limits(1):  # threads for matrices this small would only be in the way of other tests
        for seed in range(5):
            found = {name: learn(way, by, seed, images, labels) for name, way in WAYS.items()}
            losses = {name: history for name, (_, history) in found.items()}
            assert losses["graph"] == pytest.approx(losses["eager"], rel=1e-2)
            assert losses["graph"][:5] == pytest.approx(losses["eager"][:5], rel=1e-4)
            for name, (model, _) in found.items():
                right[name].append(model.evaluate(unseen, answers, verbose=0)[1])
    assert right["graph"] == pytest.approx(right["eager"], abs=1 / len(answers))
    for found in right.values():
        assert np.median(found) >= 0.97
