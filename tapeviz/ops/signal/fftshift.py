"""Spectra turned round so that frequency 0 is in the middle, and back."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.convert import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.shapes import as_dimensions

__all__ = ["fftshift", "ifftshift"]


def _rolled(x: Any, axes: Any, half: Any) -> Any:
    x = convert_to_tensor(x)
    chosen = tuple(range(x.ndim)) if axes is None else as_dimensions([axes] if isinstance(axes, int) else axes)
    return registry["roll"].run(x, tuple(half(x._a.shape[axis]) for axis in chosen), chosen)


def fftshift(x: Any, axes: Any = None, name: str | None = None) -> Any:
    """The elements along ``axes`` (all when None) turned round so that frequency 0 is in the middle.

    >>> import tapeviz as tf
    >>> tf.signal.fftshift([0, 1, 2, -2, -1]).numpy()
    array([-2, -1,  0,  1,  2], dtype=int32)
    """
    return _rolled(x, axes, lambda size: size // 2)


def ifftshift(x: Any, axes: Any = None, name: str | None = None) -> Any:
    """What undoes ``fftshift``.

    >>> import tapeviz as tf
    >>> tf.signal.ifftshift([-2, -1, 0, 1, 2]).numpy()
    array([ 0,  1,  2, -2, -1], dtype=int32)
    """
    return _rolled(x, axes, lambda size: -(size // 2))
