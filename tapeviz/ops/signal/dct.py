"""Cosine transforms of the four types, along the last axis."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapeviz.backends.libraries import library
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Spec
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.rules import sizes_of
from tapeviz.engine.samples import cases
from tapeviz.ops.signal.fft import fitted

__all__ = ["dct", "idct"]

_REALS: Final = frozenset(map(np.dtype, ("float32", "float64")))
_INVERSE: Final = {1: 1, 2: 3, 3: 2, 4: 4}


def _rule(x: Spec, *, kind: int, norm: str | None) -> Spec:
    if not x.shape:
        raise InvalidArgumentError("Input must have rank of at least 1 but got: []")
    return x


def _margins(x: Any, before: int, after: int) -> tuple[tuple[int, int], ...]:
    return (*((0, 0),) * (len(x.shape) - 1), (before, after))


def _inner(F: Any, x: Any) -> Any:
    """All elements but the first and the last, which become 0."""
    return F.pad(F.strided_slice(x, key=np.s_[..., 1:-1]), paddings=_margins(x, 1, 1), value=0)


def _gradient(F: Any, g: Any, kind: int, norm: str | None) -> Any:
    """The transform's transpose: up to the weights of the elements at the ends it is a cosine transform too."""
    if kind == 1:
        found = F.dct(F.subtract(g, F.multiply(_inner(F, g), 0.5)), kind=1, norm=norm)
        return F.add(found, _inner(F, found))
    found = F.dct(g, kind=_INVERSE[kind], norm=norm)
    if norm is not None or kind == 4:  # noqa: PLR2004 - orthogonal, or its own transpose
        return found
    first = np.s_[..., :1]
    if kind == 2:  # noqa: PLR2004 - the second type
        return F.add(found, F.strided_slice(g, key=first))
    alone = F.pad(F.strided_slice(found, key=first), paddings=_margins(found, 0, sizes_of(found)[-1] - 1), value=0)
    return F.subtract(found, F.multiply(alone, 0.5))


_dct = op(
    "dct",
    doc="The discrete cosine transform over the last axis.",
    family="linalg",
    tf_name="DCT",
    forward=lambda xp, x, *, kind, norm: library(xp, "fft").dct(x, kind, norm=norm),
    infer=_rule,
    types=_REALS,
    vjp={"x": _gradient},
    formula=r"y_k = \sum_n w_n x_n \cos \frac{\pi k (2 n + 1)}{2 N}",
    vjp_formula=(r"\bar x_n = w_n \sum_k \bar y_k \cos \frac{\pi k (2 n + 1)}{2 N}",),
    samples=cases(
        *(([(2, 5)], {"kind": kind, "norm": None}) for kind in _INVERSE),
        *(([(4,)], {"kind": kind, "norm": "ortho"}) for kind in (2, 3, 4)),
        ([(2,)], {"kind": 1, "norm": None}),
        ([(1,)], {"kind": 3, "norm": None}),
    ),
)


def _checked(type: int, n: int | None, axis: int, norm: str | None, size: int) -> None:
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    if n is not None and n < 1:
        raise ValueError("n should be a positive integer or None")
    if type not in _INVERSE:
        raise ValueError("Types I, II, III and IV (I)DCT are supported.")
    if type == 1:
        if norm == "ortho":
            raise ValueError("Normalization is not supported for the Type-I DCT.")
        if size < 2:  # noqa: PLR2004 - the first type has two ends
            raise ValueError("Type-I DCT requires the dimension to be greater than one.")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")


def dct(
    input: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None, name: str | None = None
) -> Any:
    """The discrete cosine transform of real numbers along the last axis.

    Args:
        input: float32 or float64.
        type: which of the four transforms, 1 to 4.
        n: how many elements to take; more than there are adds zeros. All unless given.
        axis: -1, the last axis.
        norm: ``"ortho"`` weights the results so that the transform keeps lengths; not for type 1.
        name: accepted as TensorFlow does.

    Raises:
        ValueError: there is no such type, or no such norm for it.
        NotImplementedError: another axis than the last one.

    >>> import tapeviz as tf
    >>> tf.signal.dct([1.0, 1.0]).numpy()
    array([4., 0.], dtype=float32)
    """
    x = convert_to_tensor(input, dtype_hint="float32")
    _checked(type, n, axis, norm, x._a.shape[-1] if x.ndim else 0)
    if n is not None:
        x = fitted(x, (*x._a.shape[:-1], n))
    return _dct.run(x, int(type), norm)


def idct(
    input: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None, name: str | None = None
) -> Any:
    """What ``dct`` of the same type came from, times 2 N, or 2 N - 2 for type 1, unless ``norm`` is ``"ortho"``.

    Arguments and errors as for ``dct``.

    >>> import tapeviz as tf
    >>> (tf.signal.idct([4.0, 0.0]) / 4.0).numpy()
    array([1., 1.], dtype=float32)
    """
    x = convert_to_tensor(input, dtype_hint="float32")
    _checked(type, n, axis, norm, x._a.shape[-1] if x.ndim else 0)
    return dct(x, _INVERSE[type], n, axis, norm)
