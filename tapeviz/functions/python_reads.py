"""On which lines functions read what a graph goes on with: from their source, when somebody wants to know."""

from __future__ import annotations

import ast
import builtins
import copy
import weakref
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any, Final

from tapeviz.autograph.source import NoSource, find
from tapeviz.functions.effects import place_of
from tapeviz.functions.python_state import Contents, PythonState, Value, same

__all__ = ["Read", "reads_of", "value_read"]

_MOST: Final = 64
_GROWING: Final = frozenset(("append", "extend", "insert", "add", "appendleft"))
_ONCE: Final = frozenset(("Variable", "add_weight", "add_variable", "get_variable"))
_CLOCKS: Final = frozenset((
    "time.time", "time.time_ns", "time.perf_counter", "time.perf_counter_ns", "time.monotonic", "time.process_time",
    "datetime.now", "datetime.utcnow", "datetime.today", "date.today", "uuid.uuid4", "uuid.uuid1",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Read:
    """What a function took from Python while it was traced, or did to it.

    Attributes:
        kind: ``value`` (read by name), ``counter`` (a number changed by the trace), ``list`` (a container that grew),
            ``random``, ``clock`` or ``iterator``.
        name: as the source says it.
        place: the code object and an instruction of the line.
        then, now: what it was for the trace, and is at a run; empty where that is not the question.
    """

    kind: str
    name: str
    place: tuple[CodeType, int]
    then: str = ""
    now: str = ""


_trees: Final[OrderedDict[CodeType, ast.AST | None]] = OrderedDict()


def _tree(code: CodeType, names: dict[str, Any]) -> ast.AST | None:
    if code not in _trees:
        cells = tuple([CellType() for _ in code.co_freevars])
        try:
            _trees[code] = copy.deepcopy(find(FunctionType(code, names, closure=cells)).node)
        except NoSource:
            _trees[code] = None
        while len(_trees) > _MOST:
            _trees.popitem(last=False)
    return _trees[code]


def reads_of(state: PythonState) -> Iterator[Read]:
    """What the trace drew, asked a clock for, took from an iterator, and put into lists: once, for all runs."""
    for code, names in state.functions:
        tree = _tree(code, names)
        if tree is None or code.co_name in ("__init__", "build"):
            continue
        for call, certain in _calls(tree):
            kind = _kind(call, certain, state, code, names)
            if kind and (place := place_of(code, call.lineno)) is not None:
                yield Read(kind, ast.unparse(call.func), place)


def _calls(node: ast.AST, certain: bool = True) -> Iterator[tuple[ast.Call, bool]]:
    """Calls whose result is not kept in a variable, and whether they are made each time the function runs."""
    if isinstance(node, ast.Call):
        if ast.unparse(node.func).rpartition(".")[2] in _ONCE:
            return
        yield node, certain
    for child in ast.iter_child_nodes(node):
        branch = isinstance(node, (ast.If, ast.IfExp, ast.Try)) and child is not getattr(node, "test", None)
        yield from _calls(child, certain and not branch)


def _kind(call: ast.Call, certain: bool, state: PythonState, code: CodeType, names: dict[str, Any]) -> str:
    path = _path(call.func)
    if not path or path[0] in code.co_varnames[code.co_argcount :]:
        return ""
    if len(path) > 1 and path[-1] in _GROWING and path[:-1] in state.grown:
        return "list"
    found = _resolved(path, names)
    owner = getattr(found, "__self__", None)
    module = "random" if type(owner).__module__ == "random" else "numpy.random" if _of_numpy(owner) else ""
    if path[:-1] in state.drawn or (module in state.drawn and path[-1] not in ("seed", "default_rng")):
        return "random"
    return _unseen_change(call, found, owner, names) if certain and not module else ""


def _unseen_change(call: ast.Call, found: Any, owner: Any, names: dict[str, Any]) -> str:
    """The kind of a call of whose effect there is no trace but that it was made."""
    if found is builtins.next:
        return "iterator" if call.args and _is_iterator(_path(call.args[0]), names) else ""
    home = getattr(owner, "__name__", None) or getattr(found, "__module__", None) or ""
    return "clock" if f"{home}.{getattr(found, '__name__', '')}" in _CLOCKS else ""


def _of_numpy(owner: Any) -> bool:
    return type(owner).__module__ in ("numpy.random.mtrand", "numpy.random._generator")


def _is_iterator(path: tuple[str, ...], names: dict[str, Any]) -> bool:
    found = _resolved(path, names)
    return hasattr(type(found), "__next__") and not type(found).__module__.startswith("tapeviz.")


def _resolved(path: tuple[str, ...], names: dict[str, Any]) -> Any:
    """The object behind a dotted name that goes by modules and classes; None for another."""
    if not path:
        return None
    found = names.get(path[0], getattr(builtins, path[0], None))
    for name in path[1:]:
        if not isinstance(found, (ModuleType, type)):
            return None
        found = getattr(found, name, None)
    return found


def _path(node: ast.AST) -> tuple[str, ...]:
    """The parts of a dotted name, with constant keys in brackets; none for anything else."""
    match node:
        case ast.Name(id=name):
            return (name,)
        case ast.Attribute(value=value, attr=attribute) if path := _path(value):
            return (*path, attribute)
        case ast.Subscript(value=value, slice=ast.Constant(value=key)) if path := _path(value):
            return (*path, f"[{key!r}]")
    return ()


def value_read(state: PythonState, value: Value, now: Any) -> Read | None:
    """Where a value was read that is another now; None where the functions read something else by that name."""
    own = same(now, value.left) and not same(value.then, value.left)
    if own and not (_is_number(value.then) and _is_number(now)):
        return None  # made when it was not there yet, as an attribute that is None before
    for code, names in state.functions:
        tree = _tree(code, names)
        if tree is None or (value.path[0] in code.co_varnames[code.co_argcount :]):
            continue
        sizes = _read_for_size(tree) if isinstance(now, Contents) else frozenset()
        for node in ast.walk(tree):
            if _path(node) != value.path or not _fits(node, own=own) or id(node) in sizes:
                continue
            place = place_of(code, getattr(node, "lineno", 0))
            if place is not None:
                kind = "counter" if own else "value"
                return Read(kind, _name(value.path), place, _text(value.then), _text(now))
    return None


def _fits(node: ast.AST, *, own: bool) -> bool:
    """Whether it is the place to name: where the trace changed it, or else where it was read."""
    return isinstance(getattr(node, "ctx", None), ast.Store if own else ast.Load)


def _read_for_size(tree: ast.AST) -> frozenset[int]:
    """Nodes that are read for their size alone, or written to: what else is in them does not go into a graph."""
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=value, attr="shape" | "dtype" | "ndim" | "size"):
                found.add(id(value))
            case ast.Call(func=ast.Name(id="len"), args=[value]):
                found.add(id(value))
            case ast.Call(func=ast.Attribute(value=value, attr=name)) if name in _GROWING:
                found.add(id(value))
            case ast.Subscript(value=value, ctx=ast.Store()):
                found.add(id(value))
    return frozenset(found)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _name(path: tuple[str, ...]) -> str:
    return "".join(part if part.startswith("[") or not at else f".{part}" for at, part in enumerate(path))


def _text(value: Any) -> str:
    if isinstance(value, Contents):
        return value.text
    return "a tensor" if isinstance(value, weakref.ref) else repr(value)
