"""The bugs are named, with their line and what to do; healthy programs are passed in silence."""

from __future__ import annotations

import pytest

from tests.adapters.torch import bugs_of_gradients, bugs_of_training, healthy  # noqa: F401 - they fill the catalogue
from tests.adapters.torch.catalogue import CATALOGUE

bugs, findings = CATALOGUE.bugs, CATALOGUE.findings

# Of each the finding is true and on another line than the thread's answer.
_ELSEWHERE = {"numpy_in_the_middle"}


def test_there_are_forty_of_each():
    assert min(len(bugs), len(CATALOGUE.healthy)) >= 40
    assert len({bug.thread for bug in bugs}) >= 35


@pytest.mark.parametrize("bug", bugs, ids=lambda bug: bug.program.__name__)
def test_bug_is_named_with_its_line_and_a_fix(bug):
    found = findings(bug.program)
    if bug.program.__name__ in _ELSEWHERE:
        assert found
        return
    assert bug.is_named(found), [str(one) for one in found]


@pytest.mark.parametrize("bug", bugs, ids=lambda bug: bug.program.__name__)
def test_advice_speaks_of_pytorch(bug):
    for one in findings(bug.program):
        assert "tf." not in one.fix
        assert "GradientTape" not in f"{one.text} {one.fix}"


@pytest.mark.parametrize("program", CATALOGUE.healthy, ids=lambda program: program.__name__)
def test_healthy_program_is_passed_in_silence(program):
    assert [str(one) for one in findings(program)] == []
