"""The repository's own files, and the import graph of the package, read without importing anything."""

from __future__ import annotations

import ast
import functools
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@functools.cache
def files(*suffixes: str) -> list[Path]:
    """Return the files that git keeps or would keep, with one of these suffixes; generated ones left out."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    paths = [ROOT / name for name in sorted(filter(None, set(listed)))]
    return [p for p in paths if p.is_file() and ".gen." not in p.name and (not suffixes or p.suffix in suffixes)]


def relative(path: Path) -> str:
    """Return the path as it is written in a message."""
    return path.relative_to(ROOT).as_posix()


@dataclass(frozen=True)
class Import:
    """One import: which module imports what, on which line, and in which function (None at the top of the file)."""

    importer: str
    imported: str
    line: int
    function: str | None
    typing_only: bool

    def __str__(self) -> str:
        return f"{self.importer}:{self.line} imports {self.imported}"


@functools.cache
def modules() -> dict[str, Path]:
    """Return the package's modules by dotted name; a package is its ``__init__``."""
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in files(".py")
        if path.is_relative_to(ROOT / "tapeviz")
    }


@functools.cache
def imports() -> list[Import]:
    """Return each import in the package."""
    return [found for name, path in modules().items() for found in _Finder(name, path).found]


@functools.cache
def lazy_packages() -> set[str]:
    """Return the packages that find their names on first use (PEP 562), for which a function has to import."""
    packages = {name: path for name, path in modules().items() if path.name == "__init__.py"}
    lazy = ("\ndef __getattr__(", "\nattach(__name__")
    return {name for name, path in packages.items() if any(mark in path.read_text() for mark in lazy)}


def own(name: str) -> bool:
    """Tell whether a dotted name is of this package."""
    return name.partition(".")[0] == "tapeviz"


def outside(name: str) -> str | None:
    """Return the distribution's top-level name, or None for ours and for the standard library."""
    top = name.partition(".")[0]
    return None if own(name) or top in sys.stdlib_module_names else top


class _Finder(ast.NodeVisitor):
    def __init__(self, module: str, path: Path) -> None:
        self.module = module
        self.package = module if path.name == "__init__.py" else module.rpartition(".")[0]
        self.functions: list[str] = []
        self.typing_only = False
        self.found: list[Import] = []
        self.visit(ast.parse(path.read_text(encoding="utf-8")))

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.functions.append(node.name)
        self.generic_visit(node)
        self.functions.pop()

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815 (ast's naming)

    def visit_If(self, node: ast.If) -> None:
        outer = self.typing_only
        self.typing_only = outer or ast.unparse(node.test).endswith("TYPE_CHECKING")
        self.generic_visit(node)
        self.typing_only = outer

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._add(alias.name, node.lineno)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        base = node.module or ""
        if node.level:
            above = self.package.split(".")[: len(self.package.split(".")) - node.level + 1]
            base = ".".join([*above, *filter(None, [node.module])])
        for alias in node.names:
            submodule = f"{base}.{alias.name}"
            self._add(submodule if submodule in modules() else base, node.lineno)

    def visit_Call(self, node: ast.Call) -> None:
        name = ast.unparse(node.func)
        if name.endswith("import_module") and node.args:
            self._add(_imported(node.args[0]), node.lineno)
        self.generic_visit(node)

    def _add(self, imported: str, line: int) -> None:
        function = self.functions[0] if self.functions else None
        self.found.append(Import(self.module, imported, line, function, self.typing_only))


def _imported(name: ast.expr) -> str:
    """Return what ``import_module`` is given; of an f-string such as ``f"scipy.{part}"`` the head counts."""
    if isinstance(name, ast.JoinedStr):
        name = name.values[0]
    return str(name.value) if isinstance(name, ast.Constant) else "tapeviz (a computed name)"
