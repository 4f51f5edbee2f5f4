"""Summaries: the loss of every hundredth of a thousand steps, in a file that TensorBoard reads."""

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util import tensor_util

import tapeviz as tf
from tests.programs.ways import WAYS

EVERY, STEPS = 100, 1000


def read(folder):
    """What TensorBoard finds: the step and value of each scalar called loss."""
    found = EventAccumulator(str(folder), size_guidance={"tensors": 0, "scalars": 0}).Reload()
    if "loss" in found.Tags()["scalars"]:
        return [(event.step, event.value) for event in found.Scalars("loss")]
    return [(event.step, float(tensor_util.make_ndarray(event.tensor_proto))) for event in found.Tensors("loss")]


@pytest.mark.parametrize("way", WAYS)
def test_every_hundredth_loss_is_there(way, tmp_path):
    @WAYS[way]
    def loss_at(step):
        return 1.0 - 0.001 * tf.cast(step, tf.float32)

    folder = tmp_path / "tb"
    writer = tf.summary.create_file_writer(str(folder))
    with writer.as_default():
        for number in range(1, STEPS + 1):
            loss = loss_at(tf.constant(number))
            if number % EVERY == 0:
                tf.summary.scalar("loss", loss, step=number)
    writer.close()
    (file,) = folder.iterdir()
    assert file.name.startswith("events.out.tfevents.")
    found = read(folder)
    assert [step for step, _ in found] == list(range(EVERY, STEPS + 1, EVERY))
    assert [value for _, value in found] == pytest.approx([1.0 - 0.001 * step for step, _ in found], abs=1e-6)


def test_a_writer_that_is_set_once(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    writer.set_as_default()
    try:
        for step in (1, 2):
            tf.summary.scalar("loss", 0.5 / step, step=step)
        writer.flush()
        assert read(tmp_path) == [(1, 0.5), (2, 0.25)]
    finally:
        tf.summary.experimental.set_step(None)
        writer.close()
