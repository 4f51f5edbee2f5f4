from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_CONFTEST = 'pytest_plugins = ["tapeviz.tape.pytest_plugin"]\n'
_TESTS = """
import pytest
import tapeviz as tf

w, unused = tf.Variable(1.0, name="w"), tf.Variable(1.0, name="unused")


@pytest.mark.tapeviz("none", "nan")
def test_with_a_gradient_that_is_none():
    with tf.GradientTape() as g:
        loss = w * 2.0
    g.gradient(loss, [w, unused])


@pytest.mark.tapeviz("nan")
def test_of_another_kind():
    with tf.GradientTape() as g:
        loss = w * 2.0
    assert g.gradient(loss, [w, unused])[1] is None


@pytest.mark.tapeviz(severity=3)
def test_that_fails_by_itself():
    assert tf.math.log(w * 0.0) == 0.0


def test_that_asks(tape):
    tf.function(lambda x: x + 1.0)(w)
    tape.check("none", "retrace")


def test_with_nan_that_asks_for_nothing():
    assert float(tf.reduce_sum(tf.math.log(w * 0.0) + [1.0, 2.0])) < 0.0
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("homework")
    (folder / "conftest.py").write_text(_CONFTEST, encoding="utf-8")
    (folder / "test_homework.py").write_text(_TESTS, encoding="utf-8")
    return folder


def _outcome(project: Path, *options: str) -> tuple[set[str], str]:
    """The tests that failed, and what pytest printed."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--strict-markers", *options, "."]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    failed = {line.split("::")[1].split(" ")[0] for line in done.stdout.splitlines() if line.startswith("FAILED")}
    return failed, done.stdout


def test_a_marked_test_fails_on_the_kinds_that_it_names_and_says_what_to_do(project: Path):
    failed, printed = _outcome(project)
    assert failed == {"test_with_a_gradient_that_is_none", "test_that_fails_by_itself"}
    assert "FindingsError: 1 finding" in printed
    assert "unused: gradient of loss is None" in printed
    assert "Fix: " in printed


def test_all_tests_are_checked_when_the_command_line_says_so(project: Path):
    failed, _ = _outcome(project, "--tapeviz=nan")
    assert failed >= {"test_with_nan_that_asks_for_nothing", "test_with_a_gradient_that_is_none"}


def test_pytest_imports_nothing_of_tapeviz_unless_it_is_asked_for(tmp_path: Path):
    text = "import sys\n\ndef test():\n    assert not [name for name in sys.modules if name.startswith('tapeviz')]\n"
    (tmp_path / "test_other.py").write_text(text, encoding="utf-8")
    assert _outcome(tmp_path)[0] == set()
