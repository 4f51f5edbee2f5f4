"""Event files, read back by our own reader: whole ones, cut ones, damaged ones."""

import pytest

import tapeviz as tf
from tapeviz.summary.records import events


@pytest.fixture
def file(tmp_path):
    writer = tf.summary.create_file_writer(tmp_path)
    with writer.as_default():
        for step in range(3):
            tf.summary.scalar("loss", step / 2, step=step)
    writer.close()
    (path,) = tmp_path.iterdir()
    return path


def steps(path):
    return [event.step for event in events(path) if event.HasField("summary")]


def test_a_whole_file(file):
    assert next(events(file)).file_version == "brain.Event:2"
    assert steps(file) == [0, 1, 2]
    assert [event.step for event in tf.compat.v1.train.summary_iterator(file)] == [0, 0, 1, 2]


def test_each_cut_is_told_and_gives_what_is_whole(file):
    data, ends, found = file.read_bytes(), [0], []
    for _ in events(file):
        length = int.from_bytes(data[ends[-1] : ends[-1] + 8], "little")
        ends.append(ends[-1] + length + 16)
    assert ends[-1] == len(data)
    for cut in range(len(data)):
        file.write_bytes(data[:cut])
        found.clear()
        if cut in ends:
            found.extend(events(file))
        else:
            with pytest.raises(tf.errors.DataLossError, match="the file ends within the record at byte"):
                found.extend(events(file))
        assert len(found) == sum(end <= cut for end in ends[1:])


def test_each_flipped_bit_is_told(file):
    data = file.read_bytes()
    for place in range(len(data)):
        file.write_bytes(data[:place] + bytes([data[place] ^ 4]) + data[place + 1 :])
        with pytest.raises(tf.errors.DataLossError, match=r"events\.out\.tfevents.*record at byte"):
            list(events(file))


def test_a_file_that_is_none(tmp_path):
    with pytest.raises(tf.errors.NotFoundError, match=r"Cannot read the event file .*nothing"):
        list(events(tmp_path / "nothing"))
    (tmp_path / "text").write_text("this is a file of text, longer than a head")
    with pytest.raises(tf.errors.DataLossError, match="does not agree with its checksum"):
        list(events(tmp_path / "text"))
