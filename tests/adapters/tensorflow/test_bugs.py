"""The bugs are named, with their line and what to do; healthy programs are passed in silence."""

from __future__ import annotations

import pytest

from tests.adapters.tensorflow import bugs_of_gradients, bugs_of_training, healthy  # noqa: F401 - they fill the catalogue
from tests.adapters.tensorflow.catalogue import CATALOGUE

bugs, findings = CATALOGUE.bugs, CATALOGUE.findings


def test_there_are_twenty_five_of_each():
    assert len(bugs) == len(CATALOGUE.healthy) == 25
    assert len({bug.thread for bug in bugs}) == 25


@pytest.mark.parametrize("bug", bugs, ids=lambda bug: bug.program.__name__)
def test_bug_is_named_with_its_line_and_a_fix(bug):
    found = findings(bug.program)
    assert bug.is_named(found), [str(one) for one in found]


@pytest.mark.parametrize("program", CATALOGUE.healthy, ids=lambda program: program.__name__)
def test_healthy_program_is_passed_in_silence(program):
    assert [str(one) for one in findings(program)] == []
