"""Fourier transforms over any number of the last axes."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, Final

import numpy as np

from tapeviz.engine.convert import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.deferred import Deferred, computed
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.operators import public
from tapeviz.engine.rules import shape_text
from tapeviz.engine.shapes import as_dimensions
from tapeviz.ops.signal.fft import complexes, fitted, whole_length

__all__ = ["fftnd", "ifftnd", "irfftnd", "rfftnd"]

_REAL_NAMES: Final = ("float32", "float64")
_COMPLEX_NAMES: Final = ("complex64", "complex128")
_DOUBLE: Final = np.dtype(np.float64)
_POWERS: Final = {None: 0.0, "backward": 0.0, "ortho": 0.5, "forward": 1.0}
"""Of the number of elements: what the transform is divided by, and its inverse multiplied by."""


def _lengths(x: Any, fft_length: Any, axes: Any, *, to_reals: bool = False) -> tuple[int, ...]:
    """How many elements of each of the last axes take part.

    Raises:
        InvalidArgumentError: the axes are not the last ones, or there is not one length for each.
    """
    rank = x.ndim
    chosen = tuple(range(rank)) if axes is None else as_dimensions(axes)
    if len(chosen) > rank or not rank:
        least = max(1, len(chosen))
        raise InvalidArgumentError(f"Input must have rank of at least {least} but got: {shape_text(x._a.shape)}")
    places = [axis + rank if axis < 0 else axis for axis in chosen]
    if any(after != before + 1 for before, after in pairwise(places)):
        raise InvalidArgumentError("axes must be successive and ascending.")
    if not places or places[-1] != rank - 1:
        raise InvalidArgumentError("The last axis to perform transform on must be -1.")
    if fft_length is None:
        sizes = x._a.shape[rank - len(chosen) :]
        return (*sizes[:-1], computed(whole_length, sizes[-1])) if to_reals else sizes
    lengths = as_dimensions(fft_length)
    if len(lengths) != len(chosen):
        raise InvalidArgumentError(f"fft_length must have shape [{len(chosen)}], but got: {len(lengths)}.")
    for place, length in enumerate(lengths):
        if length < 0:
            raise InvalidArgumentError(f"fft_length[{place}] must >= 0, but got: {length}")
    return lengths


def _factor(norm: str | None, lengths: tuple[int, ...]) -> Any:
    """What an inverse transform is multiplied by.

    Raises:
        ValueError: there is no such norm.
    """
    if norm not in _POWERS:
        raise ValueError(f"norm must be 'backward', 'ortho' or 'forward'. Received: {norm!r}")
    count = math.prod(lengths)
    if isinstance(count, Deferred) and _POWERS[norm]:
        return registry["pow"].run(public["number"](count, _DOUBLE), float(_POWERS[norm]))
    return float(count ** _POWERS[norm]) if _POWERS[norm] else 1.0


def _scaled(x: Any, factor: Any) -> Any:
    if isinstance(factor, float):
        return x if factor == 1.0 else x * factor
    return x * public["cast"](factor, x.dtype)


def _cut(x: Any, lengths: tuple[int, ...]) -> Any:
    return fitted(x, (*x._a.shape[: x.ndim - len(lengths)], *lengths))


def fftnd(
    input_tensor: Any, fft_length: Any = None, axes: Any = None, norm: str | None = None, name: str | None = None
) -> Any:
    """The Fourier transform of complex numbers over any number of the last axes.

    It has a gradient, which TensorFlow's has not.

    Args:
        input_tensor: complex numbers.
        fft_length: how many elements of each axis to take; more than there are adds zeros. All unless given.
        axes: the axes, which must be the last ones in their order; all unless given.
        norm: ``"backward"`` or None changes nothing; ``"forward"`` divides by the number of elements, ``"ortho"``
            by its square root.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: ``input_tensor`` is not complex, the axes are not the last ones, or there is not one
            length for each.
        ValueError: there is no such norm.

    >>> import tapeviz as tf
    >>> tf.signal.fftnd([[1.0, 2.0], [3.0, 4.0]]).numpy()
    array([[10.+0.j, -2.+0.j],
           [-4.+0.j,  0.+0.j]], dtype=complex64)
    """
    x = convert_to_tensor(complexes(input_tensor))
    lengths = _lengths(x, fft_length, axes)
    return registry["fft"].run(_scaled(_cut(x, lengths), 1.0 / _factor(norm, lengths)), len(lengths))


def ifftnd(
    input_tensor: Any, fft_length: Any = None, axes: Any = None, norm: str | None = None, name: str | None = None
) -> Any:
    """The inverse Fourier transform of complex numbers over any number of the last axes: what undoes ``fftnd``.

    Arguments, errors and the gradient are as for ``fftnd``, except that ``norm`` multiplies.

    >>> import tapeviz as tf
    >>> tf.signal.ifftnd([[10.0, -2.0], [-4.0, 0.0]]).numpy()
    array([[1.+0.j, 2.+0.j],
           [3.+0.j, 4.+0.j]], dtype=complex64)
    """
    x = convert_to_tensor(complexes(input_tensor))
    lengths = _lengths(x, fft_length, axes)
    return registry["ifft"].run(_scaled(_cut(x, lengths), _factor(norm, lengths)), len(lengths))


def rfftnd(
    input_tensor: Any, fft_length: Any = None, axes: Any = None, norm: str | None = None, name: str | None = None
) -> Any:
    """The Fourier transform of real numbers over any number of the last axes: the half that the other half mirrors.

    ``input_tensor`` is float32 or float64. Arguments, errors and the gradient are otherwise as for ``fftnd``.

    Raises:
        ValueError: ``input_tensor`` is not of such numbers.

    >>> import tapeviz as tf
    >>> tf.signal.rfftnd([[1.0, 2.0], [3.0, 4.0]]).numpy()
    array([[10.+0.j, -2.+0.j],
           [-4.+0.j,  0.+0.j]], dtype=complex64)
    """
    x = convert_to_tensor(input_tensor, dtype_hint="float32")
    if x.dtype.name not in _REAL_NAMES:
        raise ValueError(f"RFFT requires tf.float32 or tf.float64 inputs, got: {x}")
    lengths = _lengths(x, fft_length, axes)
    return registry["rfft"].run(_scaled(x, 1.0 / _factor(norm, lengths)), lengths)


def irfftnd(
    input_tensor: Any, fft_length: Any = None, axes: Any = None, norm: str | None = None, name: str | None = None
) -> Any:
    """The real numbers whose Fourier transform over any number of the last axes begins so: what undoes ``rfftnd``.

    Along the last axis, unless ``fft_length`` says otherwise, an even number of elements is made: twice those given
    less 2. Arguments, errors and the gradient are otherwise as for ``ifftnd``.

    Raises:
        ValueError: ``input_tensor`` is not of complex numbers.

    >>> import tapeviz as tf
    >>> tf.signal.irfftnd([[10.0, -2.0], [-4.0, 0.0]]).numpy()
    array([[1., 2.],
           [3., 4.]], dtype=float32)
    """
    x = convert_to_tensor(input_tensor, dtype_hint="complex64")
    if x.dtype.name not in _COMPLEX_NAMES:
        raise ValueError(f"IRFFT requires tf.complex64 or tf.complex128 inputs, got: {x}")
    lengths = _lengths(x, fft_length, axes, to_reals=True)
    return registry["irfft"].run(_scaled(x, _factor(norm, lengths)), lengths)
