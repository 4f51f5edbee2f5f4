"""A pause of the garbage collector is not the work of the op that it fell into."""

import numpy as np
import pytest

from tapeviz.analysis.op_times import op_times
from tapeviz.exports import summary_html, summary_text
from tapeviz.recording import Builder
from tapeviz.recording.schema import KINDS

OP, PAUSE = KINDS.index("op"), KINDS.index("gc")


def recording(rows):
    """A recording of rows (op, start, duration) in ms; op -1 for a pause."""
    builder = Builder()
    for name in ("matmul", "stop_gradient"):
        builder.append("ops", name=name, family="elementwise")
    for number, (op, start, took) in enumerate(rows):
        kind = PAUSE if op < 0 else OP
        builder.append("events", id=number, kind=kind, op=op, t0=start * 1e6, dur=took * 1e6)
    return builder.recording()


# An op around a whole pause; two that one pause touches from both sides; an op without; two pauses in one op.
ROWS = [(1, 0, 21), (-1, 1, 19), (0, 30, 2), (-1, 31, 3), (1, 33, 2), (0, 40, 5), (0, 50, 10), (-1, 51, 1), (-1, 55, 2)]


def test_what_the_collector_took_is_no_time_of_an_op():
    assert op_times(recording(ROWS)).tolist() == [2e6, 19e6, 1e6, 3e6, 1e6, 5e6, 7e6, 1e6, 2e6]


@pytest.mark.parametrize("seed", range(20))
def test_random_pauses_take_what_overlaps(seed):
    rng = np.random.default_rng(seed)
    edges = np.sort(rng.integers(0, 1000, 2 * int(rng.integers(0, 8))))
    pauses = [(-1, int(a), int(b - a)) for a, b in edges.reshape(-1, 2)]
    ops = [(int(rng.integers(2)), int(rng.integers(1000)), int(rng.integers(300))) for _ in range(9)]
    wanted = [took - sum(max(min(t + took, p + q) - max(t, p), 0) for _, p, q in pauses) for _, t, took in ops]
    found = op_times(recording([*ops, *pauses])) / 1e6
    assert found[: len(ops)].tolist() == pytest.approx(wanted, abs=1e-9)


def test_an_import_within_an_op_is_no_time_of_it_and_a_pause_within_that_counts_once():
    builder = Builder()
    builder.append("events", id=0, kind=OP, t0=10.0, dur=100.0)
    builder.append("events", id=1, kind=PAUSE, t0=30.0, dur=20.0)
    builder.append("events", id=2, kind=OP, t0=200.0, dur=5.0)
    builder.append("setups", kind="import", name="scipy", t0=20.0, dur=60.0)
    builder.append("setups", kind="first_use", name="erf", t0=150.0, dur=40.0)
    assert op_times(builder.recording()).tolist() == [40.0, 20.0, 5.0]


def test_summaries_put_the_op_that_worked_longest_first():
    run = recording(ROWS)
    lines = summary_text.summary(run).splitlines()
    place = next(k for k, line in enumerate(lines) if line.startswith("Longest ops"))
    assert lines[place + 1].split()[:4] == ["matmul", "3", "13", "ms"]
    assert "forward 5 (16 ms)" in summary_text.summary(run)
    page = summary_html.summary(run)
    assert page.index("matmul") < page.index("stop_gradient")
