"""What the user calls the parameters of modules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from weakref import ref

import torch

from tapeviz.adapters.torch_tensors import Tensors

__all__ = ["LeafNames", "argument_name"]


class LeafNames:
    """Names of leaves: by the module that has them, with the name that the user has for it where that is known.

    They are given to ``tensors`` while the leaves are there: a model may be gone when its recording is packed.
    """

    def __init__(self, tensors: Tensors) -> None:
        self._tensors = tensors
        self._roots: dict[int, tuple[Any, str]] = {}  # modules that were called from no other one, and their names
        self._leaves: dict[str, Any] = {}

    def is_new(self, module: Any) -> bool:
        """Whether a module was not seen yet."""
        known = self._roots.get(id(module))
        return known is None or known[0]() is not module

    def called(self, module: Any) -> None:
        """A module was called from no other one."""
        self._roots[id(module)] = ref(module), ""

    def look_around(self, namespace: Mapping[str, Any]) -> None:
        """Learn what the user's names stand for."""
        for name, value in list(namespace.items()):
            if name.startswith("_"):
                continue
            if isinstance(value, torch.nn.Module):
                self._roots[id(value)] = ref(value), name
            elif value.__class__ is torch.Tensor and value.requires_grad and value.is_leaf:
                self._leaves[name] = ref(value)

    def settle(self) -> None:
        """Give each leaf met so far that has a name this name."""
        if not self._tensors.nameless:
            return
        names = self._found()
        for leaf in self._tensors.leaves():
            if name := names.get(id(leaf)):
                self._tensors.call(leaf, name)

    def _found(self) -> dict[int, str]:
        """The name of each leaf that has one, by its identity."""
        names: dict[int, str] = {}
        for name, reference in self._leaves.items():
            if (leaf := reference()) is not None:
                names.setdefault(id(leaf), name)
        roots = [(module, name) for reference, name in self._roots.values() if (module := reference()) is not None]
        for module, name in sorted(roots, key=lambda root: not root[1]):
            for path, parameter in module.named_parameters():
                names.setdefault(id(parameter), f"{name}.{path}" if name else path)
        return names


def argument_name(tensors: Sequence[Any], namespace: Mapping[str, Any]) -> str:
    """What the user calls one of these tensors: by a name, or by its key in a dict of parameters; empty for none."""
    for name, value in namespace.items():
        found = {name: value} if isinstance(value, torch.Tensor) else value
        if isinstance(found, dict) and not name.startswith("_"):
            for key, each in list(found.items()):
                if isinstance(key, str) and any(each is tensor for tensor in tensors):
                    return key
    return ""
