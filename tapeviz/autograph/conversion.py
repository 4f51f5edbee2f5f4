"""Converting functions: source, passes, code, and what is kept for those who want to see it."""

from __future__ import annotations

import ast
import builtins
import functools
import logging
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from time import perf_counter
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Final

from tapeviz.autograph.compiler import compiled
from tapeviz.autograph.converters.function import converted_tree
from tapeviz.autograph.eligibility import is_library_module, reason_against, takes_functions
from tapeviz.autograph.lines import line_map
from tapeviz.autograph.source import NoSource, find
from tapeviz.engine.state import local

__all__ = ["MOST", "Conversion", "convert", "converted_callee", "known", "operators"]

MOST: Final = 1024
logger: Final = logging.getLogger("tapeviz")

operators: Final = ModuleType("ag", "The operators that converted code calls, as it sees them.")
"""What ``ag`` is in converted code; the operators put themselves here when the first function is converted."""
_OPERATORS: Final = "tapeviz.autograph.operators"


@dataclass(frozen=True, slots=True)
class Conversion:
    """What became of a function.

    Args:
        source: its text.
        generated: the converted code, for people: the code that runs has the lines of the source.
        line_map: pairs of a line of ``generated`` (from 1) and a line of ``file`` that it comes from.
        file: where the source is, a path or the made-up name of a notebook cell.
        seconds: how long the conversion took.
        reason: why it was not converted; empty when it was.
    """

    source: str
    generated: str
    line_map: list[tuple[int, int]]
    file: str
    seconds: float
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Converted:
    """Converted code, or None where there is none; ``original`` is held so that its identity stays its own."""

    original: CodeType
    code: CodeType | None
    conversion: Conversion
    made: list[CodeType] = field(default_factory=list)


known: Final[OrderedDict[int, _Converted]] = OrderedDict()
_made: Final[dict[int, CodeType]] = {}
"""All code that was made here, functions inside included, by identity: it is not converted once more."""


def convert(function: Callable[..., Any]) -> tuple[Callable[..., Any], Conversion]:
    """The converted function, which shares globals, closure and defaults with the original, and what became of it.

    Functions that are not converted are given back as they are; ``reason`` then says why. Conversions are kept for each
    piece of code.
    """
    reason = reason_against(function)
    if reason.startswith("it is an object"):
        call: Any = getattr(type(function), "__call__", None)  # noqa: B004 - not whether, but what
        if isinstance(call, FunctionType) and (hasattr(call, "__rewrap__") or not reason_against(call)):
            return convert(MethodType(call, function))
    if isinstance(function, FunctionType) and hasattr(function, "__rewrap__"):
        # Ours is only the wrapping: what is inside is the user's.
        made, conversion = convert(vars(function)["__wrapped__"])
        return function.__rewrap__(made), conversion
    if reason and not isinstance(function, MethodType):
        return function, Conversion("", "", [], "", 0.0, reason)
    if isinstance(function, functools.partial):
        made, conversion = convert(function.func)
        return functools.partial(made, *function.args, **function.keywords), conversion
    if isinstance(function, MethodType):
        if not reason:
            _note(function.__func__, function.__self__)
        made, conversion = convert(function.__func__)
        return MethodType(made, function.__self__), conversion
    return _convert(function)  # type: ignore[arg-type]


def _convert(function: FunctionType) -> tuple[FunctionType, Conversion]:
    _note(function, None)
    code = function.__code__
    found = known.get(id(code))
    if found is None:
        if id(code) in _made:
            return function, Conversion("", "", [], code.co_filename, 0.0, "it is converted")
        found = known[id(code)] = _conversion(function)
        _made.update((id(inner), inner) for inner in found.made)
        while len(known) > MOST:
            for inner in known.popitem(last=False)[1].made:
                _made.pop(id(inner), None)
    if found.code is None:
        return function, found.conversion
    return _instance(function, found.code), found.conversion


def _note(function: Any, owner: Any) -> None:
    """Say to the trace that is being made which functions run in it."""
    graph: Any = local.state.graph
    if graph is not None and (state := graph.root.python_state) is not None:
        state.enter(function, owner)


def converted_callee(function: Any) -> Any:
    """What converted code calls in the place of a callable."""
    if function.__class__ is FunctionType and id(function.__code__) in _made:
        return function
    return function if isinstance(function, (type, BuiltinFunctionType)) else convert(function)[0]


def _conversion(function: FunctionType) -> _Converted:
    t0 = perf_counter()
    code = function.__code__
    try:
        source = find(function)
        node, name, given = converted_tree(source.node, _is_builtin(function), _is_library(function))
        made = compiled(node, function, name, given)
    except (NoSource, SyntaxError) as error:
        logger.info("AutoGraph runs %s as it is: %s", code.co_qualname, error)
        conversion = Conversion("", "", [], code.co_filename, perf_counter() - t0, str(error))
        return _Converted(code, None, conversion)
    generated = ast.unparse(node)
    lines = line_map(node, generated)
    conversion = Conversion(source.text, generated, lines, code.co_filename, perf_counter() - t0)
    return _Converted(code, made, conversion, _codes(made))


def _codes(code: CodeType) -> list[CodeType]:
    """The code and that of all functions in it."""
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return [code, *(part for each in inner for part in _codes(each))]


def _instance(function: FunctionType, code: CodeType) -> FunctionType:
    import_module(_OPERATORS)  # by name, for they convert in turn what converted code calls
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    closure = tuple([cells.get(free) or CellType(operators) for free in code.co_freevars])
    made = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__, made.__doc__, made.__module__ = function.__qualname__, function.__doc__, function.__module__
    made.__annotations__ = function.__annotations__
    made.__dict__.update(function.__dict__)
    return made


def _is_builtin(function: FunctionType) -> Callable[[str], bool]:
    names, free = function.__globals__, function.__code__.co_freevars
    return lambda name: name not in names and name not in free and hasattr(builtins, name)


def _is_library(function: FunctionType) -> Callable[[ast.expr], bool]:
    names, free = function.__globals__, function.__code__.co_freevars

    def is_library(callee: ast.expr) -> bool:
        found = _found(callee, names, free)
        if isinstance(callee, ast.Name):  # a name may mean another function tomorrow, a class hardly
            return isinstance(found, type)
        module = getattr(found, "__module__", None) or ""
        as_it_is = isinstance(found, (type, BuiltinFunctionType)) or is_library_module(module)
        return found is not None and as_it_is and not takes_functions(found)

    return is_library


def _found(callee: ast.expr, names: dict[str, Any], free: tuple[str, ...]) -> Any:
    """The object behind a dotted name that begins with a module; None for anything else."""
    match callee:
        case ast.Name(id=name) if name not in free:
            return names.get(name)
        case ast.Attribute(value=value, attr=attribute):
            module = _found(value, names, free)
            return getattr(module, attribute, None) if isinstance(module, ModuleType) else None
    return None
