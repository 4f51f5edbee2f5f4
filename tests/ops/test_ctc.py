"""``tf.nn.ctc_loss``: as TensorFlow and PyTorch have it, and as counting all ways gives it."""

import itertools

import numpy as np
import pytest

import tapeviz as tf
from tests.ops.ctc_cases import CLASSES, FRAME_LENGTHS, LOGITS, STORED, TARGET_LENGTHS, TARGETS

ANSWERS = np.load(STORED)
WAYS = {"eager": lambda function: function, "graph": tf.function}
each_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


def loss_and_slope(way, dtype, targets=TARGETS, **options):
    logits = tf.constant(LOGITS.astype(dtype))
    loss = way(lambda x: tf.nn.ctc_loss(targets, x, TARGET_LENGTHS, FRAME_LENGTHS, **options))
    with tf.GradientTape() as tape:
        tape.watch(logits)
        losses = loss(logits)
    return losses.numpy(), tape.gradient(losses, logits).numpy()


def close(found, name, tolerance):
    for one, part in zip(found, ("loss", "slope"), strict=True):
        assert one.dtype == ANSWERS[f"{name}/{part}"].dtype
        np.testing.assert_allclose(one, ANSWERS[f"{name}/{part}"], rtol=tolerance, atol=tolerance)


@each_way
@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-9), ("float32", 1e-5)])
def test_as_pytorch_has_it(way, dtype, tolerance):
    close(loss_and_slope(way, dtype), dtype, tolerance)


@each_way
def test_as_tensorflow_has_it(way):
    close(loss_and_slope(way, "float32"), "tensorflow", 1e-5)
    close(loss_and_slope(way, "float32", TARGETS - 1, blank_index=-1), "tensorflow last", 1e-5)


def said(path, blank=0):
    """What frames say: repeated classes once, and no blanks."""
    return [one for one, _ in itertools.groupby(path) if one != blank]


def test_as_counting_all_ways_gives_it():
    shares = np.exp(LOGITS - np.log(np.exp(LOGITS).sum(-1, keepdims=True)))
    losses, _ = loss_and_slope(WAYS["eager"], "float64")
    for example in (2, 3, 4):
        frames, labels = FRAME_LENGTHS[example], TARGETS[example, : TARGET_LENGTHS[example]].tolist()
        total = sum(
            np.prod([shares[frame, example, one] for frame, one in enumerate(path)])
            for path in itertools.product(range(CLASSES), repeat=frames)
            if said(path) == labels
        )
        assert losses[example] == pytest.approx(-np.log(total))


def test_what_comes_after_the_labels_does_not_count():
    padded = TARGETS.copy()
    for row, length in zip(padded, TARGET_LENGTHS, strict=True):
        row[length:] = -1
    for one, other in zip(loss_and_slope(WAYS["eager"], "float64", padded), loss_and_slope(WAYS["eager"], "float64"),
                          strict=True):  # fmt: skip
        np.testing.assert_array_equal(one, other)
    _, slope = loss_and_slope(WAYS["eager"], "float64")
    for example, length in enumerate(FRAME_LENGTHS):
        assert not slope[length:, example].any()


def test_too_few_frames():
    """No way to say "aa" in two frames: infinity, and nothing to be learned from it."""
    logits = tf.zeros([2, 2, 3])
    with tf.GradientTape() as tape:
        tape.watch(logits)
        losses = tf.nn.ctc_loss([[1, 1], [1, 2]], logits, [2, 2], [2, 2])
    assert losses.numpy() == pytest.approx([np.inf, np.log(9.0)])
    slope = tape.gradient(losses, logits).numpy()
    assert not slope[:, 0].any()
    assert np.isfinite(slope).all()


def test_frames_of_any_number():
    traced = tf.function(
        lambda x: tf.nn.ctc_loss(TARGETS, x, TARGET_LENGTHS, FRAME_LENGTHS, logits_time_major=False),
        input_signature=[tf.TensorSpec([None, None, CLASSES], tf.float64)],
    )
    logits = tf.constant(LOGITS.transpose(1, 0, 2))
    with tf.GradientTape() as tape:
        tape.watch(logits)
        losses = traced(logits)
    slope = tape.gradient(losses, logits).numpy().transpose(1, 0, 2)
    close((losses.numpy(), slope), "float64", 1e-9)


def test_second_gradients():
    logits = tf.constant(LOGITS)
    tf.test.check_gradients(lambda x: tf.nn.ctc_loss(TARGETS, x, TARGET_LENGTHS, FRAME_LENGTHS), [logits], order=2)


def test_what_is_refused():
    frames = tf.zeros([4, 1, 3])
    with pytest.raises(ValueError, match=r"three axes and dense labels with two. Received: logits of shape \(4, 1\)"):
        tf.nn.ctc_loss([[1]], frames[:, :, 0], [1], [4])
    with pytest.raises(ValueError, match=r"labels of shape \(1,\)"):
        tf.nn.ctc_loss([1], frames, [1], [4])
    with pytest.raises(ValueError, match="There is no class 3 for blank: logits have 3 classes"):
        tf.nn.ctc_loss([[1]], frames, [1], [4], blank_index=3)
