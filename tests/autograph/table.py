"""The table of programs: small functions, and what they are called with.

Each program takes numbers, the first of them the one to differentiate by, and runs the same on Python numbers, on eager
tensors and in a graph.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["Program", "programs", "row"]


@dataclass(frozen=True)
class Program:
    """One row: a function, the arguments of each call, and which of its arguments stay Python values."""

    function: Callable[..., Any]
    calls: tuple[tuple[Any, ...], ...]
    python: frozenset[int]
    differentiable: bool

    @property
    def name(self) -> str:
        return self.function.__name__


programs: list[Program] = []


def row(*calls: tuple[Any, ...], python: tuple[int, ...] = (), differentiable: bool = True) -> Callable[..., Any]:
    """Put a function into the table.

    ``calls`` are the arguments of each call: floats become float32 tensors, integers int32 ones. Those at the positions
    in ``python`` stay what they are.
    """

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        programs.append(Program(function, calls, frozenset(python), differentiable))
        return function

    return add
