"""What programs with layers call besides: the backend, sequences, pictures, files, plots, older names."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile

import numpy as np
import pytest
from PIL import Image

import tapeviz as tf
from tapeviz.keras.datasets import download, word_lists

K, utils = tf.keras.backend, tf.keras.utils


def test_the_backend_is_a_table_over_ops():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert K.sum(x, axis=-1, keepdims=True).numpy().tolist() == [[3], [7]]
    assert K.var(x).numpy() == 1.25
    assert K.permute_dimensions(x, (1, 0)).numpy().tolist() == [[1, 3], [2, 4]]
    assert K.int_shape(K.expand_dims(x)) == (2, 2, 1)
    assert K.concatenate([x, x]).shape == (2, 4)
    assert K.get_value(K.variable([1, 2])).tolist() == [1, 2]
    assert K.arange(2, 8, 3).numpy().tolist() == [2, 5]
    assert K.batch_flatten(tf.ones([2, 3, 4])).shape == (2, 12)
    assert K.flatten(x).shape == (4,)
    v = K.variable(1.0)
    K.set_value(v, 3)
    assert K.get_value(v) == 3
    K.set_learning_phase(0)
    assert K.learning_phase() == 0
    with pytest.raises(NotImplementedError, match="training=True"):
        K.set_learning_phase(1)
    assert K.random_normal([3]).dtype == K.random_uniform([3]).dtype == tf.float32


@pytest.mark.parametrize(
    ("x", "y", "axes", "equation"),
    [
        ((2, 3), (2, 3), None, "bi,bi->b"), ((2, 3), (2, 3), 1, "bi,bi->b"),
        ((2, 4, 3), (2, 3, 5), None, "bij,bjk->bik"),
        ((2, 4, 3), (2, 5, 3), 2, "bij,bkj->bik"), ((2, 3, 4), (2, 3, 5), (1, 1), "bji,bjk->bik"),
        ((2, 3), (2, 3, 5), None, "bi,bij->bj"),
    ],
)  # fmt: skip
def test_products_example_by_example(x, y, axes, equation):
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=x), rng.normal(size=y)
    expected = np.einsum(equation, first, second)
    np.testing.assert_allclose(K.batch_dot(first, second, axes), expected.reshape(2, *(expected.shape[1:] or (1,))))


def test_products_over_the_last_axes():
    first, second = np.arange(24.0).reshape(2, 3, 4), np.arange(40.0).reshape(2, 4, 5)
    np.testing.assert_allclose(K.dot(first, second), np.dot(first, second))
    np.testing.assert_allclose(K.dot(first[0], second[0]), first[0] @ second[0])


def test_sequences_are_filled_up_and_cut():
    pad = utils.pad_sequences
    assert tf.keras.preprocessing.sequence.pad_sequences is pad
    assert pad([[1], [2, 3], []]).tolist() == [[0, 1], [2, 3], [0, 0]]
    assert pad([[1], [2, 3, 4]], 2, padding="post", truncating="post", value=9).tolist() == [[1, 9], [2, 3]]
    assert pad([[[1, 2]], [[3, 4], [5, 6]]], dtype="float32").shape == (2, 2, 2)
    assert pad([["a"], []], dtype=object, value="-").tolist() == [["a"], ["-"]]
    with pytest.raises(ValueError, match="not understood"):
        pad([[1]], padding="middle")
    with pytest.raises(ValueError, match="list of iterables"):
        pad([1, 2])


@pytest.fixture
def picture(tmp_path):
    array = np.random.default_rng(0).integers(0, 256, (6, 8, 3)).astype("uint8")
    for kind in ("a", "b"):
        (tmp_path / kind).mkdir()
        for count in range(2):
            utils.save_img(tmp_path / kind / f"{count}.png", array, scale=False)
    return array


def test_pictures_of_files(tmp_path, picture):
    path = tmp_path / "a" / "0.png"
    np.testing.assert_array_equal(utils.img_to_array(utils.load_img(path)), picture)
    grey = utils.load_img(path, color_mode="grayscale", target_size=(3, 4), interpolation="bilinear")
    assert utils.img_to_array(grey).shape == (3, 4, 1)
    square = utils.load_img(path, target_size=(6, 6), keep_aspect_ratio=True)
    np.testing.assert_array_equal(utils.img_to_array(square), picture[:, 1:7])
    assert np.asarray(utils.array_to_img(np.array([[[0.0], [2.0]]]))).tolist() == [[0, 255]]
    assert utils.img_to_array(square, data_format="channels_first").shape == (3, 6, 6)
    with pytest.raises(ValueError, match="rank 3"):
        utils.array_to_img(np.zeros(3))
    with pytest.raises(ValueError, match="channel number: 2"):
        utils.array_to_img(np.zeros([2, 2, 2]))


@pytest.mark.parametrize(("mode", "shape"), [("int", (4,)), ("binary", (4, 1)), ("categorical", (4, 2))])
def test_a_folder_of_pictures(tmp_path, picture, mode, shape):
    data = utils.image_dataset_from_directory(tmp_path, label_mode=mode, image_size=(6, 8), batch_size=4, seed=1)
    assert data.class_names == ["a", "b"]
    ((images, labels),) = data
    np.testing.assert_array_equal(images[0], picture)
    assert labels.shape == shape
    assert labels.numpy().sum() == (4 if mode == "categorical" else 2)
    parts = [
        utils.image_dataset_from_directory(
            tmp_path, None, image_size=(2, 2), validation_split=0.25, subset=part, seed=1, batch_size=None
        )
        for part in ("training", "validation")
    ]
    assert [len(list(part)) for part in parts] == [3, 1]
    with pytest.raises(ValueError, match="No files"):
        utils.image_dataset_from_directory(tmp_path / "a", class_names=["none"])


def test_files_are_kept(tmp_path, monkeypatch):
    data = b"some text"
    monkeypatch.setattr("tapeviz.keras.datasets.file_cache.opened", lambda _url: io.BytesIO(data))
    path = utils.get_file("b.txt", "https://nowhere/b.txt", cache_dir=tmp_path)
    assert tf.io.read_file(path).numpy() == data
    with pytest.raises(ValueError, match="corrupted"):
        utils.get_file("c.txt", "https://nowhere/c.txt", cache_dir=tmp_path, file_hash="0" * 64)
    with pytest.raises(ConnectionError, match="no address"):
        utils.get_file("d.txt", cache_dir=tmp_path)
    with pytest.raises(ValueError, match="needs a name"):
        utils.get_file()
    (tmp_path / "whole").mkdir()
    (tmp_path / "whole" / "x.txt").write_bytes(data)
    with tarfile.open(tmp_path / "parts.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "whole", "parts")
    unpacked = utils.get_file("parts.tar.gz", cache_dir=tmp_path, cache_subdir="", untar=True)
    assert tf.io.read_file(unpacked + "/x.txt").numpy() == data


def test_a_plot_of_a_model(tmp_path):
    x = tf.keras.Input([4])
    y = tf.keras.layers.Dense(3, activation="relu", name="first")(x)
    model = tf.keras.Model(x, tf.keras.layers.add([y, tf.keras.layers.Dense(3, name="second")(y)]))
    figure = utils.plot_model(model, tmp_path / "model.png", show_shapes=True, show_layer_names=True, dpi=50)
    texts = [text.get_text() for text in figure.axes[0].texts if text.get_text()]
    assert "Dense\nname: first\nshape: (None, 3)" in texts
    places = {text.get_text().split("\n")[0]: text.get_position()[1] for text in figure.axes[0].texts}
    assert places["Dense"] > places["Add"]
    with Image.open(tmp_path / "model.png") as saved:
        assert saved.width > 100
    with pytest.raises(ValueError, match="not yet been built"):
        utils.plot_model(tf.keras.Sequential([tf.keras.layers.Dense(1)]))


def test_features_are_normalised_by_what_was_learnt():
    layer = tf.keras.layers.Normalization()
    layer.adapt(np.arange(12.0).reshape(4, 3))
    # TensorFlow 2.21's numbers.
    np.testing.assert_allclose(layer(np.ones((1, 3))), [[-1.0434984, -1.34164083, -1.63978326]], rtol=1e-6)
    back = tf.keras.layers.Normalization.from_config({**layer.get_config(), "invert": True})
    back.adapt(tf.data.Dataset.from_tensor_slices(np.arange(12.0).reshape(2, 2, 3)))
    np.testing.assert_allclose(back(layer(np.ones((1, 3)))), np.ones((1, 3)), rtol=1e-6)
    known = tf.keras.layers.Normalization(axis=None, mean=3.0, variance=4.0)
    assert known([[5.0, 1.0]]).numpy().tolist() == [[1, -1]]
    with pytest.raises(ValueError, match="both `mean` and `variance`"):
        tf.keras.layers.Normalization(mean=1.0)


def test_older_names():
    assert tf.keras.optimizers.SGD(lr=0.5).learning_rate.numpy() == 0.5
    w, falling = tf.Variable(1.0), tf.keras.optimizers.SGD(lr=1.0, decay=1.0)
    steps = []
    for _ in range(3):
        before = w.numpy()
        falling.apply_gradients([(tf.constant(1.0), w)])
        steps.append(before - w.numpy())
    np.testing.assert_allclose(steps, [1, 1 / 2, 1 / 3], rtol=1e-6)
    mean = tf.keras.metrics.Mean()
    mean(3.0)
    mean.reset_states()
    assert mean.result().numpy() == 0
    none = tf.keras.losses.MeanSquaredError(reduction=tf.keras.losses.Reduction.NONE)
    assert none([[0.0], [0.0]], [[1.0], [2.0]]).numpy().tolist() == [1, 4]


def test_reviews_are_read_with_the_words_wanted(tmp_path, monkeypatch):
    def lists(*rows):
        made = np.empty(len(rows), dtype=object)
        made[:] = rows
        return made

    path = tmp_path / "imdb.npz"
    np.savez(path, x_train=lists([1, 9], [2, 3, 4]), y_train=[0, 1], x_test=lists([5]), y_test=[1])
    imdb = tf.keras.datasets.imdb
    with pytest.raises(ValueError, match="allow_pickle"):
        imdb.load_data(path)
    known = download.Remote("imdb.npz", "", hashlib.sha256(path.read_bytes()).hexdigest())
    monkeypatch.setattr(imdb, "_FILE", known)
    (x, y), (x_test, _) = imdb.load_data(path, num_words=8)
    assert sorted(zip(x.tolist(), y.tolist(), strict=True)) == [([1, 4, 2], 0), ([1, 5, 6, 7], 1)]
    assert x_test.tolist() == [[1, 2]]
    (x, _), _ = imdb.load_data(path, maxlen=4, start_char=None, oov_char=None, index_from=0, num_words=5)
    assert sorted(x.tolist()) == [[1], [2, 3, 4]]
    with pytest.raises(ValueError, match="no sequence was kept"):
        imdb.load_data(path, maxlen=1)
    index = tmp_path / "index.json"
    index.write_text(json.dumps({"the": 1}))
    assert imdb.get_word_index(index) == {"the": 1}
    assert word_lists.word_index(index, "x", "", "") == {"the": 1}


def test_photographs_of_a_hundred_things(tmp_path):
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 256, (3, 3074)).astype("uint8")
    for name in ("train.bin", "test.bin"):
        (tmp_path / name).write_bytes(rows.tobytes())
    (x, fine), (_, test) = tf.keras.datasets.cifar100.load_data(path=tmp_path)
    _, (_, coarse) = tf.keras.datasets.cifar100.load_data("coarse", tmp_path)
    np.testing.assert_array_equal(x[:, :, :, 0].reshape(3, -1), rows[:, 2:1026])
    assert fine[:, 0].tolist() == test[:, 0].tolist() == rows[:, 1].tolist()
    assert coarse[:, 0].tolist() == rows[:, 0].tolist()
    with pytest.raises(ValueError, match="label_mode"):
        tf.keras.datasets.cifar100.load_data("all")


def test_districts_of_boston(tmp_path):
    np.savez(tmp_path / "boston.npz", x=np.arange(130.0).reshape(10, 13), y=np.arange(10.0))
    (x, y), (x_test, y_test) = tf.keras.datasets.boston_housing.load_data(tmp_path / "boston.npz")
    assert (x.shape, x_test.shape) == ((8, 13), (2, 13))
    assert sorted([*y, *y_test]) == list(range(10))
    np.testing.assert_array_equal(x[:, 0] / 13, y)
