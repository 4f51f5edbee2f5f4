"""Summaries by NumPy and in machine code are the same to the bit, whatever the arrays are, and close to exact sums."""

import ctypes
import mmap
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from math import fsum

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapeviz.recorder.statistics_kernel import DONE, HUGE, LEFT, summary_kernel
from tapeviz.recording.rows.statistics import BINS, BLOCK, FIGURES, LANES, summaries

EPSILON = 2.0**-53
DTYPES = [
    "f4",
    "f8",
    ">f4",
    ">f8",
    "f2",
    "bf16",
    "i1",
    "i2",
    "i4",
    "i8",
    ">i4",
    "u1",
    "u2",
    "u4",
    "u8",
    "?",
    "c8",
    "c16",
]
# Around each threshold: a chunk, one by one or by pairs of bins or in groups, the lanes, together or not, blocks,
# several counts.
EDGES = [
    0,
    1,
    2,
    15,
    16,
    17,
    127,
    128,
    129,
    LANES,
    511,
    512,
    513,
    1023,
    1024,
    1025,
    2047,
    2048,
    2049,
    BLOCK - 1,
    BLOCK,
    BLOCK + 1,
    4 * BLOCK,
    4 * BLOCK + 1,
]
SIZES = st.one_of(st.integers(0, 700), st.sampled_from(EDGES), st.integers(1, 3 * BLOCK))
PARTS = st.sampled_from(
    ["normal", "far", "equal", "nan", "inf", "-inf", "tiny", "huge", "zeros", "-0", "whole", "mixed"]
)
LAYOUTS = ["plain", "every third", "backwards", "transposed", "cut", "broadcast", "unaligned", "turned", "scalar"]


@pytest.fixture(scope="module")
def kernel():
    found = summary_kernel(0, 2**31)
    assert found is not None, "the tests need the compiler"
    return found


def elements(part, size, rng):
    """Doubles of a kind, which the dtype may not all have."""
    x = rng.normal(size=size)
    if part == "mixed":
        scales = 10.0 ** rng.integers(-320, 300, size=size)
        return x * scales
    if part in ("nan", "inf", "-inf"):
        x[rng.random(size) < rng.choice([0.001, 0.5, 1.0])] = float(part)
        return x
    return {
        "normal": x, "far": x + 1e6, "equal": np.full(size, *x[:1]) if size else x, "tiny": x * 1e-310,
        "huge": x * 1e300, "zeros": np.maximum(x, 0.0), "-0": np.where(x > 0, -0.0, 0.0), "whole": np.rint(50 * x),
    }[part]  # fmt: skip


def of_dtype(x, dtype):
    with np.errstate(all="ignore"):
        if dtype == "bf16":
            return x.astype("f4").astype(ml_dtypes.bfloat16)
        if np.dtype(dtype).kind in "iu":
            x = np.nan_to_num(x, posinf=100.0, neginf=0.0)
            info = np.iinfo(dtype)
            return np.clip(x, max(info.min, -1e15), min(info.max, 1e15)).astype(dtype)
        if np.dtype(dtype).kind == "c":
            return (x + 1j * x[::-1]).astype(dtype)
        return x.astype(dtype)


def laid_out(x, layout):
    rows = next(n for n in (7, 5, 3, 2, 1) if x.size % n == 0)
    grid = x.reshape(rows, -1)
    return {
        "plain": lambda: x,
        "every third": lambda: np.repeat(x, 3)[::3],
        "backwards": lambda: x[::-1],
        "transposed": lambda: grid.T,
        "cut": lambda: grid[:, : max(grid.shape[1] - 1, 1)],
        "broadcast": lambda: np.broadcast_to(x[: -(-x.size // 9)], (9, -(-x.size // 9))),
        "unaligned": lambda: unaligned(x),
        "turned": lambda: x.reshape(1, -1, 1).transpose(2, 1, 0),
        "scalar": lambda: x[:1].reshape(()) if x.size else x,
    }[layout]()


def unaligned(x):
    moved = np.empty(x.nbytes + 1, np.uint8)[1:].view(x.dtype)
    moved[...] = x
    return moved


# What an array is like, of which `made` makes it: to draw large arrays themselves would take too long.
arrays = st.tuples(SIZES, st.sampled_from(DTYPES), PARTS, st.sampled_from(LAYOUTS), st.integers(0, 999))


def made(kind):
    size, dtype, part, layout, seed = kind
    return laid_out(of_dtype(elements(part, size, np.random.default_rng(seed)), dtype), layout)


def assert_same(found, other):
    np.testing.assert_array_equal(found.figures, other.figures)
    np.testing.assert_array_equal(found.histograms, other.histograms)
    np.testing.assert_array_equal(found.known, other.known)


@settings(max_examples=150, deadline=None)
@given(st.lists(arrays, max_size=8))
def test_machine_code_and_numpy_give_the_same_rows_to_the_bit(kernel, kinds):
    drawn = [made(kind) for kind in kinds]
    assert_same(summaries(drawn), summaries(drawn, kernel))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("part", ["normal", "whole", "far", "zeros"])
def test_bins_counted_in_groups_are_those_counted_one_by_one(kernel, part, dtype):
    rng = np.random.default_rng(0)
    drawn = [elements(part, size, rng).astype(dtype) for size in range(100, 1100)]
    found = summaries(drawn, kernel)
    for array, counts in zip(drawn, found.histograms, strict=True):
        low, high = float(array.min()), float(array.max())
        bins = np.minimum((array.astype("f8") - low) * (BINS / (high - low)), BINS - 1).astype(int)
        np.testing.assert_array_equal(counts, np.bincount(bins, minlength=BINS))


@settings(max_examples=60, deadline=None)
@given(st.lists(arrays, max_size=6), st.booleans())
def test_an_array_has_the_same_row_alone_and_beside_others(kernel, kinds, helped):
    drawn = [made(kind) for kind in kinds]
    together = summaries(drawn, kernel if helped else None)
    for at, array in enumerate(drawn):
        alone = summaries([array])
        np.testing.assert_array_equal(together.figures[at], alone.figures[0])
        np.testing.assert_array_equal(together.histograms[at], alone.histograms[0])


def doubles(array):
    """The finite elements as they are summarised, and how many are not."""
    x = np.abs(array) if array.dtype.kind == "c" else array
    x = np.asarray(x, "f4" if x.dtype.kind == "V" else x.dtype).astype("f8").ravel()
    return x[np.isfinite(x)], x


@settings(max_examples=150, deadline=None)
@given(arrays)
def test_counts_ends_and_bins_are_exact_and_sums_are_as_near_as_is_said(kind):
    drawn = made(kind)
    with np.errstate(all="ignore"):
        finite, x = doubles(drawn)
    found = summaries([drawn])
    row = dict(zip(FIGURES, found.figures[0].tolist(), strict=True))
    counted = {
        "nan": np.isnan(x).sum(), "posinf": (x == np.inf).sum(), "neginf": (x == -np.inf).sum(), "zero": (x == 0).sum(),
        "negative": (finite < 0).sum(), "bad": -1 if finite.size == x.size else np.argmin(np.isfinite(x)),
    }  # fmt: skip
    assert {name: row[name] for name in counted} == counted
    assert found.histograms[0].sum() == finite.size
    if not finite.size:
        assert np.isnan([row[name] for name in ("min", "max", "mean", "std")]).all()
        return
    assert (row["min"], row["max"]) == (finite.min(), finite.max())
    bins = np.zeros(finite.size, int)
    with np.errstate(all="ignore"):
        if 1e-300 < (width := finite.max() - finite.min()) < np.inf:
            bins = np.minimum(((finite - finite.min()) * (BINS / width)).astype(int), BINS - 1)
    np.testing.assert_array_equal(found.histograms[0], np.bincount(bins, minlength=BINS))
    assert_sums_are_near(finite, x, row)


def assert_sums_are_near(finite, x, row):
    # Each sum is of so many additions that lie behind each other, each of which rounds once.
    roundings = 2 + min(x.size, BLOCK) / LANES + np.log2(LANES) + x.size / BLOCK
    with np.errstate(all="ignore"):
        if not np.isfinite(np.sum(np.abs(finite))):
            return
    exact = fsum(finite.tolist())
    allowed = roundings * EPSILON * fsum(np.abs(finite).tolist()) + abs(exact) * EPSILON
    assert abs(Fraction(row["mean"]) * finite.size - Fraction(exact)) <= allowed + 5e-324 * finite.size
    scale = np.max(np.abs(finite))
    if finite.size < x.size or not 1e-140 < scale < 1e140:  # its square is no number with all its digits
        return
    assert row["norm"] == pytest.approx(np.sqrt(fsum((finite * finite).tolist())), rel=roundings * EPSILON)
    around = [float(Fraction(value) - Fraction(exact) / finite.size) for value in finite[:3000].tolist()]
    if finite.size <= 3000:  # exactly, and slowly
        deviation = np.sqrt(fsum([value * value for value in around]) / finite.size)
        assert row["std"] == pytest.approx(deviation, rel=1e-9, abs=4 * roundings * EPSILON * scale)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_what_the_kernel_reads_and_what_it_leaves(kernel, dtype):
    x = np.linspace(-1, 1, 3000, dtype=dtype)
    huge = np.array([1e300, -1e300])
    wrong = np.array([1e300, np.nan])
    others = [
        x[::2],
        x.astype(f">{dtype}"),
        x.astype("i4"),
        np.array(["a"], object),
        x[:0],
        x.dtype.type(1),
        x[1:].view(),
    ]
    outcomes = kernel([x, huge, wrong, *others], np.zeros((10, len(FIGURES))), np.zeros((10, BINS), "u4"))
    assert outcomes.tolist() == [DONE, HUGE, HUGE, *[LEFT] * 6, DONE]


@pytest.mark.skipif(sys.platform != "linux", reason="asks the C library for a page that cannot be read")
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_nothing_beside_an_array_is_read(kernel, dtype):
    page = mmap.PAGESIZE
    memory = mmap.mmap(-1, 20 * page)
    whole = np.frombuffer(memory, np.uint8)
    library = ctypes.CDLL(None, use_errno=True)
    places = [whole.ctypes.data, whole.ctypes.data + 19 * page]
    for place in places:
        assert library.mprotect(ctypes.c_void_p(place), ctypes.c_size_t(page), 0) == 0
    try:
        inside = whole[page : 19 * page].view(dtype)
        inside[:] = np.random.default_rng(0).normal(size=inside.size)
        for kind in (0.0, np.nan):
            inside[inside.size // 2] = kind
            parts = [inside[-size:] for size in range(1, 600)] + [inside[:size] for size in range(1, 600)] + [inside]
            assert_same(summaries(parts, kernel), summaries(parts))
    finally:
        for place in places:
            library.mprotect(ctypes.c_void_p(place), ctypes.c_size_t(page), 3)


def test_threads_summarise_at_once(kernel):
    rng = np.random.default_rng(0)
    many = [[rng.normal(size=size).astype("f4") for size in (10, 5000, 100_000)] * 5 for _ in range(6)]
    expected = [summaries(one) for one in many]
    with ThreadPoolExecutor(6) as pool:
        for found, known in zip(pool.map(lambda one: summaries(one, kernel), many * 10), expected * 10, strict=True):
            assert_same(found, known)


def test_the_compiler_is_loaded_when_numpy_has_taken_as_long(monkeypatch):
    monkeypatch.setattr("tapeviz.recorder.statistics_kernel._Work.seconds", 0.0)
    assert summary_kernel(10, 10_000) is None
    assert summary_kernel(10, 10**9) is not None


def test_without_a_compiler_numpy_summarises(monkeypatch):
    import tapeviz.recorder.statistics_kernel as module

    monkeypatch.setattr(module, "is_available", lambda: False)
    monkeypatch.setattr(module, "_loaded", module._loaded.__wrapped__)
    assert summary_kernel(0, 2**40) is None
