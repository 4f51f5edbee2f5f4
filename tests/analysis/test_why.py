"""Why a gradient is None: each reason of the closed list, at its line, with its fix, certain or not."""

import pytest

from tapeviz.analysis.gaps import REASONS
from tests.analysis.cells import record_cell
from tests.analysis.reasons import CASES, NETWORK


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_a_reason_is_found(case):
    tape, names = record_cell(case.code, NETWORK)
    # The loop that makes its variable a tensor stops there, as it does everywhere.
    assert "error" not in names or "NoneType" in str(names["error"])
    # What stands in a list has no name, and is asked about by itself.
    source = eval(case.source, names) if "[" in case.source else case.source
    answer = tape.why(case.target, source)
    assert answer.reason == case.reason, answer
    assert (answer.site.cell, answer.site.line) == (case.cell, case.line), answer
    assert case.fix in answer.fix, answer
    assert answer.certain is case.certain, answer
    assert answer.site.text == tape.sites.text[answer.site_row].strip()
    assert ("probably because" in str(answer)) is not case.certain
    assert answer.gap["text"] == answer.says
    # The same when asked as part of the latest call, and as a verdict.
    assert case.reason in [one.reason for one in tape.why()]
    assert case.reason in [v.evidence["reason"] for v in tape.verdicts() if v.kind == "gradient_none"]


def test_the_list_is_closed():
    assert {case.reason for case in CASES.values()} == set(REASONS)
