"""A real IPython shell for each test, with nobody's settings and no history file."""

from __future__ import annotations

import atexit
import gc
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from tapeviz import Tape

SETTINGS = Config({"HistoryManager": {"enabled": False}})
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Ran:
    """What came of a cell: its value, its error, and what it printed (tracebacks included)."""

    value: Any
    error: BaseException | None
    text: str


class Notebook:
    """Cells run one after the other in one shell, as a person would."""

    def __init__(self, shell: InteractiveShell, capture: pytest.CaptureFixture[str]) -> None:
        self.shell = shell
        self._capture = capture

    def run(self, cell: str) -> Ran:
        """Run a cell that must not raise."""
        ran = self.attempt(cell)
        assert ran.error is None, ran.text
        return ran

    def attempt(self, cell: str) -> Ran:
        """Run a cell."""
        self._capture.readouterr()
        result = self.shell.run_cell(cell, store_history=True)
        out, err = self._capture.readouterr()
        return Ran(result.result, result.error_in_exec or result.error_before_exec, COLOURS.sub("", out + err))

    def refused(self, cell: str) -> str:
        """Run a cell whose magic refuses it, and return the complaint, which is one line."""
        ran = self.attempt(cell)
        assert type(ran.error).__name__ == "UsageError", ran
        (line,) = ran.text.strip().splitlines()
        return line.removeprefix("UsageError: ")

    def __getitem__(self, name: str) -> Any:
        """What a name of the user's stands for."""
        return self.shell.user_ns[name]


def ops_of(tape: Tape) -> list[str]:
    """Return the names of the ops of a tape, in the order in which they ran."""
    return [tape.ops.name[event.op] for event in tape.events if event.op >= 0]


@pytest.fixture(scope="session", autouse=True)
def _only_what_is_new_is_collected() -> None:
    """A shell ends with a full collection, which would go through all that the tests before left, a shell at a time."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def bare_shell(tmp_path, monkeypatch) -> Iterator[InteractiveShell]:
    """Give an IPython without our magics."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance(config=SETTINGS)
    with np.printoptions():  # %precision sets NumPy's for the whole process
        yield shell
    atexit.unregister(shell.atexit_operations)
    shell.atexit_operations()
    InteractiveShell.clear_instance()


@pytest.fixture
def bare(bare_shell, capsys) -> Notebook:
    return Notebook(bare_shell, capsys)


@pytest.fixture
def notebook(bare) -> Notebook:
    """Give a notebook with the magics, and something to compute with."""
    bare.run("%load_ext tapeviz")
    bare.run("import tapeviz as tf\nw = tf.Variable([[0.5], [-0.3]])\nx = tf.constant([[1.0, 2.0], [3.0, 4.0]])")
    return bare
