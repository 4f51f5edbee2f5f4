"""The header of a cell: what it may say, and how it is told when it says something else."""

import pytest
from IPython.core.error import UsageError

from tapeviz.magics.options import Options, parse


def of_cell(header):
    options, rest = parse(header, "%%tape", code_follows=False)
    assert rest == ""
    return options


@pytest.mark.parametrize(
    ("header", "field", "value"),
    [
        ("-o t", "output", "t"),
        ("--output=t", "output", "t"),
        ("-r", "returned", True),
        ("-q", "quiet", True),
        ('-n "my first tape"', "name", "my first tape"),
        ("--view flow", "view", "flow"),
        ("--device auto", "device", "auto"),
        ("--wrt w", "wrt", ("w",)),
        ("--wrt w,b", "wrt", ("w", "b")),
        ("--wrt w, model.b", "wrt", ("w", "model.b")),
        ("--values all", "values", "all"),
        ("--budget 1.5G", "budget", "1.5G"),
        ("--max-ops 100", "max_ops", 100),
        ("--max-ops 100 --keep last", "keep", "last"),
        ("--height 400", "height", 400),
        ("--height 400px", "height", 400),
        ("--save run.html", "save", "run.html"),
        ("--compare first", "compare", "first"),
        ("--compare 3", "compare", "3"),
        ("--keep-going", "keep_going", True),
        ("--thresholds vanishing=1e-7", "thresholds", (("vanishing", 1e-7),)),
        ("--thresholds vanishing=1e-7,retrace_many=9", "thresholds", (("vanishing", 1e-7), ("retrace_many", 9.0))),
    ],
)
def test_an_option_sets_its_field(header, field, value):
    assert getattr(of_cell(header), field) == value


@pytest.mark.parametrize("header", ["", "   ", "--no-live"])
def test_what_is_so_anyway_changes_nothing(header):
    assert of_cell(header) == Options()


def test_options_combine_in_any_order():
    assert of_cell("-q --wrt w -o t") == of_cell("-o t --wrt=w -q") == Options(output="t", quiet=True, wrt=("w",))


@pytest.mark.parametrize(
    ("header", "hint"),
    [
        ("--wtr w", "unknown option --wtr; did you mean --wrt?"),
        ("-wrt w", "unknown option -wrt; did you mean --wrt?"),
        ("--max_ops 3", "unknown option --max_ops; did you mean --max-ops?"),
        ("--zzz", "unknown option --zzz; the options are -o -r -q"),
        ("wrt w", "'wrt' is not an option; did you mean --wrt?"),
        ("loss = 3", "'loss = 3' is not an option; the code goes on the lines below"),
        ("--wrt", "--wrt needs a value: --wrt A,B"),
        ("--wrt -q", "--wrt needs a value: --wrt A,B"),
        ("--wrt 3", "'3' is not a name"),
        ("-o 1t", "'1t' is not a variable name"),
        ("-q=yes", "-q takes no value"),
        ("--view flwo", "did you mean flow?"),
        ("--mode egaer", "did you mean eager?"),
        ("--values some", "choose none, stats, inputs or all"),
        ("--keep newest --max-ops 3", "choose first or last"),
        ("--keep last", "--keep last goes with --max-ops N"),
        ("--budget lots", "write it as 64M"),
        ("--thresholds vanishnig=1", "'vanishnig' is not a threshold; did you mean vanishing?"),
        ("--thresholds vanishing", "'vanishing' is not a threshold; write saturated_units=0.1"),
        ("--max-ops 0", "not a positive whole number"),
        ("--height 12", "240 is the least"),
        ("--live --keep last --max-ops 9", "it does not go with --keep last"),
        ("--view live", "--live shows the cell while it runs"),
        ("--compare gpu", "no usable GPU here: missing"),
        ("--save run.txt", "saved as .tape, .html or .json"),
        ("--save nowhere/run.html", "the folder nowhere does not exist"),
    ],
)
def test_a_wrong_header_is_answered_in_one_line(header, hint):
    with pytest.raises(UsageError) as refusal:
        of_cell(header)
    assert hint in str(refusal.value)
    assert str(refusal.value).startswith("%%tape: ")
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("f(x)", "f(x)"),
        ("-q -o t  f(x, -1)", "f(x, -1)"),
        ("-q -- -x * 2", "-x * 2"),
        ("x - 1", "x - 1"),
        ("'a b'.upper()", "'a b'.upper()"),
    ],
)
def test_code_may_follow_the_options_of_a_line(line, code):
    assert parse(line, "%tape", code_follows=True)[1] == code
