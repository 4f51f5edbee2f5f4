"""What a recording needs of the framework that it records: tapeviz's own engine, or one that an adapter knows."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, Final, Protocol

from tapeviz.backends import backend_of
from tapeviz.engine.state import local, next_id, observing
from tapeviz.recorder.names import Names, numbers_of
from tapeviz.recorder.overhead import Block, collecting, price_of
from tapeviz.recorder.program import Program
from tapeviz.recorder.recorder import Recorder
from tapeviz.recorder.stops import stop_where
from tapeviz.recording.rows.packer import Packer
from tapeviz.recording.rows.sites import Sites
from tapeviz.tape.block_options import BlockOptions

__all__ = ["FRAMEWORKS", "OWN", "Framework", "framework_behind", "framework_named", "question_of"]

OWN: Final = "tapeviz"
_ADAPTERS: Final = {name: f"tapeviz.adapters.{name}" for name in ("torch", "tensorflow")}
FRAMEWORKS: Final = (OWN, *_ADAPTERS)
"""The frameworks that can be recorded."""


class Framework(Protocol):
    """What :class:`tapeviz.tape.record.record` asks of a framework."""

    name: str
    can_be_live: bool
    """Whether a program can be held between its ops."""

    def running(self) -> Any:
        """The recorder that this thread has already; None where there is none."""

    def recorder(self, builder: Any, policy: Any, cell_of: Any, **options: Any) -> Any:
        """A recorder that fills a builder."""

    def names(self, namespace: Mapping[str, Any]) -> Any:
        """What the user calls tensors, before a recording begins; its ``write(packer)`` says it."""

    def numbers_of(self, recorder: Any) -> Callable[[Any], tuple[int, int] | None]:
        """Gives the recording's numbers of a tensor, and of the variable whose value it is."""

    def program(self, values: str, max_ops: int | None) -> Program | None:
        """What notes the calls so that they can run again; None where nothing is to be noted."""

    def options(self, *given: Any) -> BlockOptions:
        """The options of a block."""

    def observing(self, recorder: Any) -> AbstractContextManager[Any]:
        """Have this thread's program recorded as long as the block runs."""

    def stop_where(self, recorder: Any, text: str, holds: Any) -> None:
        """Have a recorder raise `Stopped` where a condition holds."""

    def facts(self) -> dict[str, Any]:
        """The device, and the versions of what runs."""

    def to_host(self, array: Any) -> Any:
        """A kept array as one of NumPy's."""

    def overhead(self, recorder: Any, values: str, block: Block) -> float:
        """The seconds that recording added."""


class Engine:
    """tapeviz's own engine."""

    name: str = OWN
    can_be_live: bool = True

    def running(self) -> Any:
        """The recorder that this thread has already."""
        outer = local.state.observer
        return outer if isinstance(outer, Recorder) and outer.tape is not None else None

    def recorder(self, builder: Any, policy: Any, cell_of: Any, **options: Any) -> Recorder:
        """An observer of the engine."""
        return Recorder(Packer(builder, Sites(builder, cell_of), next_id(), next_id), policy, **options)

    def names(self, namespace: Mapping[str, Any]) -> Names:
        """What the user calls tensors and variables."""
        return Names(namespace)

    def numbers_of(self, recorder: Any) -> Callable[[Any], tuple[int, int] | None]:
        """The numbers of tensors and variables."""
        return partial(numbers_of, recorder.packer)

    def program(self, values: str, max_ops: int | None) -> Program | None:
        """The calls, where the inputs are kept."""
        return Program() if values in ("inputs", "all") and max_ops is None else None

    def options(self, *given: Any) -> BlockOptions:
        """The options of a block."""
        return BlockOptions(*given)

    def observing(self, recorder: Any) -> AbstractContextManager[Any]:
        """Have the engine call a recorder."""
        return observing(recorder)

    def stop_where(self, recorder: Any, text: str, holds: Any) -> None:
        """Have a recorder raise `Stopped` where a condition holds."""
        stop_where(recorder, text, holds)

    def facts(self) -> dict[str, Any]:
        """The device on which ops run."""
        return {"device": local.state.backend.name, "versions": {}}

    def to_host(self, array: Any) -> Any:
        """An array of any backend as one of NumPy's."""
        return backend_of(array).to_host(array)

    def overhead(self, recorder: Any, values: str, block: Block) -> float:
        """What the recorder's callbacks took by their prices, what packing took, and Python's collector."""
        packer, price = recorder.packer, price_of(values, block, recorder.packer.work)
        inside: float = price.of(packer.work) + recorder.packing + recorder.summarising
        return inside + collecting(packer.work, packer.pauses.count, packer.pauses.seconds)


_engine: Final = Engine()


def framework_named(name: str | None) -> Framework:
    """A framework by its name; tapeviz's own engine where none is named.

    Raises:
        ValueError: none of that name can be recorded, or it is not installed.
    """
    if name is None or name == OWN:
        return _engine
    if name not in _ADAPTERS:
        raise ValueError(f"framework={name!r}: choose {', '.join(FRAMEWORKS)}")
    if importlib.util.find_spec(name) is None:
        raise ValueError(f"framework={name!r}: {name} is not installed here (pip install 'tapeviz[{name}]')")
    adapter: Framework = importlib.import_module(_ADAPTERS[name]).FRAMEWORK
    return adapter


def framework_behind(*things: Any) -> str | None:
    """The name of the framework whose classes these things are of, such as a model; None for tapeviz's own."""
    roots = (kind.__module__.partition(".")[0] for thing in things for kind in type(thing).__mro__)
    return next((root for root in roots if root in _ADAPTERS), None)


def question_of(name: str, names: tuple[str, ...]) -> Any:
    """What ``wrt`` asks of another framework: a block ``watching(namespace)``, and ``answer(value, namespace)``."""
    return importlib.import_module(_ADAPTERS[name]).FRAMEWORK.question(names)
