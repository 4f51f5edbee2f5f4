"""Which functions are converted: the user's own. Others run as they are, and this says why."""

from __future__ import annotations

import functools
import inspect
import sys
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, Final

__all__ = ["MARK", "is_library_module", "reason_against", "takes_functions"]

MARK: Final = "__tapeviz_do_not_convert__"

# Packages that know nothing of tensors of a graph, or deal with them themselves.
_LIBRARIES: Final = frozenset(
    {
        "IPython", "cupy", "ipykernel", "ipywidgets", "matplotlib", "ml_dtypes", "numpy", "pandas", "pytest", "scipy",
        "sklearn", "tapeviz", "tensorflow", "torch", "_pytest",
    }
)  # fmt: skip
# Functions of ours that call the user's, with tensors.
_TAKE_FUNCTIONS: Final = frozenset(
    {
        "case", "cond", "foldl", "foldr", "map_fn", "map_structure", "scan", "switch_case", "vectorized_map",
        "while_loop",
    }
)  # fmt: skip

# Examples in documentation run among the names of the module that they are in.
_EXAMPLES: Final = "<doctest "


def takes_functions(function: Any) -> bool:
    """Whether functions given to this one are to be converted."""
    return getattr(function, "__name__", "") in _TAKE_FUNCTIONS and (
        (getattr(function, "__module__", None) or "").partition(".")[0] == "tapeviz"
    )


def is_library_module(name: str) -> bool:
    """Whether functions of this module run as they are: it is Python's, tapeviz's or of a library for arrays."""
    top = name.partition(".")[0]
    return top in _LIBRARIES or (top in sys.stdlib_module_names and top != "__main__")


def reason_against(function: Any) -> str:  # noqa: PLR0911 - a line a case
    """Why a callable is not converted; empty for functions, methods and partial calls of the user's."""
    if getattr(function, MARK, False):
        return "it is marked do_not_convert"
    if isinstance(function, functools.partial):
        return reason_against(function.func)
    if isinstance(function, MethodType):
        function = function.__func__
    if isinstance(function, type):
        return "it is a class"
    if isinstance(function, (BuiltinFunctionType, ModuleType)):
        return "it is not written in Python"
    if not isinstance(function, FunctionType):
        return "it is an object that can be called" if callable(function) else "it cannot be called"
    # Where it is written: what decorators of libraries make says that it is of the user's module.
    module = function.__globals__.get("__name__") or ""
    if is_library_module(module) and not function.__code__.co_filename.startswith(_EXAMPLES):
        return f"it is of a library, {module.partition('.')[0]}"
    if inspect.isgeneratorfunction(function):
        return "it is a generator"
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        return "it is asynchronous"
    return ""
