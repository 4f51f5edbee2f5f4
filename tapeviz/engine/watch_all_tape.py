"""A gradient tape that watches all tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tapeviz.engine.tape import GradientTape

if TYPE_CHECKING:
    from tapeviz.engine.variable import Variable

__all__ = ["EVERYTHING", "WatchAllTape"]

EVERYTHING = 2
"""What such a tape watches by itself, as an observer's ``on_tape`` says it."""


class _Everything(set[int]):
    """Stands for the numbers of all tensors there will ever be, unless told to be exact."""

    exact = False

    def __contains__(self, number: object) -> bool:
        return not self.exact or super().__contains__(number)


class WatchAllTape(GradientTape):
    """A tape that follows each tensor, for when it is not known yet which of them will be asked about."""

    __slots__ = ()

    _tracked: _Everything

    def __init__(self, persistent: bool = False) -> None:
        super().__init__(persistent)
        self._accessed = EVERYTHING

    def _clear(self) -> None:
        super()._clear()
        self._tracked = _Everything()

    def _follow(self, variable: Variable, *, automatic: bool, value: Any = None) -> None:
        """Follow the variable's value, even if it is not trainable."""
        del automatic
        self._tracked.exact = True
        super()._follow(variable, automatic=False, value=value)
        self._tracked.exact = False

    def _numbers(self, source: Any, targets: list[Any]) -> list[int]:
        return super()._numbers(source, targets) if source.dtype.is_differentiable else []
