"""A difference as a view: the fields that a page draws, what it asks of a kernel, and the page that needs none."""

import json
import math
import re

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.exports import diff_rows
from tests.analysis.cells import record_cell

CODE = """
w = tf.Variable([[1.0, 2.0], [3.0, {}]], name="w")
x = tf.constant([[0.5, -1.0]])
with tf.GradientTape() as g:
    y = tf.tanh(x @ w)
    loss = tf.reduce_sum(y * y)
dw = g.gradient(loss, w)
"""


def tape(number="4.0", code=CODE):
    return record_cell(code.format(number), values="all", name=f"run {number}")[0]


@pytest.fixture(scope="module")
def diff():
    return tf.diff(tape(), tape("4.5"))


def asked(widget, **message):
    return widget._ask(message)


def test_what_a_page_begins_with(diff):
    fields, (one, other) = asked(diff.view, kind="ready")
    assert json.loads(json.dumps(fields, allow_nan=False)) == fields
    assert (fields["sentence"], fields["first"]) == (diff.summary, diff.first.index)
    assert [row["index"] for row in fields["rows"]] == list(range(len(diff)))
    for tape_, data in zip(diff.tapes, (one, other), strict=True):
        assert data == tape_.answer({"kind": "ready"})[1][0]
    for row, told in zip(diff, fields["rows"], strict=True):
        assert told["events"] == [row.a, row.b]
        assert len(told["cells"]) == len(fields["columns"])
        for a, b in told["tensors"]:
            assert [tape_.recording.tensors.id[tape_.recording.tensors.id == one].size for tape_, one in
                    zip(diff.tapes, (a, b), strict=True)] == [1, 1]  # fmt: skip


def test_elements_side_by_side_are_those_of_the_tapes(diff):
    told = 0
    for row in diff:
        fields = asked(diff.view, kind="row", row=row.index)[0]
        assert fields["said"]
        arrays = [tape_.value(number) for tape_, number in zip(diff.tapes, diff.tensors(row)[0], strict=True)] if (
            fields["elements"]) else []  # fmt: skip
        errors = []
        for element in fields["elements"]:
            values = [array[tuple(element["index"])] for array in arrays]
            assert [str(value) for value in values] == [element["a"], element["b"]]
            errors.append(abs(values[0] - values[1]))
            told += 1
        assert errors == sorted(errors, reverse=True)
        assert (len(errors) > 0) == (row.what == "value")
    assert told > 10


def test_an_error_in_ulp_is_counted_in_floats():
    x = np.float32(1.0)
    for _ in range(3):
        x = np.nextafter(x, np.float32(2.0))
    diff = tf.diff(
        tape("1.0", "x = tf.constant([0.5, {}])\ny = x + 1.0"),
        tape(repr(float(x)), "x = tf.constant([0.5, {}])\ny = x + 1.0"),
    )
    (element,) = diff.elements(diff.first)
    assert (element.index, element.ulp) == ((1,), 3.0)
    assert asked(diff.view, kind="row", row=diff.first.index)[0]["elements"] == [
        {"index": [1], "a": "1.0", "b": str(x), "ulp": "3"}
    ]


def test_nan_in_one_stands_before_what_is_far_apart():
    code = "x = tf.constant([1.0, 2.0, {}])\ny = x + 1.0"
    diff = tf.diff(tape("3.0", code), tape("float('nan')", code))
    (element,) = diff.elements(diff.first)
    assert element.index == (2,)
    assert math.isnan(element.b)
    code = "x = tf.constant([1.0, float('nan'), {0}, -{0}])\ny = x + 1.0"
    diff = tf.diff(tape("3.0", code), tape("float('inf')", code))
    assert [element.index for element in diff.elements(diff.first)] == [(2,), (3,)]


def test_each_side_answers_for_its_own_tape(diff):
    a, b = diff.tensors(diff.first)[0]
    for side, number in ((0, a), (1, b)):
        message = {"kind": "window", "tensor": number, "side": side, "rows": [0, 2], "columns": [0, 2]}
        assert asked(diff.view, **message) == diff.tapes[side].answer(message)


def test_a_question_that_fails_is_answered(diff):
    assert "row 999 is out of range" in asked(diff.view, kind="row", row=999)[0]["error"]
    assert "KeyError" in asked(diff.view, kind="window")[0]["error"]


def test_tapes_that_agree_say_so_in_one_line():
    diff = tf.diff(tape(), tape())
    assert str(diff) == diff.summary
    assert "\n" not in str(diff)
    assert re.sub(r"<[^>]+>", "", diff._repr_html_()) == diff.summary
    with pytest.raises(NotImplementedError):
        diff._ipython_display_()


def test_a_saved_page_holds_both_tapes_and_what_is_asked(diff, tmp_path):
    path = diff.save(tmp_path / "change.html", view="timeline")
    text = path.read_text(encoding="utf-8")
    (block,) = re.findall(r'<script type="application/json" data-tapeviz-diff>(.*?)</script>', text, re.DOTALL)
    held = json.loads(block)
    assert held["view"] == "timeline"
    assert {key: held[key] for key in ("sentence", "rows", "names")} == {
        key: value for key, value in diff_rows.fields(diff).items() if key in ("sentence", "rows", "names")
    }
    apart = [row.index for row in diff if row.what != "equal"]
    assert [int(index) for index in held["details"]] == apart
    assert len(held["recordings"]) == 2
    assert diff.summary in text


@pytest.mark.parametrize(("path", "view", "said"), [("a.tape", "flow", "saved as .html"), ("a.html", "flwo", "flwo")])
def test_what_cannot_be_saved(diff, tmp_path, path, view, said):
    with pytest.raises(ValueError, match=said):
        diff.save(tmp_path / path, view)
    assert not list(tmp_path.iterdir())


def test_markup_in_a_program_ends_no_element(tmp_path):
    code = "x = tf.constant({})  # </script><script>alert(1)</script><!--\ny = x + 1.0"
    text = tf.diff(tape("1.0", code), tape("2.0", code)).save(tmp_path / "x.html").read_text(encoding="utf-8")
    assert "<script>alert" not in text
    assert text.count("</script>") == 2
