"""Fourier transforms: over the last one, two, three or any number of axes, and spectra turned round."""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise
from typing import Any, Final

import numpy as np

from tapeviz.engine import rules
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Op, Spec, registry
from tapeviz.engine.deferred_numbers import Deferred, computed, has_deferred
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.kernels import recorded_ops
from tapeviz.engine.op_definition import op
from tapeviz.engine.operators import public
from tapeviz.engine.rules import shape_text, sizes_of
from tapeviz.engine.samples import Sample
from tapeviz.engine.shapes import as_dimensions
from tapeviz.engine.tensor import Tensor
from tapeviz.engine.types import COMPLEXES
from tapeviz.ops import static_shape_rules
from tapeviz.ops.runtime_calls import by_rank

__all__ = [
    "complexes",
    "fft",
    "fft2d",
    "fft3d",
    "fftnd",
    "fftshift",
    "fitted",
    "ifft",
    "ifft2d",
    "ifft3d",
    "ifftnd",
    "ifftshift",
    "irfft",
    "irfft2d",
    "irfft3d",
    "irfftnd",
    "rfft",
    "rfft2d",
    "rfft3d",
    "rfftnd",
]

_REALS: Final = frozenset(map(np.dtype, ("float32", "float64")))
_WHOLE: Final[dict[np.dtype, np.dtype]] = {
    np.dtype(np.float32): np.dtype(np.complex64),
    np.dtype(np.float64): np.dtype(np.complex128),
}
_PART: Final[dict[np.dtype, np.dtype]] = {whole: part for part, whole in _WHOLE.items()}


def _axes(count: int) -> tuple[int, ...]:
    """The last so many axes."""
    return tuple(range(-count, 0))


def _deep_enough(x: Spec, count: int) -> None:
    if len(x.shape) < count:
        raise InvalidArgumentError(f"Input must have rank of at least {count} but got: {rules.shape_text(x.shape)}")


def _refuse_negative(lengths: tuple[int, ...]) -> None:
    for place, length in enumerate(lengths):
        if length < 0:
            raise InvalidArgumentError(f"fft_length[{place}] must >= 0, but got: {length}")


def _same(x: Spec, *, rank: int) -> Spec:
    _deep_enough(x, rank)
    return x


def _signals(rng: np.random.Generator) -> list[Sample]:
    made: list[Sample] = []
    for shape, rank in (((4,), 1), ((2, 3), 1), ((2, 3, 2), 2), ((2, 3, 2), 3)):
        x = rng.uniform(-1, 1, shape) + 1j * rng.uniform(-1, 1, shape)
        made.append(((x,), {"rank": rank}))
    return made


def _forward(xp: Any, x: Any, *, rank: int) -> Any:
    return x if x.size == 0 and x.ndim >= rank else xp.fft.fftn(x, axes=_axes(rank))


def _backward(xp: Any, x: Any, *, rank: int) -> Any:
    return x if x.size == 0 and x.ndim >= rank else xp.fft.ifftn(x, axes=_axes(rank))


_of_complex = partial(
    op, family="linalg", infer=_same, static=static_shape_rules.fourier, types=COMPLEXES, samples=_signals
)

_fft: Op = _of_complex(
    "fft",
    doc="The discrete Fourier transform over the last axes.",
    tf_name="FFT",
    forward=_forward,
    vjp={"x": lambda F, g, rank: F.fft(g, rank=rank)},
    formula=r"y_k = \sum_n x_n e^{-2 \pi i k n / N}",
    vjp_formula=(r"\bar x_n = \sum_k \bar y_k e^{2 \pi i k n / N}",),
)

_ifft: Op = _of_complex(
    "ifft",
    doc="The inverse discrete Fourier transform over the last axes.",
    tf_name="IFFT",
    forward=_backward,
    vjp={"x": lambda F, g, rank: F.ifft(g, rank=rank)},
    formula=r"y_n = \frac{1}{N} \sum_k x_k e^{2 \pi i k n / N}",
    vjp_formula=(r"\bar x_k = \frac{1}{N} \sum_n \bar y_n e^{-2 \pi i k n / N}",),
)


def _fitted(F: Any, x: Any, shape: tuple[int, ...]) -> Any:
    """An input cut off, or filled up with zeros, at the ends of axes."""
    before = tuple(sizes_of(x))
    if before == shape:
        return x
    if has_deferred((before, shape)):
        smaller = tuple(h if h is w else computed(min, h, w) for h, w in zip(before, shape, strict=True))
    else:
        smaller = tuple(map(min, before, shape))
    x = F.strided_slice(x, key=tuple(slice(0, size) for size in smaller))
    return F.pad(x, paddings=tuple((0, w - s) for s, w in zip(smaller, shape, strict=True)), value=0)


def fitted(x: Any, shape: tuple[int, ...]) -> Any:
    """A tensor cut off, or filled up with zeros, at the ends of axes."""
    return _fitted(recorded_ops, x, shape)


def _paired(F: Any, x: Any, length: int) -> Any:
    """Of half a spectrum the frequencies that stand for themselves and their mirror images, the others set to 0."""
    half = sizes_of(x)[-1]
    last: int = half - 1 + length % 2
    margins = ((0, 0),) * (len(x.shape) - 1)
    ends = computed(min, half, 1), computed(min, half, half - last)  # of nothing there are no frequencies
    return F.pad(F.strided_slice(x, key=np.s_[..., 1:last]), paddings=(*margins, ends), value=0)


def _rfft_rule(x: Spec, *, lengths: tuple[int, ...]) -> Spec:
    _deep_enough(x, len(lengths))
    _refuse_negative(lengths)
    half = lengths[-1] // 2 + 1 if lengths[-1] else 0
    return Spec((*x.shape[: -len(lengths)], *lengths[:-1], half), _WHOLE[x.dtype])


def _halved(xp: Any, x: Any, *, lengths: tuple[int, ...]) -> Any:
    _refuse_negative(lengths)
    if x.size == 0:
        whole = _rfft_rule(Spec(x.shape, x.dtype), lengths=lengths)
        return xp.zeros(whole.shape, whole.dtype)
    return xp.fft.rfftn(x, lengths, _axes(len(lengths)))


def _number(count: int, dtype: Any) -> Any:
    return public["number"](count, dtype) if isinstance(count, Deferred) else float(count)


def _rfft_gradient(F: Any, g: Any, x_spec: Any, lengths: tuple[int, ...]) -> Any:
    if 0 in lengths:
        return _fitted(F, F.irfft(g, lengths=lengths), x_spec.shape)
    once = F.subtract(g, F.multiply(_paired(F, g, lengths[-1]), 0.5))
    count = _number(math.prod(lengths), x_spec.dtype)
    return _fitted(F, F.multiply(F.irfft(once, lengths=lengths), count), x_spec.shape)


def _irfft_rule(x: Spec, *, lengths: tuple[int, ...]) -> Spec:
    _deep_enough(x, len(lengths))
    _refuse_negative(lengths)
    return Spec((*x.shape[: -len(lengths)], *lengths), _PART[x.dtype])


def _made_whole(xp: Any, x: Any, *, lengths: tuple[int, ...]) -> Any:
    _refuse_negative(lengths)
    if x.size == 0:
        whole = _irfft_rule(Spec(x.shape, x.dtype), lengths=lengths)
        return xp.zeros(whole.shape, whole.dtype)
    return xp.fft.irfftn(x, lengths, _axes(len(lengths)))


def _irfft_gradient(F: Any, g: Any, x_spec: Any, lengths: tuple[int, ...]) -> Any:
    once = F.rfft(g, lengths=lengths)
    if 0 in lengths:
        return _fitted(F, once, x_spec.shape)
    both = F.add(once, _paired(F, once, lengths[-1]))
    count = math.prod(lengths)
    share = F.divide(1.0, _number(count, x_spec.dtype)) if isinstance(count, Deferred) else 1.0 / count
    return _fitted(F, F.multiply(both, share), x_spec.shape)


def _real_signals(rng: np.random.Generator) -> list[Sample]:
    cases = (((6,), (6,)), ((5,), (5,)), ((2, 5), (8,)), ((2, 5), (3,)), ((2, 3, 4), (3, 4)), ((2, 3, 2), (3, 2, 4)),
             ((0, 3), (0, 3)))  # fmt: skip
    return [((rng.uniform(-1, 1, shape),), {"lengths": lengths}) for shape, lengths in cases]


def _half_spectra(rng: np.random.Generator) -> list[Sample]:
    cases = (((4,), (6,)), ((3,), (5,)), ((2, 5), (4,)), ((2, 3), (8,)), ((2, 3, 3), (3, 4)), ((2, 3, 2), (2, 3, 3)),
             ((2, 0), (0,)))  # fmt: skip
    return [
        ((rng.uniform(-1, 1, shape) + 1j * rng.uniform(-1, 1, shape),), {"lengths": lengths})
        for shape, lengths in cases
    ]


_rfft = op(
    "rfft",
    doc="The discrete Fourier transform of real numbers over the last axes, without the half that is its mirror image.",
    family="linalg",
    tf_name="RFFT",
    forward=_halved,
    infer=_rfft_rule,
    types=_REALS,
    vjp={"x": _rfft_gradient},
    holomorphic=False,
    formula=r"y_k = \sum_n x_n e^{-2 \pi i k n / N},\; 0 \le k \le N / 2",
    vjp_formula=(r"\bar x_n = \mathrm{Re} \sum_k \bar y_k e^{2 \pi i k n / N}",),
    samples=_real_signals,
)

_irfft = op(
    "irfft",
    doc="The inverse of the real discrete Fourier transform over the last axes.",
    family="linalg",
    tf_name="IRFFT",
    forward=_made_whole,
    infer=_irfft_rule,
    types=COMPLEXES,
    vjp={"x": _irfft_gradient},
    holomorphic=False,
    formula=r"y_n = \frac{1}{N} \sum_k x_k e^{2 \pi i k n / N},\; x_{N-k} = \overline{x_k}",
    vjp_formula=(r"\bar x_k = \frac{1 + [0 < k < N/2]}{N} \sum_n \bar y_n e^{-2 \pi i k n / N}",),
    samples=_half_spectra,
)


def complexes(value: Any) -> Any:
    """What is no tensor becomes one, of complex numbers if it can.

    Python's complex numbers stay what they are; NumPy's become complex64. It is as TensorFlow does it.
    """
    if isinstance(value, Tensor) or hasattr(value, "_read"):
        return value
    if not isinstance(value, np.ndarray) and (made := convert_to_tensor(value)).dtype.is_complex:
        return made
    return convert_to_tensor(value, dtype_hint="complex64")


def fft(input: Any, name: str | None = None) -> Any:
    """The Fourier transform of complex numbers over the last axis.

    Raises:
        InvalidArgumentError: ``input`` is not complex, or a single number.

    >>> import tapeviz as tf
    >>> tf.signal.fft([1.0, 2.0]).numpy()
    array([ 3.+0.j, -1.+0.j], dtype=complex64)
    """
    return _fft.run(complexes(input), 1)


def ifft(input: Any, name: str | None = None) -> Any:
    """The inverse Fourier transform of complex numbers over the last axis.

    Raises:
        InvalidArgumentError: ``input`` is not complex, or a single number.

    >>> import tapeviz as tf
    >>> tf.signal.ifft([3.0, -1.0]).numpy()
    array([1.+0.j, 2.+0.j], dtype=complex64)
    """
    return _ifft.run(complexes(input), 1)


def fft2d(input: Any, name: str | None = None) -> Any:
    """The Fourier transform of complex numbers over the last two axes.

    Raises:
        InvalidArgumentError: ``input`` is not complex, or has fewer than two axes.

    >>> import tapeviz as tf
    >>> tf.signal.fft2d([[1.0, 2.0]]).numpy()
    array([[ 3.+0.j, -1.+0.j]], dtype=complex64)
    """
    return _fft.run(complexes(input), 2)


def ifft2d(input: Any, name: str | None = None) -> Any:
    """The inverse Fourier transform of complex numbers over the last two axes.

    Raises:
        InvalidArgumentError: ``input`` is not complex, or has fewer than two axes.

    >>> import tapeviz as tf
    >>> tf.signal.ifft2d([[3.0, -1.0]]).numpy()
    array([[1.+0.j, 2.+0.j]], dtype=complex64)
    """
    return _ifft.run(complexes(input), 2)


def fft3d(input: Any, name: str | None = None) -> Any:
    """The Fourier transform of complex numbers over the last three axes.

    Raises:
        InvalidArgumentError: ``input`` is not complex, or has fewer than three axes.

    >>> import tapeviz as tf
    >>> tf.signal.fft3d([[[1.0, 2.0]]]).numpy()
    array([[[ 3.+0.j, -1.+0.j]]], dtype=complex64)
    """
    return _fft.run(complexes(input), 3)


def ifft3d(input: Any, name: str | None = None) -> Any:
    """The inverse Fourier transform of complex numbers over the last three axes.

    Raises:
        InvalidArgumentError: ``input`` is not complex, or has fewer than three axes.

    >>> import tapeviz as tf
    >>> tf.signal.ifft3d([[[3.0, -1.0]]]).numpy()
    array([[[1.+0.j, 2.+0.j]]], dtype=complex64)
    """
    return _ifft.run(complexes(input), 3)


def whole_length(half: int) -> int:
    """How many elements those have of which the first half of the spectrum has so many."""
    return max(0, 2 * (half - 1))


def _lengths(x: Any, fft_length: Any, rank: int, *, half: bool) -> tuple[int, ...]:
    """How many elements of each axis take part: what ``fft_length`` says, else all that there are."""
    if x.ndim < rank:
        raise ValueError(f"Shape {x.shape} must have rank at least {rank}")
    if fft_length is not None:
        return as_dimensions(fft_length)
    shape = x._a.shape[x.ndim - rank :]
    return (*shape[:-1], computed(whole_length, shape[-1])) if half else shape


def _as_complex(x: Any, *_options: Any, **_named: Any) -> Any:
    return None, "complex128" if convert_to_tensor(x, dtype_hint="float32").dtype == "float64" else "complex64"


@by_rank(_as_complex)
def spectrum_of_reals(input_tensor: Any, fft_length: Any, rank: int) -> Any:
    x = convert_to_tensor(input_tensor, dtype_hint="float32")
    if x.dtype.numpy not in _REALS:
        raise ValueError(f"RFFT requires tf.float32 or tf.float64 inputs, got: {x}")
    return _rfft.run(x, _lengths(x, fft_length, rank, half=False))


def _to_reals(input_tensor: Any, fft_length: Any, rank: int) -> Any:
    x = convert_to_tensor(input_tensor, dtype_hint="complex64")
    return _irfft.run(x, _lengths(x, fft_length, rank, half=True))


def rfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """The Fourier transform of real numbers over the last axis: the first half of it and one, which says it all.

    Args:
        input_tensor: float32 or float64, of at least one axis.
        fft_length: in a list, how many elements to take; more than there are adds zeros. All unless given.
        name: accepted as TensorFlow does.

    Raises:
        ValueError: ``input_tensor`` is not of such numbers, or has too few axes.

    >>> import tapeviz as tf
    >>> tf.signal.rfft([1.0, 2.0]).numpy()
    array([ 3.+0.j, -1.+0.j], dtype=complex64)
    """
    return spectrum_of_reals(input_tensor, fft_length, 1)


def rfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """The Fourier transform of real numbers over the last two axes. Arguments and errors as for ``rfft``.

    >>> import tapeviz as tf
    >>> tf.signal.rfft2d([[1.0, 2.0]]).numpy()
    array([[ 3.+0.j, -1.+0.j]], dtype=complex64)
    """
    return spectrum_of_reals(input_tensor, fft_length, 2)


def rfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """The Fourier transform of real numbers over the last three axes. Arguments and errors as for ``rfft``.

    >>> import tapeviz as tf
    >>> tf.signal.rfft3d([[[1.0, 2.0]]]).numpy()
    array([[[ 3.+0.j, -1.+0.j]]], dtype=complex64)
    """
    return spectrum_of_reals(input_tensor, fft_length, 3)


def irfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """The real numbers whose Fourier transform over the last axis begins so: what ``rfft`` came from.

    Args:
        input_tensor: complex numbers, of at least one axis.
        fft_length: in a list, how many elements to make; an even number, twice those given less 2, unless given.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: ``input_tensor`` is not complex.
        ValueError: it has too few axes.

    >>> import tapeviz as tf
    >>> tf.signal.irfft([3.0, -1.0]).numpy()
    array([1., 2.], dtype=float32)
    """
    return _to_reals(input_tensor, fft_length, 1)


def irfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """The real numbers whose Fourier transform over the last two axes begins so. All else as for ``irfft``.

    >>> import tapeviz as tf
    >>> tf.signal.irfft2d([[3.0, -1.0]]).numpy()
    array([[1., 2.]], dtype=float32)
    """
    return _to_reals(input_tensor, fft_length, 2)


def irfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Any:
    """The real numbers whose Fourier transform over the last three axes begins so. All else as for ``irfft``.

    >>> import tapeviz as tf
    >>> tf.signal.irfft3d([[[3.0, -1.0]]]).numpy()
    array([[[1., 2.]]], dtype=float32)
    """
    return _to_reals(input_tensor, fft_length, 3)


_REAL_NAMES: Final = ("float32", "float64")
_COMPLEX_NAMES: Final = ("complex64", "complex128")
_DOUBLE: Final = np.dtype(np.float64)
_POWERS: Final = {None: 0.0, "backward": 0.0, "ortho": 0.5, "forward": 1.0}
"""Of the number of elements: what the transform is divided by, and its inverse multiplied by."""


def _lengths_nd(x: Any, fft_length: Any, axes: Any, *, to_reals: bool = False) -> tuple[int, ...]:
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
    lengths = _lengths_nd(x, fft_length, axes)
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
    lengths = _lengths_nd(x, fft_length, axes)
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
    lengths = _lengths_nd(x, fft_length, axes)
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
    lengths = _lengths_nd(x, fft_length, axes, to_reals=True)
    return registry["irfft"].run(_scaled(x, _factor(norm, lengths)), lengths)


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
    """The inverse of ``fftshift``.

    >>> import tapeviz as tf
    >>> tf.signal.ifftshift([-2, -1, 0, 1, 2]).numpy()
    array([ 0,  1,  2, -2, -1], dtype=int32)
    """
    return _rolled(x, axes, lambda size: -(size // 2))
