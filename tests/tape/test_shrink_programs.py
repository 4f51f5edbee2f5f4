"""Ten programs of fifty lines and more that fail: each shrinks to a few lines that fail in the same way."""

import re
from pathlib import Path

import pytest

import tapeviz as tf

FOLDER = Path(__file__).parent / "failing"
PROGRAMS = sorted(path for path in FOLDER.glob("*.py") if path.name != "__init__.py")
PLAIN = {"0", "1", "10", "100", "1000", "10000"}


def execute(text, name):
    """Run a program; give its tape and what it raised."""
    error = None
    tape = tf.record()
    try:
        with tape as made:
            exec(compile(text, name, "exec"), {"__name__": "program"})
    except (tf.errors.OpError, ValueError) as raised:
        error = raised
    return made, error


def failed(tape, error, kind, op):
    """How a program failed: the kind of failure and the op."""
    if kind == "error":
        return type(error).__name__, error.op
    if kind == "nan":
        stats = tape.recording.stats
        bad = {*stats.tensor[(stats.nan > 0) | (stats.posinf + stats.neginf > 0)].tolist()}
        makers = tape.recording.tensors.producer[[i in bad for i in tape.recording.tensors.id.tolist()]].tolist()
        rows = tape.recording.events
        pairs = zip(rows.id.tolist(), rows.op.tolist(), strict=True)
        return op in {tape.recording.ops.name[number] for event, number in pairs if event in makers}
    return {one.kind for one in tape.verdicts() if one.kind == kind}


def test_there_are_ten_of_fifty_lines():
    assert len(PROGRAMS) == 10
    assert all(len(path.read_text(encoding="utf-8").splitlines()) >= 50 for path in PROGRAMS)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_it_shrinks_to_a_few_lines_that_fail_alike(path, capsys):
    program = path.read_text(encoding="utf-8")
    kind = re.search(r"Failure: (\w+)", program)[1]
    tape, error = execute(program, str(path))
    small = tape.shrink(kind)
    assert len(small.text.splitlines()) <= 8
    again, raised = execute(small.text, "<shrunk>")
    found = failed(again, raised, kind, small.op)
    assert found
    assert found == failed(tape, error, kind, small.op)
    if error is not None:
        assert re.findall(r"[A-Za-z]{3,}", str(raised).split(":")[0]) == re.findall(
            r"[A-Za-z]{3,}", str(error).split(":")[0]
        )
    assert "retracing" not in capsys.readouterr().err


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_nothing_of_the_users_numbers_is_left(path):
    program = path.read_text(encoding="utf-8")
    tape, _ = execute(program, str(path))
    text = tape.shrink(re.search(r"Failure: (\w+)", program)[1]).text
    written = re.findall(r"tf\.constant\((.*)\)", text)
    numbers = [
        number for line in written for number in re.findall(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?", line.split(", tf.")[0])
    ]
    assert {f"{float(number):g}" for number in numbers} <= PLAIN
    for name in re.findall(r"^(\w+) = ", program, re.MULTILINE):
        if name.isupper():
            assert not re.search(rf"\b{name}\b", text)
