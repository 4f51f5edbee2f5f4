import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tapeviz.recording.columns import NUMBERS
from tapeviz.recording.encodings import decode_cells, encode_cells, encoded_size
from tests.recording.equality import same_cells


def round_trip(type_, cells):
    spec, parts = encode_cells(type_, cells)
    data = b"".join(parts)
    spec = json.loads(json.dumps(spec, allow_nan=False))
    assert encoded_size(spec, type_, len(cells)) == len(data)
    return spec, decode_cells(spec, type_, len(cells), memoryview(data))


@given(
    st.sampled_from(sorted(NUMBERS)).flatmap(
        lambda name: arrays(NUMBERS[name], st.integers(1, 30)).map(lambda a: (name, a))
    )
)
def test_numbers_keep_each_bit(column):
    type_, cells = column
    assert same_cells(round_trip(type_, cells)[1], cells)


@given(arrays(np.float64, st.integers(1, 50), elements=st.integers(-(2**53) - 2, 2**53 + 2).map(float)))
def test_whole_floats_keep_each_bit(cells):
    assert same_cells(round_trip("f8", cells)[1], cells)


@given(st.integers(-(2**31), 2**31 - 1), st.lists(st.integers(-300, 300), min_size=1, max_size=40))
def test_small_steps_keep_each_bit(first, steps):
    cells = np.clip(first + np.cumsum(steps), -(2**31), 2**31 - 1).astype(np.int32)
    assert same_cells(round_trip("i4", cells)[1], cells)
    assert same_cells(round_trip("f8", cells.astype(float))[1], cells.astype(float))


@given(st.lists(st.text(), min_size=1))
def test_texts_come_back(texts):
    assert round_trip("text", texts)[1] == texts


@given(st.lists(st.binary(), min_size=1))
def test_bytes_come_back(cells):
    assert round_trip("bytes", cells)[1] == cells


def test_a_text_that_is_no_unicode_becomes_an_escape():
    assert round_trip("text", ["a\udc80\0", "\ufeffb"])[1] == ["a\\udc80\0", "\ufeffb"]


@pytest.mark.parametrize(
    ("cells", "code", "width"),
    [
        (np.full(1000, 7), "offset", 0),
        (np.arange(1000), "delta", 0),
        (np.arange(1000) // 3, "delta", 1),
        (np.arange(1000) % 256 - 5, "offset", 1),
        (1e15 + 3000.0 * np.arange(1000), "delta", 0),
        (np.r_[0, np.cumsum(np.arange(999) % 7 * 1e4)], "delta", 2),
        (np.arange(1000) * 0.5, "float", 4),
        (np.arange(1000) * 0.1, "float", 8),
    ],
)
def test_the_narrowest_encoding_is_chosen(cells, code, width):
    type_ = "f8" if cells.dtype.kind == "f" else "i4"
    spec, again = round_trip(type_, cells.astype(NUMBERS[type_]))
    assert (spec["code"], spec["width"]) == (code, width)
    assert again.tolist() == cells.tolist()


def test_decoded_numbers_cannot_be_written_to():
    for cells in (np.arange(3, dtype="i4"), np.array([0.1]), np.zeros(2, "u1")):
        type_ = f"{cells.dtype.kind}{cells.dtype.itemsize}"
        with pytest.raises(ValueError, match="read-only"):
            round_trip(type_, cells)[1][0] = 1
