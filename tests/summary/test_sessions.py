"""Summaries of TensorFlow 1: ops that sessions run, and the writer."""

import io
import itertools

import numpy as np
import pytest
from PIL import Image

import tapeviz as tf
from tapeviz.compat import v1
from tests.summary.event_reader import read, tensors


def test_a_program_of_tensorflow_1(tmp_path):
    with v1.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [None], name="x")
        with v1.name_scope("train"):
            v1.summary.scalar("loss", v1.reduce_mean(x))
        v1.summary.histogram("spread", x, family="all")
        merged = v1.summary.merge_all()
    with v1.summary.FileWriter(str(tmp_path), graph) as writer, v1.Session(graph=graph) as session:
        for step in range(3):
            summary = session.run(merged, {x: [step, step + 1.0]})
            assert isinstance(summary, bytes)
            writer.add_summary(summary, step)
        assert writer.get_logdir() == str(tmp_path)
    found = read(tmp_path)
    assert [(event.step, event.value) for event in found.Scalars("train/loss")] == [(0, 0.5), (1, 1.5), (2, 2.5)]
    last = found.Histograms("all/spread")[-1].histogram_value
    assert (last.min, last.max, last.num, last.sum, last.sum_squares) == (2.0, 3.0, 2.0, 5.0, 13.0)
    assert sum(last.bucket) == 2.0
    assert {"x", "train/loss"} <= {node.name for node in found.Graph().node}


def test_buckets_hold_what_lies_between_their_edges():
    values = np.array([-3.0, -3.0, 0.0, 1e-3, 5.0, 5.1])
    message = v1.summary.Summary.FromString(bytes(_run(v1.summary.histogram, values).numpy()))
    histogram = message.value[0].histo
    edges = [-np.inf, *histogram.bucket_limit]
    wanted = [((values >= low) & (values < high)).sum() for low, high in itertools.pairwise(edges)]
    assert list(histogram.bucket) == wanted


def _run(make, value, *args):
    with v1.Graph().as_default(), v1.Session() as session:
        found = session.run(make("x", v1.constant(value), *args))
    return tf.constant(found)


def test_pictures():
    batch = np.zeros((2, 2, 3, 1), np.float32)
    batch[0, 0, 0], batch[1, 1, 2] = 2.0, -1.0
    summary = v1.summary.Summary.FromString(bytes(_run(v1.summary.image, batch).numpy()))
    assert [value.tag for value in summary.value] == ["x/image/0", "x/image/1"]
    assert (summary.value[0].image.height, summary.value[0].image.width) == (2, 3)
    first, second = (np.asarray(Image.open(io.BytesIO(v.image.encoded_image_string))) for v in summary.value)
    assert first.tolist() == [[255, 0, 0], [0, 0, 0]]
    assert second.tolist() == [[128, 128, 128], [128, 128, 1]]
    (one,) = v1.summary.Summary.FromString(bytes(_run(v1.summary.image, batch, 1).numpy())).value
    assert one.tag == "x/image"


def test_text(tmp_path):
    with v1.Graph().as_default(), v1.Session() as session, v1.summary.FileWriter(str(tmp_path)) as writer:
        writer.add_summary(session.run(v1.summary.text("note", v1.constant("**so**"))), 7)
        with pytest.raises(ValueError, match="to have dtype string, got int32"):
            v1.summary.text("note", v1.constant(3))
    ((step, value),) = tensors(tmp_path, "note")
    assert (step, value.item()) == (7, b"**so**")


def test_collections_and_merging():
    with v1.Graph().as_default(), v1.Session() as session:
        assert v1.summary.merge_all() is None
        one = v1.summary.scalar("one", v1.constant(1.0), collections=["mine"])
        two = v1.summary.scalar("two", v1.constant(2.0))
        assert v1.get_collection("mine") == [one]
        assert v1.get_collection(v1.GraphKeys.SUMMARIES) == [two]
        both = session.run(v1.summary.merge([one, two]))
        assert session.run(v1.summary.merge_all()) == session.run(two)
    assert [value.tag for value in v1.summary.Summary.FromString(both).value] == ["one", "two"]


def test_names_that_are_none_are_made_such():
    with v1.Graph().as_default():
        assert v1.summary.scalar("a loss: 1", v1.constant(1.0)).op.name == "a_loss__1"


def test_a_writer_goes_on_after_it_was_closed(tmp_path):
    writer = v1.summary.FileWriter(str(tmp_path), filename_suffix=".x")
    writer.close()
    writer.add_summary(v1.summary.Summary(value=[v1.summary.Summary.Value(tag="a", simple_value=2.0)]), 1)
    writer.flush()
    writer.close()
    assert len(list(tmp_path.iterdir())) == 2
    assert [(event.step, event.value) for event in read(tmp_path).Scalars("a")] == [(1, 2.0)]
    with pytest.raises(TypeError, match="Received: 3"):
        writer.add_summary(3)
    with pytest.raises(TypeError, match="Received type: str"):
        writer.add_graph("graph")


def test_a_value_that_is_not_finite_or_not_one():
    with v1.Graph().as_default(), v1.Session() as session:
        histogram = v1.summary.histogram("h", v1.constant([1.0, float("nan")]))
        scalar = v1.summary.scalar("s", v1.constant([1.0, 2.0]))
        with pytest.raises(ValueError, match="Nan in summary histogram"):
            session.run(histogram)
        with pytest.raises(ValueError, match="tags and values are not the same shape"):
            session.run(scalar)
