"""Tensors as bytes: what TensorFlow wrote is read, and what is written is what TensorFlow writes."""

import numpy as np
import pytest

import tapeviz as tf

FLOATS = np.array([[1.5, -2.0]], np.float32)
# By TensorFlow 2.21: tf.io.serialize_tensor of each.
BYTES = {
    "floats": (FLOATS, b'\x08\x01\x12\x08\x12\x02\x08\x01\x12\x02\x08\x02"\x08' + FLOATS.tobytes()),
    "number": (np.array(7, np.int64), b'\x08\t\x12\x00"\x08\x07\x00\x00\x00\x00\x00\x00\x00'),
    "flags": (np.array([True, False]), b'\x08\n\x12\x04\x12\x02\x08\x02"\x02\x01\x00'),
}  # fmt: skip
TEXTS = b"\x08\x07\x12\x04\x12\x02\x08\x02B\x01aB\x02bc"


@pytest.mark.parametrize("name", BYTES)
def test_bytes_are_tensorflows(name):
    array, content = BYTES[name]
    assert tf.io.serialize_tensor(array).numpy() == content
    found = tf.io.parse_tensor(content, array.dtype)
    np.testing.assert_array_equal(found, array)
    assert found.dtype == array.dtype


def test_strings_are_read_as_tensorflow_writes_them():
    assert tf.io.parse_tensor(TEXTS, tf.string).numpy().tolist() == [b"a", b"bc"]
    again = tf.io.parse_tensor(tf.io.serialize_tensor([["a", ""], ["bc", "d"]]), tf.string)
    assert again.numpy().tolist() == [[b"a", b""], [b"bc", b"d"]]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64", "complex64", "uint8", "int32"])
def test_a_tensor_comes_back(dtype):
    given = tf.cast([[1, 2], [3, 4]], dtype)
    found = tf.io.parse_tensor(tf.io.serialize_tensor(given), dtype)
    assert found.dtype == given.dtype
    np.testing.assert_array_equal(found.numpy(), given.numpy())


def test_protos_hold_one_number_for_many():
    proto = tf.make_tensor_proto(3.0, shape=[2, 2])
    assert tf.make_ndarray(proto).tolist() == [[3.0, 3.0], [3.0, 3.0]]
    short = tf.make_tensor_proto([1.0])
    short.ClearField("tensor_content")
    short.float_val.append(5.0)
    short.tensor_shape.dim[0].size = 3
    assert tf.make_ndarray(short).tolist() == [5.0, 5.0, 5.0]
    with pytest.raises(TypeError, match=r"Expected Tensor's shape: \(3,\), got \(2,\)"):
        tf.make_tensor_proto([1.0, 2.0], shape=[3], verify_shape=True)


def test_bits_and_pairs_in_fields_are_numbers():
    half = tf.make_tensor_proto([0.0], dtype=tf.float16)
    half.ClearField("tensor_content")
    half.half_val.append(0x3C00)
    assert tf.make_ndarray(half).tolist() == [1.0]
    pair = tf.make_tensor_proto([0j], dtype=tf.complex64)
    pair.ClearField("tensor_content")
    pair.scomplex_val.extend([1.0, 2.0])
    assert tf.make_ndarray(pair).tolist() == [1 + 2j]


def test_a_dataset_reads_them():
    texts = [tf.io.serialize_tensor([number, number]).numpy() for number in (1, 2)]
    found = tf.data.Dataset.from_tensor_slices(texts).map(lambda text: tf.io.parse_tensor(text, tf.int32))
    assert [row.numpy().tolist() for row in found] == [[1, 1], [2, 2]]


def test_other_bytes_are_an_error():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse"):
        tf.io.parse_tensor(b"\xff\xff\xff", tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\(float32\) and dtype \(int32\)"):
        tf.io.parse_tensor(tf.io.serialize_tensor(1.0), tf.int32)
