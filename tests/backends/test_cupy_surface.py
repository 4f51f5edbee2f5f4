"""Each name of CuPy that the backend says is one of the real package's, oldest and newest: see make_cupy_surface.py.

That each op's calls fit the signatures is shown by test_cupy_module.py, whose stand-in checks every call.
"""

import ast
import re
import tomllib

import numpy as np
import pytest

from tapeviz.backends import cupy_backend, cupy_module
from tapeviz.backends.cupy_module import _METHODS, CupyModule
from tests.backends.imitation import Cupy, Cupyx, _Event
from tests.backends.surface import NEWEST, OLDEST, VERSIONS, check_call, names
from tests.structure.sources import ROOT

ROOTS = {"cupy": "cupy", "self._cupy": "cupy", "self._module._cupy": "cupy", "module._cupy": "cupy",
         "self._cupyx": "cupyx", "self._module._cupyx": "cupyx"}  # fmt: skip
# What calls of CuPy's give, by the name that the backend has for it.
GIVEN = {"pool": "cupy.cuda.MemoryPool", "event": "cupy.cuda.Event", "mark": "cupy.cuda.Event",
         "second": "cupy.cuda.Event"}  # fmt: skip
CALLS = {"cupy.get_default_memory_pool()": "cupy.cuda.MemoryPool", "cupy.cuda.Event()": "cupy.cuda.Event",
         "cupy.cuda.Device()": "cupy.cuda.Device"}  # fmt: skip


def said_names(module):
    """Return the dotted names of CuPy's in a module's source, such as ``cupy.cuda.Event``."""
    source = ROOT.joinpath(*module.__name__.split(".")).with_suffix(".py").read_text(encoding="utf-8")
    found = set()
    roots = ROOTS | (GIVEN if module is cupy_backend else {})
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute):
            text = re.sub(r"\([^()]*\)", "()", ast.unparse(node))
            for root, real in sorted(roots.items(), key=lambda item: -len(item[0])):
                if text.startswith(f"{root}."):
                    text = real + text.removeprefix(root)
                    break
            else:
                continue
            for call, kind in CALLS.items():
                text = text.replace(call, kind)
            if "()" not in text:
                found.add(text)
    return found


def has(version, path):
    """Whether a version has a dotted name, or what holds it is looked up by name when it is used."""
    holder, _, name = path.rpartition(".")
    return name in names(version)[holder]


def test_both_ends_of_what_pyproject_takes_are_there():
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    lowest = [re.search(r">=([\d.]+)", one)[1] for name in ("cuda12", "cuda13") for one in table[name]]
    assert min(map(_number, lowest)) == _number(OLDEST)[:2]
    assert _number(NEWEST) > _number(OLDEST)
    assert len(VERSIONS) >= 2


def _number(version):
    return tuple(map(int, version.split(".")))


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("module", [cupy_backend, cupy_module])
def test_each_name_that_the_backend_says_is_one_of_cupys(module, version):
    found = said_names(module)
    assert len(found) > 5
    assert {path for path in found if not has(version, path)} == set()


@pytest.mark.parametrize("version", VERSIONS)
def test_reductions_and_scatters_that_stand_in_for_methods_are_cupys(version):
    for whole, steps, scatter in _METHODS.values():
        assert whole in names(version)["cupy"]
        assert not steps or steps in names(version)["cupy"]
        assert not scatter or scatter in names(version)["cupyx"]
    check_call("sum", names(version)["cupy"]["sum"], (0,), {"axis": 0, "keepdims": True, "dtype": "f4"})
    with pytest.raises(TypeError, match="initial"):
        check_call("sum", names(version)["cupy"]["sum"], (0,), {"initial": 1})
    with pytest.raises(TypeError, match="no loop"):
        check_call("bitwise_and", names(version)["cupy"]["bitwise_and"], (np.ones(2), np.ones(2)), {})


@pytest.mark.parametrize("version", VERSIONS)
def test_the_stand_in_has_what_the_real_one_has_and_no_more(version):
    real, imitation = names(version), Cupy(version=version)
    for name in dir(np):
        if callable(getattr(np, name)) and not name.startswith("_") and not isinstance(getattr(np, name), type):
            assert hasattr(imitation, name) == (name in real["cupy"]), name
    own = {name for name in vars(Cupy) if not name.startswith("_")}
    assert own - real["cupy"].keys() - {"cuda", "linalg", "fft"} == set()
    assert {name for name in vars(Cupyx) if not name.startswith("_")} - real["cupyx"].keys() - {"asked"} == set()
    events = {name for name in vars(_Event) if not name.startswith("_")} - {"clock", "passed"}
    assert events - real["cupy.cuda.Event"].keys() == set()


@pytest.mark.parametrize("version", VERSIONS)
def test_functions_of_our_own_have_signatures_that_theirs_take(version):
    for name, args in (("take", ("a", "indices")), ("take_along_axis", ("a", "indices", 0))):
        assert hasattr(CupyModule, name)
        check_call(name, names(version)["cupy"][name], args, {} if name != "take" else {"axis": None})
