"""Random changes of images by a seed of two integers: the same for the same seed, at once and in traced functions."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz as tf

IMAGE = np.random.RandomState(0).rand(4, 5, 3).astype(np.float32)
SEEDS = [(1, 2), (3, 4), (5, 6), (7, 8), (9, 10), (11, 12)]
CHANGES = {
    "flip_left_right": tf.image.stateless_random_flip_left_right,
    "flip_up_down": tf.image.stateless_random_flip_up_down,
    "brightness": lambda x, seed: tf.image.stateless_random_brightness(x, 0.5, seed),
    "contrast": lambda x, seed: tf.image.stateless_random_contrast(x, 0.5, 2.0, seed),
    "hue": lambda x, seed: tf.image.stateless_random_hue(x, 0.2, seed),
    "saturation": lambda x, seed: tf.image.stateless_random_saturation(x, 0.5, 2.0, seed),
    "crop": lambda x, seed: tf.image.stateless_random_crop(x, [2, 3, 3], seed),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_seed_says_the_change(name):
    change = CHANGES[name]
    found = [change(IMAGE, seed).numpy() for seed in SEEDS]
    assert all(np.array_equal(a, change(IMAGE, seed).numpy()) for a, seed in zip(found, SEEDS, strict=True))
    assert len({a.tobytes() for a in found}) > 1
    traced = tf.function(change)
    assert all(
        np.allclose(a, traced(IMAGE, tf.constant(seed)).numpy(), atol=1e-6)
        for a, seed in zip(found, SEEDS, strict=True)
    )


def test_the_change_is_that_of_the_number_drawn():
    drawn = tf.random.stateless_uniform((), seed=(1, 2), minval=-0.5, maxval=0.5)
    wanted = tf.image.adjust_brightness(IMAGE, float(drawn)).numpy()
    assert np.array_equal(tf.image.stateless_random_brightness(IMAGE, 0.5, (1, 2)).numpy(), wanted)


def test_images_are_flipped_each_for_itself():
    flipped = tf.image.stateless_random_flip_left_right(np.stack([IMAGE] * 16), (1, 2)).numpy()
    as_they_were = [np.array_equal(each, IMAGE) for each in flipped]
    assert 0 < sum(as_they_were) < 16
    assert all(np.array_equal(each, IMAGE[:, ::-1]) for each, was in zip(flipped, as_they_were, strict=True) if not was)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: tf.image.stateless_random_brightness(IMAGE, -1.0, (1, 2)), "max_delta must be non-negative"),
        (lambda: tf.image.stateless_random_contrast(IMAGE, 2.0, 1.0, (1, 2)), "upper must be > lower"),
        (lambda: tf.image.stateless_random_hue(IMAGE, 0.7, (1, 2)), "max_delta must be between"),
        (lambda: tf.image.stateless_random_saturation(IMAGE, -1.0, 1.0, (1, 2)), "lower must be non-negative"),
    ],
)
def test_ranges_that_are_none_are_refused(call, said):
    with pytest.raises(ValueError, match=said):
        call()
