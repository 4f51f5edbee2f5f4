"""Runs text as notebook cells, recorded, so that a test can say on which line of which cell something is."""

from __future__ import annotations

import linecache
from textwrap import dedent
from typing import Any

import numpy as np

import tapeviz as tf
from tapeviz.recording.rows.sites import Cell

__all__ = ["Notebook", "record_cell"]


class Notebook:
    """Cells that share their names, numbered from 1."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"tf": tf, "np": np, "__name__": "__main__"}
        self.cells: dict[str, Cell] = {}

    def run(self, code: str) -> None:
        """Run a cell that is not recorded."""
        exec(self._compiled(code), self.names)

    def record(self, code: str, **options: Any) -> tf.Tape:
        """Run a cell recorded; an error of its own is left in ``names["error"]``."""
        cell = self._compiled(code)
        context = tf.record(cell_of=self.cells.get, **options)
        # As under a magic: what opens and ends the recording has the cell's names.
        driver = "with _context_ as _tape_:\n    exec(_cell_)"
        names = self.names
        names.pop("error", None)
        names.update(_context_=context, _cell_=cell)
        try:
            exec(compile(driver, "driver", "exec"), names)
        except Exception as error:  # noqa: BLE001  # whatever the cell raises is for the test to look at
            names["error"] = error
        return names["_tape_"]

    def _compiled(self, code: str) -> Any:
        text = dedent(code).strip() + "\n"
        number = len(self.cells) + 1
        file = f"cell-{number}"
        self.cells[file] = Cell(number, text)
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        return compile(text, file, "exec")


def record_cell(code: str, before: str = "", **options: Any) -> tuple[tf.Tape, dict[str, Any]]:
    """Run ``before`` as cell 1 and ``code`` recorded as cell 2."""
    notebook = Notebook()
    notebook.run(before)
    return notebook.record(code, **options), notebook.names
