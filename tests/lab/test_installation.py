"""The copy of the Lab extension in an environment, where the package is installed to be edited."""

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def front_end(tmp_path, monkeypatch):
    """Give the program that builds the front end, for a built extension and an environment of the test's own."""
    spec = importlib.util.spec_from_file_location("front_end", ROOT / "labextension" / "front_end.py")
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    built = tmp_path / "built"
    (built / "static").mkdir(parents=True)
    (built / "static" / "remoteEntry.js").write_text("new")
    monkeypatch.setattr(program, "LAB_EXTENSION", built)
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "environment"))
    return program


def test_it_is_renewed_by_each_build(front_end):
    copy = Path(sys.prefix, "share/jupyter/labextensions/tapeviz/static/remoteEntry.js")
    copy.parent.mkdir(parents=True)
    copy.write_text("old", encoding="utf-8")
    front_end._refresh_lab_extension()
    assert copy.read_text(encoding="utf-8") == "new"


def test_where_there_is_none_none_is_made(front_end):
    front_end._refresh_lab_extension()
    assert not Path(sys.prefix).exists()
