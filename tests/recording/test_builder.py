import threading

import numpy as np
import pytest

from tapeviz.recording import MAGIC, Builder, FrameWriter, RecordingError, read, row_buffer
from tests.recording.equality import assert_same
from tests.recording.samples import small


def test_rows_are_numbered_over_frames():
    builder = Builder()
    assert builder.append("sites", line=1) == 0
    assert builder.extend("sites", {"line": [2, 3]}) == 1
    builder.flush()
    assert builder.append("sites", line=4) == builder.rows("sites") - 1 == 3
    assert builder.recording().sites.line.tolist() == [1, 2, 3, 4]


def test_columns_left_out_hold_their_none():
    builder = Builder()
    builder.append("events", id=0)
    builder.extend("events", {"t0": [1.5, 2.5]})
    builder.append("stats", tensor=0)
    recording = builder.recording()
    assert recording.events.id.tolist() == [0, -1, -1]
    assert recording.events.t0.tolist() == [0, 1.5, 2.5]
    assert np.isnan(recording.stats.mean[0])
    assert (recording.stats.bad[0], recording.stats.histogram) == (-1, [b""])


def test_a_single_value_fills_every_row():
    builder = Builder()
    builder.extend("tapes", {"id": [0, 1, 2], "change": "enter", "t": 7, "persistent": np.uint8(1)})
    tapes = builder.recording().tapes
    assert (tapes.change, tapes.t.tolist(), tapes.persistent.tolist()) == (["enter"] * 3, [7] * 3, [1] * 3)


def test_no_rows_is_no_frame():
    builder = Builder()
    builder.extend("events", {"id": []})
    builder.extend("names", {})
    assert builder.to_bytes() == MAGIC
    assert len(builder.recording().events) == 0


def test_a_row_of_nothing_is_a_row():
    builder = Builder()
    builder.append("events")
    builder.append("strings")
    assert read(builder.to_bytes()).events[0].id == -1
    assert read(builder.to_bytes()).strings.text == [""]


def test_texts_are_interned_once():
    builder = Builder()
    assert [builder.intern(text) for text in ("[2]", "[3]", "[2]")] == [0, 1, 0]
    assert builder.recording().text(1) == "[3]"


def test_given_arrays_are_copied():
    builder = Builder()
    ids = np.arange(3, dtype=np.int32)
    builder.extend("events", {"id": ids})
    ids[:] = 9
    assert builder.recording().events.id.tolist() == [0, 1, 2]


def test_a_recording_stays_as_it_was():
    builder = small()
    recording = builder.recording()
    count = len(recording.events)
    builder.append("events", id=99)
    assert len(recording.events) == count == len(builder.recording().events) - 1


@pytest.mark.parametrize(
    ("table", "columns", "message"),
    [
        ("event", {}, "no table 'event'; did you mean 'events'?"),
        ("events", {"idd": [1]}, "events has no column 'idd'; did you mean 'id'?"),
        ("events", {"id": [1], "t0": [1, 2]}, "events: t0 has 2 rows, id has 1"),
        ("events", {"device": [256]}, "events.device: 256 does not fit in u1"),
        ("events", {"id": np.array([2**31])}, "events.id: 2147483648 does not fit in i4"),
        ("events", {"id": [0.5]}, "events.id: 0.5 does not fit in i4"),
        ("events", {"id": [np.nan]}, "events.id: nan does not fit in i4"),
        ("events", {"id": ["1"]}, "events.id: expected a column of numbers"),
        ("events", {"id": [[1]]}, "events.id: expected a column of numbers"),
        ("names", {"name": [3]}, "names.name: expected text, got int 3"),
        ("values", {"data": ["x"]}, "values.data: expected bytes, got str 'x'"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(table, columns, message):
    builder = Builder()
    with pytest.raises(RecordingError) as by_column:
        builder.extend(table, columns)
    assert message in str(by_column.value)
    assert "\n" not in str(by_column.value)
    if "rows" not in message:
        with pytest.raises(RecordingError, match=r"did you mean|does not fit|expected"):
            builder.append(table, **{name: values[0] for name, values in columns.items()})
    assert builder.to_bytes() == MAGIC


def test_frames_come_out_as_they_are_finished():
    frames = []
    builder = Builder(on_frame=frames.append)
    builder.append("events", id=0)
    assert frames == []
    builder.flush()
    builder.flush()
    assert len(frames) == 1
    builder.append("events", id=1)
    assert MAGIC + b"".join(frames) + frames[0] == MAGIC + frames[0] * 2
    assert builder.to_bytes() == MAGIC + b"".join(frames)
    assert len(frames) == 2


def test_a_file_has_each_frame_as_soon_as_it_is_written(tmp_path):
    path = tmp_path / "run.tape"
    with FrameWriter(path) as writer:
        builder = Builder(on_frame=writer.write)
        assert len(read(path).events) == 0
        for count in range(1, 4):
            builder.append("events", id=count)
            builder.flush()
            assert len(read(path).events) == count
    writer.close()
    assert_same(read(path), builder.recording())


def test_rows_are_not_held_back_for_ever(monkeypatch):
    monkeypatch.setattr(row_buffer, "_LARGE_ROWS", 100)
    frames = []
    builder = Builder(on_frame=frames.append)
    for _ in range(250):
        builder.append("events", id=0)
    builder.extend("events", {"id": np.zeros(350, int)})
    assert len(frames) == 6
    assert len(builder.recording().events) == 600


def test_much_text_is_shared_out_to_several_frames(monkeypatch):
    monkeypatch.setattr(row_buffer, "_FRAME_BYTES", 1000)
    builder = Builder()
    data = [bytes([number]) * 300 for number in range(10)]
    builder.extend("values", {"tensor": np.arange(10), "data": [*data[:9], b"x" * 5000]})
    builder.append("events", id=1)
    recording = builder.recording()
    assert len(recording.frames) > 3
    assert read(recording.to_bytes()).values.data == [*data[:9], b"x" * 5000]


def test_a_cell_has_a_longest_length(monkeypatch):
    monkeypatch.setattr(row_buffer, "MAX_CELL", 10)
    builder = Builder()
    for add in (
        lambda: builder.append("values", data=b"x" * 11),
        lambda: builder.extend("values", {"data": [b"x" * 11]}),
    ):
        with pytest.raises(RecordingError, match=r"values\.data: 11 in one cell"):
            add()


def test_threads_share_a_builder():
    builder = Builder()

    def work(thread):
        for number in range(300):
            builder.append("events", id=number, thread=thread)
            builder.extend("edges", {"event": [number, number]})
            builder.intern(str(number))
            if number % 50 == 0:
                builder.flush()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    recording = read(builder.to_bytes())
    assert (len(recording.events), len(recording.edges), len(recording.strings)) == (1200, 2400, 300)
    assert np.bincount(recording.events.id).tolist() == [4] * 300
