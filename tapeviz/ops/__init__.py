"""The ops: a folder a family, a file a topic. A file is imported when an op that it declares is first used."""

from __future__ import annotations

from importlib import import_module

# Where there is a GPU, tensors are made on it from the first one on.
import tapeviz.engine.devices  # noqa: F401
from tapeviz.engine.declaration import registry
from tapeviz.engine.operators import offer_operators, operators, public
from tapeviz.ops.index import FUNCTIONS, OPERATORS, OPS

__all__ = ["declare_all"]

registry.offer(OPS, import_module)
public.offer(FUNCTIONS, import_module)
offer_operators(OPERATORS, import_module)


def declare_all() -> None:
    """Import the files of all ops, and those of what the engine calls by name."""
    for names in (registry, operators, public):
        names.keys()
