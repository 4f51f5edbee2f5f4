"""PyTorch, as a recording sees it: what ``record(framework="torch")`` and ``%%tape`` ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar, Final

import torch

from tapeviz.adapters.foreign_framework import ForeignFramework, ForeignQuestion
from tapeviz.adapters.foreign_recorder import ForeignRecorder
from tapeviz.adapters.torch_patches import patched
from tapeviz.adapters.torch_recorder import TorchRecorder
from tapeviz.engine.userline import add_library

__all__ = ["FRAMEWORK", "TorchQuestion"]

add_library("torch")


class Torch(ForeignFramework):
    """PyTorch."""

    name = "torch"
    tensor = torch.Tensor
    recording: ClassVar[type[ForeignRecorder]] = TorchRecorder
    no_mode = "PyTorch runs eagerly; a compiled function runs as plain eager ops while it is recorded"
    no_device = "PyTorch's tensors say themselves where they are: use .to(device)"

    @property
    def version(self) -> str:
        """PyTorch's version."""
        return str(torch.__version__)

    def small_ops(self) -> tuple[Callable[[Any], Any], Any]:
        """A product of four elements."""
        return (lambda x: x * 1.0), torch.ones(4)

    @contextmanager
    def patched(self, recorder: Any) -> Iterator[None]:
        """Have PyTorch's functions and what no mode sees go by a recorder."""
        with patched(recorder), recorder.mode:
            yield

    def question(self, names: Iterable[str]) -> TorchQuestion:
        """What ``wrt`` asks."""
        return TorchQuestion(names)

    def last_scalar(self, namespace: Mapping[str, Any]) -> Any:
        """The scalar with the latest ``grad_fn``."""
        scalars = [
            value for value in namespace.values()
            if isinstance(value, torch.Tensor) and value.ndim == 0 and value.grad_fn is not None
        ]  # fmt: skip
        return max(scalars, key=lambda scalar: scalar.grad_fn._sequence_nr(), default=None)


FRAMEWORK: Final = Torch()


class TorchQuestion(ForeignQuestion):
    """What ``wrt`` asks; every ``.grad`` stays as it is."""

    differentiable_by = "a tensor nor a module with parameters"

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__(names)
        self._changed: list[Any] = []

    @contextmanager
    def watching(self, namespace: Mapping[str, Any]) -> Iterator[None]:
        """Have leaves of floats that require no gradient require one until the answer, or until the block raises."""
        self._changed = [
            tensor.requires_grad_() for tensor in self.known_parts(namespace)
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
        """The gradients by name: one for a tensor, a list for a module."""
        try:
            return self._answered(value, namespace)
        finally:
            self._put_back()

    def _answered(self, value: Any, namespace: Mapping[str, Any]) -> dict[str, Any]:
        if not isinstance(value, torch.Tensor) or value.ndim or value.grad_fn is None:
            raise ValueError("wrt differentiates a scalar tensor with a grad_fn; there is none")
        sources = {name: self.value(name, namespace) for name in self.names}
        flat = [part for source in sources.values() for part in self.parts(source)]
        asked = [part for part in flat if part.requires_grad]
        found = iter(torch.autograd.grad(value, asked, allow_unused=True, retain_graph=True) if asked else ())
        by_part = {id(part): next(found) for part in asked}
        return {name: by_part.get(id(source)) if isinstance(source, torch.Tensor) else
                [by_part.get(id(part)) for part in self.parts(source)] for name, source in sources.items()}  # fmt: skip

    def parts(self, value: Any) -> list[Any]:
        """The tensor, or the parameters of a module."""
        if isinstance(value, torch.nn.Module):
            return list(value.parameters())
        if isinstance(value, (list, tuple)):
            return [part for item in value for part in self.parts(item)]
        return [value] if isinstance(value, torch.Tensor) else []
