"""``--wrt``: watch what the names stand for, and differentiate the cell's last expression by it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from difflib import get_close_matches
from typing import Any

from IPython.core.error import UsageError

from tapeviz.engine.nest import flatten, pack
from tapeviz.engine.scopes import Module
from tapeviz.engine.tape import GradientTape
from tapeviz.engine.tensor import EagerTensor
from tapeviz.engine.variable import Variable
from tapeviz.engine.watch_all_tape import WatchAllTape
from tapeviz.tape.block_options import differentiable

__all__ = ["Question"]


class Question:
    """What a cell's ``--wrt`` asks, from before the cell runs until it is answered.

    Args:
        names: the names asked about; dots reach into objects.
        namespace: what the user's names stand for.
        stored: the names that the cell itself stores.
        opaque: whether it may store others.
        magic: the magic's name for messages.

    Raises:
        UsageError: a name is neither there nor made in the cell.
    """

    def __init__(
        self, names: Iterable[str], namespace: dict[str, Any], stored: Collection[str], magic: str, *, opaque: bool
    ) -> None:
        self._names = list(names)
        self._magic = magic
        made_inside = [name for name in self._names if name.partition(".")[0] in stored]
        outside = [name for name in self._names if name not in made_inside]
        unknown = [name for name in outside if name.partition(".")[0] not in namespace]
        if unknown and not opaque:
            raise UsageError(f"{magic}: --wrt {unknown[0]}: {_no_such(unknown[0], namespace, stored)}")
        self.tape: WatchAllTape | GradientTape = WatchAllTape() if made_inside or opaque else GradientTape()
        self._watched = [self._source(name, namespace) for name in outside if name not in unknown]

    def watch(self) -> None:
        """Watch what is there before the cell runs; the tape has to be recording."""
        for source in self._watched:
            self.tape.watch(source)

    def answer(self, value: Any, namespace: dict[str, Any]) -> dict[str, Any]:
        """The gradient of the cell's value by each name: in the structure of what the name stands for.

        Raises:
            UsageError: the value is not a scalar tensor, or a name stands for nothing that can be differentiated by.
        """
        self._check(value)
        sources = {name: self._source(name, namespace) for name in self._names}
        flat = [item for source in sources.values() for item in flatten(source)]
        found = iter(self.tape.gradient(value, flat))
        return {name: pack(source, [next(found) for _ in flatten(source)]) for name, source in sources.items()}

    def _check(self, value: Any) -> None:
        if not isinstance(value, (EagerTensor, Variable)):
            what = "nothing (end the cell with the loss on a line of its own)" if value is None else f"a {_kind(value)}"
            raise UsageError(f"{self._magic}: {_WANTED}; it is {what}")
        if value.shape.rank != 0:
            raise UsageError(f"{self._magic}: {_WANTED}; its shape is {value.shape}: reduce it, as with tf.reduce_sum")
        if not value.dtype.is_differentiable:
            raise UsageError(f"{self._magic}: {_WANTED}; its dtype is {value.dtype.name}")

    def _source(self, name: str, namespace: dict[str, Any]) -> Any:
        try:
            return differentiable(name, namespace)
        except LookupError:
            raise UsageError(f"{self._magic}: --wrt {name}: the cell did not assign {name}") from None
        except TypeError as error:
            raise UsageError(f"{self._magic}: --wrt {name}: {error}") from None


_WANTED = "--wrt differentiates the last expression, which has to be a scalar tensor of floats"


def _no_such(name: str, namespace: dict[str, Any], stored: Collection[str]) -> str:
    known = [key for key, value in namespace.items() if isinstance(value, (EagerTensor, Variable, Module))]
    near = get_close_matches(name, [*known, *stored], 1)
    return f"{name} is not defined, and the cell does not assign it{f'; did you mean {near[0]}?' if near else ''}"


def _kind(value: Any) -> str:
    cls = type(value)
    return cls.__name__ if cls.__module__ == "builtins" else f"{cls.__module__.partition('.')[0]} {cls.__name__}"
