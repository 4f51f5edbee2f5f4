"""``--wrt`` for a cell of another framework, whose own autograd answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from IPython.core.error import UsageError

from tapeviz.tape.frameworks import question_of

__all__ = ["ForeignQuestion"]


class ForeignQuestion:
    """What a cell's ``--wrt`` asks.

    Args:
        framework: the framework's name.
        names: the names asked about.
        namespace: what the user's names stand for before the cell runs.
        magic: the magic's name for messages.
    """

    def __init__(self, framework: str, names: tuple[str, ...], namespace: Mapping[str, Any], magic: str) -> None:
        self._asked = question_of(framework, names)
        self._namespace = namespace
        self._magic = magic

    @property
    def tape(self) -> Any:
        """A block in which what is asked for is watched."""
        return self._watching()

    @contextmanager
    def _watching(self) -> Iterator[None]:
        with self._asked.watching(self._namespace):
            yield

    def watch(self) -> None:
        """It has been done by entering the block."""

    def answer(self, value: Any, namespace: Mapping[str, Any]) -> dict[str, Any]:
        """The gradient of the cell's value by each name.

        Raises:
            UsageError: there is none to be had.
        """
        try:
            found: dict[str, Any] = self._asked.answer(value, namespace)
        except ValueError as error:
            raise UsageError(f"{self._magic}: --{error}") from None
        return found
