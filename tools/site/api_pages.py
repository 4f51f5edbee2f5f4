"""The reference: a page for each namespace, made from the table of public names and from docstrings.

Sphinx's autodoc would import and inspect each of some 1,500 names and miss those that are no plain functions; here the
table says what there is, and Sphinx has only to read text. What has several names is described under the first, and the
others link there.
"""

from __future__ import annotations

import enum
import inspect
import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

from sphinx.ext.napoleon import Config, GoogleDocstring

from tapeviz.namespaces.lazy import Namespace
from tapeviz.namespaces.table import NAMESPACES
from tools.site.signatures import signature

NAPOLEON = Config(napoleon_use_param=False, napoleon_use_rtype=False, napoleon_use_ivar=True)
BARS = re.compile(r"\|(\w+)\|")
HEAD = "Every public name, as the package's own table has it; what stands under several names is described once.\n"


def write(folder: Path, only: Sequence[str] = ()) -> None:
    """Write the pages and the list of them into the folder; of these namespaces alone, where some are given."""
    folder.mkdir(parents=True, exist_ok=True)
    spaces = only or [space for space, table in NAMESPACES.items() if not isinstance(table, str)]
    described: dict[int, str] = {}
    pages = []
    for space in sorted(spaces, key=lambda space: (space.startswith("tapeviz.compat"), spaces.index(space))):
        entries = list(_entries(space, described))
        if entries:
            name = _name(space)
            doc = inspect.getdoc(import_module(space)) or ""
            text = [_title(name), doc.partition("\n\n")[0], "", *entries]
            (folder / f"{name}.rst").write_text("\n".join(text), encoding="utf-8")
            pages.append(name)
    listed = [_title("The whole API"), HEAD, ".. toctree::", "   :maxdepth: 1", "", *(f"   {name}" for name in pages)]
    (folder / "api.rst").write_text("\n".join([*listed, ""]), encoding="utf-8")


def described(name: str, value: Any) -> list[str]:
    """A class, function or constant as the directive of Sphinx's that describes it."""
    if inspect.isclass(value):
        return [f".. py:class:: {name}{signature(value)}", "", *_indented(_doc(value)), *_members(value)]
    if callable(value) and not isinstance(value, enum.EnumType):
        return [f".. py:function:: {name}{signature(value)}", "", *_indented(_doc(value))]
    return [f".. py:data:: {name}", f"   :value: {_one_line(value)}", "", *_indented(_doc_of_constant(value))]


def _entries(space: str, known: dict[int, str]) -> Iterator[str]:
    module = import_module(space)
    aliases = []
    for name in sorted(Namespace(space).homes):
        value, path = getattr(module, name), f"{_name(space)}.{name}"
        first = known.get(id(value)) if callable(value) else None
        if first is not None:
            aliases.append(f"* ``{path}`` is :py:obj:`{first}`")
            continue
        known[id(value)] = path
        yield from described(path, value)
    if aliases:
        yield from ("", "Other names", "-----------", "", *aliases, "")


def _members(cls: type) -> Iterator[str]:
    """The methods and properties of a class and of its bases of ours, but for those that nobody described."""
    seen = set()
    for base in cls.__mro__:
        if not base.__module__.startswith("tapeviz"):
            continue
        for name, member in vars(base).items():
            if name.startswith("_") or name in seen:
                continue
            seen.add(name)
            function = getattr(member, "__func__", member)
            plain = type(function).__module__ == "builtins" and not isinstance(function, (FunctionType, property))
            if plain or not inspect.getdoc(function):
                continue
            if base is not cls and len(cls.__mro__) > 2 and cls.__module__.startswith("tapeviz.keras"):  # noqa: PLR2004
                continue  # what all layers have is described with the class that they share
            kind = "method" if callable(function) else "attribute"
            head = f"{name}{signature(function, bound=True)}" if kind == "method" else name
            yield from _indented([f".. py:{kind}:: {head}", "", *_indented(_doc(function))])


def _doc(value: Any) -> list[str]:
    doc = inspect.getdoc(value) or ""
    lines = GoogleDocstring(doc.replace("Example::\n", "Example:\n\n::\n"), NAPOLEON).lines()
    return [_marked_up(line) for line in _hanging("\n".join(lines).split("\n"))]


def _hanging(lines: list[str]) -> Iterator[str]:
    """The lines, with those that go on with an error indented: napoleon leaves them at the margin."""
    within = False
    for line in lines:
        if within and line.strip() and not line.startswith((":", " ")):
            yield f"    {line}"
            continue
        within = line.startswith(":raises")
        yield line


def _doc_of_constant(value: Any) -> list[str]:
    return [] if isinstance(value, (int, str, float, tuple)) else _doc(value)[:1]


def _marked_up(line: str) -> str:
    """A line with the formula that docstrings of ops have between dollars, and with bars that are bars."""
    head, dollar, rest = line.partition("Formula: $")
    formula, closing, tail = rest.rpartition("$")
    if dollar and closing:
        return f"{head}Formula: :math:`{formula}`{tail}"
    parts = line.split("``")
    return "``".join(part if at % 2 else BARS.sub(r"\\|\1\\|", part) for at, part in enumerate(parts))


def _indented(lines: list[str]) -> list[str]:
    return [f"   {line}" if line.strip() else "" for line in [*lines, ""]]


def _one_line(value: Any) -> str:
    return " ".join(repr(value).split())[:120]


def _name(space: str) -> str:
    return space.replace("tapeviz", "tf", 1)


def _title(text: str) -> str:
    return f"{text}\n{'=' * len(text)}\n"
