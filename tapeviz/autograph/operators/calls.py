"""Calls: the user's functions are converted when they are called, those of libraries run as they are."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

from tapeviz.autograph.conversion import converted_callee
from tapeviz.autograph.eligibility import takes_functions

__all__ = ["call"]


def call(function: Callable[..., Any]) -> Callable[..., Any]:
    """What to call in the place of ``function``: ``f(x)`` is ``call(f)(x)``."""
    if takes_functions(function):
        return _Given(function)
    return converted_callee(function)  # type: ignore[no-any-return]


class _Given:
    """A function of ours with the functions that are given to it converted."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        return self._function(*map(_converted, args), **{name: _converted(value) for name, value in kwargs.items()})


def _converted(value: Any) -> Any:
    return converted_callee(value) if isinstance(value, (FunctionType, MethodType)) else value
