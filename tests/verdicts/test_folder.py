from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import tapeviz as tf
from tests.verdicts.programs import run
from tests.verdicts.snippets import program

_NONE = "w, v = tf.Variable(1.0), tf.Variable(2.0)\nwith tf.GradientTape() as g:\n    y = w * w\ng.gradient(y, [w, v])"
_FROZEN = "f = tf.function(lambda x: x + np.random.normal())\nf(tf.constant(1.0))\nf(tf.constant(1.0))"
_MEANT = _NONE + "  # tapeviz: expected none"
_WELL = "x = tf.constant(1.0) + 1.0"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made, texts = tmp_path_factory.mktemp("handed <in>"), {"ada": _NONE, "bob": _NONE, "cleo": _WELL, "dan": _MEANT}
    for name, text in (*texts.items(), ("group/eve", _FROZEN)):
        (made / name).parent.mkdir(exist_ok=True)
        run(program(text, made, name.replace("/", "_")))[0].save(made / f"{name}.tape")
    (made / "fay.tape").write_text("my homework", encoding="utf-8")
    return made


def test_a_folder_is_read_by_what_was_found(folder: Path):
    found = tf.check_folder(folder)
    assert {str(one.path): [each.kind for each in one.findings] for one in found if one.opened} == {
        "ada.tape": ["gradient_none"], "bob.tape": ["gradient_none"], "cleo.tape": [], "dan.tape": [],
        str(Path("group/eve.tape")): ["frozen"],
    }  # fmt: skip
    said = repr(found).splitlines()
    assert said[0] == "6 tapes: 3 with findings, 2 without, 1 cannot be opened."
    headings = [line for line in said if re.fullmatch(r"\w+ · \d tapes?", line)]
    assert headings == ["gradient_none · 2 tapes", "frozen · 1 tape"]
    assert "  cleo.tape" in said
    assert any(line.startswith("  fay.tape: cannot be opened") for line in said)
    assert any(line.startswith("  dan.tape: 1 finding is expected") for line in said)


def test_kinds_severity_and_thresholds_are_those_of_a_check(folder: Path):
    assert repr(tf.check_folder(folder, "frozen")).startswith("6 tapes: 1 with findings")
    assert repr(tf.check_folder(folder, severity=3)).startswith("6 tapes: 0 with findings")
    assert repr(tf.check_folder(folder, thresholds={"frozen_runs": 3})).startswith("6 tapes: 2 with findings")
    with pytest.raises(ValueError, match="is not a kind of finding"):
        tf.check_folder(folder, "icy")
    with pytest.raises(NotADirectoryError, match="is not a folder"):
        tf.check_folder(folder / "nowhere")


def test_the_page_is_whole_and_needs_nothing_beside_it(folder: Path, tmp_path: Path):
    found = tf.check_folder(folder)
    page = found.save(tmp_path / "findings.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert not re.search(r"<script|<link|src=|url\(|https?:", page)
    assert "&lt;in&gt;" in page
    assert page.count("<h2>") == len(["gradient_none", "frozen", "without findings", "to know"])
    assert found.save(tmp_path / "findings.txt").read_text(encoding="utf-8") == f"{found}\n"
    with pytest.raises(ValueError, match=r"\.html or \.txt"):
        found.save(tmp_path / "findings.pdf")


def test_the_command_line_says_it_by_its_exit_status(folder: Path, tmp_path: Path):
    command = [sys.executable, "-W", "error", "-m", "tapeviz.tape.folder", str(folder)]
    page = tmp_path / "page.html"
    done = subprocess.run([*command, "none", "--html", str(page)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("6 tapes: 2 with findings")
    assert page.exists()
    wrong = subprocess.run([*command, "icy"], capture_output=True, text=True, check=False)
    assert (wrong.returncode, "is not a kind of finding" in wrong.stderr) == (2, True)
