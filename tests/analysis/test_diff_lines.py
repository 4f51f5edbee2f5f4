"""Which line of one tape is which of another."""

import pytest

from tapeviz.analysis.differences.lines import shared_lines
from tapeviz.recording import Builder

CELL = "x = f(1.0)\ny = g(x)\nz = h(y)\n"


def recording(*files):
    """Return a recording of cells (texts) and of files (lists of the lines that ran, with their texts)."""
    builder = Builder()
    for number, (file, content) in enumerate(files):
        if isinstance(content, str):
            cell = builder.append("cells", number=number + 1, file=file, text=content, first=1)
            lines = list(enumerate(content.splitlines(), 1))
        else:
            cell, lines = -1, content
        for line, text in lines:
            if text:
                builder.append("sites", file=file, line=line, cell=cell, text=text)
    return builder.recording()


def mapped(a, b):
    """Return file and line of each site of ``b`` with those of ``a``, None where it has none."""
    left, right = shared_lines(a, b)
    places = dict(zip(left.tolist(), zip(a.sites.file, a.sites.line.tolist(), strict=True), strict=True))
    return {(file, line): places.get(number) for file, line, number in
            zip(b.sites.file, b.sites.line.tolist(), right.tolist(), strict=True)}  # fmt: skip


def lines_of(a, b):
    return {
        line: place and place[1] for (_, line), place in mapped(recording(("one", a)), recording(("two", b))).items()
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (CELL, {1: 1, 2: 2, 3: 3}),
        ("a = 0\n\n" + CELL, {1: None, 3: 1, 4: 2, 5: 3}),
        (CELL.replace("1.0", "1.5"), {1: 1, 2: 2, 3: 3}),
        (CELL.replace("y = g(x)", "something_else(entirely, different)"), {1: 1, 2: None, 3: 3}),
        (CELL.replace("y = g(x)", "y = g(x)\nprint('and', 'more', 'to', 'see')"), {1: 1, 2: 2, 3: None, 4: 3}),
    ],
)
def test_lines_of_a_cell(text, expected):
    assert lines_of(CELL, text) == expected


def test_a_line_that_stands_twice_keeps_its_number_where_the_text_is_the_same():
    twice = "y = g(x)\nif a:\n    y = g(x)\n"
    one, other = recording(("one", twice)), recording(("two", twice))
    assert mapped(one, other) == {("two", line): ("one", line) for line in (1, 2, 3)}


def test_cells_are_found_by_what_is_in_them():
    one = recording(("a", "f = define()\n"), ("b", CELL))
    other = recording(("c", CELL + "w = k(z)\n"), ("d", "f = define()\n"))
    found = mapped(one, other)
    assert found["d", 1] == ("a", 1)
    assert [found["c", line] for line in (1, 2, 3, 4)] == [("b", 1), ("b", 2), ("b", 3), None]


def test_files_are_known_by_name_and_moved_ones_by_their_lines():
    one = recording(("model.py", [(10, "h = relu(x)"), (12, "return h")]), ("old/train.py", [(3, "step(model)")]))
    other = recording(("model.py", [(10, "h = relu(x)"), (11, "h = drop(h)")]), ("new/train.py", [(5, "step(model)")]))
    assert mapped(one, other) == {
        ("model.py", 10): ("model.py", 10),
        ("model.py", 11): None,
        ("new/train.py", 5): ("old/train.py", 3),
    }


def test_lines_without_text_are_their_numbers():
    one, other = (recording((f"{name}.py", [(4, " "), (7, " ")])) for name in ("same", "same"))
    assert mapped(one, other) == {("same.py", 4): ("same.py", 4), ("same.py", 7): ("same.py", 7)}


def test_an_edited_file_is_compared_by_its_lines():
    one = recording(("model.py", [(10, "h = relu(x)"), (12, "return h")]))
    other = recording(("model.py", [(11, "h = relu(x)"), (13, "return h")]))
    assert mapped(one, other) == {("model.py", 11): ("model.py", 10), ("model.py", 13): ("model.py", 12)}
