"""Files of records: TensorFlow's bytes, read and written; checksums; what is damaged; pipelines over them."""

import random

import numpy as np
import pytest
from tensorboardX.record_writer import masked_crc32c

import tapeviz as tf
import tapeviz.compat.v1 as tf1
from tapeviz.io.checksums import crc32c, masked
from tests.io.samples import KINDS, RECORDS, STORED

each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind or "plain")


def listed(dataset):
    return list(dataset.as_numpy_iterator())


def written(path, records, options=None):
    with tf.io.TFRecordWriter(path, options) as writer:
        for record in records:
            writer.write(record)
    return path


def stored(kind, path):
    path.write_bytes(np.load(STORED)[kind or "plain"].tobytes())
    return path


@each_kind
def test_what_tensorflow_has_written_is_read(kind, tmp_path):
    path = stored(kind, tmp_path / "theirs")
    assert listed(tf.data.TFRecordDataset(str(path), kind)) == RECORDS
    assert list(tf1.python_io.tf_record_iterator(path, tf.io.TFRecordOptions(kind))) == RECORDS


@each_kind
def test_what_is_written_is_read(kind, tmp_path):
    path = written(tmp_path / "ours", RECORDS, kind)
    assert listed(tf.data.TFRecordDataset(str(path), kind)) == RECORDS


def test_the_bytes_are_tensorflows(tmp_path):
    """Compressed ones are other bytes of the same meaning: zlib has several ways to say a thing."""
    ours = written(tmp_path / "ours", RECORDS).read_bytes()
    assert ours == stored("", tmp_path / "theirs").read_bytes()


def test_checksums():
    assert crc32c(b"123456789") == 0xE3069283  # the value that the standard gives
    assert crc32c(bytes(32)) == 0x8A9136AA  # of RFC 3720, as the next ones
    assert crc32c(b"\xff" * 32) == 0x62A8AB43
    assert crc32c(bytes(range(32))) == 0x46DD794E
    chance = random.Random(1)
    for length in [*range(70), 255, 256, 1023, 1024, *range(1195, 1210), 4096, 5000, 65_535, 65_537, 300_001]:
        data = chance.randbytes(length)
        assert masked(data) == masked_crc32c(data), length


def test_a_flipped_bit_anywhere_is_found(tmp_path):
    records = [b"one", bytes(1300), b"three"]
    path = written(tmp_path / "r", records)
    whole = path.read_bytes()
    chance = random.Random(2)
    for at in [*range(40), *(chance.randrange(len(whole)) for _ in range(150))]:
        damaged = bytearray(whole)
        damaged[at] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        given = []
        with pytest.raises(tf.errors.DataLossError, match=r"r: .*record at byte (0|19|1335)\b"):
            given.extend(tf1.python_io.tf_record_iterator(path))
        assert given == records[: sum(end <= at for end in (19, 1335))]
    path.write_bytes(whole)
    assert list(tf1.python_io.tf_record_iterator(path)) == records


@each_kind
def test_a_file_that_ends_too_early(kind, tmp_path):
    path = written(tmp_path / "r", [b"one", b"two" * 500], kind)
    whole = path.read_bytes()
    for length in [*range(1, 19), *range(20, len(whole), max(1, len(whole) // 60))]:
        path.write_bytes(whole[:length])
        with pytest.raises(tf.errors.DataLossError, match=r"/r: "):
            listed(tf.data.TFRecordDataset(str(path), kind))
    path.write_bytes(b"")
    if not kind:
        assert listed(tf.data.TFRecordDataset(str(path))) == []


def test_records_before_a_damaged_one_are_given(tmp_path):
    path = written(tmp_path / "r", [b"one", b"two", b"three"])
    data = bytearray(path.read_bytes())
    data[-5] ^= 1
    path.write_bytes(data)
    iterator = iter(tf.data.TFRecordDataset(str(path)))
    assert [next(iterator).numpy() for _ in range(2)] == [b"one", b"two"]
    with pytest.raises(tf.errors.DataLossError, match="the record at byte 38 does not agree"):
        next(iterator)


def test_pipelines_of_several_files(tmp_path):
    paths = [str(written(tmp_path / f"{n}.tfrecord", [f"{n}{k}" for k in range(3)])) for n in range(2)]
    assert listed(tf.data.TFRecordDataset(paths).batch(4))[0].tolist() == [b"00", b"01", b"02", b"10"]
    names = tf.data.Dataset.list_files(str(tmp_path / "*.tfrecord"), shuffle=False)
    assert listed(tf.data.TFRecordDataset(names)) == [b"00", b"01", b"02", b"10", b"11", b"12"]
    mixed = names.interleave(tf.data.TFRecordDataset, cycle_length=2)
    assert listed(mixed) == [b"00", b"10", b"01", b"11", b"02", b"12"]
    dataset = tf.data.TFRecordDataset(paths)
    assert dataset.element_spec == tf.TensorSpec((), tf.string)
    assert dataset.cardinality().numpy() == tf.data.UNKNOWN_CARDINALITY


def test_a_placeholder_for_names(tmp_path):
    path = str(written(tmp_path / "r", [b"one", b"two"]))
    with tf1.Graph().as_default(), tf1.Session() as session:
        names = tf1.placeholder(tf1.string, [None])
        iterator = tf1.data.make_initializable_iterator(tf1.data.TFRecordDataset(names))
        element = iterator.get_next()
        session.run(iterator.initializer, {names: [path]})
        assert [session.run(element) for _ in range(2)] == [b"one", b"two"]
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(element)


@each_kind
def test_what_was_flushed_is_there(kind, tmp_path):
    writer = tf.io.TFRecordWriter(tmp_path / "r", tf.io.TFRecordOptions(kind))
    writer.write(b"one")
    writer.flush()
    assert (tmp_path / "r").stat().st_size > 0
    if not kind:
        assert listed(tf.data.TFRecordDataset(str(tmp_path / "r"))) == [b"one"]
    writer.close()
    writer.close()
    assert listed(tf.data.TFRecordDataset(str(tmp_path / "r"), kind)) == [b"one"]
    for use in (lambda: writer.write(b"two"), writer.flush):
        with pytest.raises(tf.errors.FailedPreconditionError, match="is closed"):
            use()


def test_what_is_refused(tmp_path):
    with pytest.raises(
        ValueError, match=r"Not a valid compression_type: 'ZIP'. Expected one of \['', 'GZIP', 'ZLIB'\]"
    ):
        tf.io.TFRecordWriter(tmp_path / "r", "ZIP")
    with pytest.raises(tf.errors.InvalidArgumentError, match="'ZIP'"):
        tf.data.TFRecordDataset("r", "ZIP")
    with pytest.raises(tf.errors.NotFoundError, match="r; No such file"):
        listed(tf.data.TFRecordDataset(str(tmp_path / "r")))
    with pytest.raises(tf.errors.NotFoundError, match="r; No such file"):
        tf1.python_io.tf_record_iterator(tmp_path / "r")
    with pytest.raises(tf.errors.NotFoundError, match="Cannot make the file of records"):
        tf.io.TFRecordWriter(tmp_path / "none" / "r")
    with pytest.raises(tf.errors.FailedPreconditionError, match="Cannot make the file of records"):
        tf.io.TFRecordWriter(tmp_path)
    with (
        tf.io.TFRecordWriter(tmp_path / "r") as writer,
        pytest.raises(TypeError, match=r"string of bytes\. Received: int"),
    ):
        writer.write(3)
    (tmp_path / "r").write_bytes(b"no gzip at all")
    for kind in ("GZIP", "ZLIB"):
        with pytest.raises(tf.errors.DataLossError, match="/r: "):
            listed(tf.data.TFRecordDataset(str(tmp_path / "r"), kind))


def test_a_file_of_what_a_dataset_gives(tmp_path):
    writer = tf.data.experimental.TFRecordWriter(str(tmp_path / "words"))
    writer.write(tf.data.Dataset.from_tensor_slices(["a", "b"]))
    assert list(tf.data.TFRecordDataset(str(tmp_path / "words")).as_numpy_iterator()) == [b"a", b"b"]
    with pytest.raises(TypeError, match="must be scalar strings"):
        writer.write(tf.data.Dataset.range(2))
    with pytest.raises(TypeError, match=r"Expected a `tf\.data\.Dataset`"):
        writer.write(["a"])
