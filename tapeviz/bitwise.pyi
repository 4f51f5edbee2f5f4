# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.engine.annotations import TensorLike as _TensorLike
from tapeviz.engine.tensor import Tensor as _Tensor

__all__ = ["bitwise_and", "bitwise_or", "bitwise_xor", "invert", "left_shift", "right_shift"]

def bitwise_and(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """The bits that are set in both x and y, element by element, broadcasting: ``x & y``."""

def bitwise_or(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """The bits that are set in x or in y, element by element, broadcasting: ``x | y``."""

def bitwise_xor(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """The bits that are set in one of x and y alone, element by element, broadcasting: ``x ^ y``."""

def invert(x: _TensorLike, name: str | None = None) -> _Tensor:
    """Every bit of x inverted, element by element: ``~x``."""

def left_shift(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """The bits of x shifted left by y, element by element, broadcasting; y is clipped to 0 and the bits less one."""

def right_shift(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """The bits of x shifted right by y, the sign kept, element by element; y is clipped to 0 and the bits less one."""
