"""Several processes' recordings as one timeline."""

import json
import subprocess
import sys

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.analysis.graph import graph_of
from tapeviz.analysis.op_times import op_times
from tapeviz.analysis.verdicts import verdicts
from tapeviz.exports.chrome_trace import trace
from tapeviz.exports.summary_text import summary
from tapeviz.recording import Builder, Recording
from tapeviz.recording.clock import anchor, beginning
from tapeviz.recording.merge import merge_recordings
from tapeviz.recording.ranks import parts_of, rank_of_events
from tapeviz.recording.row_checks import with_sound_rows
from tapeviz.recording.schema import KINDS, NUMBERED, SCHEMA, SHARED
from tests.recording.older_files import FOLDER


def step(name="w", bad=False):
    """A tape with a traced function, a backward pass, a layer of scopes and, where asked for, a NaN."""
    with tf.record(values="all", name="train") as tape:
        w = tf.Variable([2.0, 3.0], name=name)
        square = tf.function(lambda x: x * x)
        with tf.name_scope("loss"), tf.GradientTape() as g:
            loss = tf.reduce_sum(square(w) + tf.stop_gradient(w))
        g.gradient(loss, w)
        if bad:
            tf.math.log(tf.constant(-1.0))
    return tape


@pytest.fixture(scope="module")
def tapes():
    return [step("a"), step("b", bad=True)]


@pytest.fixture(scope="module")
def merged(tapes):
    return tf.merge(tapes)


PROGRAM = """
import sys
import tapeviz as tf
with tf.record(save=sys.argv[1]) as tape:
    for op in (tf.exp, tf.sin):
        input()
        op(tf.constant([1.0, 2.0]))
        print("done", flush=True)
"""


def test_processes_that_wait_for_each_other_stand_in_that_order(tmp_path):
    paths = [tmp_path / f"{rank}.tape" for rank in (0, 1)]
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for path in paths
    ]
    for turn in (0, 1, 1, 0):
        runs[turn].stdin.write("\n")
        runs[turn].stdin.flush()
        assert runs[turn].stdout.readline() == "done\n"
    for run in runs:
        run.stdin.close()
        assert run.wait(60) == 0
        run.stdout.close()
    events = tf.merge(paths).recording
    ops = [
        (t0, f"{events.ops.name[op]} {rank}")
        for t0, op, rank in zip(events.events.t0, events.events.op, rank_of_events(events), strict=True)
        if op >= 0 and events.ops.name[op] in {"exp", "sin"}
    ]
    assert [name for _, name in sorted(ops)] == ["exp 0", "exp 1", "sin 1", "sin 0"]


def test_every_number_points_to_what_it_pointed_to(tapes, merged):
    for tape, part in zip(tapes, parts_of(merged.recording), strict=True):
        for name in SCHEMA:
            if name not in {"meta", "ranks", "verdicts", "health"}:
                assert said(part, name) == said(tape.recording, name), name


def said(recording, name):
    """The rows of a table, with what they point to in the place of where it is and numbers from 0; no moments."""
    view, first = recording.table(name), {kind: lowest(recording, kind) for kind in NUMBERED}
    return [] if name in SHARED else [
        [cell_said(recording, column, view.cells(column.name)[row], first) for column in SCHEMA[name].columns]
        for row in range(len(view))
    ]  # fmt: skip


def cell_said(recording, column, cell, first):
    if column.is_moment:
        return ""
    if column.unit in NUMBERED:
        return int(cell) - first[column.unit] if cell >= 0 else -1
    if column.table in SHARED and cell >= 0:
        texts = [text for name in recording.table(column.table).columns
                 if isinstance(text := recording.table(column.table).cells(name)[cell], str)]  # fmt: skip
        return ["of a span" if '"tape"' in text or '"made"' in text else text for text in texts]
    return repr(cell)


def lowest(recording, kind):
    """The first number of a kind that a recording has."""
    own = [column for column in SCHEMA[f"{kind}s"].columns if column.unit == kind] if f"{kind}s" in SCHEMA else []
    cells = recording.table(f"{kind}s").cells("id") if own else recording.graphs.function
    return int(cells[cells >= 0].min()) if (cells >= 0).any() else 0


def test_spans_say_the_tape_and_the_line_of_the_whole(tapes, merged):
    texts = [json.loads(text) for text in merged.strings.text if '"tape"' in text]
    asked = sorted(text["tape"] for text in texts)
    assert asked == sorted(set(merged.recording.requests.tape.tolist()))
    assert len(asked) == len(tapes)


def test_lines_and_names_are_there_once(tapes, merged):
    for name in ("sites", "ops", "strings", "cells"):
        rows = list(map(tuple, merged.recording.table(name)))
        assert len(rows) == len(set(rows))
    assert len(merged.recording.ops) < sum(len(tape.recording.ops) for tape in tapes)


def test_the_rows_are_sound_and_come_back(merged, tmp_path):
    assert with_sound_rows(merged.recording.frames)[1] is None
    again = tf.load(merged.save(tmp_path / "both.tape"))
    assert again.recording.problem is None
    assert summary(again.recording) == summary(merged.recording)


def test_findings_are_those_of_each_rank(tapes, merged):
    own = [[one.kind for one in tape.verdicts()] for tape in tapes]
    found = merged.verdicts()
    assert sorted({one.kind for one in found}) == sorted({kind for kinds in own for kind in kinds})
    nan = next(one for one in found if one.kind == "nonfinite")
    assert nan.text.endswith(", on rank 1")
    assert nan.evidence["ranks"] == [1]
    assert merged.recording.events[int(np.flatnonzero(merged.events.id == nan.event)[0])].thread == 1


def test_what_all_ranks_have_is_said_once():
    found = tf.merge([step("a", bad=True), step("a", bad=True), step("a", bad=True)]).verdicts()
    nan = [one for one in found if one.kind == "nonfinite"]
    assert [one.text[-15:] for one in nan] == [", on every rank"]


def test_why_answers_for_a_rank(merged):
    assert merged.query("rank:0 name:a").tensors.size
    assert not merged.query("rank:1 name:a").tensors.size
    assert merged.query("rank:0-1").events.size == len(merged.events)
    assert merged.query("-rank:0").events.size == len(parts_of(merged.recording)[1].events)


def test_variables_of_one_name_are_told_apart_by_their_rank():
    both = graph_of(tf.merge([step("w"), step("w")]).recording)
    assert sorted(both.variable_names.values()) == ["w rank 0", "w rank 1"]
    alone = graph_of(parts_of(both.recording)[1])
    assert list(alone.variable_names.values()) == ["w"]


def test_contents_in_memory_go_along(tapes, merged):
    loss = tapes[1].recording.requests.target[0]
    moved = merged.recording.requests.target[1]
    assert np.array_equal(merged.value(int(moved)), tapes[1].value(int(loss)))
    assert merged.elements(int(moved)) is not None


def test_offsets_move_a_rank_and_are_said(tapes):
    plain, moved = tf.merge(tapes), tf.merge(tapes, offsets=[0.0, -3.0])
    apart = moved.ranks.t0 - plain.ranks.t0
    assert apart[1] - apart[0] == pytest.approx(3e9, abs=1)
    assert moved.recording.events.t0[-1] - plain.recording.events.t0[-1] == pytest.approx(3e9, abs=1)
    assert "taken as 0" in str(plain)
    assert "offsets as given" in str(moved)
    assert np.isnan(plain.ranks.ahead).all()
    assert moved.ranks.ahead.tolist() == [0.0, -3e9]


def test_older_files_are_right_to_whole_seconds():
    both = tf.merge([FOLDER / "eager.tape", FOLDER / "traced.tape"])
    assert "whole seconds" in both.recording.meta_dict()["merged"]
    assert both.ranks.uncertainty.tolist() == [1e9, 1e9]
    assert "whole seconds" in " ".join(str(both).split())


def test_recordings_without_any_clock_begin_together():
    builder = Builder()
    builder.append("events", id=0, t0=5.0)
    both = merge_recordings([builder.recording(), builder.recording()], [0, 1])
    assert both.events.t0.tolist() == [5.0, 5.0]
    assert rank_of_events(both).tolist() == [0, 1]
    assert "not all say" in both.meta_dict()["merged"]


def test_a_ring_says_the_moment_of_what_it_keeps():
    """Where its oldest ops are gone, times count from another moment, and the anchor with them."""
    before = anchor()
    with tf.record(values="none", max_ops=50, keep="last") as tape:
        for _ in range(400):
            tf.exp(tf.constant(1.0))
    began = beginning(tape.recording.meta_dict())
    last = began.wall + tape.events.t0[-1]
    with tf.record(values="none") as whole:
        tf.exp(tf.constant(1.0))
    assert before.wall + 1 < began.wall < last < beginning(whole.recording.meta_dict()).wall
    assert tape.recording.meta_dict()["clock"]["at"] < 0


def test_a_pause_of_one_rank_is_not_taken_off_another():
    def one(pause):
        builder = Builder()
        builder.append("events", id=0, kind=KINDS.index("op"), op=-1, t0=0.0, dur=100.0)
        if pause:
            builder.append("events", id=1, kind=KINDS.index("gc"), op=-1, t0=20.0, dur=30.0)
            builder.append("setups", kind="import", name="x", t0=60.0, dur=5.0)
        return builder.recording()

    both = merge_recordings([one(pause=False), one(pause=True)], [0, 1])
    assert op_times(both).tolist() == [100.0, 65.0, 30.0]


def test_ranks_that_are_said_decide_the_order():
    tapes = [step("a"), step("b")]
    for tape, rank in zip(tapes, (1, 0), strict=True):
        tape._source.meta("rank", rank)
    both = tf.merge(tapes, offsets=[1.0, 0.0])
    assert both.ranks.number.tolist() == [0, 1]
    assert both.ranks.ahead.tolist() == [0.0, 1e9]
    assert both.query("rank:0 name:b").tensors.size


def test_where_a_rank_stopped_is_said():
    with pytest.raises(tf.errors.InvalidArgumentError), tf.record() as failing:
        tf.constant([1.0, 2.0]) + tf.constant([1.0, 2.0, 3.0])
    both = tf.merge([step(), failing])
    stopped = both.recording.meta_dict()["stopped"]
    row = int(np.flatnonzero(both.events.id == stopped["event"])[0])
    assert rank_of_events(both.recording)[row] == 1
    assert stopped["text"].startswith("rank 1: ")


def test_perfetto_gets_a_process_for_each_rank(merged):
    entries = list(trace(merged.recording))
    names = [e["args"]["name"] for e in entries if e["name"] == "process_name"]
    assert names == ["rank 0 · CPU:0", "rank 1 · CPU:0"]
    slices = {e["pid"] for e in entries if e["ph"] == "X" and e["name"] == "multiply"}
    assert len(slices) == 2


def test_amounts_add_up(tapes, merged):
    assert merged.recording.meta_dict()["ops"] == sum(tape.recording.meta_dict()["ops"] for tape in tapes)
    assert merged.recording.meta_dict()["title"] == "train"


def test_what_cannot_be_merged_is_refused(tapes, merged):
    with pytest.raises(ValueError, match="two or more"):
        tf.merge(tapes[:1])
    with pytest.raises(ValueError, match="merged already"):
        tf.merge([tapes[0], merged])
    with pytest.raises(ValueError, match="1 offsets for 2 tapes"):
        tf.merge(tapes, offsets=[0.0])


def test_a_recording_of_one_process_has_one_part(tapes):
    assert parts_of(tapes[0].recording) == [tapes[0].recording]
    assert verdicts(Recording()).coverage is not None
