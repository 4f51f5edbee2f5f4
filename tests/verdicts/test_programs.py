from __future__ import annotations

import re

import pytest

from tests.verdicts.programs import BUGS, HEALTHY, KINDS, PAGE, Program, Tally, page, programs, run, tallies
from tests.verdicts.snippets import program

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


def _without_scores(text: str) -> list[str]:
    """The page without the figures, which need all programs to be run."""
    return [line for line in text.splitlines() if not re.fullmatch(r"\| \w+ (\| [\d%-]+ ){5}\|", line)]


def test_the_page_has_each_kind_and_threshold():
    found = {kind: Tally() for kind in (*KINDS, "other", "all")}
    found["all"].programs = len(_BUGS)
    assert _without_scores(PAGE.read_text(encoding="utf-8")) == _without_scores(page(found, len(_HEALTHY)))


@pytest.mark.slow
def test_the_scores_on_the_page_are_up_to_date():
    """They aren't? Run python -m tests.verdicts.programs --write."""
    assert PAGE.read_text(encoding="utf-8") == page(tallies([*_BUGS, *_HEALTHY]), len(_HEALTHY))


def test_a_dataclass_finds_the_names_of_its_program(tmp_path):
    text = """
        from dataclasses import dataclass

        @dataclass
        class Settings:
            rate: "float" = 0.5

        y = tf.constant(1.0) * Settings().rate
    """
    assert len(run(program(text, tmp_path))[0].events)


@pytest.mark.slow
@pytest.mark.parametrize("most", [7, 60])
@pytest.mark.parametrize("program", programs(BUGS), ids=lambda program: program.name)
def test_what_a_full_recording_let_go_of_is_no_obstacle(program, most):
    tape, _ = run(program, max_ops=most, keep="last")
    assert isinstance(str(tape.verdicts()), str)
