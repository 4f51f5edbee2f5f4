from __future__ import annotations

import re

import pytest

from tests.verdicts.programs import BUGS, HEALTHY, KINDS, Program, programs, run

_BUGS, _HEALTHY = programs(BUGS), programs(HEALTHY)


@pytest.mark.parametrize("program", [*_BUGS, *_HEALTHY], ids=lambda program: program.name)
def test_a_program_says_what_was_seen_and_where_it_was_reported(program: Program):
    assert program.symptom
    assert program.source.startswith("https://")
    assert not re.search(r"/(work|root|tmp|home)\b", program.text)
    assert "import tapeviz as tf" in program.text


@pytest.mark.parametrize("program", _BUGS, ids=lambda program: program.name)
def test_a_bug_has_a_kind_and_a_line(program: Program):
    assert program.kind in KINDS
    assert program.name.startswith(f"{program.kind}_")
    assert program.faults


@pytest.mark.parametrize("program", _HEALTHY, ids=lambda program: program.name)
def test_a_healthy_program_has_no_line_with_a_fault(program: Program):
    assert not program.faults


@pytest.mark.slow
@pytest.mark.parametrize("program", _BUGS, ids=lambda program: program.name)
def test_a_bug_runs_to_its_end_and_is_recorded(program: Program):
    tape, _ = run(program)
    assert len(tape.events)


@pytest.mark.slow
@pytest.mark.parametrize("program", _HEALTHY, ids=lambda program: program.name)
def test_of_a_healthy_program_nothing_is_said_above_worth_knowing(program: Program):
    tape, _ = run(program)
    assert [one.text for one in tape.verdicts() if one.severity > 1] == []
