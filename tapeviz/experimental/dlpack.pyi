# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from typing import Any as _Any

from tapeviz.engine.annotations import TensorLike as _TensorLike
from tapeviz.engine.tensor import EagerTensor as _EagerTensor

__all__ = ["from_dlpack", "to_dlpack"]

def from_dlpack(dlcapsule: _TensorLike) -> _EagerTensor:
    """A tensor with the value of a DLPack capsule, or of anything that gives one: a copy."""

def to_dlpack(tf_tensor: _TensorLike) -> _Any:
    """A tensor's value as a DLPack capsule, for one other library to take: a copy, since tensors never change."""
