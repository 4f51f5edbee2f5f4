"""The size of a recording of 10**5 ops; how fast it is made and read is for the benchmarks."""

import numpy as np
import pytest

from tapeviz.recording import MAGIC, Builder, read
from tapeviz.recording.columns import NUMBERS, columns_of
from tapeviz.recording.encodings import encode_cells
from tests.recording.samples import chain

OPS = 100_000


@pytest.fixture(scope="module")
def recording():
    builder = Builder()
    for name, columns in chain(OPS // 2).items():
        builder.extend(name, columns)
    return builder.recording()


def test_bytes_an_op(recording):
    columns = [(table, name) for table in chain(2) for name in recording.table(table).columns]
    in_memory = sum(recording.table(table).cells(name).nbytes for table, name in columns)
    encoded = sum(len(b"".join(encode_cells("", recording.table(t).cells(name))[1])) for t, name in columns)
    on_disk = len(recording.to_bytes()) - len(MAGIC)
    assert in_memory / OPS < 145
    assert encoded / OPS < 60
    assert on_disk / OPS < 20


def test_it_comes_back(recording):
    again = read(recording.to_bytes())
    for table, columns in chain(OPS // 2).items():
        for name, cells in columns.items():
            given = cells.astype(NUMBERS[columns_of(table)[name].type])
            assert np.array_equal(again.table(table).cells(name), given)
