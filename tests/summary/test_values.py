"""Scalars, histograms, pictures and text, eagerly and in traced functions, read back by TensorBoard's reader."""

import io

import numpy as np
import pytest
from PIL import Image

import tapeviz as tf
from tests.summary.event_reader import plugin, read, tensors

BOTH = pytest.mark.parametrize("way", [lambda f: f, tf.function], ids=["eager", "graph"])


@pytest.fixture(autouse=True)
def writer(tmp_path):
    made = tf.summary.create_file_writer(tmp_path)
    with made.as_default():
        yield made
    made.close()


@BOTH
def test_scalars(way, tmp_path):
    @way
    def tell(x, step):
        tf.summary.scalar("loss", x * 2.0, step=step, description="how *bad* it is")

    for step in range(3):
        tell(tf.constant(step, tf.float32), tf.constant(step, tf.int64))
    found = tensors(tmp_path, "loss")
    assert [(step, value.dtype, value.shape, float(value)) for step, value in found] == [
        (step, np.float32, (), 2.0 * step) for step in range(3)
    ]
    assert plugin(tmp_path, "loss") == "scalars"
    assert read(tmp_path).SummaryMetadata("loss").summary_description == "how *bad* it is"


@BOTH
def test_histograms(way, tmp_path):
    values = np.random.default_rng(0).normal(size=(20, 10)).astype(np.float32)
    way(lambda x: tf.summary.histogram("w", x, step=4, buckets=7))(tf.constant(values))
    ((step, rows),) = tensors(tmp_path, "w")
    counts, edges = np.histogram(values.astype(np.float64), bins=7)
    assert step == 4
    np.testing.assert_allclose(rows, np.stack([edges[:-1], edges[1:], counts], 1))
    assert plugin(tmp_path, "w") == "histograms"


def test_histograms_of_little(tmp_path):
    for tag, values in {"one": [2.0, 2.0], "none": [], "partly": [1.0, float("nan"), float("inf"), 3.0]}.items():
        tf.summary.histogram(tag, values, step=0, buckets=2)
    assert tensors(tmp_path, "one")[0][1].tolist() == [[2.0, 2.0, 0.0], [2.0, 2.0, 2.0]]
    assert tensors(tmp_path, "none")[0][1].tolist() == [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    assert tensors(tmp_path, "partly")[0][1].tolist() == [[1.0, 2.0, 1.0], [2.0, 3.0, 1.0]]


@BOTH
@pytest.mark.parametrize(("channels", "mode"), [(1, "L"), (3, "RGB"), (4, "RGBA")])
def test_pictures(way, channels, mode, tmp_path):
    batch = np.random.default_rng(1).integers(0, 256, size=(5, 4, 6, channels)).astype(np.uint8)
    way(lambda x: tf.summary.image("digits", x, step=1, max_outputs=2))(tf.constant(batch))
    ((_, (width, height, *files)),) = tensors(tmp_path, "digits")
    assert (width, height, len(files)) == (b"6", b"4", 2)
    for file, picture in zip(files, batch, strict=False):
        shown = Image.open(io.BytesIO(file))
        assert shown.mode == mode
        assert np.array_equal(np.asarray(shown).reshape(4, 6, channels), picture)
    assert plugin(tmp_path, "digits") == "images"


def test_pictures_of_fractions(tmp_path):
    tf.summary.image("x", [[[[0.0], [0.5], [1.0], [2.0], [-1.0], [float("nan")]]]], step=0)
    ((_, (*_, file)),) = tensors(tmp_path, "x")
    assert np.asarray(Image.open(io.BytesIO(file))).tolist() == [[0, 127, 255, 255, 0, 0]]


@BOTH
def test_text(way, tmp_path):
    way(lambda x: tf.summary.text("note", x, step=1))(tf.constant(["ä **b**", "c"]))
    ((_, words),) = tensors(tmp_path, "note")
    assert [word.decode() for word in words.tolist()] == ["ä **b**", "c"]
    assert plugin(tmp_path, "note") == "text"


@BOTH
def test_a_tensor_of_ones_own(way, tmp_path):
    metadata = tf.compat.v1.summary.Summary.Value().metadata
    metadata.plugin_data.plugin_name = "mine"
    way(lambda x: tf.summary.write("deep/x", x, step=2, metadata=metadata))(tf.constant([[1, 2], [3, 4]]))
    ((step, value),) = tensors(tmp_path, "deep/x")
    assert step == 2
    assert value.tolist() == [[1, 2], [3, 4]]
    assert plugin(tmp_path, "deep/x") == "mine"


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64", "int8", "uint16", "int64", "bool", "complex64"])
def test_dtypes(dtype, tmp_path):
    tf.summary.write("x", tf.cast([0, 1], dtype), step=0)
    ((_, value),) = tensors(tmp_path, "x")
    assert value.astype(np.complex128).tolist() == [0, 1]
    if dtype != "complex64":
        tf.summary.scalar("y", tf.cast(1, dtype), step=0)
        assert tensors(tmp_path, "y")[0][1] == 1.0


def test_names_have_the_scopes_around_them(tmp_path):
    with tf.name_scope("layer"):
        tf.summary.scalar("loss", 1.0, step=0)
    assert read(tmp_path).Tags()["tensors"] == ["layer/loss"]


def test_a_step_in_a_loop_of_a_graph(tmp_path):
    @tf.function
    def count(n):
        for i in tf.range(n):
            if i % 2 == 0:
                tf.summary.scalar("i", i * i, step=tf.cast(i, tf.int64))

    count(tf.constant(5))
    assert [(step, float(value)) for step, value in tensors(tmp_path, "i")] == [(0, 0.0), (2, 4.0), (4, 16.0)]


def test_summaries_are_no_part_of_gradients(tmp_path):
    @tf.function
    def loss_and_gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
            tf.summary.scalar("y", y, step=0)
        return tape.gradient(y, x)

    assert loss_and_gradient(tf.constant(3.0)).numpy() == 6.0
    assert float(tensors(tmp_path, "y")[0][1]) == 9.0


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: tf.summary.scalar("a", 1.0), ValueError, "No step set"),
        (lambda: tf.summary.scalar("a", [1.0, 2.0], step=1), ValueError, r"Expected scalar shape, saw shape: \(2,\)"),
        (lambda: tf.summary.scalar("a", "one", step=1), TypeError, "takes real numbers. Received: string"),
        (lambda: tf.summary.scalar("a", 1.0, step="two"), TypeError, "whole number. Received: step='two'"),
        (lambda: tf.summary.image("a", [[1.0]], step=1), ValueError, "must have rank 4"),
        (lambda: tf.summary.image("a", tf.zeros([1, 2, 2, 5]), step=1), ValueError, "1 .grey., 2, 3 .colours. or 4"),
        (lambda: tf.summary.text("a", 3, step=1), TypeError, "must be of type string. Received: int32"),
        (lambda: tf.summary.histogram("a", ["b"], step=1), TypeError, "takes real numbers"),
    ],
)
def test_what_is_no_summary_is_an_error_that_says_so(call, error, said, tmp_path):
    with pytest.raises(error, match=said):
        call()
    assert read(tmp_path).Tags()["tensors"] == []
