"""Write the stubs (.pyi) of the lazy packages, from the table of namespaces and the declarations of ops.

    python -m tools.stubs

A class, a constant, and a function whose result is annotated in its source come from there by an import. The function
of an op is written out from its declaration; so is a function made of ops that takes and gives `Any` in its source,
because what converts to a tensor there is no more a tensor than what the function of an op gives: here it is.
"""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any, Final

from tapeviz.compat.v1.importer import Importer
from tapeviz.compat.v1.namespace_wrappers import PLAIN
from tapeviz.engine.declaration import Op
from tapeviz.namespaces.lazy import Namespace
from tapeviz.namespaces.table import NAMESPACES

ROOT = Path(__file__).parents[1]
HEAD = "# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.\n"
OLD = "tapeviz.compat.v1"
# Rooms whose functions are made of ops: `Any` there is a tensor, or what converts to one.
OF_OPS = (
    "tapeviz.ops.", "tapeviz.keras.activations.", "tapeviz.keras.losses.", "tapeviz.keras.metrics.",
    "tapeviz.keras.layers.merge", "tapeviz.engine.dlpack",
    "tapeviz.compat.v1.v1_functions", "tapeviz.compat.v1.losses.",
)  # fmt: skip
# Functions that are made from something else, whose signatures no source says.
OF_CLASSES = "tapeviz.compat.v1.layers.layer_functions"
ALIASES = "tapeviz.engine.annotations"
TENSOR = ("tapeviz.engine.tensor", "Tensor")
_EMPTY = inspect.Parameter.empty

_DTYPES = (
    "dtype dtype_hint index_type out_idx out_type output_dtype output_idx_type output_type tensor_dtype Tout type "
    "tf_type type_value"
)
_SHAPES = (
    "shape shape_x shape_y batch_shape dims input_shape input_sizes filter_sizes noise_shape output_shape size shapes"
)
# Python's own objects: structures, functions, configurations, and whatever is only handed on.
_ANYTHING = (
    "args config control_inputs custom_objects data devices elems fn identifier inp input_signature inputs kwargs "
    "loop_vars metric module_objects nest1 nest2 options seed shape_invariants structure var"
)
PARAMETERS: Final = {
    **dict.fromkeys(_DTYPES.split(), "DTypeLike"),
    **dict.fromkeys(_SHAPES.split(), "ShapeLike"),
    **dict.fromkeys(_ANYTHING.split(), "Any"),
}
TAKES: Final = {
    "print": "Any",
    "serialize": "Any",
    "assert_type": "Any",
    "flatten": "Any",
    "pack_sequence_as": "Any",
    "is_nested": "Any",
}
# What functions made of ops give where it is not one tensor; tests/structure/test_stubs.py holds them to it.
_PAIR = "tuple[Tensor, Tensor]"
_LIST = "list[Tensor]"
RESULTS: Final = {
    **dict.fromkeys(("eig", "eigh", "image_gradients", "moments", "normalize", "normalize_moments",
                     "required_space_to_batch_paddings", "weighted_moments", "lu", "qr", "slogdet", "top_k", "unique",
                     "max_pool_with_argmax"), _PAIR),
    **dict.fromkeys(("dynamic_partition", "identity_n", "meshgrid", "shape_n", "split", "unstack"), _LIST),
    "clip_by_global_norm": "tuple[list[Gradient], Tensor]",
    "clip_by_norm": "Tensor | IndexedSlices",
    "tapeviz.random.split": "Tensor",
    "eigh_tridiagonal": f"Tensor | {_PAIR}",
    "sufficient_statistics": "tuple[Tensor, Tensor, Tensor, Tensor | None]",
    "svd": "Tensor | tuple[Tensor, Tensor, Tensor]",
    "unique_with_counts": "tuple[Tensor, Tensor, Tensor]",
    **dict.fromkeys(("custom_gradient", "deserialize", "get", "get_static_value", "group", "map_structure", "no_op",
                     "numpy_function", "pack_sequence_as", "py_function", "serialize", "tuple", "to_dlpack",
                     "while_loop"), "Any"),
}  # fmt: skip


def stubs() -> dict[Path, str]:
    """Return the text of each stub, by its path."""
    import_module("tapeviz.ops")
    drafts = {_path(name): _Stub(name).text() for name in NAMESPACES}
    drafts |= {_path(f"{OLD}.{name}"): _Stub(f"{OLD}.{name}").text_of_old(f"tapeviz.{name}") for name in _old_spaces()}
    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate(drafts.values()):
            Path(folder, f"{number}.pyi").write_text(text, encoding="utf-8")
        ruff = [sys.executable, "-m", "ruff"]
        for command in (["check", "--quiet", "--fix", "--select=I001,F401"], ["format", "--quiet"]):
            subprocess.run([*ruff, *command, "--isolated", "--line-length=120", folder], check=True)
        return {
            path: HEAD + Path(folder, f"{number}.pyi").read_text(encoding="utf-8") for number, path in enumerate(drafts)
        }


def _path(name: str) -> Path:
    """Return where the stub of a package is: beside its source."""
    source = ROOT.joinpath(*name.split("."))
    return source / "__init__.pyi" if source.is_dir() else source.with_suffix(".pyi")


def _old_spaces() -> list[str]:
    """Return the namespaces of TensorFlow 1 whose functions are those of TensorFlow 2, building graphs."""
    importer = next(one for one in sys.meta_path if isinstance(one, Importer))
    return sorted(importer.spaces & {name.partition(".")[2] for name in NAMESPACES} - PLAIN)


class _Stub:
    """The stub of one namespace: imports, and signatures."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._imports: dict[str, set[str]] = defaultdict(set)
        self._lines: list[str] = []
        self._table = NAMESPACES.get(name, "")
        self._listed: list[str] = []

    def text(self) -> str:
        if isinstance(self._table, str):
            return f"from {self._table} import *\nfrom {self._table} import __all__ as __all__\n"
        names = Namespace(self._name)
        self._listed = sorted(import_module(OLD).__all__) if self._name == OLD else names.listed
        for module in sorted(names.modules):
            target = NAMESPACES.get(f"{self._name}.{module}")
            # What is the package itself has no package to be imported from.
            other = isinstance(target, str) and "." in target
            home, _, last = (str(target) if other else f"{self._name}.{module}").rpartition(".")
            self._imports[home].add(last if last == module else f"{last} as {module}")
        for name, (home, theirs) in sorted(names.homes.items()):
            self._add(name, home, theirs)
        if self._name == OLD:
            self._add_new(names)
        self._lines += OWN.get(self._name, ())
        return self._written()

    def text_of_old(self, home: str) -> str:
        """A namespace whose functions are TensorFlow 2's, with the arguments' old names too."""
        added = import_module(f"{OLD}.v1_functions").ADDED.get(home, {})
        self._listed = sorted({*import_module(home).__all__, *added})
        own = Namespace(self._name).homes if isinstance(self._table, Mapping) else {}
        changed = {name for name in self._listed if name in {*added, *own} or self._add_changed(name, home)}
        for name in sorted(added):
            self._lines += self._function(name, added[name])
        self._imports[home] |= {*self._listed} - changed
        if self._table:
            names = Namespace(self._name)
            for name, (place, theirs) in sorted(names.homes.items()):
                self._add(name, place, theirs)
            self._listed = sorted({*self._listed, *names.listed})
        return self._written()

    def _written(self) -> str:
        imports = [f"from {home} import {', '.join(sorted(taken))}" for home, taken in sorted(self._imports.items())]
        offered = sorted({*self._listed, *OFFERED.get(self._name, ())})
        return "\n".join(["import builtins", *imports, f"__all__ = {offered!r}", *self._lines]) + "\n"

    def _add(self, name: str, home: str, theirs: str) -> None:
        if ":" in home:
            self._lines.append(f"{name}: {self._taken('tapeviz.engine.dtypes', 'DType')}")
            return
        found = getattr(import_module(home), theirs)
        if isinstance(found, Op):
            self._lines += self._function_of(name, found)
        elif _is_of_ops(found, home):
            self._lines += self._function(name, found)
        else:
            self._imports[home].add(theirs if name == theirs else f"{theirs} as {name}")

    def _add_new(self, names: Namespace) -> None:
        """TensorFlow 2's names in TensorFlow 1's namespace, which take arguments by their old names too."""
        others = {name for name in self._listed if self._add_changed(name, names.homes.get(name, ("tapeviz",))[0])}
        for taken in self._imports.values():
            taken.difference_update(others)
        spaces = {*_old_spaces()}
        self._imports[OLD] |= spaces
        self._imports["tapeviz"] |= {*self._listed} - {*names.listed, *others, *spaces}

    def _add_changed(self, name: str, home: str) -> bool:
        """Whether a function has another meaning in TensorFlow 1, or arguments of other names: then with them."""
        changed = import_module(f"{OLD}.v1_functions")
        if name in changed.REPLACED:
            self._lines += self._function(name, changed.REPLACED[name])
        elif name in changed.KEYWORDS:
            self._lines += self._renamed(name, getattr(import_module(home), name), changed.KEYWORDS[name])
        return name in changed.REPLACED or name in changed.KEYWORDS

    def _renamed(self, name: str, found: FunctionType, old: Mapping[str, str]) -> list[str]:
        """A function whose arguments have old names too: by keyword, and where one is needed in an overload."""
        head = self._head(name, found)
        ours = head.parameters
        added = {other: ours[new] for other, new in old.items() if other not in ours}
        more = [_by_keyword(one, other) for other, one in added.items() if one.default is not _EMPTY]
        both = head.replace(parameters=[*ours.values(), *more])
        needed = {one.name: other for other, one in added.items() if one.default is _EMPTY}
        if not needed:
            return [f"def {name}{both}:", f"    {_summary(found)}"]
        first = [*ours].index(next(iter(needed)))
        rest = [_by_keyword(one, needed.get(one.name, one.name)) for one in both.parameters.values()]
        others = both.replace(parameters=[*ours.values()][:first] + rest[first:])
        overload = f"@{self._taken('typing', 'overload')}"
        return [line for each in (both, others) for line in (overload, f"def {name}{each}: ...")]

    def _function_of(self, name: str, op: Op) -> list[str]:
        """The function of an op, from its declaration."""
        like = self._taken(ALIASES, "TensorLike")
        inputs = (
            [f"*{only}: {like}" for only in op.inputs] if op.variadic else [f"{each}: {like}" for each in op.inputs]
        )
        any_ = self._taken("typing", "Any") if op.attrs else ""
        attrs = [f"{attr}: {any_}" + ("" if default is inspect.Parameter.empty else f" = {_value(default)}")
                 for attr, default in op.attrs.items()]  # fmt: skip
        tensor = self._taken(*TENSOR)
        result = f"{self._builtin('tuple')}[{tensor}, ...]" if op.many else tensor
        parameters = ", ".join([*inputs, *attrs, f"name: {self._builtin('str')} | None = None"])
        return [f"def {name}({parameters}) -> {result}:", f"    {_sentence(op.doc)}"]

    def _function(self, name: str, found: FunctionType) -> list[str]:
        """A function made of ops."""
        return [f"def {name}{self._head(name, found)}:", f"    {_summary(found)}"]

    def _head(self, name: str, found: FunctionType) -> inspect.Signature:
        signature = inspect.signature(found)
        parameters = [
            one.replace(annotation=_Name(self._parameter(found, one)), default=_default(one))
            for one in signature.parameters.values()
        ]
        said = signature.return_annotation
        result = RESULTS.get(f"{self._name}.{name}") or RESULTS.get(name, "Tensor" if said == "Any" else said)
        return signature.replace(
            parameters=parameters, return_annotation=_Name(self._resolved(result, found.__module__))
        )

    def _parameter(self, function: FunctionType, parameter: inspect.Parameter) -> str:
        said = parameter.annotation
        if said == "Any" and function.__module__ != OF_CLASSES:
            said = TAKES.get(function.__name__) or PARAMETERS.get(parameter.name, "TensorLike")
            if said != "Any" and parameter.default is None:
                said += " | None"
        return self._resolved(said, function.__module__)

    def _resolved(self, annotation: str, home: str) -> str:
        """The annotation of a module, with names that this stub has."""
        known = _names_in(home)
        tree = ast.parse(annotation, mode="eval")
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                if node.id in known:
                    node.id = self._taken(*known[node.id])
                elif hasattr(builtins, node.id):
                    node.id = self._builtin(node.id)
        return ast.unparse(tree)

    def _taken(self, home: str, name: str) -> str:
        """The name under which this stub has a type for its annotations alone, or offers it."""
        if name in self._listed and isinstance(self._table, Mapping):
            where = Namespace(self._name).homes.get(name)
            if where == (home, name):
                return name
        self._imports[home].add(f"{name} as _{name.lstrip('_')}")
        return f"_{name.lstrip('_')}"

    def _builtin(self, name: str) -> str:
        return f"builtins.{name}" if name in self._listed else name


class _Name:
    """Text that is shown as it is where an annotation stands in a signature."""

    __module__ = ""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


# What packages have that no table says.
OFFERED: Final = {
    "tapeviz.keras": ("__version__",),
    "tapeviz": ("__version__", "newaxis"),
    "tapeviz.experimental.numpy": ("newaxis",),
}
OWN: Final = {
    "tapeviz.keras": ("__version__: str",),
    "tapeviz.experimental.numpy": ("newaxis: None",),
    "tapeviz": (
        "__version__: str",
        "newaxis: None",
        "def load_ipython_extension(shell: object) -> None: ...",
        "def unload_ipython_extension(shell: object) -> None: ...",
    ),
}


def _is_of_ops(found: Any, home: str) -> bool:
    return inspect.isfunction(found) and home.startswith((*OF_OPS, OF_CLASSES))


def _by_keyword(parameter: inspect.Parameter, name: str) -> inspect.Parameter:
    """The parameter under a name; without a value of its own it is None where the other name is used."""
    if name == parameter.name or parameter.default is _EMPTY:
        return parameter.replace(name=name, kind=inspect.Parameter.KEYWORD_ONLY)
    said = f"{parameter.annotation}".removesuffix(" | None")
    return parameter.replace(
        name=name, kind=inspect.Parameter.KEYWORD_ONLY, annotation=_Name(f"{said} | None"), default=None
    )


def _default(parameter: inspect.Parameter) -> Any:
    return parameter.default if parameter.default is parameter.empty else _Name(_value(parameter.default))


def _value(default: Any) -> str:
    text = repr(default)
    plain = default is None or isinstance(default, (bool, int, str, tuple, float))
    return text if plain and "inf" not in text and "nan" not in text else "..."


def _summary(function: FunctionType) -> str:
    return _sentence((inspect.getdoc(function) or "").partition("\n\n")[0])


def _sentence(doc: str) -> str:
    """A docstring of one sentence, or paragraph."""
    text = " ".join(doc.split())
    return ("r" if "\\" in text else "") + f'"""{text}"""'


@functools.cache
def _names_in(module: str) -> dict[str, tuple[str, str]]:
    """Where each name comes from that a module imports or defines, and those of the aliases."""
    known = {name: (ALIASES, name) for name in import_module(ALIASES).__all__}
    known |= {
        "Tensor": TENSOR,
        "Any": ("typing", "Any"),
        "Gradient": ("tapeviz.engine.tape", "Gradient"),
        "IndexedSlices": ("tapeviz.engine.indexed_slices", "IndexedSlices"),
    }
    tree = ast.parse(inspect.getsource(import_module(module)))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            known |= {alias.asname or alias.name: (node.module or "", alias.name) for alias in node.names}
    known |= {node.name: (module, node.name) for node in _classes(tree)}
    return known


def _classes(tree: ast.Module) -> Iterator[ast.ClassDef]:
    return (node for node in tree.body if isinstance(node, ast.ClassDef))


def main() -> None:
    """Write each stub."""
    for path, text in stubs().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
