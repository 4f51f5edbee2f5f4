"""Write docs/layers.md: what of ``tf.keras`` is compared with Keras, and the largest differences.

python -m tools.training_page
"""

from __future__ import annotations

import re
from pathlib import Path

from tests.keras.agreements import SECTIONS, Row, Section

PAGE = Path(__file__).parents[1] / "docs" / "layers.md"
HEAD = """# Layers, losses, metrics and optimizers beside Keras

Made from what the tests compare by `python -m tools.training_page`; a test says when it is out of date.

Keras (on TensorFlow; on PyTorch where TensorFlow has no kernel for it on a CPU) has computed the answers once, with the
scripts beside them in `tests/keras`. Differences are relative to the largest number of an array (to 0.1 where all are
smaller); no test passes if one is above 1e-6 in float64 or 1e-5 in float32. The last two columns are the largest that
were found when this page was made. Where float64 is near 1e-8, Keras has a number in single precision there: a rate, a
slope, the cells of a stack, the softmax of attention.
"""
MEASURED = re.compile(r"\| [0-9.e+-]+ \| [0-9.e+-]+ \|$", re.MULTILINE)
UNMEASURED = "| · | · |"


def page(*, measured: bool) -> str:
    """Return the text of the page; without differences where they are not asked for."""
    return "\n".join([HEAD, *(_section(section, measured=measured) for section in SECTIONS)])


def unmeasured(text: str) -> str:
    """Return the text of a page without the differences, which are others on another machine."""
    return MEASURED.sub(UNMEASURED, text)


def _section(section: Section, *, measured: bool) -> str:
    rows = section.rows()
    weights = any(row.weights for row in rows)
    columns = ["name", "what it does", *(["weights"] if weights else []), "compared", "cases", "float64", "float32"]
    lines = [f"## {section.title}\n", f"{section.text}\n", f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    lines += [_line(row, weights=weights, measured=measured) for row in rows]
    return "\n".join(lines) + "\n"


def _line(row: Row, *, weights: bool, measured: bool) -> str:
    what = row.what.replace("``", "`").replace("|", "\\|")
    cells = [f"**{row.name}**", what, *([row.weights] if weights else []), row.compared, str(row.cases)]
    sizes = [_size(size) for size in row.measure().values()] if measured else ["·", "·"]
    return f"| {' | '.join(cells + sizes)} |"


def _size(size: float) -> str:
    return f"{size:.0e}" if size else "0"


if __name__ == "__main__":
    PAGE.write_text(page(measured=True), encoding="utf-8")
