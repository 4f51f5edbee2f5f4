"""Layers that prepare data: they give what Keras' give, at once, in traced functions, in models and from files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import tapeviz as tf
from tests.keras.layers.data_layer_cases import CASES, IMAGES, value

L = tf.keras.layers
ANSWERS = json.loads((Path(__file__).parent / "answers" / "data_layers.json").read_text(encoding="utf-8"))
RANDOM = [
    L.RandomFlip(seed=1), L.RandomRotation(0.2, seed=1), L.RandomZoom(0.3, seed=1), L.RandomCrop(5, 6, seed=1),
    L.RandomTranslation(0.2, 0.2, seed=1), L.RandomContrast(0.5, seed=1), L.RandomBrightness(0.2, seed=1),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_it_gives_what_keras_gives(case):
    found, wanted = value(case, tf), ANSWERS[case]
    if isinstance(wanted[0], str):
        assert found == wanted
    else:
        np.testing.assert_allclose(found, wanted, atol=2e-5)
        assert np.shape(found) == np.shape(wanted)


@pytest.mark.parametrize("layer", RANDOM, ids=lambda layer: type(layer).__name__)
def test_images_are_changed_each_by_itself_and_in_training_alone(layer):
    images = np.concatenate([IMAGES[:1]] * 8)
    changed = layer(images, training=True).numpy()
    assert changed.shape == images.shape
    assert np.array_equal(layer(images, training=False).numpy(), images)
    if not isinstance(layer, L.RandomCrop):
        assert len(np.unique(changed.round(4), axis=0)) > 1
    assert layer(IMAGES[0], training=True).shape == IMAGES[0].shape


@pytest.mark.parametrize("layer", RANDOM, ids=lambda layer: type(layer).__name__)
def test_a_traced_function_draws_anew_and_gradients_pass(layer):
    @tf.function
    def changed(images):
        return layer(images, training=True)

    first, second = (changed(tf.constant(IMAGES)).numpy() for _ in range(2))
    assert first.shape == IMAGES.shape
    if not isinstance(layer, (L.RandomFlip, L.RandomCrop)):
        assert not np.array_equal(first, second)
    x = tf.constant(IMAGES)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = layer(x, training=True)
    assert tape.gradient(y, x).shape == x.shape


MODEL = [
    (L.Resizing(4, 4), L.RandomFlip(), L.RandomRotation(0.1), L.RandomZoom(0.1), L.RandomCrop(3, 3), L.Flatten()),
    (L.Discretization([0.2, 0.4]), L.CategoryEncoding(3), L.Flatten()),
    (L.Flatten(), L.Hashing(5, output_mode="multi_hot")),
]


@pytest.mark.parametrize("layers", MODEL, ids=lambda layers: type(layers[0]).__name__)
def test_a_model_with_them_learns_and_is_loaded_from_its_file(layers, tmp_path):
    model = tf.keras.Sequential([tf.keras.Input(IMAGES.shape[1:]), *layers, L.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(IMAGES, np.zeros((2, 1)), verbose=0)
    model.save(tmp_path / "model.keras")
    again = tf.keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(again.predict(IMAGES, verbose=0), model.predict(IMAGES, verbose=0))


@pytest.mark.parametrize(
    "make",
    [
        lambda: L.StringLookup(output_mode="multi_hot"),
        lambda: L.TextVectorization(output_mode="tf_idf"),
        lambda: L.TextVectorization(output_sequence_length=3),
    ],
)
def test_words_in_a_model_and_in_a_dataset(make, tmp_path):
    words = tf.constant([["a b"], ["c"]])
    layer = make()
    layer.adapt(tf.data.Dataset.from_tensor_slices(words).batch(1))
    inputs = tf.keras.Input((1,), dtype="string")
    outputs = L.Dense(1)(tf.cast(layer(inputs), tf.float32))
    model = tf.keras.Model(inputs, outputs)
    before = model.predict(words, verbose=0)
    assert before.shape == (2, 1)
    model.save(tmp_path / "model.keras")
    again = tf.keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(again.predict(words, verbose=0), before)
    mapped = next(iter(tf.data.Dataset.from_tensor_slices(words).batch(2).map(layer)))
    np.testing.assert_array_equal(mapped.numpy(), layer(words).numpy())


def test_a_vocabulary_is_read_from_a_file_and_rows_may_be_ragged(tmp_path):
    (tmp_path / "words.txt").write_text("a\nb\n", encoding="utf-8")
    layer = L.StringLookup(vocabulary=str(tmp_path / "words.txt"))
    assert layer.get_vocabulary() == ["[UNK]", "a", "b"]
    assert layer.get_vocabulary(include_special_tokens=False) == ["a", "b"]
    assert layer(tf.ragged.constant([["b"], ["x", "a"]])).to_list() == [[2], [0, 1]]
    ragged = L.TextVectorization(ragged=True, vocabulary=["a", "b"])
    assert ragged(["a b", "x"]).to_list() == [[2, 3], [1]]
    several = L.StringLookup(vocabulary=["a"], num_oov_indices=3)
    assert set(several([f"{number}" for number in range(40)]).numpy().tolist()) == {0, 1, 2}


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (L.CategoryEncoding, "num_tokens"),
        (lambda: L.CategoryEncoding(3, output_mode="int"), "output_mode"),
        (lambda: L.CategoryEncoding(3, sparse=True), "dense"),
        (L.Discretization, "either"),
        (lambda: L.Discretization([0.0]).adapt([1.0]), "nothing to adapt"),
        (lambda: L.Hashing(0), "num_bins"),
        (lambda: L.StringLookup()(["a"]), "no vocabulary"),
        (lambda: L.StringLookup(max_tokens=1), "max_tokens"),
        (lambda: L.StringLookup(max_tokens=2, vocabulary=["a", "b"]), "larger than the maximum"),
        (lambda: L.StringLookup(vocabulary=["a", "a"]), "repeated"),
        (lambda: L.StringLookup(vocabulary=["a"], output_mode="tf_idf"), "idf_weights"),
        (lambda: L.StringLookup(sparse=True), "dense"),
        (lambda: L.TextVectorization(split="commas"), "split"),
        (lambda: L.TextVectorization(standardize="upper"), "standardize"),
        (lambda: L.TextVectorization(vocabulary=["a"])([["a", "b"]]), "last shape"),
        (lambda: L.RandomFlip("diagonal"), "modes"),
        (lambda: L.RandomRotation(0.1, "mirror"), "fill_mode"),
        (lambda: L.RandomRotation(0.1, interpolation="cubic"), "interpolation"),
        (lambda: L.RandomZoom((0.2, 0.1)), "height_factor"),
        (lambda: L.RandomContrast(-1.0), "negative"),
        (lambda: L.RandomBrightness(2.0), "between"),
        (lambda: L.Resizing(2, 2)([[1.0]]), "one image"),
    ],
)
def test_what_does_not_fit_is_told(make, told):
    with pytest.raises(ValueError, match=told):
        make()


def test_an_unknown_word_without_an_index_is_told():
    with pytest.raises(tf.errors.InvalidArgumentError, match="'x' is not in the vocabulary"):
        L.StringLookup(vocabulary=["a"], num_oov_indices=0)(["x"])
