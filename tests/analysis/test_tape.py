"""The tape: its tables, its ways out, its view, its text."""

import json
import subprocess
import sys

import numpy as np
import pytest

import tapeviz as tf
import tapeviz.tape.tape
from tapeviz.exports import summary_text
from tapeviz.recording import RecordingError
from tests.analysis.cells import record_cell

CODE = """
w = tf.Variable([[0.5, -0.2], [0.1, 0.3]], name="w")
x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
with tf.GradientTape() as tape:
    h = x @ w
    loss = tf.reduce_sum(tf.stop_gradient(h) * w[0])
g, gh = tape.gradient(loss, [w, h])
"""


@pytest.fixture
def tape():
    found, names = record_cell(CODE, name="a small step")
    assert "error" not in names, names["error"]
    found.names_of_cell = names
    return found


def asked(tape, **fields):
    plain = {"kind": "window", "axes": [0, 1], "index": [0, 0], "start": [0, 0], "size": [2, 2], "stride": [1, 1]}
    tensor = tape.names.tensor[tape.names.name.index("x")]
    return tape.answer({**plain, "tensor": int(tensor), **fields})


def test_tables_are_attributes(tape):
    assert len(tape.events) == len(tape.recording.events) > 5
    assert tape.ops.name.count("matmul") == 1
    assert "events" in dir(tape)
    with pytest.raises(AttributeError, match="no attribute 'evnets'"):
        tape.evnets  # noqa: B018


def test_the_recording_is_read_once_until_it_grows():
    with tf.record() as tape:
        tf.ones([2]) + 1.0
        first = tape.recording
        assert first.ops.name == ["ones", "add"]
        tf.ones([2]) * 2.0
    assert tape.ops.name == ["ones", "add", "multiply"]
    assert first.ops.name == ["ones", "add"]
    assert tape.recording is tape.recording


def test_a_question_finds(tape):
    assert len(tape.query("op:matmul")) == 1


def test_a_tensor_a_variable_a_name_and_an_id_are_one_subject(tape):
    names = tape.names_of_cell
    number = int(tape.names.tensor[tape.names.name.index("loss")])
    pairs = [(target, source) for target in ("loss", names["loss"], number) for source in ("h", names["h"])]
    assert len({str(tape.why(*pair)) for pair in pairs}) == 1
    assert {tape.why("loss", source).reason for source in ("w", names["w"])} == {None}


@pytest.mark.parametrize("name", ["run.tape", "run.TAPE"])
def test_it_saves_and_loads(tape, tmp_path, name):
    path = tape.save(tmp_path / name)
    loaded = tf.load(path)
    assert str(loaded.recording).startswith("<Recording: ")
    assert loaded.events.t0.tolist() == tape.events.t0.tolist()
    assert [v.text for v in loaded.verdicts()] == [v.text for v in tape.verdicts()]
    # The findings travel with it, for readers that have none of this.
    assert loaded.recording.verdicts.text == [v.text for v in tape.verdicts()]


def test_it_saves_as_a_page_and_as_a_trace(tape, tmp_path):
    assert "<html" in tape.save(tmp_path / "run.html").read_text()
    assert json.loads(tape.save(tmp_path / "run.json").read_text())


@pytest.mark.parametrize(("name", "hint"), [("run.htm", "did you mean .html?"), ("run", ".tape (the recording)")])
def test_another_suffix_is_met_with_those_there_are(tape, tmp_path, name, hint):
    with pytest.raises(ValueError, match="cannot save to") as error:
        tape.save(tmp_path / name)
    assert hint in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_loading_what_is_no_tape_says_so(tmp_path):
    path = tmp_path / "run.tape"
    path.write_bytes(b"something else")
    with pytest.raises(RecordingError):
        tf.load(path)


def test_the_view_is_one_widget(tape):
    assert tape.view is tape.view
    assert tape.view.recording.verdicts.kind == ["gradient_none"]
    assert tape.view.summary == str(tape)


@pytest.mark.slow
def test_the_widgets_wait_until_somebody_looks():
    code = "import sys, tapeviz as tf\nwith tf.record() as tape:\n    tf.ones([2]) + 1.0\nstr(tape)\ntape.verdicts()\n"
    code += "print(*{'ipywidgets', 'anywidget', 'matplotlib', 'IPython'} & {*sys.modules})"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split() == []


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, [[1, 2], [3, 4]]),
        ({"start": [1, 1], "size": [2, 1]}, [[4], [6]]),
        ({"size": [2, 1], "stride": [2, 1]}, [[1], [5]]),
        ({"axes": [1, 0], "size": [2, 3]}, [[1, 3, 5], [2, 4, 6]]),
        ({"axes": [-1, 0], "index": [0, 1], "size": [1, 3]}, [[2, 4, 6]]),
    ],
)
def test_a_view_pages_through_what_is_in_memory(tape, fields, expected):
    said, (data,) = asked(tape, **fields)
    assert (said["state"], said["dtype"], said["shape"]) == ("ok", "float32", list(np.shape(expected)))
    assert np.frombuffer(data, "<f4").reshape(said["shape"]).tolist() == expected


def test_a_long_axis_is_cut_into_rows():
    tape, names = record_cell("x = tf.range(10) + 0")
    assert "error" not in names
    said, (data,) = asked(tape, axes=[-1, 0], index=[0], wrap=4, size=[3, 4])
    assert np.frombuffer(data, "<i4").reshape(said["shape"]).tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 0, 0]]


def test_a_window_that_is_none_is_refused_in_words(tape):
    for fields in ({"size": [9, 9]}, {"axes": [0, 5]}, {"index": [0]}, {"size": [10_000, 10_000]}, {"start": None}):
        said, buffers = asked(tape, **fields)
        assert (said["state"], buffers) == ("error", ()), fields
        assert said["text"]
    assert asked(tape, tensor=12345)[0]["state"] == "unknown"
    assert asked(tape, kind="check")[0]["state"] == "error"


def test_of_values_that_were_dropped_that_is_said():
    tape, _ = record_cell(CODE, budget=40)
    assert asked(tape)[0]["state"] == "evicted"


def test_the_text_has_eighty_columns_and_says_what_counts(tape):
    text = str(tape)
    assert all(len(line) <= 80 for line in text.splitlines())
    for part in ("a small step", "matmul", "Gradient of loss by", "None", "stop_gradient", "cell 2, line 5", "Fix:"):
        assert part in text, part


def test_the_text_of_a_tape_that_stopped():
    tape, names = record_cell("y = tf.ones([2, 3])\nz = y @ y")
    assert names["error"] is not None
    last = str(tape).splitlines()[-1]
    assert last.startswith("Stopped at op 1, line 2: InvalidArgumentError: Matrix size-incompatible")
    assert len(last) == 80
    assert "matmul failed" in str(tape)


def test_columns_are_aligned(tape):
    lines = summary_text.summary(tape.recording).splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith("Longest ops"))
    ends = [line.rindex(" %") for line in lines[start + 1 : start + 4]]
    assert len(set(ends)) == 1


def test_in_a_notebook_it_shows_its_view_beside_html_and_text(tape, monkeypatch):
    assert set(tape._repr_mimebundle_()) == {"text/plain"}
    monkeypatch.setattr(tapeviz.tape.tape, "notebook", object)
    shown = tape._repr_mimebundle_()
    assert set(shown) == {"text/plain", "text/html", "application/vnd.jupyter.widget-view+json"}
    assert "<script" not in shown["text/html"]
    assert shown["application/vnd.jupyter.widget-view+json"]["model_id"] == tape.view.model_id


def test_figures_are_matplotlibs(tape):
    from matplotlib.figure import Figure

    pictures = [tape.plot.timeline(), tape.plot.gradients(), tape.plot.tensor("h"), tape.plot.tensor(3)]
    assert all(isinstance(picture, Figure) for picture in pictures)
    with pytest.raises(LookupError, match="nothing called 'nobody'"):
        tape.plot.tensor("nobody")


def test_a_figure_shows_values_that_are_only_in_memory(tape):
    number = tape.number("h")
    assert len(tape.values) == 0
    values = tape.with_values(number).values
    assert values.tensor.tolist()[0] == number
    assert np.frombuffer(values.data[0], "<f4").tolist() == tape.names_of_cell["h"].numpy().ravel().tolist()


def test_an_outer_record_answers_for_an_inner_one():
    with tf.record() as outer, tf.record() as inner:
        tf.ones([2]) + 1.0
    assert inner is outer


def test_a_tape_keeps_no_tensor_alive_after_its_time():
    """Views page through arrays, which the tape's budget pays for; handles and variables go when the user lets go."""
    import gc
    import weakref

    tape, names = record_cell(CODE)
    gone = [weakref.ref(names.pop(name)) for name in ("w", "x", "h", "loss", "g")]
    names.clear()
    gc.collect()
    assert [ref() for ref in gone] == [None] * len(gone)
    assert len(tape.events) > 0
