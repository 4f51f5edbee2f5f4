"""What writes an executable's function, as those see it who write a part: packs and regions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from tapeviz.graphs.lowering.rule import CallWriter
from tapeviz.graphs.memory.buffers import Array, Memory
from tapeviz.graphs.passes.plan import Step

__all__ = ["FunctionWriter"]


class FunctionWriter(CallWriter, Protocol):
    """Names and lines of the function."""

    def buffer(self, array: Array) -> str:
        """The name of a buffer."""

    def fresh(self) -> str:
        """A new name."""

    def new(self, value: Any) -> str:
        """A new name for a value."""

    def call(self, value: Any, name: str) -> None:
        """Have a value be known by this name from here on."""

    def is_used(self, value: Any) -> bool:
        """Whether a step takes a value, or it is an output."""

    def bank(self, variables: Sequence[Any], make: Callable[[], Any]) -> str:
        """The name of the bank of these variables."""

    def line(self, step: Step, text: str) -> None:
        """Add a line that belongs to a step."""

    def write(self, step: Step) -> None:
        """Write a step."""

    def view(self, value: Any, memory: Memory) -> None:
        """Name a view of a buffer."""

    def empty(self, step: Step) -> None:
        """A new array for what a step makes."""
