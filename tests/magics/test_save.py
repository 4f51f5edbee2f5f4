"""``--save`` writes while the cell runs, so that a dead kernel loses little; the other forms are written at its end."""

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tapeviz.recording import read


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_tape_file_holds_the_recording(notebook):
    notebook.run("%%tape -q --save run.tape --wrt w\ntf.reduce_sum(x @ w)")
    assert len(read("run.tape").events) == len(notebook["_tape"].events) > 0


def test_a_path_may_have_spaces(notebook):
    notebook.run('%%tape -q --save "my run.tape"\nx + 1.0')
    assert Path("my run.tape").exists()


def test_what_ran_before_an_error_is_saved(notebook):
    notebook.attempt("%%tape -q --save run.tape\nx + 1.0\n1 / 0")
    recording = read("run.tape")
    assert len(recording.events) == 1
    assert recording.meta_dict()["stopped"]["line"] == 3


def test_the_other_forms_are_written_at_the_end(notebook):
    notebook.run("%%tape -q --save run.html\nx + 1.0")
    assert "<html" in Path("run.html").read_text(encoding="utf-8")
    notebook.run("%%tape -q --save run.json\nx + 1.0")
    assert json.loads(Path("run.json").read_text(encoding="utf-8"))


DIES = textwrap.dedent("""
    import os, time
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config
    shell = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    shell.run_cell("%load_ext tapeviz\\nimport os, time\\nimport tapeviz as tf\\nw = tf.Variable(1.0)")
    shell.run_cell('''%%tape -q --save run.tape
    for _ in range(8):
        with tf.GradientTape() as g:
            loss = w * w
        w.assign_sub(g.gradient(loss, w) * 0.1)
        time.sleep(0.1)
    os._exit(1)''')
""")


@pytest.mark.slow
def test_a_process_that_dies_leaves_what_it_wrote(tmp_path):
    done = subprocess.run([sys.executable, "-c", DIES], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 1, done.stderr
    recording = read(tmp_path / "run.tape")
    assert len(recording.events) > 20
    assert recording.cells[0].text.startswith("%%tape -q --save run.tape")
