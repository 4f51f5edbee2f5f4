"""The bugs are named, with their line and what to do; healthy programs are passed in silence."""

from __future__ import annotations

import pytest

from tests.adapters.torch import (  # noqa: F401 - they fill the catalogue
    bugs_of_gradients,
    bugs_of_strangers,
    bugs_of_training,
    healthy,
    healthy_neighbors,
)
from tests.adapters.torch.catalogue import CATALOGUE

bugs, findings = CATALOGUE.bugs, CATALOGUE.findings

# Of each the finding is true and on another line than the thread's answer.
_ELSEWHERE = {"numpy_in_the_middle", "rows_of_nan_masked_in_the_loss"}

# Of these nothing is said yet: a rule that finds one makes its test fail here.
_UNKNOWN = {"all_weights_alike"}


def test_there_are_enough_of_each():
    assert len(bugs) >= 65
    assert len(CATALOGUE.healthy) >= 50
    assert len({bug.thread for bug in bugs}) >= 60
    assert len(_ELSEWHERE | _UNKNOWN) <= 0.15 * len(bugs)


@pytest.mark.parametrize("bug", bugs, ids=lambda bug: bug.program.__name__)
def test_bug_is_named_with_its_line_and_a_fix(bug):
    found = findings(bug.program)
    if bug.program.__name__ in _UNKNOWN:
        assert found == []
        return
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
