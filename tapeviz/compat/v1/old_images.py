"""Images of another size as TensorFlow 1 made them: pixels are points at their first corner, not squares."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.compat.v1.graph.graph_functions import in_graph
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.deferred_numbers import has_deferred
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.operators import public
from tapeviz.ops.image.resampling import resampled
from tapeviz.ops.image.resize import in_proportion, nearest, wanted_size
from tapeviz.ops.runtime_calls import later, open_sizes, waits

__all__ = [
    "ResizeMethod", "resize_area", "resize_bicubic", "resize_bilinear", "resize_images", "resize_nearest_neighbor",
]  # fmt: skip

_BATCH: Final = 4


class ResizeMethod:
    """The numbers of ways to resize."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


_METHODS: Final = dict(enumerate(("bilinear", "nearest", "bicubic", "area")))


def _resize_images(
    images: Any, size: Any, method: Any = ResizeMethod.BILINEAR, align_corners: bool = False,
    preserve_aspect_ratio: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    """Images resized to another size, as TensorFlow 1 does it.

    Args:
        images: ``[examples, height, width, channels]``, or one image without the first.
        size: the new height and width.
        method: of :class:`ResizeMethod`, or its name. All but the nearest pixels are float32, with a gradient.
        align_corners: whether the last pixels of both images lie on each other, and not only the first.
        preserve_aspect_ratio: keep the proportions, and ``size`` as a limit.
        name: accepted as TensorFlow does.

    Raises:
        ValueError: there is no such method, or the shapes are wrong.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Session() as session:
    ...     session.run(tf.image.resize_images([[[0.0], [2.0]]], [1, 4]))[..., 0]
    array([[0., 1., 2., 2.]], dtype=float32)
    """
    images, way = convert_to_tensor(images), _METHODS.get(method, method)
    if images.ndim not in (_BATCH - 1, _BATCH):
        raise ValueError("'images' must have either 3 or 4 dimensions.")
    if way not in _METHODS.values():
        raise ValueError(f"Resize method is not implemented: {method}")
    if waits(size) or has_deferred(images._a.shape):
        sizes, wanted = open_sizes(images), (None, None) if waits(size) or preserve_aspect_ratio else wanted_size(size)
        dtype = images.dtype if way == "nearest" else as_dtype("float32")
        args = images, size, method, align_corners, preserve_aspect_ratio
        return later(_resize_images, args, {}, (None if sizes is None else (*sizes[:-3], *wanted, sizes[-1]), dtype))
    height, width = images._a.shape[-3:-1]
    wanted = in_proportion(wanted_size(size), height, width) if preserve_aspect_ratio else wanted_size(size)
    if wanted == (height, width):
        return images
    one = images.ndim != _BATCH
    resized = _resized(images[None] if one else images, wanted, way, align_corners, half_pixel=False)
    return resized[0] if one else resized


def _resized(images: Any, size: tuple[int, int], way: str, aligned: bool, *, half_pixel: bool) -> Any:
    if way == "nearest":
        return nearest(images, size, aligned=aligned, half_pixel=half_pixel)
    images = public["cast"](images, "float32")
    if half_pixel:
        return resampled.run(images, size, {"bilinear": "triangle"}.get(way, way), False)
    suffix = "_aligned" if aligned else "" if way == "area" else "_legacy"
    return resampled.run(images, size, way + suffix, False)


resize_images = in_graph(_resize_images, "resize_images")


def _by_way(way: str, what: str, *, half_pixels: bool = True) -> Any:
    """The function of one way to resize batches."""

    def resize(
        images: Any, size: Any, align_corners: bool = False, half_pixel_centers: bool = False, name: str | None = None
    ) -> Any:
        images = convert_to_tensor(images)
        if align_corners and half_pixel_centers:
            raise ValueError("If half_pixel_centers is True, align_corners must be False.")
        if waits(size) or has_deferred(images._a.shape):
            sizes, wanted = open_sizes(images), (None, None) if waits(size) else wanted_size(size)
            dtype = images.dtype if way == "nearest" else as_dtype("float32")
            shape = None if sizes is None else (sizes[0], *wanted, sizes[3])
            return later(resize, (images, size, align_corners, half_pixel_centers), {}, (shape, dtype))
        return _resized(images, wanted_size(size), way, align_corners, half_pixel=half_pixel_centers)

    resize.__name__ = resize.__qualname__ = f"resize_{what}"
    resize.__doc__ = f"""Images resized by {what.replace("_", " ")}s as TensorFlow 1 does it: a batch, in float32.

    Args:
        images: ``[examples, height, width, channels]``.
        size: the new height and width.
        align_corners: whether the last pixels of both images lie on each other, and not only the first.
        half_pixel_centers: whether pixels are squares, as in TensorFlow 2.
        name: accepted as TensorFlow does.

    Raises:
        ValueError: both are asked for.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Session() as session:
    ...     session.run(tf.image.resize_{what}(tf.ones([1, 2, 2, 1]), [3, 1])).shape
    (1, 3, 1, 1)
    """
    return in_graph(resize)


resize_bilinear = _by_way("bilinear", "bilinear")
resize_bicubic = _by_way("bicubic", "bicubic")
resize_nearest_neighbor = _by_way("nearest", "nearest_neighbor")
resize_area = _by_way("area", "area")
