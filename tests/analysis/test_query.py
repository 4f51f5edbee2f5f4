import numpy as np
import pytest

from tapeviz.analysis.query.query import FilterError, select
from tapeviz.recording import Builder
from tests.recording.filters import BAD, NOTHING
from tests.recording.network import training_step


@pytest.fixture(scope="module")
def recording():
    return training_step().recording()


@pytest.mark.parametrize(
    ("text", "events", "tensors"),
    [
        ("op:matmul line:2", [3, 23], [6, 30]),
        ("op:matmul |g|<1e-6 line:2", [23], [30]),
        ("name:w2", [7, 11], [3]),
        ("name:old", [13], [15]),
        ("name:loss", [13], [15]),
        ("device:gpu", [7], []),
        ("module:dense2", [6, 7, 8, 19, 20], [9, 10, 22, 23, 24, 25]),
        ("nan", [9], [11]),
        ("wrt:w2 phase:forward", [7, 8, 10, 11, 12, 13], [9, 10, 12, 13, 14, 15]),
        ("wrt:c", [], []),
        ("shape:[*,2] op:square", [11, 17], [13, 20]),
        ("-phase:forward", [15, 16, 17, 18, 19, 20, 21, 22, 23], None),
        ('"w1:0"', [3, 24], [1]),
    ],
)
def test_a_filter_finds(recording, text, events, tensors):
    found = select(recording, text)
    assert found.events.tolist() == events
    assert tensors is None or found.tensors.tolist() == tensors


def test_no_filter_finds_everything(recording):
    found = select(recording, "  ")
    assert (len(found), len(found.tensors)) == (len(recording.events), len(recording.tensors))


@pytest.mark.parametrize("text", NOTHING)
def test_what_is_not_found_is_named_with_what_was_perhaps_meant(recording, text):
    found = select(recording, text)
    assert found.hint == NOTHING[text]
    assert repr(found).splitlines()[1:] == ([f"  {found.hint}"] if found.hint else []) or found


@pytest.mark.parametrize("text", BAD)
def test_a_bad_filter_is_explained_in_one_line(recording, text):
    with pytest.raises(FilterError) as error:
        select(recording, text)
    assert str(error.value) == BAD[text]
    assert "\n" not in str(error.value)


def test_a_selection_is_readable(recording):
    assert repr(select(recording, "op:relu")).splitlines() == [
        "op:relu: 2 events, 2 tensors",
        "  #5      relu                 line 2           2.5 us",
        "  #21     ∇ relu               line 6           3.0 us",
    ]
    assert repr(select(recording, "")).splitlines()[-1] == "  … and 15 more"
    assert not select(recording, "line:99")
    assert list(select(recording, "op:relu")) == [5, 21]


def test_ids_need_not_be_row_numbers():
    builder = Builder()
    builder.append("ops", name="add")
    builder.extend("events", {"id": [30, 10, 20], "op": 0, "parent": [-1, 20, 99]})
    builder.extend("tensors", {"id": [7, 5, 6], "producer": [10, 30, 77]})
    builder.extend("names", {"tensor": [5, 99], "name": "a"})
    builder.extend("edges", {"event": [10, 99, 20], "tensor": [5, 5, 99], "role": 0})
    recording = builder.recording()
    assert select(recording, "name:a").events.tolist() == [10]
    assert select(recording, "name:a").tensors.tolist() == [5]
    assert select(recording, "op:add").tensors.tolist() == [7, 5]


@pytest.mark.parametrize(
    "text", ["op:a", "name:a", "line:1", "shape:[]", "module:a", "|g|<1", "nan", "dur>1s", "wrt:a", "a"]
)
def test_an_empty_recording_has_nothing(text):
    assert not select(Builder().recording(), text)


@pytest.mark.parametrize(
    "text", ["op:a", "name:a", "line:1", "shape:[]", "module:a", "|g|<1", "nan", "dur>1s", "wrt:a", "a"]
)
def test_a_recording_whose_numbers_point_nowhere_is_no_error(text):
    builder = Builder()
    rng = np.random.default_rng(0)
    for table in ("events", "edges", "tensors", "gradients", "requests", "stats", "ends"):
        columns = {c: rng.integers(0, 255, 20) for c in builder.recording().table(table).columns if c != "histogram"}
        builder.extend(table, columns)
    select(builder.recording(), text)
