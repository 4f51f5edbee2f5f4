"""The stubs are those that the table and the declarations give, and what they say functions give is what they give."""

import ast
import functools
import inspect
import warnings
from importlib import import_module

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.engine.indexed_slices import IndexedSlices
from tapeviz.namespaces.lazy import Namespace
from tapeviz.namespaces.table import NAMESPACES
from tests.reference.language import CASES, cases, words
from tests.structure.sources import ROOT, relative
from tools.stubs import stubs

SPACES = [name for name, table in NAMESPACES.items() if not isinstance(table, str) and "compat" not in name]
# What the words of results stand for.
NAMES = {
    "Tensor": tf.Tensor, "IndexedSlices": IndexedSlices, "Gradient": (tf.Tensor, IndexedSlices, type(None)),
    "None": type(None), "TensorShape": tf.TensorShape, "DType": tf.DType, "bool": bool, "int": int, "str": str,
    "float": float,
}  # fmt: skip


def test_the_stubs_are_those_of_the_table_and_the_declarations():
    stale = [
        relative(path)
        for path, text in stubs().items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    assert stale == [], "python -m tools.stubs"


def test_no_stub_is_left_behind():
    assert {*(ROOT / "tapeviz").rglob("*.pyi")} == set(stubs())


def results():
    """Return what each function of a stub is said to give, by its module and name."""
    return {
        (space, node.name): node.returns
        for space in SPACES
        for node in ast.parse(_stub(space).read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
    }


def _stub(space):
    path = ROOT.joinpath(*space.split("."))
    return path / "__init__.pyi" if path.is_dir() else path.with_suffix(".pyi")


def fits(value, said):
    """Whether a value is of the type that an annotation says."""
    match said:
        case ast.BinOp(left=left, right=right):
            return fits(value, left) or fits(value, right)
        case ast.Constant(value=None):
            return value is None
        case ast.Subscript(value=outer, slice=inner):
            return _fits_each(value, ast.unparse(outer).rpartition(".")[2], inner)
    name = ast.unparse(said).rpartition(".")[2].lstrip("_")
    if name not in NAMES:
        return True  # a class of its module, or anything
    return isinstance(value, NAMES[name])


def _fits_each(value, outer, inner):
    if outer == "list":
        return isinstance(value, list) and all(fits(item, inner) for item in value)
    if outer == "tuple":
        inner = inner.elts if isinstance(inner, ast.Tuple) else [inner]
        return isinstance(value, tuple) and len(value) == len(inner) and all(map(fits, value, inner))
    return True


@pytest.fixture
def wrong(monkeypatch):
    """What functions gave that their stubs do not say, while each tells what it gives."""
    found = {}

    def watched(function, key, said):
        @functools.wraps(function)
        def called(*args, **kwargs):
            value = function(*args, **kwargs)
            if not fits(value, said):
                found[key] = (type(value), ast.unparse(said))
            return value

        return called

    for (space, name), said in results().items():
        package = import_module(space)
        if name in Namespace(space).homes and inspect.isfunction(function := getattr(package, name)):
            monkeypatch.setattr(package, name, watched(function, f"{space}.{name}", said))
    return found


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.stem)
def test_functions_give_what_their_stubs_say(file, wrong):
    given = words(tf)
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        for expression, phrase in cases(file):
            if not phrase:
                eval(expression, dict(given))
    assert wrong == {}


@pytest.mark.parametrize(
    ("value", "said", "is_so"),
    [
        (1, "int", True), (1, "Tensor", False), ([1], "list[int]", True), ([1], "list[Tensor]", False),
        ((1, 2), "tuple[int, int]", True), ((1,), "tuple[int, int]", False), (None, "int | None", True),
        (1, "builtins.int", True), (1, "_Other", True),
    ],
)  # fmt: skip
def test_what_fits(value, said, is_so):
    assert fits(value, ast.parse(said, mode="eval").body) is is_so
