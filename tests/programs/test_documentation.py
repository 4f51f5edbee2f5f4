"""docs/programs.md names programs and tests that there are, and every short program."""

import ast
import re
from pathlib import Path

from tests.programs.short import SHORT

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "programs.md").read_text()


def test_every_test_that_is_named_is_there():
    named = re.findall(r"`(?:tests/programs/)?((?:tests/\w+/)?test_\w+\.py)(?:::(\w+))?`", PAGE)
    assert len(named) > 40
    for path, test in named:
        file = ROOT / (path if path.startswith("tests/") else f"tests/programs/{path}")
        there = {node.name for node in ast.parse(file.read_text()).body if isinstance(node, ast.FunctionDef)}
        assert not test or test in there, f"{path}::{test}"


def test_every_short_program_has_its_line():
    assert re.findall(r"^\| [^|]+ \| `(\w+)` \|", PAGE, re.MULTILINE) == list(SHORT)


def test_every_notebook_that_is_named_is_there():
    numbers = set(re.findall(r"\| (\d\d) \|$", PAGE, re.MULTILINE))
    assert numbers == {"02", "04", "05", "06", "07", "08", "09"}
    stored = {path.name[:2] for path in (ROOT / "notebooks").glob("*.ipynb")}
    assert numbers <= stored
