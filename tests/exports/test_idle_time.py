"""The figure of the timeline: idle time is not painted as work, and a long stretch of it is left out."""

import itertools
import json

import numpy as np
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_hex

from tapeviz.exports import figures
from tapeviz.exports.breaks import breaks_of, gaps_of, places_of, times_of
from tapeviz.exports.figures.palette import ERROR, family_of
from tapeviz.recording import Builder, read
from tapeviz.recording.schema import KINDS, STATUSES
from tests.recording import fixtures

COUNT = 3000


def around_a_second(asleep: float = 1e9, failed: int = -1, pause: bool = False) -> Builder:
    """Return a builder with three thousand ops, and in their middle a stretch without any."""
    builder = Builder()
    builder.append("ops", name="add", family="elementwise")
    number = np.arange(COUNT)
    t0 = number * 3000.0 + np.where(number < COUNT // 2, 0.0, asleep)
    status = np.where(number == failed, STATUSES.index("failed"), 0)
    builder.append("sites", file="train.py", line=9, text="x = x + 1")
    fixed = {"op": 0, "site": 0, "dur": np.full(COUNT, 900.0)}
    builder.extend("events", {"id": number, "t0": t0, "status": status, **fixed})
    if pause:
        begun = {"t0": COUNT // 2 * 3000.0 + 10, "dur": asleep * 0.9}
        builder.append("events", id=COUNT, kind=KINDS.index("gc"), op=-1, **begun)
    return builder


def texts(picture) -> list[str]:
    return [text.get_text() for text in picture.axes[0].texts]


def columns(picture, color: str) -> list[tuple[float, float]]:
    """Return from where to where rectangles of a colour reach, in inches."""
    found = []
    for collection in picture.axes[0].collections:
        if not isinstance(collection, PolyCollection):
            continue
        for path, fill in zip(collection.get_paths(), collection.get_facecolor(), strict=False):
            if to_hex(fill) == color.lower():
                found.append((path.vertices[:, 0].min(), path.vertices[:, 0].max()))
    return sorted(found)


def test_an_import_is_a_break_of_its_name_also_within_an_op():
    builder = around_a_second(asleep=2e8)
    last = COUNT * 3000.0 + 2e8
    builder.append("events", id=COUNT, op=0, site=0, t0=last, dur=5e8 + 900)
    builder.append("setups", kind="import", name="scipy.special", t0=last + 300, dur=5e8)
    builder.append("setups", kind="first_use", name="erf", t0=COUNT // 2 * 3000.0 + 100, dur=1.5e8)
    said = texts(figures.timeline(builder.recording()))
    assert "import scipy.special 500 ms" in said
    assert "first use of erf 200 ms" in said


def test_a_second_asleep_is_a_break():
    picture = figures.timeline(around_a_second().recording())
    assert "idle 1 s" in texts(picture)
    busy = columns(picture, family_of("elementwise").color)
    assert sum(end - start for start, end in busy) > 0.85 * (busy[-1][1] - busy[0][0])
    widest = max(after - end for (_, end), (after, _) in itertools.pairwise(busy))
    assert widest < 0.06 * (busy[-1][1] - busy[0][0])
    assert [text for text in texts(picture) if text.endswith(" s")][:4] == ["0 s", "0.002 s", "0.004 s", "1.006 s"]


def test_a_break_says_that_a_function_was_traced_though_ops_ran_meanwhile():
    builder = around_a_second()
    begun = {"t0": COUNT // 2 * 3000.0 - 6000, "kind": KINDS.index("span"), "op": -1}
    params = builder.intern(json.dumps({"span": "trace", "name": "tracing step"}))
    builder.append("events", id=COUNT + 1, params=params, **begun)
    builder.append("ends", event=COUNT + 1, t=begun["t0"] + 0.9e9)
    assert "tracing step 1 s" in texts(figures.timeline(builder.recording()))


def test_a_shorter_one_stays_idle():
    """Two milliseconds among nine are in their place, and nothing is painted there."""
    picture = figures.timeline(around_a_second(asleep=2e6).recording())
    assert not [text for text in texts(picture) if text.startswith("idle")]
    busy = columns(picture, family_of("elementwise").color)
    gap = max(after - end for (_, end), (after, _) in itertools.pairwise(busy))
    assert gap == pytest.approx(2 / 11 * (busy[-1][1] - busy[0][0]), rel=0.03)


def test_a_pause_is_called_by_its_name():
    assert "GC pause 1 s" in texts(figures.timeline(around_a_second(pause=True).recording()))


def test_what_failed_is_seen_among_thousands():
    picture = figures.timeline(around_a_second(failed=700).recording())
    assert len(columns(picture, ERROR.color)) == 1
    assert columns(figures.timeline(around_a_second().recording()), ERROR.color) == []


def test_a_line_does_not_reach_over_idle_time():
    """A line's block ends where it was idle: another line may have slept."""
    picture = figures.timeline(around_a_second(asleep=2e6).recording())
    lines = [text for text in texts(picture) if text.startswith("9 ")]
    assert len(lines) == 2


def test_times_and_places_go_both_ways():
    chance = np.random.default_rng(1)
    for _ in range(100):
        start = np.cumsum(chance.exponential(10.0 ** chance.uniform(3, 8, 20)))
        end = start + chance.exponential(1e5, 20)
        domain = (0.0, float(end.max()) + 1e7)
        breaks = breaks_of(gaps_of(start, end, domain), domain)
        times = np.sort(chance.uniform(-1e6, domain[1] * 1.1, 50))
        places = places_of(breaks, times)
        assert (np.diff(places) > 0).all()
        np.testing.assert_allclose(times_of(breaks, places), times, rtol=1e-9, atol=1e-3)
        took = places_of(breaks, end) - places_of(breaks, start)
        np.testing.assert_allclose(took, end - start, rtol=1e-6, atol=1e-3)  # nothing that ran is shortened


def test_a_stored_recording_without_long_gaps_has_no_breaks():
    step = read(fixtures.FOLDER / "network.tape")
    assert not [text for text in texts(figures.timeline(step, scale="time")) if text.startswith("idle")]
