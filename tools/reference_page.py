"""Write docs/ops.md: every public function and every op, from the declarations alone.

python -m tools.reference_page
"""

from __future__ import annotations

import inspect
import re
from collections import defaultdict
from collections.abc import Mapping
from enum import EnumType
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from tapeviz.engine import types
from tapeviz.engine.declaration import FAMILIES, Op, registry
from tapeviz.namespaces.lazy import Namespace
from tapeviz.namespaces.table import NAMESPACES

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "ops.md"
CASES = ROOT / "tests" / "reference" / "cases"
HEAD = """# Every op and every public function

Made from the declarations by `python -m tools.reference_page`; a test says when it is out of date.

**An op** is what a tape and a recording see. Its shape and dtype rule, its gradients, its formulas and the inputs that
it is tested with are declared in one place. **A public function** is an op itself or is made of ops.

Checks, which each op gets from its declaration: `spec`: the inferred shape and dtype are those of the value; `strict`:
on a second device, which mixes with nothing, the results are the same to the bit; `watched`: tapes, observers and
recordings change no bit; `f32`, `f16`: no dtype is widened on the way; `grad` and `grad²`: gradients of first and
second order agree with finite differences; `jvp`: forward mode agrees with both; `TF n`: as many expressions with it
are compared with answers stored from TensorFlow.
"""
# Their names are there under TensorFlow 2's, too.
OLDER = ("tapeviz.compat", "tapeviz.contrib")
LESS_PRECISE = {"f32": np.dtype(np.float32), "f16": np.dtype(np.float16)}
SETS = (
    ("any number", types.NUMBERS | types.COMPLEXES), ("real number", types.NUMBERS), ("float or complex", types.FIELDS),
    ("float", types.FLOATS), ("integer", types.INTEGERS), ("bool", types.BOOL), ("complex", types.COMPLEXES),
)  # fmt: skip


def page() -> str:
    """Return the text of the page."""
    public = _public_names()
    references = _references()
    functions = sorted(path for path, value in public.items() if not isinstance(value, Op))
    named: dict[str, list[str]] = defaultdict(list)
    for path, value in sorted(public.items()):
        if isinstance(value, Op):
            named[value.name].append(path)
    unnamed = registry.keys() - named.keys()
    for path in functions:
        if (name := path.rpartition(".")[2]) in unnamed:  # the wrapper beside an op has its name
            named[name].append(path)
    parts = [HEAD, f"{len(public)} public names, {len(registry)} ops.\n"]
    for family in FAMILIES:
        rows = [_op_row(op, named[name], references) for name, op in sorted(registry.items()) if op.family == family]
        if rows:
            parts += [
                f"## Ops: {family}\n",
                "| op | what it computes | gradient | dtypes | checks |",
                "|---|---|---|---|---|",
            ]
            parts += [*rows, ""]
    parts += ["## Functions made of ops, and classes\n", "| name | what it does | checks |", "|---|---|---|"]
    parts += [_function_row(path, public[path], references) for path in functions]
    return "\n".join(parts) + "\n"


def _public_names() -> dict[str, Any]:
    """Return what is behind each public name of the engine, by its path; an op's function as the op."""
    import_module("tapeviz.ops")
    return {
        f"{space.replace('tapeviz', 'tf', 1)}.{name}": getattr(import_module(home), theirs)
        for space, table in NAMESPACES.items()
        if isinstance(table, Mapping) and not space.startswith(OLDER)
        for name, (home, theirs) in Namespace(space).homes.items()
        if home.startswith(("tapeviz.engine", "tapeviz.ops")) and ":" not in home
    }


def _references() -> dict[str, int]:
    """Return in how many stored expressions a name is called."""
    counts: dict[str, int] = defaultdict(int)
    for file in sorted(CASES.glob("*.txt")):
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.strip() and not line.startswith("#"):
                for path in set(re.findall(r"\btf(?:\.\w+)+", line)):
                    counts[path] += 1
    return counts


def _op_row(op: Op, paths: list[str], references: dict[str, int]) -> str:
    names = f"**{op.name}**" + "".join(f"<br>`{path}`" for path in paths)
    gradients = "<br>".join(_formula(formula) for formula in op.vjp_formula) or "none"
    what = f"{_cell(op.doc)}<br>{_formula(op.formula)}"
    return f"| {names} | {what} | {gradients} | {_dtypes(op)} | {_checks(op, paths, references)} |"


def _checks(op: Op, paths: list[str], references: dict[str, int]) -> str:
    samples = [inputs for inputs, _attrs in op.samples(np.random.default_rng(0))]
    floats = any(array.dtype == np.float64 for inputs in samples for array in inputs)
    done = ["spec", "watched", "strict"]
    done += [name for name, dtype in LESS_PRECISE.items() if floats and op.family != "variable" and _takes(op, dtype)]
    done += ["grad", "grad²", "jvp"] if op.vjp else []
    count = sum(references.get(path, 0) for path in paths)
    return " · ".join(done + [f"TF {count}"] * bool(count))


def _takes(op: Op, dtype: np.dtype) -> bool:
    sets = [taken for taken in op.types.values() if isinstance(taken, frozenset) and np.dtype(np.float64) in taken]
    return all(dtype in taken for taken in sets)


def _function_row(path: str, value: Any, references: dict[str, int]) -> str:
    doc = (inspect.getdoc(value) or "").partition("\n\n")[0]
    signature = _signature(value)
    checks = [f"TF {count}"] if (count := references.get(path, 0)) else []
    checks += ["example"] if ">>>" in (inspect.getdoc(value) or "") else []
    return f"| `{path}{signature}` | {_cell(' '.join(doc.split()))} | {' · '.join(checks)} |"


def _signature(value: Any) -> str:
    if not callable(value) or isinstance(value, EnumType):
        return ""
    try:
        return f"({', '.join(inspect.signature(value).parameters)})"
    except (TypeError, ValueError):
        return "()"


def _dtypes(op: Op) -> str:
    said = []
    for name in op.inputs:
        rule = op.types[name]
        if isinstance(rule, str):
            continue
        text = "any" if rule is None else _set_text(frozenset(rule))
        said.append(text if len(op.inputs) == 1 else f"{name}: {text}")
    return "<br>".join(said) or "none"


def _set_text(dtypes: frozenset[Any]) -> str:
    for name, known in SETS:
        if dtypes == known:
            return name
    return ", ".join(sorted(dtype.name for dtype in dtypes))


def _formula(latex: str) -> str:
    return f"$`{latex}`$".replace("\\|", "\\Vert ").replace("|", "\\vert ")


def _cell(text: str) -> str:
    return text.replace("``", "`").replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
