"""Images of another size in TensorFlow 1: their first pixels lie on each other, not their edges."""

import numpy as np
import pytest

import tapeviz.compat.v1 as tf
from tests.compat.old_image_cases import ANSWERS, IMAGES, RUNS, answer

EXPECTED = np.load(ANSWERS)


@pytest.mark.parametrize("name", RUNS)
def test_pixels_are_tensorflows(name):
    np.testing.assert_allclose(answer(tf, name), EXPECTED[name], rtol=1e-5, atol=1e-6)


def test_sizes_may_be_known_only_when_a_graph_runs():
    with tf.Graph().as_default(), tf.Session() as session:
        images, size = tf.placeholder(tf.float32, [None, None, None, 1]), tf.placeholder(tf.int32, [2])
        known, open_size = tf.image.resize_bilinear(images, [3, 4]), tf.image.resize_images(images, size)
        assert known.shape.as_list() == [None, 3, 4, 1]
        found = session.run([known, open_size], {images: IMAGES, size: [3, 4]})
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_allclose(found[0], EXPECTED["resize_bilinear (3, 4)"], rtol=1e-5, atol=1e-6)


def test_what_there_is_not_is_an_error():
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="align_corners must be False"):
            tf.image.resize_bilinear(IMAGES, [3, 4], align_corners=True, half_pixel_centers=True)
        with pytest.raises(ValueError, match="Resize method is not implemented: 7"):
            tf.image.resize_images(IMAGES, [3, 4], method=7)
        with pytest.raises(ValueError, match="3 or 4 dimensions"):
            tf.image.resize_images(IMAGES[0, 0], [3, 4])
