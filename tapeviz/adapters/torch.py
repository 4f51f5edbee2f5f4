"""PyTorch, as a recording sees it: what ``record(framework="torch")`` and ``%%tape`` ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from statistics import median
from threading import local
from time import perf_counter
from types import FunctionType
from typing import Any, Final
from weakref import ref

import torch

from tapeviz.adapters.torch_patches import patched
from tapeviz.adapters.torch_recorder import TorchRecorder
from tapeviz.adapters.torch_tensors import fresh
from tapeviz.engine.userline import add_library
from tapeviz.recording.rows.packer import Packer
from tapeviz.recording.rows.sites import Sites
from tapeviz.tape.block_options import BlockOptions, value_named
from tapeviz.tape.frameworks import Block

__all__ = ["FRAMEWORK", "TorchQuestion"]

add_library("torch")
_OPS: Final = 200
_ROUNDS: Final = 5
_running: Final = local()
_prices: Final[dict[str, float]] = {}


class Torch:
    """PyTorch."""

    name: str = "torch"

    def running(self) -> Any:
        """The recorder that this thread has already."""
        return getattr(_running, "recorder", None)

    def recorder(self, builder: Any, policy: Any, cell_of: Any, **options: Any) -> TorchRecorder:
        """A recorder that fills a builder."""
        options.pop("program")
        return TorchRecorder(Packer(builder, Sites(builder, cell_of), fresh(), fresh), policy, **options)

    def names(self, namespace: Mapping[str, Any]) -> _Names:
        """What the user calls tensors before a recording."""
        return _Names(namespace)

    def numbers_of(self, recorder: Any) -> Callable[[Any], tuple[int, int] | None]:
        """The numbers of tensors and of leaves."""

        def numbers_of(item: Any) -> tuple[int, int] | None:
            if not isinstance(item, torch.Tensor):
                return None
            number = recorder.tensors.look_up(item)
            found = -1 if number is None else recorder.packer.old.get(number, number) - recorder.packer.base
            known = found >= 0 and recorder.packer.tensors.known(found)
            return found if known else -1, recorder.tensors.variable_of(item)

        return numbers_of

    def program(self, _values: str, _max_ops: int | None) -> None:
        """Nothing is noted: a program of PyTorch's does not run again."""

    def options(self, *given: Any) -> BlockOptions:
        """The options of a block."""
        return _Options(*given)

    @contextmanager
    def observing(self, recorder: Any) -> Iterator[None]:
        """Have this thread's calls go by a recorder."""
        _running.recorder = recorder
        try:
            with patched(recorder), recorder.mode:
                yield
        finally:
            _running.recorder = None

    def stop_where(self, recorder: Any, text: str, holds: Any) -> None:
        """Have a recorder raise `Stopped` where a condition holds."""
        recorder.stop_where(text, holds)

    def facts(self) -> dict[str, Any]:
        """The device, and PyTorch's version."""
        return {"device": "CPU:0", "versions": {"torch": torch.__version__}}

    def question(self, names: Iterable[str]) -> TorchQuestion:
        """What ``wrt`` asks."""
        return TorchQuestion(names)

    def to_host(self, array: Any) -> Any:
        """A kept array: what is kept is on the host."""
        return array

    def overhead(self, recorder: Any, values: str, block: Block) -> float:
        """What recording added, by the price of a small op, and what packing took."""
        if values not in _prices:
            _prices[values] = _price(block)
        inside: float = recorder.packer.ops * _prices[values] + recorder.packing + recorder.summarising
        return inside


FRAMEWORK: Final = Torch()


class _Names:
    """The names of tensors before a recording."""

    def __init__(self, namespace: Mapping[str, Any]) -> None:
        self._tensors = {
            name: ref(value) for name, value in namespace.items()
            if isinstance(value, torch.Tensor) and not name.startswith("_")
        }  # fmt: skip

    def write(self, packer: Packer) -> None:
        """Name what the recording met and no store has named, as of its beginning."""
        tensors = _running.recorder.tensors
        for name, reference in self._tensors.items():
            tensor = reference()
            number = None if tensor is None else tensors.look_up(tensor)
            if number is not None and packer.facts.unnamed(number):
                packer.facts.name(packer.started, number, name)


class _Options(BlockOptions):
    """The options of a block; those that PyTorch decides by itself are refused."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mode is not None:
            raise ValueError(f"mode={self.mode!r} does not go with framework='torch': {NO_MODE}")
        if self.device is not None:
            raise ValueError(f"device={self.device!r} does not go with framework='torch': {NO_DEVICE}")
        self._question: TorchQuestion | None = None

    def begin(self, _block: Any) -> None:
        """Watch what ``wrt`` names."""
        if self._names:
            self._question = TorchQuestion(self._names)

    def gradients(self, namespace: Mapping[str, Any], _since: int) -> dict[str, Any]:
        """The gradients of the block's last scalar by each name."""
        if self._question is None:
            return {}
        scalars = [
            value for value in namespace.values()
            if isinstance(value, torch.Tensor) and value.ndim == 0 and value.grad_fn is not None
        ]  # fmt: skip
        if not scalars:
            raise ValueError("wrt= differentiates the scalar that the block stores last: it stores none with a grad_fn")
        last = max(scalars, key=lambda scalar: scalar.grad_fn._sequence_nr())
        return self._question.answer(last, namespace)


NO_MODE: Final = "PyTorch runs eagerly; a compiled function runs as plain eager ops while it is recorded"
NO_DEVICE: Final = "PyTorch's tensors say themselves where they are: use .to(device)"


class TorchQuestion:
    """What ``wrt`` asks: the gradients of a scalar by what names stand for, which leaves every ``.grad`` as it is.

    Args:
        names: the names asked about; dots reach into objects.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = list(names)
        self._changed: list[Any] = []

    @contextmanager
    def watching(self, namespace: Mapping[str, Any]) -> Iterator[None]:
        """Have leaves of floats that require no gradient require one until the answer, or until the block raises."""
        parts = [tensor for name in self._names for tensor in _parts(_value(name, namespace, default=()))]
        self._changed = [
            tensor.requires_grad_() for tensor in parts
            if tensor.is_leaf and not tensor.requires_grad and tensor.is_floating_point()
        ]  # fmt: skip
        try:
            yield
        except BaseException:
            self._put_back()
            raise

    def _put_back(self) -> None:
        for tensor in self._changed:
            tensor.requires_grad_(False)
        self._changed = []

    def answer(self, value: Any, namespace: Mapping[str, Any]) -> dict[str, Any]:
        """The gradients by name: one for a tensor, a list for a module.

        Raises:
            ValueError: the value is no scalar with a ``grad_fn``, or a name stands for nothing to differentiate by.
        """
        try:
            return self._answered(value, namespace)
        finally:
            self._put_back()

    def _answered(self, value: Any, namespace: Mapping[str, Any]) -> dict[str, Any]:
        if not isinstance(value, torch.Tensor) or value.ndim or value.grad_fn is None:
            raise ValueError("wrt differentiates a scalar tensor with a grad_fn; there is none")
        sources = {name: _value(name, namespace) for name in self._names}
        flat = [part for source in sources.values() for part in _parts(source)]
        asked = [part for part in flat if part.requires_grad]
        found = iter(torch.autograd.grad(value, asked, allow_unused=True, retain_graph=True) if asked else ())
        by_part = {id(part): next(found) for part in asked}
        return {name: by_part.get(id(source)) if isinstance(source, torch.Tensor) else
                [by_part.get(id(part)) for part in _parts(source)] for name, source in sources.items()}  # fmt: skip


_MISSING: Final = object()


def _value(name: str, namespace: Mapping[str, Any], default: Any = _MISSING) -> Any:
    try:
        value = value_named(name, namespace)
    except LookupError:
        if default is not _MISSING:
            return default
        raise ValueError(f"wrt={name!r}: there is nothing of that name") from None
    if default is _MISSING and not _parts(value):
        raise ValueError(f"wrt={name!r}: a {type(value).__name__} is neither a tensor nor a module with parameters")
    return value


def _parts(value: Any) -> list[Any]:
    if isinstance(value, torch.nn.Module):
        return list(value.parameters())
    if isinstance(value, (list, tuple)):
        return [part for item in value for part in _parts(item)]
    return [value] if isinstance(value, torch.Tensor) else []


def _price(block: Block) -> float:
    """Seconds that recording adds to a small op: the median difference of rounds with and without."""
    chain = FunctionType(_chain.__code__, {**globals(), "__name__": "a program"})
    before, _running.recorder = getattr(_running, "recorder", None), None
    try:
        block(chain)
        added = [block(chain)[0] - chain() for _ in range(_ROUNDS)]
    finally:
        _running.recorder = before
    return float(max(median(added), 0.0) / _OPS)


def _chain() -> float:
    x = torch.ones(4)
    t0 = perf_counter()
    for _ in range(_OPS):
        x = x * 1.0
    return perf_counter() - t0
