"""Run one program that was written for TensorFlow, with tapeviz in its place, on little data and for few steps.

    python tests/strangers/program.py FILE [--level 1.15]

A script runs whole or stops; of a notebook every cell runs, whatever became of those before. What happened is printed
as one JSON object on the last line.
"""

from __future__ import annotations

import argparse
import ast
import json
import linecache
import os
import re
import sys
import traceback
import types
import warnings
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

import tapeviz

FEW = 2
EXAMPLES = 64
COUNTS = re.compile(r"(?i)(epoch|step|iter|episode|num_train|n_train|^rounds?$|^trials$)")
# Steps in time are sizes of what a model takes.
SIZES = re.compile(r"(?i)(time_?_?step|^n_?steps?$|seq\w*_steps?|step_size|steps?_(in|out|ahead)|n_iter_)")
MANY = 30
WHOLE = (10_000, 50_000, 60_000, 70_000)
"""How many examples there are in sets that programs know by heart."""
IMAGES = {
    "mnist": ((28, 28), 10), "fashion_mnist": ((28, 28), 10), "cifar10": ((32, 32, 3), 10),
    "cifar100": ((32, 32, 3), 100),
}  # fmt: skip
SEQUENCES = {"imdb": 2, "reuters": 46}


class _Shorter(ast.NodeTransformer):
    """Counts of epochs and steps that are written as large numbers become small ones, and so do long loops."""

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        if any(_counts(target.id) for target in node.targets if isinstance(target, ast.Name)):
            node.value = _cut(node.value)
        return self.generic_visit(node)

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        if node.arg and _counts(node.arg):
            node.value = _cut(node.value)
        return self.generic_visit(node)

    def visit_Slice(self, node: ast.Slice) -> ast.AST:
        """Parts of a set of thousands of examples become parts of a small one."""
        node.lower, node.upper = (
            bound if bound is None else _cut(bound, EXAMPLES // 2, beyond=1000) for bound in (node.lower, node.upper)
        )
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "reshape":
            for sizes in node.args:
                for size in getattr(sizes, "elts", [sizes]):
                    if isinstance(size, ast.Constant) and size.value in WHOLE:
                        size.value = -1
        return self.generic_visit(node)

    def visit_For(self, node: ast.For) -> ast.AST:
        if isinstance(node.iter, ast.Call) and isinstance(node.iter.func, ast.Name) and node.iter.func.id == "range":
            node.iter.args = [_cut(argument, above=MANY * 10) for argument in node.iter.args]
        return self.generic_visit(node)


def _counts(name: str) -> bool:
    return COUNTS.search(name) is not None and SIZES.search(name) is None


def _cut(value: ast.expr, above: int = FEW, beyond: int = 0) -> ast.expr:
    if isinstance(value, ast.Constant) and type(value.value) is int and value.value > max(above, beyond):
        return ast.copy_location(ast.Constant(min(value.value, above)), value)
    return value


def _cells(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix != ".ipynb":
        yield text
        return
    book = json.loads(text)
    for cell in book.get("cells") or [cell for sheet in book.get("worksheets", []) for cell in sheet["cells"]]:
        source = cell.get("source", cell.get("input", ""))
        source = source if isinstance(source, str) else "".join(source)
        if cell["cell_type"] == "code" and source.strip() and not source.lstrip().startswith("%%"):
            lines = source.lstrip("\n").split("\n")
            indent = lines[0][: -len(lines[0].lstrip())]  # IPython takes that of the first line off
            lines = [line.removeprefix(indent) for line in lines]
            yield "\n".join(re.sub(r"^(\s*)(%\w|!).*", r"\1pass", line) for line in lines)


def _replace_data() -> None:
    """Have ``keras.datasets`` give small random sets of the same shapes and dtypes."""
    rng = np.random.default_rng(0)
    datasets = tapeviz.keras.datasets

    def images(shape: tuple[int, ...], classes: int) -> Any:
        def half() -> tuple[Any, Any]:
            labels = rng.integers(0, classes, EXAMPLES).astype("uint8")
            return rng.integers(0, 256, (EXAMPLES, *shape)).astype("uint8"), labels[:, None] if shape[2:] else labels

        return lambda *_args, **_kwargs: (half(), half())

    def sequences(classes: int) -> Any:
        def half(words: int, maxlen: int) -> tuple[Any, Any]:
            rows = np.empty(EXAMPLES, dtype=object)
            rows[:] = [rng.integers(1, words, rng.integers(5, maxlen)).tolist() for _ in range(EXAMPLES)]
            return rows, rng.integers(0, classes, EXAMPLES)

        def load(num_words: int | None = None, maxlen: int | None = None, **_kwargs: Any) -> Any:
            sizes = num_words or 1000, min(maxlen or 60, 60)
            return half(*sizes), half(*sizes)

        return load

    def numbers(*_args: Any, **_kwargs: Any) -> Any:
        def half() -> tuple[Any, Any]:
            return rng.normal(size=(EXAMPLES, 13)), rng.normal(20.0, 5.0, EXAMPLES)

        return half(), half()

    for name, (shape, classes) in IMAGES.items():
        _put(datasets, name, images(shape, classes))
    for name, classes in SEQUENCES.items():
        _put(datasets, name, sequences(classes))
        getattr(datasets, name).get_word_index = lambda *_args, **_kwargs: {f"word{at}": at for at in range(1, 1000)}
    _put(datasets, "boston_housing", numbers)


def _add_own_modules(path: Path) -> None:
    """Let a program within TensorFlow's own tree import what lies beside it there."""
    for folder in path.parents:
        package = folder.as_posix().partition("/tensorflow/")[2].replace("/", ".")
        if package.endswith(".python"):
            import_module(f"tensorflow.{package}").__path__.append(str(folder))


def _put(datasets: Any, name: str, load: Any) -> None:
    module = getattr(datasets, name, None)
    if module is not None:
        module.load_data = load


def _shorten_fit() -> None:
    fit = tapeviz.keras.Model.fit

    def shorter(model: Any, *args: Any, **kwargs: Any) -> Any:
        kwargs["epochs"] = min(kwargs.get("epochs", 1), kwargs.get("initial_epoch", 0) + 1)
        if not args or not isinstance(args[0], np.ndarray):
            kwargs["steps_per_epoch"] = min(kwargs.get("steps_per_epoch") or FEW, FEW)
        return fit(model, *args, **kwargs)

    tapeviz.keras.Model.fit = shorter


class _Shell:
    """What notebooks that were exported as scripts ask IPython for: nothing comes of it."""

    def __getattr__(self, name: str) -> Any:
        return lambda *_args, **_kwargs: None


def _stop(error: BaseException, file: str) -> dict[str, Any]:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(file)]
    line = f"{frames[-1].name}:{frames[-1].lineno}: {frames[-1].line}" if frames else ""
    return {"type": type(error).__name__, "message": str(error)[:600], "line": line[:200]}


def run(path: Path, level: str) -> dict[str, Any]:
    """Return how many cells there are, how many ran, and what stopped each of the others."""
    mpl.use("Agg")
    warnings.simplefilter("ignore")
    tapeviz.install_as_tensorflow(level)
    _add_own_modules(path)
    _replace_data()
    _shorten_fit()
    sys.argv = [str(path)]
    sys.path.insert(0, str(path.parent))
    module = types.ModuleType("__main__")  # in which a program's own tests are found
    sys.modules["__main__"] = module
    namespace = vars(module)
    namespace |= {"__file__": str(path), "display": print, "get_ipython": _Shell}
    cells, stops = 0, []
    for cells, source in enumerate(_cells(path), 1):
        file = f"{path}:{cells}"
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        try:
            exec(compile(_Shorter().visit(ast.parse(source, file)), file, "exec"), namespace)
        except SystemExit as end:
            if end.code not in (None, 0):
                stops.append(_stop(end, str(path)))
        except BaseException as error:  # noqa: BLE001 - whatever stops a program is what this is about
            stops.append({"cell": cells, **_stop(error, str(path))})
    return {"cells": cells, "ran": cells - len(stops), "stops": stops}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--level", default="2.21")
    given = parser.parse_args()
    os.environ.setdefault("MPLBACKEND", "Agg")
    print("\n" + json.dumps(run(given.file.resolve(), given.level)))
