"""What ``record`` does around a block beside recording it: the options that ``%%tape`` has, for Python."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, Final

import tapeviz
from tapeviz.engine.devices import devices
from tapeviz.engine.nest import flatten, pack
from tapeviz.engine.scopes import Module
from tapeviz.engine.tensor import EagerTensor
from tapeviz.engine.variable import Variable
from tapeviz.engine.watch_all_tape import WatchAllTape
from tapeviz.exports.view_names import VIEWS

__all__ = ["BlockOptions", "differentiable", "value_named"]

_DEVICES: Final = ("cpu", "gpu", "auto")
_MODES: Final = ("eager", "graph")


@dataclass(slots=True)
class BlockOptions:
    """The options, checked when they are given.

    Attributes:
        wrt: names, with commas between or one by one, by which the block's last scalar is differentiated.
        mode: ``"eager"``: traced functions run as the Python they are.
        device: where ops run: ``"cpu"``, ``"gpu"`` or ``"auto"``.
        view: the view to show afterwards, in a notebook.
        compare: a tape; where the new one first differs from it is printed.
        keep_going: whether an error is printed, and the program goes on below the block.

    Raises:
        ValueError: an option has a value that it cannot have.
    """

    wrt: str | Iterable[str] = ()
    mode: str | None = None
    device: str | None = None
    view: str | None = None
    compare: Any = None
    keep_going: bool = False
    _names: tuple[str, ...] = field(init=False, default=())
    _tape: WatchAllTape | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        given = self.wrt.split(",") if isinstance(self.wrt, str) else self.wrt
        self._names = tuple(name.strip() for name in given if name.strip())
        if self.mode == "graph":
            raise ValueError(
                "mode='graph': a with block runs as the Python it is; decorate a function with tf.function, or use "
                "%%tape --mode graph"
            )
        _check("mode", self.mode, _MODES)
        _check("device", self.device, _DEVICES)
        _check("view", self.view, VIEWS)

    def begin(self, block: ExitStack) -> None:
        """Enter what is to be around the block."""
        if self.mode == "eager":
            before = tapeviz.config.functions_run_eagerly()
            block.callback(tapeviz.config.run_functions_eagerly, before)
            tapeviz.config.run_functions_eagerly(True)
        if self.device is not None:
            on_gpu = self.device == "gpu" or (self.device == "auto" and devices.gpu is not None)
            block.enter_context(tapeviz.device("/gpu:0" if on_gpu else "/cpu:0"))
        if self._names:
            self._tape = block.enter_context(WatchAllTape())

    def gradients(self, namespace: Mapping[str, Any], since: int) -> dict[str, Any]:
        """The gradients of the block's last scalar by each name, in the structure of what the name stands for.

        Args:
            namespace: what the user's names stand for.
            since: the number of the block's first tensor.

        Raises:
            ValueError: a name stands for nothing to differentiate by, or the block has stored no scalar.
        """
        if self._tape is None:
            return {}
        sources = {name: self._source(name, namespace) for name in self._names}
        target = max(_scalars(namespace, since), key=lambda tensor: tensor._i, default=None)
        if target is None:
            raise ValueError("wrt= differentiates the scalar that the block stores last: it stores none of floats")
        flat = [item for source in sources.values() for item in flatten(source)]
        found = iter(self._tape.gradient(target, flat))
        return {name: pack(source, [next(found) for _ in flatten(source)]) for name, source in sources.items()}

    def _source(self, name: str, namespace: Mapping[str, Any]) -> Any:
        try:
            return differentiable(name, namespace)
        except LookupError:
            raise ValueError(f"wrt={name!r}: there is nothing of that name") from None
        except TypeError as error:
            raise ValueError(f"wrt={name!r}: {error}") from None

    def end(self, tape: Any) -> None:
        """Show what was asked for."""
        if self.compare is not None:
            sys.stdout.write(f"{tapeviz.diff(self.compare, tape)}\n")
        if self.view is not None and "IPython" in sys.modules:
            tape.show(self.view)

    def holds(self, error: BaseException | None) -> bool:
        """Whether an error ends here: printed, and the program goes on."""
        if not self.keep_going or not isinstance(error, Exception):
            return False
        traceback.print_exception(error)
        return True


def _check(option: str, word: str | None, words: Iterable[str]) -> None:
    if word is not None and word not in words:
        raise ValueError(f"{option}={word!r}: choose {', '.join(words)}")


def _scalars(namespace: Mapping[str, Any], since: int) -> list[EagerTensor]:
    return [
        value for value in namespace.values()
        if isinstance(value, EagerTensor) and value.shape.rank == 0 and value.dtype.is_differentiable
        and getattr(value, "_i", 0) >= since
    ]  # fmt: skip


def value_named(name: str, namespace: Mapping[str, Any]) -> Any:
    """What a name stands for, with dots that reach into objects.

    Raises:
        LookupError: there is nothing of that name.
    """
    first, *further = name.split(".")
    try:
        value = namespace[first]
        for attribute in further:
            value = getattr(value, attribute)
    except (KeyError, AttributeError):
        raise LookupError(name) from None
    return value


def differentiable(name: str, namespace: Mapping[str, Any]) -> Any:
    """What a name stands for, with dots that reach into objects; for a module its trainable variables.

    Raises:
        LookupError: there is nothing of that name.
        TypeError: it is neither a tensor or variable nor a structure of these.
    """
    value = value_named(name, namespace)
    if isinstance(value, Module):
        return list(value.trainable_variables)
    if not (parts := flatten(value)) or not all(isinstance(part, (EagerTensor, Variable)) for part in parts):
        cls = type(value)
        kind = cls.__name__ if cls.__module__ == "builtins" else f"{cls.__module__.partition('.')[0]} {cls.__name__}"
        raise TypeError(f"a {kind} is not a tensor or variable")
    return value
