"""What ``record`` and ``%%tape`` ask of another framework, as far as it is the same for all of them."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from statistics import median
from threading import local
from time import perf_counter
from types import FunctionType
from typing import Any, ClassVar, Final
from weakref import ref

from tapeviz.adapters.foreign_recorder import ForeignRecorder, fresh
from tapeviz.engine.userline import outside
from tapeviz.recorder.overhead import Block
from tapeviz.recording.rows.packer import Packer
from tapeviz.recording.rows.sites import Sites
from tapeviz.tape.block_options import BlockOptions, value_named

__all__ = ["ForeignFramework", "ForeignQuestion"]

_OPS: Final = 200
_ROUNDS: Final = 5
_MISSING: Final = object()


class ForeignFramework(ABC):
    """Another framework.

    Attributes:
        name: the name that ``framework=`` takes, which is that of its package.
        tensor: its class of tensors, or classes where variables are others.
        recording: its class of recorders.
        can_be_live: whether a program can be held between its ops.
        no_mode, no_device: why ``mode=`` and ``device=`` cannot be had.
    """

    name: str
    tensor: type | tuple[type, ...]
    recording: ClassVar[type[ForeignRecorder]]
    can_be_live: bool = False
    no_mode: str
    no_device: str

    def __init__(self) -> None:
        self._running = local()
        self._prices: dict[str, float] = {}

    @property
    @abstractmethod
    def version(self) -> str:
        """The framework's version."""

    @abstractmethod
    def small_ops(self) -> tuple[Callable[[Any], Any], Any]:
        """A small op, as a function of a tensor, and a tensor; by them the price of recording is measured."""

    @abstractmethod
    def patched(self, recorder: Any) -> AbstractContextManager[Any]:
        """Have this thread's calls go by a recorder."""

    @abstractmethod
    def question(self, names: Iterable[str]) -> ForeignQuestion:
        """What ``wrt`` asks."""

    @abstractmethod
    def last_scalar(self, namespace: Mapping[str, Any]) -> Any:
        """The scalar that can be differentiated and was stored last; None where there is none."""

    def running(self) -> Any:
        """The recorder that this thread has already."""
        return getattr(self._running, "recorder", None)

    def recorder(self, builder: Any, policy: Any, cell_of: Any, **options: Any) -> ForeignRecorder:
        """A recorder that fills a builder."""
        options.pop("program")
        return self.recording(Packer(builder, Sites(builder, cell_of), fresh(), fresh), policy, **options)

    def names(self, namespace: Mapping[str, Any]) -> _Names:
        """What the user calls tensors before a recording."""
        return _Names(self, namespace)

    def numbers_of(self, recorder: Any) -> Callable[[Any], tuple[int, int] | None]:
        """The numbers of tensors and variables."""
        found: Callable[[Any], tuple[int, int] | None] = recorder.numbers_of
        return found

    def program(self, _values: str, _max_ops: int | None) -> None:
        """Nothing is noted: a program of another framework does not run again."""
        return

    def options(self, *given: Any) -> BlockOptions:
        """The options of a block; those that the framework decides by itself are refused."""
        options = _Options(*given)
        for option, value, reason in (
            ("mode", options.mode, self.no_mode), ("device", options.device, self.no_device)
        ):  # fmt: skip
            if value is not None:
                raise ValueError(f"{option}={value!r} does not go with framework={self.name!r}: {reason}")
        options.framework = self
        return options

    @contextmanager
    def observing(self, recorder: Any) -> Iterator[None]:
        """Have this thread's calls go by a recorder as long as the block runs."""
        self._running.recorder = recorder
        try:
            with self.patched(recorder):
                yield
        finally:
            self._running.recorder = None

    def stop_where(self, recorder: Any, text: str, holds: Any) -> None:
        """Have a recorder raise `Stopped` where a condition holds."""
        recorder.stop_where(text, holds)

    def facts(self) -> dict[str, Any]:
        """The device, and the framework's version."""
        return {"device": "CPU:0", "versions": {self.name: self.version}}

    def to_host(self, array: Any) -> Any:
        """A kept array: what is kept is on the host."""
        return array

    def overhead(self, recorder: Any, values: str, block: Block) -> float:
        """What recording added, by the price of a small op, and what packing took."""
        if values not in self._prices:
            self._prices[values] = self._price(block)
        inside: float = recorder.packer.ops * self._prices[values] + recorder.packing + recorder.summarising
        return inside

    def _price(self, block: Block) -> float:
        """Seconds that recording adds to a small op: the median difference of rounds with and without."""
        small, tensor = self.small_ops()
        named = {**globals(), "__name__": "a program"}
        chain = FunctionType(_chain.__code__, named, None, (FunctionType(small.__code__, named), tensor))
        before, self._running.recorder = self.running(), None
        try:
            block(chain)
            added = [block(chain)[0] - chain() for _ in range(_ROUNDS)]
        finally:
            self._running.recorder = before
        return float(max(median(added), 0.0) / _OPS)


def _chain(small: Any, x: Any) -> float:
    t0 = perf_counter()
    for _ in range(_OPS):
        x = small(x)
    return perf_counter() - t0


class _Names:
    """The names of tensors before a recording."""

    def __init__(self, framework: ForeignFramework, namespace: Mapping[str, Any]) -> None:
        self._framework = framework
        self._tensors = {
            name: ref(value) for name, value in namespace.items()
            if isinstance(value, framework.tensor) and not name.startswith("_")
        }  # fmt: skip

    def write(self, packer: Packer) -> None:
        """Name what the recording met and no store has named, as of its beginning."""
        look_up = self._framework.running().look_up
        for name, reference in self._tensors.items():
            number = look_up(reference())
            if number is not None and packer.facts.unnamed(number):
                packer.facts.name(packer.started, number, name)


class _Options(BlockOptions):
    """The options of a block."""

    framework: ForeignFramework
    _question: ForeignQuestion | None = None

    def begin(self, block: ExitStack) -> None:
        """Watch what ``wrt`` names."""
        if self._names:
            frame = outside(sys._getframe(1))
            self._question = self.framework.question(self._names)
            self._question.begin(block, {} if frame is None else {**frame.f_globals, **frame.f_locals})

    def gradients(self, namespace: Mapping[str, Any], _since: int) -> dict[str, Any]:
        """The gradients of the block's last scalar by each name."""
        if self._question is None:
            return {}
        return self._question.answer(self.framework.last_scalar(namespace), namespace)


class ForeignQuestion(ABC):
    """What ``wrt`` asks: the gradients of a scalar by what names stand for, which leaves the program as it is.

    Args:
        names: the names asked about; dots reach into objects.
    """

    differentiable_by: str
    """What can be asked for, for messages."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = list(names)

    @abstractmethod
    def parts(self, value: Any) -> list[Any]:
        """The tensors or variables that a value is made of."""

    @abstractmethod
    def watching(self, namespace: Mapping[str, Any]) -> AbstractContextManager[Any]:
        """Have what the names stand for watched as long as the block runs."""

    def begin(self, _block: ExitStack, _namespace: Mapping[str, Any]) -> None:
        """Watch in a block of :class:`tapeviz.record`, where the framework does not do so by itself."""
        return

    @abstractmethod
    def answer(self, value: Any, namespace: Mapping[str, Any]) -> dict[str, Any]:
        """The gradients by name: one for a tensor, a list for what is made of several.

        Raises:
            ValueError: the value is no scalar with a gradient, or a name stands for nothing to differentiate by.
        """

    def value(self, name: str, namespace: Mapping[str, Any], default: Any = _MISSING) -> Any:
        """What a name stands for; the default where it is not there."""
        try:
            value = value_named(name, namespace)
        except LookupError:
            if default is not _MISSING:
                return default
            raise ValueError(f"wrt={name!r}: there is nothing of that name") from None
        if default is _MISSING and not self.parts(value):
            raise ValueError(f"wrt={name!r}: a {type(value).__name__} is neither {self.differentiable_by}")
        return value

    def known_parts(self, namespace: Mapping[str, Any]) -> list[Any]:
        """The parts of what is there already."""
        return [part for name in self.names for part in self.parts(self.value(name, namespace, default=()))]
