"""Signatures as a reader wants them: names and defaults, without the types that say Any."""

from __future__ import annotations

import inspect
from typing import Any


def signature(value: Any, *, bound: bool = False) -> str:
    """The arguments of a function or class, such as ``(x, axis=None)``; ``bound`` leaves out ``self``."""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return "()"
    parameters = list(found.parameters.values())
    if bound and parameters and parameters[0].name in {"self", "cls"}:
        parameters = parameters[1:]
    plain = [one.replace(annotation=one.empty, default=_default(one.default)) for one in parameters]
    text = str(found.replace(parameters=plain, return_annotation=found.empty))
    return " ".join(text.split())


class _Shown:
    """A default that is shown as a text."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def _default(value: Any) -> Any:
    """A default without the address that objects are printed with."""
    if value is inspect.Parameter.empty:
        return value
    text = repr(value)
    return _Shown("..." if text.startswith("<") else text)
