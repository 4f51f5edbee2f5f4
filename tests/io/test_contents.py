"""Files and records as tensors: pictures, numbers, rows of text, examples."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

import tapeviz as tf

PICTURE = np.random.default_rng(0).integers(0, 256, (5, 4, 3)).astype("uint8")
train = tf.train


def test_pictures_there_and_back(tmp_path):
    path = str(tmp_path / "a" / "b.png")
    tf.io.write_file(path, tf.io.encode_png(PICTURE))
    data = tf.io.read_file(path)
    np.testing.assert_array_equal(tf.io.decode_png(data), PICTURE)
    np.testing.assert_array_equal(tf.image.decode_image(data, channels=1)[..., 0], Image.open(path).convert("L"))
    assert tf.io.decode_image(data, dtype=tf.float32).numpy().max() <= 1
    assert tf.io.matching_files(str(tmp_path / "*" / "*.png")).numpy().tolist() == [path.encode()]
    with pytest.raises(tf.errors.NotFoundError, match="No such file"):
        tf.io.read_file(path + "x")
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unknown image file format"):
        tf.io.decode_png(b"nothing")


def test_pictures_in_a_pipeline(tmp_path):
    path = str(tmp_path / "a.png")
    tf.io.write_file(path, tf.io.encode_png(PICTURE))
    data = tf.data.Dataset.from_tensors(path).map(lambda name: tf.io.decode_png(tf.io.read_file(name), channels=3))
    assert data.element_spec.shape.as_list() == [None, None, 3]
    np.testing.assert_array_equal(next(iter(data)), PICTURE)


def test_other_kinds_of_pictures():
    jpeg = tf.io.encode_jpeg(np.full((8, 8, 3), 128, "uint8"))
    assert bool(tf.io.is_jpeg(jpeg))
    assert np.abs(tf.io.decode_jpeg(jpeg, ratio=2).numpy().astype(int) - 128).max() <= 2
    assert tf.io.decode_jpeg(jpeg, ratio=2).shape == (4, 4, 3)
    assert tf.io.decode_and_crop_jpeg(jpeg, [1, 2, 3, 4]).shape == (3, 4, 3)
    frames = [Image.fromarray(np.full((4, 4), shade, "uint8")) for shade in (0, 255)]
    stream = io.BytesIO()
    frames[0].save(stream, "GIF", save_all=True, append_images=frames[1:])
    assert tf.io.decode_gif(stream.getvalue()).shape == (2, 4, 4, 3) == tf.io.decode_image(stream.getvalue()).shape
    assert tf.io.decode_image(stream.getvalue(), expand_animations=False).ndim == 3
    stream = io.BytesIO()
    Image.fromarray(PICTURE).save(stream, "BMP")
    np.testing.assert_array_equal(tf.io.decode_bmp(stream.getvalue()), PICTURE)


COLOURS = np.array([[[0.9, 0.2, 0.1], [0.1, 0.8, 0.3]], [[0.2, 0.2, 0.2], [0.0, 0.3, 1.0]]], np.float32)
# TensorFlow 2.21's numbers.
CHANGED = {
    "hsv": (lambda: tf.image.rgb_to_hsv(COLOURS),
            [[[0.0208333358, 0.888888836, 0.9], [0.380952388, 0.875, 0.8]], [[0, 0, 0.2], [0.616666675, 1, 1]]]),
    "hue": (lambda: tf.image.adjust_hue(COLOURS, 0.3),
            [[[0.159999937, 0.9, 0.1], [0.160000041, 0.1, 0.8]], [[0.2, 0.2, 0.2], [1, 0, 0.5]]]),
    "saturation": (lambda: tf.image.adjust_saturation(COLOURS, 1.7),
                   [[[0.9, 0.112499997, 0], [0, 0.8, 0.228571519]], [[0.2, 0.2, 0.2], [0, 0.3, 1]]]),
    "bytes": (lambda: tf.image.adjust_saturation((COLOURS * 255).astype("uint8"), 0.4),
              [[[229, 158, 147], [132, 204, 153]], [[51, 51, 51], [153, 183, 255]]]),
    "round": (lambda: tf.image.hsv_to_rgb(tf.image.rgb_to_hsv(COLOURS)), COLOURS),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGED)
def test_colours(name):
    run, expected = CHANGED[name]
    np.testing.assert_allclose(run(), expected, atol=1 if name == "bytes" else 2e-6)


def test_random_changes():
    crop = tf.image.random_crop(PICTURE, [2, 3, 3], seed=1).numpy()
    places = [(i, j) for i in range(4) for j in range(2) if (PICTURE[i : i + 2, j : j + 3] == crop).all()]
    assert len(places) == 1
    assert len({tf.image.random_crop(tf.range(9), [2]).numpy()[0] for _ in range(60)}) == 8
    hue = tf.image.rgb_to_hsv(tf.image.random_hue(COLOURS, 0.1))[..., 0] - tf.image.rgb_to_hsv(COLOURS)[..., 0]
    assert np.unique(np.round(hue.numpy()[[0, 0, 1], [0, 1, 1]] % 1, 3)).size == 1
    assert tf.image.random_saturation(COLOURS, 0.5, 0.9).shape == COLOURS.shape
    with pytest.raises(ValueError, match=r"0\.5"):
        tf.image.random_hue(COLOURS, 0.7)
    with pytest.raises(ValueError, match="lower"):
        tf.image.random_saturation(COLOURS, 2, 1)


def test_bytes_as_numbers():
    two = [np.int16([1, -2]).tobytes(), np.int16([3, 4]).tobytes()]
    assert tf.io.decode_raw(two, tf.int16).numpy().tolist() == [[1, -2], [3, 4]]
    assert tf.io.decode_raw(np.array([1], ">i4").tobytes(), tf.int32, little_endian=False).numpy().tolist() == [1]
    for wrong in ([b"a", b"bc"], b"abc"):
        with pytest.raises(tf.errors.InvalidArgumentError, match="DecodeRaw"):
            tf.io.decode_raw(wrong, tf.int16)


def test_rows_of_text():
    first, second, third = tf.io.decode_csv(['1,"a,b",', "2,c,0.5"], [0, "", [7.0]])
    assert first.numpy().tolist() == [1, 2]
    assert second.numpy().tolist() == [b"a,b", b"c"]
    assert third.numpy().tolist() == [7, 0.5]
    assert tf.io.decode_csv("1;x;3", [[0]], ";", select_cols=[2])[0].numpy() == 3
    lines = tf.data.Dataset.from_tensor_slices(["1,2", "3,4"]).map(lambda line: tf.io.decode_csv(line, [0, 0.0]))
    assert [[float(x) for x in row] for row in lines] == [[1, 2], [3, 4]]
    for line, defaults, message in (
        ("1", [0, 0], "Expect 2 fields but have 1"), (",1", [tf.constant([], tf.int32), 0], "required"),
        ("x", [0], "not a valid int32"),
    ):  # fmt: skip
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            tf.io.decode_csv(line, defaults)


def record(**features):
    kinds = {bytes: ("bytes_list", train.BytesList), float: ("float_list", train.FloatList),
             int: ("int64_list", train.Int64List)}  # fmt: skip

    def feature(values):
        name, kind = kinds[type(values[0])]
        return train.Feature(**{name: kind(value=values)})

    made = train.Features(feature={name: feature(values) for name, values in features.items()})
    return train.Example(features=made).SerializeToString()


def test_records_by_name():
    specs = {
        "a": tf.io.FixedLenFeature([2], tf.float32),
        "b": tf.io.VarLenFeature(tf.string),
        "c": tf.io.FixedLenFeature([], tf.int64, default_value=3),
        "d": tf.io.FixedLenSequenceFeature([2], tf.int64, allow_missing=True),
    }
    first, second = record(a=[1.0, 2.0], b=[b"x", b"y"], d=[1, 2, 3, 4]), record(a=[3.0, 4.0], c=[5])
    one = tf.io.parse_single_example(first, specs)
    assert [one[name].numpy().tolist() for name in "acd"] == [[1, 2], 3, [[1, 2], [3, 4]]]
    assert tf.sparse.to_dense(one["b"]).numpy().tolist() == [b"x", b"y"]
    dense = tf.data.Dataset.from_tensors(first).map(
        lambda item: tf.sparse.to_dense(tf.io.parse_single_example(item, specs)["b"], default_value=b"")
    )
    assert next(iter(dense)).numpy().tolist() == [b"x", b"y"]
    data = tf.data.Dataset.from_tensors(second).map(lambda item: tf.io.parse_single_example(item, specs))
    assert next(iter(data))["c"].numpy() == 5
    assert next(iter(data))["b"].numpy().tolist() == []
    assert data.element_spec["a"].shape == (2,)
    del specs["d"]
    both = tf.io.parse_example([first, second], specs)
    assert both["a"].shape == (2, 2)
    assert tf.sparse.to_dense(both["b"], default_value=b"-").numpy().tolist() == [[b"x", b"y"], [b"-", b"-"]]
    for wrong, message in (
        ({"z": tf.io.FixedLenFeature([], tf.int64)}, "z is required"),
        ({"a": tf.io.FixedLenFeature([3], tf.float32)}, "Number of values"),
        ({"a": tf.io.FixedLenFeature([2], tf.int64)}, "Data types don't match"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            tf.io.parse_single_example(first, wrong)
    lists = train.FeatureLists(feature_list={"s": train.FeatureList(feature=[train.Feature()])})
    assert "s" in train.SequenceExample(feature_lists=lists).feature_lists.feature_list
