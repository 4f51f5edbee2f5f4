"""Why a gradient is None: each reason of the closed list, at its line, with its fix, certain or not."""

import pytest

from tapeviz.analysis.why.gaps import REASONS
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


# Those that call gradient() once and last. A source that nothing else mentions would be in no recording then.
UNASKED = {
    name: case
    for name, case in CASES.items()
    if case.code.count(".gradient(") == 1 and ".gradient(" in case.code.rstrip()[-40:] and name != "never used"
}


@pytest.mark.parametrize("case", UNASKED.values(), ids=UNASKED.keys())
def test_it_is_found_without_a_call_of_gradient_as_well(case):
    """Only the replay can tell then."""
    code = case.code.rstrip().rpartition("\n")[0]
    answer = record_cell(code, NETWORK)[0].why(case.target, case.source)
    assert (answer.reason, answer.certain) == (case.reason, case.certain), answer
    # Where nothing leads from one to the other, the line is that of the call.
    assert answer.site.line == case.line or case.reason in ("unconnected", "rebound"), answer


def test_the_list_is_closed():
    assert {case.reason for case in CASES.values()} == set(REASONS)
