"""Writes down the names, kinds and signatures of CuPy: what `tests/backends/test_cupy_surface.py` holds the backend to.

CuPy's wheels install and import on a machine without a GPU. In a scratch environment with NumPy and SciPy, once for
the oldest version that pyproject.toml takes and once for the newest:

    pip install cupy-cuda12x==13.4.0
    python tests/backends/make_cupy_surface.py tests/backends/cupy_surface
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

MODULES = (
    "cupy", "cupy.linalg", "cupy.fft", "cupy.cuda", "cupy.cuda.runtime", "cupy.lib.stride_tricks", "cupyx",
    "cupyx.scipy.special", "cupyx.scipy.linalg", "cupyx.scipy.signal", "cupyx.scipy.fft", "cupyx.scipy.ndimage",
)  # fmt: skip
CLASSES = ("cupy.ndarray", "cupy.ufunc", "cupy.cuda.Event", "cupy.cuda.Device", "cupy.cuda.MemoryPool")


def surface() -> dict[str, Any]:
    """Return the version and, for each module and class, its names."""
    import cupy

    names = {module: _module(module) for module in MODULES}
    for path in CLASSES:
        module, _, name = path.rpartition(".")
        names[path] = _names(getattr(importlib.import_module(module), name))
    return {"version": cupy.__version__, "names": names}


def _module(name: str) -> dict[str, Any]:
    try:
        return _names(importlib.import_module(name))
    except ImportError:  # it looks for CUDA's libraries: what its source says, then
        source = Path(_folder(name), "__init__.py").read_text(encoding="utf-8")
        found: dict[str, Any] = {}
        for node in ast.parse(source).body:
            if isinstance(node, ast.ImportFrom) and node.module:
                found |= {alias.asname or alias.name: _parsed(node.module, alias.name) for alias in node.names}
        return {key: value for key, value in found.items() if not key.startswith("_")}


def _folder(name: str) -> Path:
    import cupy

    return Path(cupy.__file__).parents[1].joinpath(*name.split("."))


def _parsed(module: str, name: str) -> Any:
    """The signature of a function in a module's source."""
    path = _folder(module).with_suffix(".py")
    if not path.exists():
        return "value"
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            given = node.args
            plain = [*given.posonlyargs, *given.args]
            least = len(plain) - len(given.defaults)
            rows = [[one.arg, "POSITIONAL_OR_KEYWORD", at >= least] for at, one in enumerate(plain)]
            rows += [[given.vararg.arg, "VAR_POSITIONAL", False]] if given.vararg else []
            rows += [[one.arg, "KEYWORD_ONLY", default is not None]
                     for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)]  # fmt: skip
            return rows + ([[given.kwarg.arg, "VAR_KEYWORD", False]] if given.kwarg else [])
    return "value"


def _names(holder: Any) -> dict[str, Any]:
    found = {}
    for name in dir(holder):
        if name.startswith("_"):
            continue
        try:
            value = getattr(holder, name)
        except (AttributeError, ImportError, RuntimeError):  # what asks for a device when looked at
            continue
        found[name] = _described(value)
    return found


def _described(value: Any) -> Any:
    if isinstance(value, (ModuleType, type)) or not callable(value):
        return "module" if isinstance(value, ModuleType) else "type" if isinstance(value, type) else "value"
    if type(value).__name__ == "ufunc":
        return {"nin": value.nin, "nout": value.nout, "types": list(value.types)}
    try:
        return [[one.name, one.kind.name, one.default is not one.empty] for one in _parameters(value)]
    except (TypeError, ValueError):
        return "builtin"  # written in C, and says no signature


def _parameters(value: Any) -> Any:
    return inspect.signature(value).parameters.values()


if __name__ == "__main__":
    said = surface()
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    path = folder / f"{said['version']}.json"
    rows = [f'  "{name}": {json.dumps(names, separators=(",", ":"))}' for name, names in said["names"].items()]
    path.write_text(f'{{"version": "{said["version"]}", "names": {{\n' + ",\n".join(rows) + "\n}}\n", encoding="utf-8")
    print(path)
