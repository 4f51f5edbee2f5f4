"""The cases of `benchmarks.diagnosis` fit the programs that they are about."""

import pytest

from benchmarks.diagnosis.cases import CASES, KINDS
from benchmarks.diagnosis.protocols import PYTORCH
from benchmarks.diagnosis.worker import faults_of
from tests.verdicts import programs

NAMES = {program.name: program for program in programs.programs()}


def test_there_are_twenty_of_all_kinds():
    assert len({case.name for case in CASES}) == 20
    assert {case.kind for case in CASES} == set(KINDS) == set(programs.KINDS)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_has_its_lines(case):
    program = NAMES[case.name]
    assert program.kind == case.kind
    assert faults_of(program.text) == list(program.faults)
    assert faults_of((PYTORCH / f"{case.name}.py").read_text("utf-8"))
    for insert in (insert for inserts in case.rounds for insert in inserts):
        assert insert.at in program.text
