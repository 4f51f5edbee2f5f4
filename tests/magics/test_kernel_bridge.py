"""What pages are told of a shell: its settings, and the tape recorded last, by a magic or by the program itself."""

import pytest

from tapeviz.recording import read


@pytest.fixture
def desk(notebook):
    return notebook.shell.magics_manager.registry["TapeMagics"].session._bridge


def test_at_first_there_is_no_tape(desk):
    state = desk.state()
    assert state["tape"] is None
    assert {what: setting["now"] for what, setting in state["settings"].items()} == {"mode": "eager", "device": "cpu"}
    assert [choice["word"] for choice in state["settings"]["device"]["choices"]] == ["cpu", "gpu", "auto"]


def test_what_is_chosen_is_told(notebook, desk):
    notebook.run("%mode graph\n%device auto")
    settings = desk.state()["settings"]
    assert (settings["mode"]["word"], settings["device"]["word"]) == ("graph", "auto")


@pytest.mark.parametrize(
    "cell", ["%%tape -q -n ours\nx + 1.0;", "%tape -q -n ours x + 1.0;", 'with tf.record(name="ours"):\n    x + 1.0']
)
def test_the_latest_tape_is_told_and_handed_out(notebook, desk, cell):
    notebook.run("%%tape -q\nx * x;")
    before = desk.state()["tape"]["number"]
    notebook.run(cell)
    told = desk.state()["tape"]
    assert told["title"] == "ours"
    assert "1 op" in told["facts"]
    assert told["number"] > before
    fields, [frames] = desk.answer({"kind": "ready", "tape": told["number"]})
    assert fields == {"kind": "frames"}
    assert read(frames).ops.name == ["add"]


def test_a_tape_within_a_tape_is_part_of_it(notebook, desk):
    notebook.run('%%tape -q -n outer\nwith tf.record(name="inner"):\n    x + 1.0')
    assert desk.state()["tape"]["title"] == "outer"


def test_the_script_that_draws_it_is_the_one_that_is_told(notebook, desk):
    notebook.run("%%tape -q\nx + 1.0;")
    fields, [source] = desk.answer({"kind": "bundle"})
    assert fields == {"hash": desk.state()["tape"]["bundle"]}
    assert b"export" in source


def test_each_tape_that_is_listed_can_be_asked_for(notebook, desk):
    notebook.run("%%tape -q -n first\nx + 1.0;")
    notebook.run("%%tape -q -n second\nx * 2.0;")
    first, second = desk.state()["tapes"]
    assert (first["title"], second["title"]) == ("first", "second")
    assert desk.state()["tape"]["number"] == second["number"]
    for number, op in ((first["number"], "add"), (second["number"], "multiply")):
        _, [frames] = desk.answer({"kind": "ready", "tape": number})
        assert read(frames).ops.name == [op]


def test_who_asks_for_a_tape_that_is_gone_gets_the_latest(notebook, desk):
    notebook.run("%%tape -q\nx + 1.0;")
    number = desk.state()["tape"]["number"]
    notebook.run("%tapes clear")
    notebook.run("%%tape -q\nx * 2.0;")
    _, [frames] = desk.answer({"kind": "ready", "tape": number})
    assert read(frames).ops.name == ["multiply"]
    with pytest.raises(ValueError, match="this tape is not there any more"):
        desk.answer({"kind": "window", "tape": number, "tensor": 0})


def test_tapes_that_a_program_records_are_listed_steps_of_a_loop_once(notebook, desk):
    notebook.run(
        'for step in range(3):\n    with tf.record(name=f"step {step}"):\n        x + 1.0\n'
        'with tf.record(name="evaluation"):\n    x * 2.0'
    )
    assert [tape["title"] for tape in desk.state()["tapes"]] == ["step 2", "evaluation"]


def test_a_tape_that_a_cell_in_graph_mode_records_is_listed_once(notebook, desk):
    notebook.run('%%mode graph\nwith tf.record(name="own"):\n    y = x + 1.0')
    assert [tape["title"] for tape in desk.state()["tapes"]] == ["own"]


def test_marks_say_which_line_has_the_finding_and_which_is_the_slowest(notebook, desk):
    notebook.run("%%tape -q\nh = x - x\nz = tf.math.log(h)\nfor _ in range(50):\n    x @ x")
    marks, buffers = desk.answer({"kind": "marks", "tape": desk.state()["tape"]["number"]})
    [cell] = marks["cells"]
    assert buffers == ()
    assert cell["text"].startswith("%%tape -q\n")
    assert marks["findings"] == [0, 0, 1]
    assert [line["line"] for line in cell["lines"]] == [2, 3, 5]
    assert [[finding["health"] for finding in line["findings"]] for line in cell["lines"]] == [[], ["nan"], []]
    assert [line["slowest"] for line in cell["lines"]] == [False, False, True]
    assert cell["lines"][2]["figures"][0].startswith("50 ops forward in ")
    assert marks["names"]["z"]["facts"] == ["(2, 2) float32", "4 \N{MINUS SIGN}inf", "gradient: none was taken"]
    assert marks["names"]["z"]["made"] == "made by log in cell 3, line 3"


def test_forgotten_tapes_are_forgotten_here_too(notebook, desk):
    notebook.run("%%tape -q\nx + 1.0;\n")
    notebook.run("%tapes clear")
    assert desk.state()["tape"] is None


def test_after_unloading_nobody_listens(notebook, desk):
    notebook.run("%unload_ext tapeviz")
    notebook.run("with tf.record():\n    x + 1.0")
    assert desk.state()["tape"] is None
