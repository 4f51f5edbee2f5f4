"""Images made larger or smaller."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Spec, registry
from tapeviz.engine.deferred_numbers import has_deferred
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.operators import public
from tapeviz.engine.samples import cases
from tapeviz.engine.types import FLOATS
from tapeviz.ops.array.gather import gather
from tapeviz.ops.image.images import pad_to_bounding_box
from tapeviz.ops.image.point_weights import nearest_places
from tapeviz.ops.image.resampling import resampled
from tapeviz.ops.nn.windows import refuse
from tapeviz.ops.runtime_calls import later, open_sizes, waits

__all__ = ["ResizeMethod", "in_proportion", "nearest", "resize", "resize_with_pad", "wanted_size"]

_SINGLE: Final = np.dtype(np.float32)
_ONE, _BATCH = 3, 4  # axes of an image, and of several


def _sources(xp: Any, size: int, wanted: int, dtype: Any) -> tuple[Any, Any, Any]:
    """For each new pixel the two old ones beside its middle, and how far it is from the first to the second."""
    scale = float(_SINGLE.type(size) / _SINGLE.type(max(wanted, 1)))
    places = xp.subtract(xp.multiply(xp.add(xp.arange(wanted, dtype=_SINGLE), 0.5), scale), 0.5)
    below = xp.floor(places)
    first = xp.maximum(below, 0).astype(np.dtype(np.int64))
    second = xp.minimum(xp.add(below, 1), size - 1).astype(np.dtype(np.int64))
    return first, second, xp.subtract(places, below).astype(dtype)


def _between(xp: Any, x: Any, axis: int, wanted: int) -> Any:
    first, second, share = _sources(xp, x.shape[axis], wanted, x.dtype)
    one = xp.take(x, first, axis=axis)
    difference = xp.subtract(xp.take(x, second, axis=axis), one)
    share = xp.reshape(share, (1,) * axis + (-1,) + (1,) * (x.ndim - axis - 1))
    return xp.add(one, xp.multiply(difference, share))


def _bilinear(xp: Any, images: Any, *, size: tuple[int, int]) -> Any:
    return _between(xp, _between(xp, images, 2, size[1]), 1, size[0])


def _weights(xp: Any, size: int, wanted: int, dtype: Any) -> Any:
    """How much of each new pixel (a column) is of each old one (a row)."""
    first, second, share = _sources(xp, size, wanted, dtype)
    old = xp.arange(size)[:, None]
    of_first = xp.where(xp.equal(old, first), xp.subtract(1.0, share), xp.zeros((), dtype))
    return xp.add(of_first, xp.where(xp.equal(old, second), share, xp.zeros((), dtype)))


def _bilinear_back(xp: Any, upstream: Any, *, size: tuple[int, int]) -> Any:
    many, height, width, channels = upstream.shape
    rows = xp.reshape(upstream, (many, height, width * channels))
    tall = xp.matmul(_weights(xp, size[0], height, upstream.dtype), rows)
    columns = xp.reshape(tall, (many * size[0], width, channels))
    wide = xp.matmul(_weights(xp, size[1], width, upstream.dtype), columns)
    return xp.reshape(wide, (many, *size, channels)).astype(upstream.dtype)


def _rule(images: Spec, *, size: tuple[int, int]) -> Spec:
    refuse(images.shape, 2, "input")
    if min(size) <= 0:
        raise InvalidArgumentError("output dimensions must be positive")
    if 0 in images.shape[1:3]:
        raise InvalidArgumentError("input image must be of non-zero size")
    return Spec((images.shape[0], *size, images.shape[3]), images.dtype)


def _checked(xp: Any, images: Any, *, size: tuple[int, int]) -> Any:
    _rule(Spec(images.shape, images.dtype), size=size)
    return _bilinear(xp, images, size=size)


_SAMPLES: Final = cases(
    ([(1, 3, 2, 2)], {"size": (4, 3)}), ([(2, 4, 5, 1)], {"size": (2, 2)}), ([(1, 1, 3, 1)], {"size": (2, 3)})
)
_bilinear_op = op(
    "resize_bilinear",
    doc="Images resized by bilinear interpolation.",
    family="shape",
    forward=_checked,
    infer=_rule,
    types=FLOATS,
    vjp={"images": lambda F, g, images_spec: F.resize_bilinear_grad(g, size=images_spec.shape[1:3])},
    formula=r"y_p = \sum_q w_{pq}\, x_q",
    vjp_formula=(r"\bar x_q = \sum_p w_{pq}\, \bar y_p",),
    samples=_SAMPLES,
)

op(
    "resize_bilinear_grad",
    doc="The gradient of resize_bilinear.",
    family="shape",
    forward=_bilinear_back,
    infer=lambda upstream, *, size: Spec((upstream.shape[0], *size, upstream.shape[3]), upstream.dtype),
    types=FLOATS,
    vjp={"upstream": lambda F, g, upstream_spec: F.resize_bilinear(g, size=upstream_spec.shape[1:3])},
    formula=r"y_q = \sum_p w_{pq}\, g_p",
    vjp_formula=(r"\bar g_p = \sum_q w_{pq}\, \bar y_q",),
    samples=_SAMPLES,
)


class ResizeMethod:
    """The names of ways to resize."""

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


_KERNELS: Final = {
    "bilinear": "triangle", "bicubic": "keyscubic", "lanczos3": "lanczos3", "lanczos5": "lanczos5",
    "gaussian": "gaussian", "mitchellcubic": "mitchellcubic",
}  # fmt: skip
"""By what pixels are weighed, where they are."""
_METHODS: Final = frozenset(value for name, value in vars(ResizeMethod).items() if name.isupper())


def wanted_size(size: Any) -> tuple[int, int]:
    """A height and a width, from two numbers or a tensor of them."""
    numbers = size._host() if hasattr(size, "_host") else np.asarray(size if isinstance(size, Iterable) else [])
    if numbers.dtype.kind == "f" and numbers.size:
        raise ValueError("'size' must be a 1-D int32 Tensor")
    if numbers.shape != (2,):
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    return int(numbers[0]), int(numbers[1])


def in_proportion(size: tuple[int, int], height: int, width: int) -> tuple[int, int]:
    """The largest size within ``size`` that has the proportions of the image."""
    one = _SINGLE.type
    scale = min(one(size[0]) / one(height), one(size[1]) / one(width))
    return int(np.rint(scale * one(height))), int(np.rint(scale * one(width)))


def nearest(images: Any, size: tuple[int, int], *, aligned: bool = False, half_pixel: bool = True) -> Any:
    """A batch resized by taking pixels as they are."""
    if min(size) <= 0:
        raise InvalidArgumentError("output dimensions must be positive")
    for axis, wanted in enumerate(size, start=1):
        old = images._a.shape[axis]
        images = gather(images, nearest_places(old, wanted, aligned=aligned, half_pixel=half_pixel), axis=axis)
    return images


def _by_height_and_width(method: str, preserve_aspect_ratio: bool) -> bool:
    return preserve_aspect_ratio or method == "nearest"


def _resized_later(images: Any, size: Any, method: str, *options: bool) -> Any:
    """The images resized when a graph runs, which then knows the sizes."""
    sizes = open_sizes(images)
    exact = not waits(size) and not options[0]  # else the proportions decide, or a value
    wanted = wanted_size(size) if exact else (None, None)
    shape = None if sizes is None else (*sizes[:-3], *wanted, sizes[-1])
    dtype = images.dtype if method == "nearest" else as_dtype("float32")
    return later(resize, (images, size, method, *options), {}, (shape, dtype))


def resize(
    images: Any,
    size: Any,
    method: str = "bilinear",
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Any:
    """Images resized to another size.

    Args:
        images: ``[examples, height, width, channels]``, or one image without the first.
        size: the new height and width.
        method: ``"nearest"`` (the dtype of ``images`` stays), or one of which float32 comes out, with a gradient:
            ``"bilinear"``, ``"bicubic"``, ``"area"``, ``"lanczos3"``, ``"lanczos5"``, ``"gaussian"``,
            ``"mitchellcubic"``.
        preserve_aspect_ratio: keep the proportions, and ``size`` as a limit.
        antialias: where images become smaller, make each pixel of all that lie in its place. Does nothing to
            ``"nearest"``.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the size is not positive, or the images have no pixels.
        ValueError: there is no such method, or the shapes are wrong.

    >>> import tapeviz as tf
    >>> tf.image.resize(tf.reshape([0.0, 2.0], [1, 2, 1]), [1, 4]).numpy().ravel()
    array([0. , 0.5, 1.5, 2. ], dtype=float32)
    """
    images = convert_to_tensor(images)
    if images.ndim not in (_ONE, _BATCH):
        raise ValueError("'images' must have either 3 or 4 dimensions.")
    if isinstance(size, (list, tuple)) and any(map(waits, size)):
        size = convert_to_tensor(size)
    if waits(size) or (_by_height_and_width(method, preserve_aspect_ratio) and has_deferred(images._a.shape)):
        return _resized_later(images, size, method, preserve_aspect_ratio, antialias)
    wanted = wanted_size(size)
    if method not in _METHODS:
        raise ValueError(f"Resize method is not implemented: {method}")
    batch = registry["expand_dims"].run(images, 0) if images.ndim == _ONE else images
    height, width = batch._a.shape[1:3]
    if preserve_aspect_ratio:
        wanted = in_proportion(wanted, height, width)
    if method == "nearest":
        result = nearest(batch, wanted)
    elif method == "bilinear" and not antialias:
        result = _bilinear_op.run(public["cast"](batch, "float32"), wanted)
    else:
        kernel = method if method == "area" or (method == "bicubic" and not antialias) else _KERNELS[method]
        result = resampled.run(public["cast"](batch, "float32"), wanted, kernel, bool(antialias))
    return registry["squeeze"].run(result, (0,)) if images.ndim == _ONE else result


def resize_with_pad(
    image: Any, target_height: int, target_width: int, method: str = "bilinear", antialias: bool = False
) -> Any:
    """The image as large as its proportions allow within the target, with zeros around it.

    Args:
        image: ``[examples, height, width, channels]``, or one image without the first.
        target_height: of the result.
        target_width: of the result.
        method: as for :func:`resize`.
        antialias: as for :func:`resize`.

    Raises:
        ValueError: the target is not positive, there is no such method, or the shape is wrong.

    >>> import tapeviz as tf
    >>> tf.image.resize_with_pad(tf.ones([2, 4, 1]), 4, 4).numpy()[..., 0]
    array([[0., 0., 0., 0.],
           [1., 1., 1., 1.],
           [1., 1., 1., 1.],
           [0., 0., 0., 0.]], dtype=float32)
    """
    image = convert_to_tensor(image)
    if image.ndim not in (_ONE, _BATCH):
        raise ValueError("'image' must have either 3 or 4 dimensions.")
    for name, size in (("target_height", target_height), ("target_width", target_width)):
        if not waits(size) and int(size) <= 0:
            raise ValueError(f"{name} must be > 0.")
    if waits(target_height) or waits(target_width) or has_deferred(image._a.shape):
        sizes = open_sizes(image)
        shape = None if sizes is None else (*sizes[:-3], None, None, sizes[-1])
        dtype = image.dtype if method == "nearest" else as_dtype("float32")
        return later(resize_with_pad, (image, target_height, target_width, method, antialias), {}, (shape, dtype))
    height, width = int(target_height), int(target_width)
    old_height, old_width = image._a.shape[-3:-1]
    ratio = max(old_height / height, old_width / width)
    inner = old_height / ratio, old_width / ratio
    resized = resize(image, [int(size) for size in inner], method, antialias=antialias)
    top, left = (max(int((size - filled) / 2), 0) for size, filled in zip((height, width), inner, strict=True))
    return pad_to_bounding_box(resized, top, left, height, width)
