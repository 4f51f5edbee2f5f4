import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapeviz.recording import MAGIC, SCHEMA, Builder, Recording, RecordingError, TableView, read
from tapeviz.recording.codec import Chunk, Frame, encode_frame
from tests.recording.equality import assert_same
from tests.recording.samples import everything, small


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 4))
def test_every_column_of_every_table_comes_back(seed, frames):
    recording = everything(seed, frames).recording()
    assert_same(read(recording.to_bytes()), recording)


def test_a_file_and_a_buffer_read_the_same(tmp_path):
    data = small().to_bytes()
    path = tmp_path / "run.tape"
    path.write_bytes(data)
    buffer = bytearray(data)
    recording = read(buffer)
    buffer[:] = bytes(len(buffer))
    for other in (read(path), read(str(path)), read(memoryview(data)), pickle.loads(pickle.dumps(recording))):
        assert_same(other, recording)


def test_writing_again_gives_the_same_bytes():
    data = small().to_bytes()
    assert read(data).to_bytes() == data


def test_no_column_is_hidden_by_a_name_of_ours():
    ours = {name for name in dir(Recording) if not name.startswith("__")}
    assert ours.isdisjoint(SCHEMA)
    ours = {name for name in dir(TableView("events", [])) if not name.startswith("__")} - set(
        TableView("events", []).columns
    )
    assert ours.isdisjoint(column.name for table in SCHEMA.values() for column in table.columns)


def test_the_tables_a_view_draws_first_come_first():
    recording = small().recording()
    data = recording.to_bytes(first=("events", "names"))
    first = read(MAGIC + next(iter(recording.stream(first=("events", "names")))))
    assert len(first.events) == len(first.names) == 4
    assert len(first.edges) == 0
    assert_same(read(data), recording)
    assert read(data).frames[-1].tables.keys().isdisjoint({"events", "names"})


def test_rows_added_make_a_new_recording():
    recording = small().recording()
    further = recording.with_rows("verdicts", [{"kind": "nonfinite", "severity": 3}, {"kind": "vanishing"}])
    assert len(recording.verdicts) == 0
    assert further.verdicts.kind == ["nonfinite", "vanishing"]
    assert further.verdicts.event.tolist() == [-1, -1]
    assert len(further.events) == len(recording.events)
    assert recording.with_rows("verdicts", []).to_bytes() == recording.to_bytes()
    with pytest.raises(RecordingError, match="no table 'verdict'; did you mean 'verdicts'"):
        recording.with_rows("verdict", [])


def test_tables_and_columns_of_another_version_are_kept():
    events = Chunk(2, {"id": "i4", "node": "i4"}, {"id": np.arange(2, dtype="i4"), "node": np.arange(2, dtype="i4")})
    nodes = Chunk(1, {"name": "text"}, {"name": ["x"]})
    older = Chunk(1, {"id": "u2"}, {"id": np.array([7], "u2")})
    frames = [encode_frame({"events": events, "nodes": nodes}), encode_frame({"events": older})]
    recording = read(MAGIC + b"".join(frames))
    assert recording.problem is None
    assert recording.table("nodes").name == ["x"]
    assert recording.events.node.tolist() == [0, 1, -1]
    assert recording.events.id.tolist() == [0, 1, 7]
    assert recording.events.id.dtype == np.int32
    assert recording.events.parent.tolist() == [-1] * 3
    assert recording.to_bytes() == MAGIC + b"".join(frames)


def test_numbers_of_another_version_that_do_not_fit_are_refused():
    frame = Frame({"events": Chunk(1, {"kind": "i4"}, {"kind": np.array([300], "i4")})})
    with pytest.raises(RecordingError, match=r"events\.kind: 300 does not fit in u1"):
        _ = Recording([frame]).events.kind


def test_columns_cannot_be_written_to():
    for recording in (small().recording(), read(small().to_bytes())):
        for column in ("id", "t0", "kind", "parent"):
            with pytest.raises(ValueError, match="read-only"):
                recording.events.cells(column)[0] = 1


def test_a_row_is_a_named_tuple():
    names = small().recording().names
    assert names[1] == names[-11] == (1, "Größe", 5.0)
    assert names[1].name == "Größe"
    assert list(names)[1] == names[1]
    assert isinstance(names[0].tensor, int)
    with pytest.raises(IndexError, match="row 12 of names is out of range: there are 12 rows"):
        _ = names[12]


def test_what_is_not_there_is_said_with_what_is():
    recording = small().recording()
    with pytest.raises(AttributeError, match="events has no column 'tt'; it has id, parent, kind"):
        _ = recording.events.tt
    with pytest.raises(AttributeError, match="a recording has no table 'event'"):
        _ = recording.event
    assert "events" in dir(recording)
    assert "t0" in dir(recording.events)


def test_a_table_is_readable():
    recording = small().recording()
    assert repr(recording.names).splitlines() == [
        "<names: 12 rows>",
        "    tensor   name  t",
        " 0       0      w  5",
        " 1       1  Größe  5",
        " 2       2         5",
        " 3       3    a␀b  5",
        " 4       4      w  5",
        " …       …      …  …",
        " 7       7    a␀b  5",
        " 8       8      w  5",
        " 9       9  Größe  5",
        "10      10         5",
        "11      11    a␀b  5",
    ]
    assert "span" in repr(recording.events)
    assert "128 bytes" in repr(recording.stats)
    assert repr(recording).startswith("<Recording: 12 events, 1 ops, 12 edges")
    assert repr(Builder().recording()) == "<Recording: empty>"
    assert "; cut off" in repr(read(small().to_bytes()[:-1]))


def test_a_table_becomes_a_data_frame():
    frame = small().recording().events.to_pandas()
    assert frame.shape == (12, len(SCHEMA["events"].columns))
    assert frame.kind.tolist()[:2] == ["op", "span"]
    assert frame.t0.iloc[1] == 1e9 + 7
    assert read(MAGIC).events.to_pandas().empty


def test_an_enumeration_of_another_version_stays_a_number():
    builder = Builder()
    builder.append("events", kind=77)
    assert builder.recording().events.to_pandas().kind.tolist() == [77]
    assert "77" in repr(builder.recording().events)


def test_the_last_fact_counts():
    recording = small().recording()
    assert recording.meta_dict() == {"frame": 2}
