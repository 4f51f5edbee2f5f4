"""Summaries of arrays against figures worked out plainly, one array at a time, in double precision."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeviz.recorder.statistics_kernel import summary_kernel
from tapeviz.recording.rows.statistics import BINS, FIGURES, summaries, summary
from tapeviz.recording.rows.summary_rows import SummaryRows

DTYPES = ["f4", "f8", "f2", "i4", "i8", "u1", "?", "c8"]
# Around the sizes at which arrays are summarised together, in pieces, in several counts.
SIZES = [1, 2, 31, 2047, 2048, 2049, 8192, 32767, 32768, 32769, 131071, 131072, 131073, 300_001]
KINDS = ["normal", "far from 0", "constant", "ones that are not finite", "huge", "tiny", "no negative", "zeros"]


def drawn(kind, size, dtype, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=size)
    if kind == "far from 0":
        x = x + 1000.0
    if kind == "constant":
        x = np.full(size, 3.0)
    if kind == "ones that are not finite":
        x[rng.integers(size, size=3)] = [np.nan, np.inf, -np.inf]
    if kind == "huge":
        x = x * (1e200 if dtype == "f8" else 1e30)
    if kind == "tiny":
        x = x * (1e-310 if dtype == "f8" else 1e-30)
    if kind == "no negative":
        x = np.maximum(x, 0.0)
    if kind == "zeros":
        x = np.zeros(size)
    with np.errstate(all="ignore"):
        return x.astype(dtype)


def plainly(array):
    """The same figures by their definitions."""
    x = (np.abs(array) if array.dtype.kind == "c" else array).ravel().astype("f8")
    finite = x[np.isfinite(x)]
    with np.errstate(all="ignore"):
        found = {
            "nan": np.isnan(x).sum(), "posinf": (x == np.inf).sum(), "neginf": (x == -np.inf).sum(),
            "zero": (x == 0).sum(), "negative": (finite < 0).sum(),
            "bad": -1 if finite.size == x.size else np.flatnonzero(~np.isfinite(x))[0],
            "norm": np.max(np.abs(x)) * np.linalg.norm(x / np.max(np.abs(x))) if np.any(x) else 0.0,
        }  # fmt: skip
        if finite.size < x.size:
            found["norm"] = np.nan if found["nan"] else np.inf
        if finite.size:
            found |= {"min": finite.min(), "max": finite.max(), "mean": finite.mean(), "std": finite.std()}
    return found


def assert_is_plain(array, found):
    for name, value in plainly(array).items():
        scale = np.max(np.abs(found["max"])) if name in ("mean", "std") else 1.0
        close = np.isclose(found[name], value, rtol=1e-9, atol=1e-12 * abs(scale), equal_nan=True)
        assert close, (name, found[name], value)
    counts = np.frombuffer(found["histogram"], "<u4")
    assert counts.sum() == np.isfinite(np.abs(array).astype("f8")).sum()
    assert len(counts) == BINS


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_figures_are_those_of_their_definitions(dtype, kind):
    arrays = [drawn(kind, size, dtype) for size in SIZES]
    found = summaries(arrays)
    for at, array in enumerate(arrays):
        row = dict(zip(FIGURES, found.figures[at].tolist(), strict=True))
        assert_is_plain(array, {**row, "histogram": found.histograms[at].tobytes()})


@pytest.mark.parametrize("size", SIZES)
def test_each_element_is_in_its_bin(size):
    x = np.random.default_rng(size).normal(size=size).astype("f4")
    low, high = float(x.min()), float(x.max())
    scale = BINS / (high - low) if high > low else 0.0
    bins = np.minimum(((x.astype("f8") - low) * scale).astype(int), BINS - 1)
    counts = np.frombuffer(summary(x)["histogram"], "<u4")
    np.testing.assert_array_equal(counts, np.bincount(bins, minlength=BINS))


@given(st.lists(st.tuples(st.integers(0, 40), st.sampled_from(DTYPES), st.sampled_from(KINDS)), max_size=12))
def test_arrays_that_are_summarised_together_do_not_meet(which):
    arrays = [drawn(kind, max(size, 1), dtype, at)[:size] for at, (size, dtype, kind) in enumerate(which)]
    together = summaries(arrays)
    for at, array in enumerate(arrays):
        alone = summaries([array])
        np.testing.assert_array_equal(together.figures[at], alone.figures[0])
        np.testing.assert_array_equal(together.histograms[at], alone.histograms[0])


@pytest.mark.parametrize("width", [5e-324, 1e-308, 1e-300])
def test_a_width_that_cannot_be_divided_into_bins(width):
    for repeats in (1, 2000):
        counts = np.frombuffer(summary(np.array([0.0, width] * repeats))["histogram"], "<u4")
        assert counts.sum() == 2 * repeats


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", ["f4", ">f4", "f8"])
def test_what_machine_code_gives_is_the_same_to_the_bit(dtype, kind):
    kernel = summary_kernel(0, 2**30)
    assert kernel is not None, "the tests need the compiler"
    arrays = [drawn(kind, size, dtype, size) for size in [*SIZES, 2050, 2051, 40_003]]
    arrays += [arrays[-1][::2], arrays[-1][::-1], np.broadcast_to(arrays[0], (4000,)), arrays[-2].reshape(-1, 7).T]
    alone, helped = summaries(arrays), summaries(arrays, kernel)
    np.testing.assert_array_equal(alone.figures, helped.figures)
    np.testing.assert_array_equal(alone.histograms, helped.histograms)


def test_text_has_no_summary():
    assert summary(np.array(["a", "b"], object)) == {}
    assert not summaries([np.array(["a"], object), np.ones(2)]).known.tolist()[0]


# Rows.


class Counted:
    """Counts the elements that are read: a summary of memory that has one is not taken again."""

    def __init__(self, monkeypatch):
        self.elements = 0
        whole = summaries

        def counted(arrays, kernel=None):
            self.elements += sum(array.size for array in arrays)
            return whole(arrays, kernel)

        monkeypatch.setattr("tapeviz.recording.rows.summary_rows.summaries", counted)


def taken(arrays, batches):
    rows = SummaryRows(np.asarray)
    for part in np.array_split(np.arange(len(arrays)), batches):
        rows.add(part.tolist(), [arrays[at] for at in part])
    numbers, found = rows.take()
    assert numbers == list(range(len(arrays)))
    return found


@pytest.mark.parametrize("batches", [1, 3, 8])
@pytest.mark.parametrize("kind", ["normal", "ones that are not finite"])
def test_views_have_the_summaries_of_their_own_elements(kind, batches):
    x = drawn(kind, 120 * 80, "f4").reshape(120, 80)
    strided = np.lib.stride_tricks.as_strided(x, (9600,), (0,))
    overlapping = np.lib.stride_tricks.as_strided(x.reshape(-1), (4800, 2), (4, 4))
    views = [x, x.T, x.reshape(80, 120), x.reshape(-1), x[::-1], x[:119], x[:, :79], x.view("i4"), strided, overlapping]
    views += [x.reshape(12, 10, 80).transpose(1, 2, 0), np.broadcast_to(x[:1], (120, 80)), x]
    found = taken(views, batches)
    for at, view in enumerate(views):
        alone = summaries([view.copy()])
        np.testing.assert_allclose(found.figures[at], alone.figures[0], rtol=1e-9, atol=1e-12)
        np.testing.assert_array_equal(found.histograms[at], alone.histograms[0])


def test_memory_is_summarised_once(monkeypatch):
    counted = Counted(monkeypatch)
    x = drawn("normal", 120 * 80, "f4").reshape(120, 80)
    taken([x, x.T, x.reshape(-1), x.reshape(12, 10, 80).transpose(2, 0, 1), x], 3)
    assert counted.elements == x.size


def test_memory_that_is_used_again_is_summarised_again():
    rows = SummaryRows(np.asarray)
    for value in range(50):
        rows.add([value], [np.full(10_000, float(value))])  # often where the one before was
    assert rows.take()[1].figures[:, 0].tolist() == list(range(50))
