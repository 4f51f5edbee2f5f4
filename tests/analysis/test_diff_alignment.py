"""Two sequences of keys beside each other: nothing is paired wrongly or twice, and what was put in stands alone."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapeviz.analysis.differences.alignment import aligned, occurrences

KEYS = st.lists(st.integers(0, 4), max_size=24)
NEW = 99


def pairs(a, b):
    left, right = aligned(np.array(a, np.int64), np.array(b, np.int64))
    return list(zip(left.tolist(), right.tolist(), strict=True))


def of_letters(a, b):
    return pairs([*map(ord, a)], [*map(ord, b)])


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("", "", []),
        ("abc", "", []),
        ("abc", "xyz", []),
        ("abcd", "abxcd", [(0, 0), (1, 1), (2, 3), (3, 4)]),
        ("abxcd", "abcd", [(0, 0), (1, 1), (3, 2), (4, 3)]),
        # A loop that runs more often: the first trips are the same ones, and the end is the end.
        ("pabababz", "pabababababz", [*((n, n) for n in range(7)), (7, 11)]),
        # One trip of a loop lacks an op.
        ("pabcabcabcz", "pabcbcabcz", [*((n, n) for n in range(4)), *((n, n - 1) for n in range(5, 11))]),
        # Each trip has an op twice.
        ("abab", "aabaab", [(0, 0), (1, 2), (2, 4), (3, 5)]),
        # Another order: a graph runs what does not depend on each other as it likes.
        ("abcd", "acbd", [(0, 0), (1, 2), (2, 1), (3, 3)]),
    ],
)  # fmt: skip
def test_known_pairs(a, b, expected):
    assert of_letters(a, b) == expected


@given(KEYS)
def test_a_sequence_beside_itself(keys):
    assert pairs(keys, keys) == [(n, n) for n in range(len(keys))]


@given(KEYS, KEYS)
def test_pairs_have_equal_keys_and_nothing_is_in_two(a, b):
    found = pairs(a, b)
    assert all(a[one] == b[other] for one, other in found)
    assert [one for one, _ in found] == sorted({one for one, _ in found})
    assert len({other for _, other in found}) == len(found)


@given(KEYS, KEYS)
def test_each_key_that_both_have_is_paired(a, b):
    assert {a[one] for one, _ in pairs(a, b)} == {*a} & {*b}


@given(KEYS, st.data())
def test_what_is_put_in_stands_alone(keys, data):
    changed = list(keys)
    for _ in range(data.draw(st.integers(0, 5))):
        changed.insert(data.draw(st.integers(0, len(changed))), NEW)
    where = [at for at, key in enumerate(changed) if key != NEW]
    assert pairs(keys, changed) == list(enumerate(where))
    assert pairs(changed, keys) == [(at, n) for n, at in enumerate(where)]


@given(st.lists(st.integers(0, 3), min_size=1, max_size=5, unique=True), st.integers(1, 6), st.integers(1, 6))
def test_trips_of_a_loop_are_paired_from_the_first_on(body, once, again):
    a, b = [10, *(body * once), 11], [10, *(body * again), 11]
    same = 1 + len(body) * min(once, again)
    assert pairs(a, b) == [*((n, n) for n in range(same)), (len(a) - 1, len(b) - 1)]


@given(KEYS)
def test_occurrences_count_equal_keys(keys):
    assert occurrences(np.array(keys, np.int64)).tolist() == [keys[:at].count(key) for at, key in enumerate(keys)]


@settings(deadline=None)
@given(st.randoms(use_true_random=False))
def test_order_within_what_is_the_same_is_kept(random):
    keys = list(range(12))
    shuffled = random.sample(keys, len(keys))
    assert sorted(pairs(keys, shuffled)) == [(n, shuffled.index(n)) for n in keys]


@pytest.mark.parametrize("change", ["deleted", "doubled", "shorter", "shuffled"])
def test_long_loops_are_quick(change):
    rng = np.random.default_rng(0)
    a = np.tile(np.arange(10), 10_000)
    b = {
        "deleted": np.delete(a, rng.integers(0, len(a), 2_000)),
        "doubled": np.tile([0, *range(10)], 10_000),
        "shorter": np.delete(a[: len(a) // 2], rng.integers(0, len(a) // 2, 20)),
        "shuffled": rng.permutation(a),
    }[change]
    start = time.process_time()
    left, right = aligned(a, b)
    assert time.process_time() - start < 3
    assert (a[left] == b[right]).all()
    assert len(left) > 0.8 * min(len(a), len(b))
