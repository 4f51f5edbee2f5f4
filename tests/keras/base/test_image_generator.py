"""``ImageDataGenerator``: batches of changed images, for ``fit`` and for loops."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import tapeviz as tf

Generator = tf.keras.preprocessing.image.ImageDataGenerator
X = np.random.RandomState(0).rand(10, 6, 6, 3).astype(np.float32)
Y = np.arange(10)


def test_batches_without_an_end_are_in_another_order_each_time():
    batches = Generator().flow(X, Y, batch_size=4, seed=1)
    found = list(itertools.islice(batches, 6))
    assert [len(x) for x, _ in found] == [4, 4, 2] * 2
    orders = [np.concatenate([y for _, y in part]).tolist() for part in (found[:3], found[3:])]
    assert sorted(orders[0]) == sorted(orders[1]) == list(range(10))
    assert orders[0] != orders[1]
    for x, y in found:
        np.testing.assert_array_equal(x, X[y])


@pytest.mark.parametrize(
    "options",
    [{"rotation_range": 40}, {"width_shift_range": 0.3}, {"height_shift_range": 2}, {"zoom_range": 0.3},
     {"zoom_range": (0.5, 0.9)}, {"horizontal_flip": True, "vertical_flip": True}],
    ids=str,
)  # fmt: skip
def test_images_are_changed(options):
    tf.keras.utils.set_random_seed(1)
    changed = Generator(**options).random_transform(X)
    assert changed.shape == X.shape
    assert not np.array_equal(changed, X)
    assert changed.min() >= X.min() - 1e-6
    assert changed.max() <= X.max() + 1e-6


def test_values_are_scaled():
    generator = Generator(featurewise_center=True, featurewise_std_normalization=True, rescale=2.0,
                          preprocessing_function=lambda image: image + 1)  # fmt: skip
    with pytest.raises(ValueError, match="call its fit"):
        generator.standardize(X)
    generator.fit(X)
    np.testing.assert_allclose(
        generator.standardize(X), ((X + 1) * 2 - X.mean((0, 1, 2))) / X.std((0, 1, 2)), rtol=1e-4
    )
    each = Generator(samplewise_center=True, samplewise_std_normalization=True).standardize(X[0])
    assert abs(each.mean()) < 1e-5
    assert abs(each.std() - 1) < 1e-3


def test_fit_takes_batches_and_parts_of_the_data():
    generator = Generator(horizontal_flip=True, validation_split=0.2)
    model = tf.keras.Sequential([tf.keras.layers.Flatten(), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    history = model.fit(generator.flow(X, Y, batch_size=4, subset="training"), epochs=2, verbose=0,
                        validation_data=generator.flow(X, Y, batch_size=4, subset="validation"))  # fmt: skip
    assert len(history.history["val_loss"]) == 2
    assert len(generator.flow(X, subset="validation").reset().next()) == 2


def test_what_is_not_there_is_told():
    with pytest.raises(NotImplementedError, match="shear_range"):
        Generator(shear_range=0.2)
