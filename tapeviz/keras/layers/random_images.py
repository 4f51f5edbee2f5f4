"""Images changed at random in training: flipped, turned, moved, cut, in another light."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.keras.layers.image_sizes import ImageLayer, cut, filling
from tapeviz.keras.layers.parameters import config_of
from tapeviz.ops.image.images import flip_left_right, flip_up_down
from tapeviz.ops.math.reductions import reduce_mean
from tapeviz.ops.random.random_numbers import uniform
from tapeviz.ops.runtime_calls import by_values, open_sizes

__all__ = [
    "RandomBrightness", "RandomContrast", "RandomCrop", "RandomFlip", "RandomRotation", "RandomTranslation",
    "RandomZoom",
]  # fmt: skip

_FILLS: Final = ("constant", "nearest", "reflect", "wrap")
_FLIPS: Final = {
    "horizontal": (flip_left_right,), "vertical": (flip_up_down,),
    "horizontal_and_vertical": (flip_left_right, flip_up_down),
}  # fmt: skip


def _form(images: Any, layer: Any) -> Any:
    sizes = open_sizes(convert_to_tensor(images))
    return layer._sizes_of_results(sizes), layer.compute_dtype


@by_values(form=_form)
def _changed(images: Any, layer: Any) -> Any:
    batch = convert_to_tensor(images)
    if batch.ndim == 3:  # noqa: PLR2004 - one image
        return layer._changed(registry["expand_dims"].run(batch, 0))[0]
    return layer._changed(batch)


class _RandomImages(ImageLayer):
    """A layer that changes images in training, each by itself, and leaves them alone otherwise."""

    seed: int | None
    _by_training = "noise"

    def call(self, inputs: Any, training: Any = True) -> Any:
        """The images, in training changed."""
        images = self._images(inputs)
        return _changed(images, self) if training else self._unchanged(images)

    def _unchanged(self, images: Any) -> Any:
        return images

    def _changed(self, images: Any) -> Any:
        """A batch, changed."""
        raise NotImplementedError

    def _sizes_of_results(self, sizes: Any) -> Any:
        return sizes

    def _drawn(self, images: Any, low: float = 0.0, high: float = 1.0) -> Any:
        """A number for each image."""
        return uniform((images.shape[0], 1, 1, 1), low, high, seed=self.seed)


def _span(factor: Any, name: str) -> tuple[float, float]:
    """The range that a factor says: itself where it is a pair, else from minus to plus.

    Raises:
        ValueError: its ends are in the wrong order.
    """
    low, high = factor if isinstance(factor, (tuple, list)) else (-abs(factor), abs(factor))
    if low > high:
        raise ValueError(f"`{name}` must be a number or a pair (low, high) with low <= high. Received: {factor}")
    return float(low), float(high)


class RandomFlip(_RandomImages):
    """Images flipped, with even chances.

    Args:
        mode: ``"horizontal"``, ``"vertical"`` or ``"horizontal_and_vertical"``.
        seed: decides which numbers come.
        kwargs: what every layer takes.

    Raises:
        ValueError: there is no such mode.

    >>> import tapeviz as tf
    >>> flipped = tf.keras.layers.RandomFlip("horizontal")(tf.reshape([1.0, 2.0], [1, 2, 1]), training=True)
    >>> sorted(flipped.numpy().ravel().tolist())
    [1.0, 2.0]
    """

    def __init__(self, mode: str = "horizontal_and_vertical", seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if mode not in _FLIPS:
            raise ValueError(f"RandomFlip has the modes {', '.join(_FLIPS)}. Received: mode={mode!r}")
        self.mode, self.seed = mode, seed

    def _changed(self, images: Any) -> Any:
        for flip in _FLIPS[self.mode]:
            images = registry["where"].run(self._drawn(images) < 0.5, flip(images), images)  # noqa: PLR2004 - even
        return images

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "mode seed")}


class _Transform(_RandomImages):
    """Images whose pixels come from other places, which may lie between pixels or outside."""

    def __init__(
        self, fill_mode: str = "reflect", interpolation: str = "bilinear", seed: int | None = None,
        fill_value: float = 0.0, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        if fill_mode not in _FILLS:
            raise ValueError(f"`fill_mode` is one of {', '.join(_FILLS)}. Received: {fill_mode!r}")
        if interpolation not in ("bilinear", "nearest"):
            raise ValueError(f"`interpolation` is 'bilinear' or 'nearest'. Received: {interpolation!r}")
        self.fill_mode, self.interpolation, self.seed, self.fill_value = fill_mode, interpolation, seed, fill_value

    def _sources(self, images: Any, rows: Any, columns: Any) -> tuple[Any, Any]:
        """Where pixels come from: for the places of pixels, counted from the middle, those in each image."""
        raise NotImplementedError

    def _changed(self, images: Any) -> Any:
        height, width = int(images.shape[1]), int(images.shape[2])
        middle = np.array([(height - 1) / 2, (width - 1) / 2])
        rows, columns = np.meshgrid(np.arange(height) - middle[0], np.arange(width) - middle[1], indexing="ij")
        whole = int(images.shape[0]), height, width
        found = [
            np.broadcast_to(one, whole) + at
            for one, at in zip(self._sources(images, rows, columns), middle, strict=True)
        ]
        if self.fill_mode == "wrap":
            found = [_wrapped(one, size) for one, size in zip(found, (height, width), strict=True)]
        return self._sampled(images, *found)

    def _sampled(self, images: Any, rows: Any, columns: Any) -> Any:
        """The images at places, of pixels around them where these lie between."""
        if self.interpolation == "nearest":
            return self._pixels(images, np.floor(rows + 0.5), np.floor(columns + 0.5))
        top, left = np.floor(rows), np.floor(columns)
        down, right = (rows - top)[..., None], (columns - left)[..., None]
        parts = [
            self._pixels(images, top + low, left + wide)
            * ((down if low else 1 - down) * (right if wide else 1 - right)).astype(self.compute_dtype)
            for low in (0, 1)
            for wide in (0, 1)
        ]
        return registry["add"].run(registry["add"].run(parts[0], parts[1]), registry["add"].run(parts[2], parts[3]))

    def _pixels(self, images: Any, rows: Any, columns: Any) -> Any:
        height, width = int(images.shape[1]), int(images.shape[2])
        examples = np.broadcast_to(np.arange(rows.shape[0])[:, None, None], rows.shape)
        inside = [_filled(rows, height, self.fill_mode), _filled(columns, width, self.fill_mode)]
        pixels = registry["gather_nd"].run(images, convert_to_tensor(np.stack([examples, *inside], -1)))
        if self.fill_mode != "constant":
            return pixels
        known = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
        return registry["where"].run(known[..., None], pixels, np.asarray(self.fill_value, self.compute_dtype))

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "fill_mode interpolation seed fill_value")}


def _filled(places: Any, size: int, mode: str) -> Any:
    """Places along an axis, those outside by what is said to stand there."""
    whole = places.astype(np.int64)
    if mode == "reflect":  # d c b a | a b c d | d c b a
        back = whole % (2 * size)
        return np.minimum(back, 2 * size - 1 - back)
    return np.clip(whole, 0, size - 1)


def _wrapped(places: Any, size: int) -> Any:
    """Places along an axis that begins anew behind its end. Like TensorFlow's, it is one pixel short there."""
    last = max(size - 1, 1)
    below = places + size * (np.trunc(-places / last) + 1)
    above = places - size * np.trunc(places / last)
    return np.clip(np.where(places < 0, below, np.where(places > last, above, places)), 0, last)


class RandomRotation(_Transform):
    """Images turned by a random angle.

    Args:
        factor: up to which part of a full turn, either way; or a pair, of which positive is against the clock.
        fill_mode: what stands outside: ``"reflect"``, ``"nearest"``, ``"wrap"`` or ``"constant"``.
        interpolation: ``"bilinear"`` or ``"nearest"``.
        seed: decides which numbers come.
        fill_value: what stands outside where that is constant.
        kwargs: what every layer takes.

    Raises:
        ValueError: an argument is none of these.

    >>> import tapeviz as tf
    >>> turned = tf.keras.layers.RandomRotation((0.25, 0.25))(tf.constant([[[1.0], [2.0]], [[3.0], [4.0]]]))
    >>> turned.numpy().round(3)[..., 0]
    array([[2., 4.],
           [1., 3.]], dtype=float32)
    """

    def __init__(
        self, factor: Any, fill_mode: str = "reflect", interpolation: str = "bilinear", seed: int | None = None,
        fill_value: float = 0.0, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(fill_mode, interpolation, seed, fill_value, **kwargs)
        self.factor: Any
        self.factor = factor
        self._span = _span(factor, "factor")

    def _sources(self, images: Any, rows: Any, columns: Any) -> tuple[Any, Any]:
        angles = self._drawn(images, *self._span).numpy()[..., 0] * 2 * math.pi
        sine, cosine = np.sin(angles), np.cos(angles)
        return sine * columns + cosine * rows, cosine * columns - sine * rows

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "factor")}


class RandomTranslation(_Transform):
    """Images moved by a random part of their size.

    Args:
        height_factor: down by up to which part of the height, or up; or a pair.
        width_factor: to the right by up to which part of the width, or left; or a pair.
        fill_mode: as for :class:`RandomRotation`; so are the following.
        interpolation: how.
        seed: which numbers.
        fill_value: what stands outside.
        kwargs: what every layer takes.

    Raises:
        ValueError: an argument is none of these.

    >>> import tapeviz as tf
    >>> moved = tf.keras.layers.RandomTranslation((0.5, 0.5), 0.0, "constant")(tf.reshape([1.0, 2.0], [2, 1, 1]))
    >>> moved.numpy().ravel()
    array([0., 1.], dtype=float32)
    """

    def __init__(
        self, height_factor: Any, width_factor: Any, fill_mode: str = "reflect", interpolation: str = "bilinear",
        seed: int | None = None, fill_value: float = 0.0, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(fill_mode, interpolation, seed, fill_value, **kwargs)
        self.height_factor: Any
        self.width_factor: Any
        self.height_factor, self.width_factor = height_factor, width_factor
        self._spans = _span(height_factor, "height_factor"), _span(width_factor, "width_factor")

    def _sources(self, images: Any, rows: Any, columns: Any) -> tuple[Any, Any]:
        down, right = (self._drawn(images, *span).numpy()[..., 0] for span in self._spans)
        return rows - down * int(images.shape[1]), columns - right * int(images.shape[2])

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "height_factor width_factor")}


class RandomZoom(_Transform):
    """Images made smaller or larger by a random factor.

    Args:
        height_factor: up to which part smaller, or larger; of a pair, what is negative enlarges.
        width_factor: the same for the width; that of the height unless given.
        fill_mode: as for :class:`RandomRotation`; so are the following.
        interpolation: how.
        seed: which numbers.
        fill_value: what stands outside.
        kwargs: what every layer takes.

    Raises:
        ValueError: an argument is none of these.

    >>> import tapeviz as tf
    >>> zoomed = tf.keras.layers.RandomZoom((-0.5, -0.5))(tf.reshape(tf.range(4.0), [1, 4, 1]))
    >>> zoomed.numpy().ravel()
    array([0.75, 1.25, 1.75, 2.25], dtype=float32)
    """

    def __init__(
        self, height_factor: Any, width_factor: Any = None, fill_mode: str = "reflect",
        interpolation: str = "bilinear", seed: int | None = None, fill_value: float = 0.0, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(fill_mode, interpolation, seed, fill_value, **kwargs)
        self.height_factor: Any
        self.width_factor: Any
        self.height_factor, self.width_factor = height_factor, width_factor
        self._high = _span(height_factor, "height_factor")
        self._wide = None if width_factor is None else _span(width_factor, "width_factor")

    def _sources(self, images: Any, rows: Any, columns: Any) -> tuple[Any, Any]:
        high = 1 + self._drawn(images, *self._high).numpy()[..., 0]
        wide = high if self._wide is None else 1 + self._drawn(images, *self._wide).numpy()[..., 0]
        return rows * high, columns * wide

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "height_factor width_factor")}


class RandomCrop(_RandomImages):
    """A part of images from a random place, the same for a batch; otherwise their middle, in that size.

    Args:
        height: the height of the part.
        width: its width.
        seed: decides which numbers come.
        kwargs: what every layer takes.

    >>> import tapeviz as tf
    >>> tf.keras.layers.RandomCrop(2, 2)(tf.ones([5, 4, 4, 1]), training=True).shape
    TensorShape([5, 2, 2, 1])
    """

    def __init__(self, height: int, width: int, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.height, self.width, self.seed = height, width, seed

    def _sizes_of_results(self, sizes: Any) -> Any:
        return None if sizes is None else (*sizes[:-3], self.height, self.width, sizes[-1])

    def _unchanged(self, images: Any) -> Any:
        return filling(images, self.height, self.width)

    def _changed(self, images: Any) -> Any:
        spare = [int(images.shape[1]) - self.height, int(images.shape[2]) - self.width]
        if min(spare) < 0:
            return self._unchanged(images)
        top, left = (int(uniform((), 0, room + 1, "int32", seed=self.seed)) for room in spare)
        return cut(images, top, left, self.height, self.width)

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "height width seed")}


class _Light(_RandomImages):
    """Images in another light, within a range of values."""

    def __init__(self, factor: Any, value_range: Any = (0, 255), seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.factor: Any
        self.value_range: Any
        self.factor, self.value_range, self.seed = factor, value_range, seed

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "factor value_range seed")}


class RandomContrast(_Light):
    """Images with another contrast: farther from the mean of each channel, or nearer.

    Args:
        factor: up to which part more or less; or a pair: less by up to the first, more by up to the second.
        value_range: the least and the greatest value.
        seed: decides which numbers come.
        kwargs: what every layer takes.

    Raises:
        ValueError: the factor is negative.

    >>> import tapeviz as tf
    >>> changed = tf.keras.layers.RandomContrast(0.5)(tf.reshape([100.0, 102.0], [1, 2, 1]), training=True)
    >>> float(tf.reduce_mean(changed))
    101.0
    """

    def __init__(self, factor: Any, value_range: Any = (0, 255), seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(factor, value_range, seed, **kwargs)
        less, more = factor if isinstance(factor, (tuple, list)) else (factor, factor)
        if less < 0 or more < 0:
            raise ValueError(f"`factor` must not be negative. Received: {factor}")
        self._span = 1.0 - less, 1.0 + more

    def _changed(self, images: Any) -> Any:
        mean = reduce_mean(images, axis=[1, 2], keepdims=True)
        changed = (images - mean) * self._drawn(images, *self._span) + mean
        return registry["clip_by_value"].run(changed, *map(float, self.value_range))


class RandomBrightness(_Light):
    """Images brighter or darker.

    Args:
        factor: up to which part of the range; or a pair, between -1 and 1.
        value_range: the least and the greatest value.
        seed: decides which numbers come.
        kwargs: what every layer takes.

    Raises:
        ValueError: the factor is outside.

    >>> import tapeviz as tf
    >>> tf.keras.layers.RandomBrightness((0.5, 0.5), (0, 1))(tf.zeros([1, 1, 1]), training=True).numpy().item()
    0.5
    """

    def __init__(self, factor: Any, value_range: Any = (0, 255), seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(factor, value_range, seed, **kwargs)
        self._span = _span(factor, "factor")
        if min(self._span) < -1 or max(self._span) > 1:
            raise ValueError(f"`factor` lies between -1 and 1. Received: {factor}")

    def _changed(self, images: Any) -> Any:
        low, high = map(float, self.value_range)
        return registry["clip_by_value"].run(images + self._drawn(images, *self._span) * (high - low), low, high)
