"""Images of another size, each new pixel a weighted mean of the old ones around its place."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np

from tapeviz.engine.declaration import Spec
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.samples import cases
from tapeviz.engine.types import FLOATS
from tapeviz.ops.image.point_weights import POINT_WEIGHTS
from tapeviz.ops.nn.windows import refuse

__all__ = ["KERNELS", "resampled"]

_SINGLE: Final = np.float32
_LEAST_SUM: Final = 1000.0 * float(np.finfo(_SINGLE).tiny)
"""A sum of weights below it is taken to be of none, as in TensorFlow."""


class Kernel(NamedTuple):
    """How much an old pixel counts, by its distance."""

    radius: float
    weight: Callable[[np.ndarray], np.ndarray]


def _gaussian(x: np.ndarray) -> np.ndarray:
    return np.asarray(np.exp(-2.0 * x * x))


def _lanczos(radius: int) -> Kernel:
    return Kernel(radius, lambda x: np.sinc(x) * np.sinc(x / radius))


def _cubic(near: tuple[float, ...], far: tuple[float, ...]) -> Kernel:
    """A polynomial up to distance 1 and another one up to 2."""
    return Kernel(2, lambda x: np.where(x >= 1, np.polyval(far, x), np.polyval(near, x)))


KERNELS: Final = {
    "triangle": Kernel(1, lambda x: 1 - x),
    "lanczos3": _lanczos(3),
    "lanczos5": _lanczos(5),
    "gaussian": Kernel(1.5, _gaussian),
    "keyscubic": _cubic((1.5, -2.5, 0.0, 1.0), (-0.5, 2.5, -4.0, 2.0)),
    "mitchellcubic": _cubic((7 / 6, -2.0, 0.0, 8 / 9), (-7 / 18, 2.0, -10 / 3, 16 / 9)),
}


def _weights(name: str, size: int, wanted: int, *, antialias: bool) -> np.ndarray:
    """How much of each new pixel (a row) is of each old one (a column). Places are single precision in TensorFlow."""
    if name in POINT_WEIGHTS:
        return POINT_WEIGHTS[name](size, wanted).astype(_SINGLE)
    kernel = KERNELS[name]
    step = _SINGLE(1.0 / float(_SINGLE(wanted) / _SINGLE(size)))
    wide = max(step, _SINGLE(1)) if antialias else _SINGLE(1)
    middles = (np.arange(wanted, dtype=_SINGLE)[:, None] + _SINGLE(0.5)) * step
    reach = _SINGLE(kernel.radius) * wide
    first = np.clip(np.ceil(middles - reach - _SINGLE(0.5)), 0, size - 1)
    last = np.clip(np.floor(middles + reach - _SINGLE(0.5)), 0, size - 1)
    old = np.arange(size, dtype=_SINGLE)[None, :]
    distances = np.abs((old + _SINGLE(0.5) - middles) * (_SINGLE(1) / wide))
    reached = (old >= first) & (old <= last) & (distances < kernel.radius)
    weights = np.where(reached, kernel.weight(distances.astype(np.float64)), 0.0)
    total = weights.sum(axis=1, keepdims=True)
    enough = np.abs(total) >= _LEAST_SUM
    return np.where(enough, weights / np.where(enough, total, 1.0), 0.0).astype(_SINGLE)


@lru_cache(maxsize=64)
def _spans(name: str, size: int, wanted: int, antialias: bool, backward: bool) -> tuple[np.ndarray, np.ndarray]:
    """For each result where what it is made of begins, and the weights from there on."""
    weights = _weights(name, size, wanted, antialias=antialias)
    if backward:
        weights = weights.T
    some = weights != 0
    first = np.argmax(some, axis=1)
    after = np.where(some.any(axis=1), weights.shape[1] - np.argmax(some[:, ::-1], axis=1), 0)
    places = first[:, None] + np.arange(max(1, int((after - first).max())))
    found = np.take_along_axis(weights, np.minimum(places, weights.shape[1] - 1), axis=1)
    return first, np.where(places < weights.shape[1], found, _SINGLE(0))


def _along(xp: Any, x: Any, axis: int, spans: tuple[np.ndarray, np.ndarray]) -> Any:
    starts, weights = xp.asarray(spans[0]), xp.asarray(spans[1], dtype=x.dtype)
    total = None
    for offset in range(weights.shape[1]):
        pixels = xp.take(x, xp.minimum(xp.add(starts, offset), x.shape[axis] - 1), axis=axis)
        share = xp.reshape(weights[:, offset], (1,) * axis + (-1,) + (1,) * (x.ndim - axis - 1))
        # What does not count must not count either where it is infinite.
        part = xp.where(xp.equal(share, 0), xp.zeros((), x.dtype), xp.multiply(pixels, share))
        total = part if total is None else xp.add(total, part)
    return total


def _rule(images: Spec, *, size: tuple[int, int], kernel: str, antialias: bool) -> Spec:
    refuse(images.shape, 2, "input")
    if min(size) <= 0:
        raise InvalidArgumentError("output dimensions must be positive")
    if images.shape[3] == 0:
        raise InvalidArgumentError("image must have at least one channel")
    if 0 in images.shape[1:3]:
        raise InvalidArgumentError("input image must be of non-zero size")
    return Spec((images.shape[0], *size, images.shape[3]), images.dtype)


def _forward(xp: Any, images: Any, *, size: tuple[int, int], kernel: str, antialias: bool) -> Any:
    _rule(Spec(images.shape, images.dtype), size=size, kernel=kernel, antialias=antialias)
    rows, columns = (_spans(kernel, images.shape[1 + i], size[i], antialias, False) for i in range(2))
    return _along(xp, _along(xp, images, 1, rows), 2, columns)


def _backward(xp: Any, upstream: Any, *, size: tuple[int, int], kernel: str, antialias: bool) -> Any:
    rows, columns = (_spans(kernel, size[i], upstream.shape[1 + i], antialias, True) for i in range(2))
    return _along(xp, _along(xp, upstream, 2, columns), 1, rows)


_WAYS: Final = (
    ((1, 5, 4, 2), (3, 2), "triangle", True),
    ((2, 3, 7, 1), (4, 3), "triangle", True),
    ((1, 3, 2, 1), (4, 5), "lanczos3", False),
    ((1, 4, 5, 1), (2, 2), "mitchellcubic", True),
    ((1, 5, 1, 1), (2, 3), "keyscubic", True),
    ((0, 4, 4, 1), (2, 2), "gaussian", True),
    ((1, 5, 3, 1), (3, 4), "bilinear_legacy", False),
    ((1, 3, 5, 2), (4, 3), "bicubic_aligned", False),
    ((1, 5, 4, 1), (2, 6), "area", False),
)

resampled = op(
    "scale_and_translate",
    doc="Images scaled and translated: each pixel is a weighted mean of pixels of the input.",
    family="shape",
    forward=_forward,
    infer=_rule,
    types=FLOATS,
    vjp={
        "images": lambda F, g, images_spec, kernel, antialias: F.scale_and_translate_grad(
            g, size=images_spec.shape[1:3], kernel=kernel, antialias=antialias
        )
    },
    formula=r"y_p = \sum_q w_{pq}\, x_q,\; \sum_q w_{pq} = 1",
    vjp_formula=(r"\bar x_q = \sum_p w_{pq}\, \bar y_p",),
    samples=cases(*(([old], {"size": new, "kernel": kernel, "antialias": wide}) for old, new, kernel, wide in _WAYS)),
)

op(
    "scale_and_translate_grad",
    doc="The gradient of scale_and_translate.",
    family="shape",
    forward=_backward,
    infer=lambda upstream, *, size, kernel, antialias: Spec(
        (upstream.shape[0], *size, upstream.shape[3]), upstream.dtype
    ),
    types=FLOATS,
    vjp={
        "upstream": lambda F, g, upstream_spec, kernel, antialias: F.scale_and_translate(
            g, size=upstream_spec.shape[1:3], kernel=kernel, antialias=antialias
        )
    },
    formula=r"y_q = \sum_p w_{pq}\, g_p",
    vjp_formula=(r"\bar g_p = \sum_q w_{pq}\, \bar y_q",),
    samples=cases(
        *(
            ([(old[0], *new, old[3])], {"size": old[1:3], "kernel": kernel, "antialias": wide})
            for old, new, kernel, wide in _WAYS
        )
    ),
)
