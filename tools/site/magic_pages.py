"""The pages on magics, on recording and on tapes: what people use first, from the same docstrings as the whole API."""

from __future__ import annotations

import inspect
from pathlib import Path

from tapeviz.magics.extension import TapeMagics
from tapeviz.magics.options import usage

MAGICS_HEAD = """Magics
======

``%load_ext tapeviz`` adds them to IPython and notebooks, ``%unload_ext tapeviz`` takes them away again.
"""
TAPE_HEAD = """Recording and tapes
===================

``%%tape`` is :py:func:`tf.record` around a cell. What both give is a :py:class:`tf.Tape`: the record of what ran,
with its views, questions and exports. :py:func:`tf.load` opens one that was saved.

Elsewhere: :py:func:`tf.diff`, :py:func:`tf.retraces`, :py:func:`tf.live`, :py:func:`tf.check_folder`, and
:doc:`the tables of a recording </docs/format>`, which are attributes of a tape.
"""


def write(folder: Path) -> None:
    """Write the pages into the folder."""
    (folder / "magics.rst").write_text("\n".join(_magics()), encoding="utf-8")
    (folder / "tape.rst").write_text(TAPE_HEAD, encoding="utf-8")


def _magics() -> list[str]:
    lines = [MAGICS_HEAD]
    line_magics, cell_magics = TapeMagics.magics["line"], TapeMagics.magics["cell"]
    for name in sorted(line_magics.keys() | cell_magics.keys(), key=lambda name: (name != "tape", name)):
        forms = [f"%%{name}"] * (name in cell_magics) + [f"%{name}"] * (name in line_magics)
        title = " and ".join(forms)
        doc = (inspect.getdoc(getattr(TapeMagics, name)) or "").replace(usage("%%tape"), "")
        lines += [title, "-" * len(title), "", doc, ""]
        if name == "tape":
            lines += ["::", "", *(f"   {line}" for line in usage("%%tape").splitlines()), ""]
    return lines
