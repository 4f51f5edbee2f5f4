"""Nine in ten of the names that TensorFlow documents for these namespaces are here, and each miss has its reason."""

from __future__ import annotations

import pytest

from tests.api.coverage import ABSENT, documented, misses, reasons, report, shares

ENOUGH = 0.9


@pytest.fixture(scope="module")
def missed():
    return misses()


def test_nine_in_ten_are_here():
    here, there = map(sum, zip(*shares().values(), strict=True))
    assert here / there >= ENOUGH, "\n".join(report())


def test_each_miss_has_a_reason(missed):
    known = reasons()
    assert [f"{name}: {difference}" for name, difference in missed.items() if not known.get(name)] == []


def test_no_reason_is_stale(missed):
    assert sorted(reasons().keys() - missed.keys()) == []


def test_the_list_is_whole():
    names = documented()
    assert sum(map(len, names.values())) > 500
    assert names["tf"]["add"] == ["x", "y", "name"]
    assert names["tf"]["float32"] is None
    assert ABSENT not in names
