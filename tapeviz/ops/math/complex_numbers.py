"""Complex numbers: their parts, and how they are put together."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from tapeviz.engine import rules
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Spec, registry, ufunc
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.samples import and_complex, floats, pairs
from tapeviz.engine.types import COMPLEXES

__all__ = ["angle", "complex", "conj", "imag", "is_complex", "real", "real_part"]

_PART: Final[dict[np.dtype, np.dtype]] = {
    np.dtype(np.complex64): np.dtype(np.float32), np.dtype(np.complex128): np.dtype(np.float64),
}  # fmt: skip
_WHOLE: Final = {part: whole for whole, part in _PART.items()}


def is_complex(x: Any) -> bool:
    """Whether what a gradient is given is complex. Arrays never are: complex gradients are made of tensors."""
    return bool(getattr(x.dtype, "is_complex", False))


def real_part(x: Spec, **_attrs: Any) -> Spec:
    """A real number an input element."""
    return Spec(x.shape, _PART.get(x.dtype, x.dtype))


def _complexes(rng: np.random.Generator) -> list[Any]:
    return and_complex(floats(0.5, 2.0), first=4)(rng)[4:]


_real = op(
    "real",
    doc="The real part of complex numbers, element by element.",
    family="elementwise",
    forward=lambda xp, x: xp.array(xp.real(x)),
    infer=real_part,
    types=COMPLEXES,
    vjp={"x": lambda F, g: F.complex(g, F.zeros_like(g))},
    holomorphic=False,
    formula=r"y_i = \mathrm{Re}\, x_i",
    vjp_formula=(r"\bar x_i = \bar y_i",),
    samples=_complexes,
    silent=True,
    hints="lies_like_input uneven",
)


def real(input: Any, name: str | None = None) -> Any:
    """The real part of complex numbers; real numbers as they are.

    Raises:
        TypeError: ``input`` holds no numbers.

    >>> import tapeviz as tf
    >>> tf.math.real([1 + 2j, 3 - 4j]).numpy()
    array([1., 3.])
    """
    input = convert_to_tensor(input)
    if input.dtype.is_complex:
        return _real.run(input)
    if not (input.dtype.is_floating or input.dtype.is_integer):
        raise TypeError(f"input must be a numeric tensor, but got tensor with dtype {input.dtype}")
    return input


_imag = op(
    "imag",
    doc="The imaginary part of complex numbers, element by element.",
    family="elementwise",
    forward=lambda xp, x: xp.array(xp.imag(x)),
    infer=real_part,
    types=COMPLEXES,
    vjp={"x": lambda F, g: F.complex(F.zeros_like(g), g)},
    holomorphic=False,
    formula=r"y_i = \mathrm{Im}\, x_i",
    vjp_formula=(r"\bar x_i = i\, \bar y_i",),
    samples=_complexes,
    silent=True,
    hints="lies_like_input uneven",
)


def imag(input: Any, name: str | None = None) -> Any:
    """The imaginary part of complex numbers; zeros for real numbers.

    >>> import tapeviz as tf
    >>> tf.math.imag([1 + 2j, 3 - 4j]).numpy()
    array([ 2., -4.])
    """
    input = convert_to_tensor(input)
    return _imag.run(input) if input.dtype.is_complex else registry["zeros_like"].run(input)


_conj = op(
    "conj",
    doc="The complex conjugate, element by element.",
    family="elementwise",
    forward=ufunc("conjugate"),
    infer=rules.elementwise,
    types=COMPLEXES,
    vjp={"x": lambda F, g: F.conj(g)},
    holomorphic=False,
    formula=r"y_i = \overline{x_i}",
    vjp_formula=(r"\bar x_i = \overline{\bar y_i}",),
    samples=_complexes,
    silent=True,
)


def conj(x: Any, name: str | None = None) -> Any:
    """The complex conjugate, element by element; real numbers as they are.

    Raises:
        TypeError: ``x`` is neither complex nor a number.

    >>> import tapeviz as tf
    >>> tf.math.conj([1 + 2j, 3.0]).numpy()
    array([1.-2.j, 3.-0.j])
    """
    x = convert_to_tensor(x)
    if x.dtype.is_complex:
        return _conj.run(x)
    if x.dtype.is_floating or x.dtype.is_integer:
        return x
    raise TypeError(f"Expected numeric or variant tensor, got dtype {x.dtype!r}.")


_angle = op(
    "angle",
    doc="The angle of complex numbers in radians, from -pi to pi, element by element.",
    family="elementwise",
    forward=lambda xp, x: xp.arctan2(xp.imag(x), xp.real(x)),
    infer=real_part,
    types=COMPLEXES,
    vjp={"x": lambda F, g, x: F.divide(F.complex(F.zeros_like(g), g), F.conj(x))},
    holomorphic=False,
    formula=r"y_i = \arg x_i",
    vjp_formula=(r"\bar x_i = i\, \bar y_i / \overline{x_i}",),
    samples=_complexes,
)


def angle(input: Any, name: str | None = None) -> Any:
    """The angle of complex numbers in radians; for real numbers 0, and pi for negative ones.

    >>> import tapeviz as tf
    >>> tf.math.angle([1 + 0j, 1j]).numpy()
    array([0.        , 1.57079633])
    """
    input = convert_to_tensor(input)
    if input.dtype.is_complex:
        return _angle.run(input)
    if not input.dtype.is_floating:
        raise TypeError(f"Cannot convert {math.pi} to EagerTensor of dtype {input.dtype.name}")
    zeros = registry["zeros_like"].run(input)
    return registry["where"].run(registry["less"].run(input, zeros), registry["add"].run(zeros, math.pi), zeros)


def _compose(xp: Any, real: Any, imag: Any) -> Any:
    # Added up, an infinite imaginary part would make the real part nan.
    whole = xp.zeros(xp.broadcast_shapes(real.shape, imag.shape), _WHOLE[real.dtype])
    whole.real[...] = real
    whole.imag[...] = imag
    return whole


def _compose_rule(real: Spec, imag: Spec) -> Spec:
    if real.dtype not in _WHOLE:
        raise InvalidArgumentError(f"Value for attr 'T' of {real.dtype} is not in the list of allowed values")
    return Spec(rules.broadcast_shapes(real.shape, imag.shape), _WHOLE[real.dtype])


_compose_rule.broadcasts = True  # type: ignore[attr-defined]

_complex = op(
    "complex",
    doc="Complex numbers from their real and imaginary parts, element by element, broadcasting.",
    family="elementwise",
    forward=_compose,
    infer=_compose_rule,
    types=frozenset(_WHOLE),
    vjp={"real": lambda F, g: F.real(g), "imag": lambda F, g: F.imag(g)},
    holomorphic=False,
    formula=r"z_i = x_i + i\, y_i",
    vjp_formula=(r"\bar x_i = \mathrm{Re}\, \bar z_i", r"\bar y_i = \mathrm{Im}\, \bar z_i"),
    samples=pairs(),
    hints="uneven",
)


def complex(real: Any, imag: Any, name: str | None = None) -> Any:
    """Complex numbers from their real and imaginary parts.

    Args:
        real: float32 or float64.
        imag: of the same dtype, broadcasting with ``real``.
        name: accepted as TensorFlow does.

    Raises:
        TypeError: the parts are of other dtypes, or differ in them.

    >>> import tapeviz as tf
    >>> tf.complex([1.0, 2.0], [3.0, 4.0]).numpy()
    array([1.+3.j, 2.+4.j], dtype=complex64)
    """
    real, imag = convert_to_tensor(real), convert_to_tensor(imag)
    if real.dtype is not imag.dtype or real._a.dtype not in _WHOLE:
        raise TypeError(
            "The `real` and `imag` components have incorrect types: "
            f"{real.dtype.name} {imag.dtype.name}. They must be consistent, and one of "
            "[tf.float32, tf.float64]"
        )
    return _complex.run(real, imag)
