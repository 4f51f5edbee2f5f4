"""Whether two recordings hold the same rows, bit by bit."""

import numpy as np

from tapeviz.recording import Recording


def same_cells(a, b) -> bool:
    """Tell whether two columns hold the same; NaN equals NaN and 0 is not -0."""
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.tobytes() == b.tobytes()
    return a == b


def assert_same(a: Recording, b: Recording) -> None:
    assert a.tables == b.tables
    for name in a.tables:
        assert_prefix(a, b, name, len(a.table(name)))
        assert len(a.table(name)) == len(b.table(name)), name


def assert_prefix(a: Recording, b: Recording, table: str, rows: int) -> None:
    """Compare the first rows of a table, which both have."""
    assert len(a.table(table)) >= rows <= len(b.table(table))
    for column in a.table(table).columns:
        assert same_cells(a.table(table).cells(column)[:rows], b.table(table).cells(column)[:rows]), (table, column)
