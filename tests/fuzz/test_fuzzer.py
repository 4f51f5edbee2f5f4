"""Random programs give the same in every way; and what writes, compares and shrinks them would tell if they did not."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import numpy as np
import pytest

from tapeviz.graphs.lowering.rule import LOWERINGS
from tapeviz.native import lanes
from tapeviz.ops.declarations import relu
from tapeviz.recording.schema import DTYPES
from tests.fuzz import stretches
from tests.fuzz.campaign import run
from tests.fuzz.comparison import Outcome, difference
from tests.fuzz.coverage import PAGE, REGRESSIONS, ROOT, added, page
from tests.fuzz.generators.writer import write
from tests.fuzz.judgement import only_rounding
from tests.fuzz.programs import Item, Program, Statement, stored
from tests.fuzz.random_runs import check_random
from tests.fuzz.runs import WAYS, Finding, Report, check
from tests.fuzz.shrinking import shrink
from tests.fuzz.stretches import Stretch, run_stretches, version
from tests.fuzz.values import tensor

FEW, FEW_RANDOM = 150, 30


@pytest.mark.parametrize("path", sorted(REGRESSIONS.glob("*.py")), ids=lambda path: path.stem)
def test_what_was_found_stays_mended(path):
    report = check(stored(path), tuple(WAYS))
    assert report.findings == []
    assert report.traced
    assert {*report.reasons} <= {
        "addends in another order", "a gradient in a loop is not saved", "a call of Python is not saved",
        "an empty list",
    }  # fmt: skip


@pytest.mark.slow
def test_programs_give_the_same_in_every_way():
    tally = run(range(FEW), seconds=60.0)
    assert [str(fault) for fault in tally.faults] == []
    assert tally.traced >= tally.programs / 2
    assert tally.compiled >= tally.programs / 4


def test_stretches_are_run_once_and_again_after_a_change(tmp_path, monkeypatch):
    ran = []

    def run(stretch, _shrinking):
        ran.append((stretch.first, stretch.end))
        faults = ["one"] if stretch.first == 2 else []
        stretch.path.write_text(json.dumps({"version": "a", "faults": faults}))
        return faults

    def ran_for(version):
        ran.clear()
        paths, _faults = run_stretches(0, 5, tmp_path, wanted=version)
        assert [path.name for path in paths] == ["0-2.json", "2-4.json", "4-5.json"]
        return sorted(ran)

    monkeypatch.setattr(Stretch, "run", run)
    monkeypatch.setattr(stretches, "LENGTH", 2)
    assert ran_for("a") == [(0, 2), (2, 4), (4, 5)]
    assert ran_for("a") == ran_for(None) == [(2, 4)]  # which had a fault
    assert ran_for("b") == [(0, 2), (2, 4), (4, 5)]


def test_a_stretch_is_a_process_whose_end_may_be_a_fault(tmp_path, monkeypatch):
    stretch = Stretch(10, 11, tmp_path)
    assert stretch.run(0.0) == []
    assert stretch.is_done(version())
    assert added([stretch.path]).programs == 1
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    (fault,) = stretch.run(0.0)
    assert "the process ended with 1" in fault
    assert not stretch.is_done(None)


def test_programs_that_draw_numbers_keep_what_is_promised():
    tally = run(range(FEW_RANDOM), seconds=30.0, surface="random")
    assert [str(fault) for fault in tally.faults] == []
    assert tally.traced >= tally.programs / 2


@pytest.mark.nightly
def test_many_programs_that_draw_numbers_keep_what_is_promised():
    tally = run(range(2000), surface="random")
    assert [str(fault) for fault in tally.faults] == []
    assert tally.programs > 1800


def test_a_dropout_with_another_mask_in_its_gradient_is_found():
    lines = ["y1 = tf.nn.dropout(x0, 0.5)", "y2 = tf.nn.dropout(x0, 0.5)",
             "same3 = tf.reduce_all(tf.equal(tf.not_equal(y1, 0), tf.not_equal(y2, 0)))"]  # fmt: skip
    (finding,) = check_random(small(lines, ("same3",)), ["same"]).findings
    assert finding.way == "same"


def test_a_function_that_draws_the_same_numbers_again_is_found():
    lines = ["drawn1 = tf.random.stateless_normal([64], [1, 2])"]
    assert {finding.way for finding in check_random(small(lines, ("drawn1",)), ["new"]).findings} == {"new"}


def test_a_seed_is_one_program():
    assert [write(seed)[0] for seed in range(5)] == [write(seed)[0] for seed in range(5)]
    assert len({write(seed)[0].source() for seed in range(20)}) == 20


@pytest.mark.parametrize("shape", [[], [0], [2, 3]])
def test_tensors_of_every_dtype_are_drawn(shape):
    for dtype in DTYPES:
        one, again = tensor(7, shape, dtype), tensor(7, shape, dtype)
        assert (one.dtype.name, one.shape.as_list()) == (dtype, shape)
        np.testing.assert_array_equal(one.numpy(), again.numpy())


def test_a_printed_program_runs_by_itself():
    program = write(3)[0]
    text = program.source() + "\nprint(len(program(*arguments(0))))\n"
    done = subprocess.run([sys.executable, "-c", text], cwd=ROOT, capture_output=True, text=True, check=True)
    assert int(done.stdout) >= 1


def test_a_campaign_goes_on_where_it_ended():
    ended = run(range(10, 30), seconds=0.0)
    assert (ended.programs, ended.next_seed) == (0, 10)
    assert run(range(10, 12)).next_seed == 12


def small(statements, results, inputs=("tensor(call, [4, 3])",)):
    names = tuple(Item(f"x{place}", code) for place, code in enumerate(inputs))
    return Program(0, (), names, tuple(map(Statement, statements)), results)


LINES = [
    "y1 = tf.exp(x0)", "y2 = y1 + x0", "y3 = tf.transpose(y2)", "y4 = tf.reduce_sum(y3, 0)", "y5 = tf.nn.relu(y2)",
    "y6 = y5 * y1", "y7 = tf.concat([y6, y2], 0)", "y8 = tf.sqrt(y1)",
]  # fmt: skip


def test_a_wrong_kernel_of_the_compiler_is_found_and_shrunk(monkeypatch):
    monkeypatch.setattr(LOWERINGS[relu], "write", lanes._FLOATS[np.ceil])
    program = small(LINES, ("y3", "y4", "y6", "y7", "y8"))
    report = check(program, ["traced"])
    assert report.traced
    assert report.compiled
    (finding,) = report.findings
    assert "call 2" in finding.told  # the first that is compiled
    shrunk = shrink(program, finding)
    assert 1 <= shrunk.length() <= 2
    assert "relu" in shrunk.source()


def test_a_difference_only_while_tracing_is_found_and_shrunk():
    lines = [*LINES, "y9 = y8 * (2.0 if tf.executing_eagerly() else 3.0)"]
    program = small(lines, ("y7", "y9"))
    (finding,) = check(program, ["traced"]).findings
    assert "values[1]" in finding.told
    assert shrink(program, finding).length() == 1


def test_a_stored_program_that_differs_is_found_and_stays_as_it_is(tmp_path):
    path = tmp_path / "refused.py"
    path.write_text("""
import tapeviz as tf
from tests.fuzz.values import tensor

def program(x):
    return tf.exp(x) if tf.executing_eagerly() else tf.reshape(x, [4])

def arguments(call):
    return [tensor(call, [3])]
""")
    (finding,) = check(stored(path), ["traced"]).findings
    assert "refused" in finding.told
    assert shrink(stored(path), finding).source() == path.read_text()


def test_a_fallback_of_a_program_that_draws_is_shrunk():
    program = small(["y1 = tf.exp(x0)", "drawn2 = tf.random.stateless_normal([2], [1, 2])"], ("y1", "drawn2"))

    def falls(candidate, ways=()):
        check_random(candidate, ways)  # which knows no way that is none of its own
        return Report([Finding("fallback", "plan: KeyError")] if "random" in candidate.source() else [], [])

    assert shrink(program, Finding("fallback", "plan: KeyError"), check=falls).length() == 1


def test_what_fails_and_is_not_needed_is_told_from_what_is():
    lines = ["y1 = x0[x1]", "y2 = x0 * 2"]
    inputs = ("tensor(call, [4, 3])", "tf.constant(9)")
    report = check(small(lines, ("y2",), inputs), ["traced"])
    assert (report.findings, report.reasons) == ([], ["what fails is not needed"])
    report = check(small(lines, ("y1", "y2"), inputs), ["traced"])
    assert (report.findings, report.reasons) == ([], [])  # both refuse


def test_what_fails_where_only_its_shape_is_needed_is_told_from_what_is():
    inputs = ("tensor(call, [4, 3])", "tf.constant(9)")
    report = check(small(["y1 = x0[x1]", "y2 = tf.ones(tf.shape(y1))"], ("y2",), inputs), ["traced"])
    assert (report.findings, report.reasons) == ([], ["what fails is not needed"])
    other = "y1 = x0[x1] if tf.executing_eagerly() else x0[0]"
    report = check(small([other, "y2 = y1 * 2"], ("y2",), inputs), ["traced"])
    assert [finding.way for finding in report.findings] == ["traced"]


def test_sums_that_only_rounding_changes_are_told_from_others():
    program = small(["y1 = x0 * 2"], ("y1",), ("tensor(call, [4, 3], 'float32')",))
    one = outcome(np.float64(1.0))
    assert only_rounding(program, lambda _code: (outcome(np.float64(1.0 + 1e-11)), one), 0)
    assert not only_rounding(program, lambda _code: (outcome(np.float64(1.0 + 1e-7)), one), 0)
    assert not only_rounding(program, lambda _code: (one, outcome(np.float64(1.0 + 1e-11))), 1)


def outcome(*values):
    return [Outcome(tuple(np.asarray(value) for value in values))]


def test_bits_signs_shapes_and_dtypes_are_compared():
    assert difference(outcome(np.float32(1.0)), outcome(np.float32(1.0))) == ""
    assert difference(outcome(np.float32(0.0)), outcome(np.float32(-0.0)))
    assert difference(outcome(np.float32(0.0)), outcome(np.float32(-0.0)), signs=False) == ""
    assert difference(outcome(np.float32(np.nan)), outcome(-np.float32(np.nan))) == ""
    assert difference(outcome(np.float32(1.0)), outcome(np.nextafter(np.float32(1.0), np.float32(2.0))))
    assert difference(outcome(np.float32(1.0)), outcome(np.float64(1.0)))
    assert difference(outcome(np.zeros((1, 2))), outcome(np.zeros((2, 1))))
    assert difference(outcome(np.complex64(complex(1, 0.0))), outcome(np.complex64(complex(1, -0.0))))
    assert difference([Outcome(error="refused")], outcome(1))
    assert difference([Outcome((), (np.ones(2),))], [Outcome((), (np.zeros(2),))])


def test_the_page_is_current():
    assert PAGE.read_text() == page(), "run python -m tests.fuzz.coverage"
