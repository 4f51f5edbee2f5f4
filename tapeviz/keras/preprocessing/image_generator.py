"""``ImageDataGenerator``: batches of images, changed at random, as programs of Keras 2 make them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np

from tapeviz.keras.layers.layer import Layer
from tapeviz.keras.layers.random_images import RandomFlip, RandomRotation, RandomTranslation, RandomZoom
from tapeviz.keras.training.py_dataset import PyDataset

__all__ = ["ImageDataGenerator"]


class ImageDataGenerator:
    """Batches of images, changed at random. Layers such as :class:`RandomFlip` do the same in a model.

    Args:
        featurewise_center: whether the mean of the images that :meth:`fit` gets is taken off.
        samplewise_center: whether each image's own mean is taken off.
        featurewise_std_normalization: whether they are divided by the standard deviation of those images.
        samplewise_std_normalization: whether each is divided by its own.
        rotation_range: by up to how many degrees they are turned, either way.
        width_shift_range: by up to which part of the width, or how many pixels, they are moved.
        height_shift_range: the same for the height.
        zoom_range: by up to which part they are made smaller or larger; or the least and the greatest factor.
        fill_mode: what stands outside: ``"nearest"``, ``"reflect"``, ``"wrap"`` or ``"constant"``.
        cval: what stands there where that is constant.
        horizontal_flip: whether they are flipped left and right, with even chances.
        vertical_flip: whether they are flipped up and down.
        rescale: what they are multiplied with.
        preprocessing_function: what each is put through before that.
        validation_split: the share, at the beginning, that ``subset="validation"`` gives.
        unsupported: other arguments of Keras', which must leave images as they are.

    Raises:
        NotImplementedError: an argument is not supported here.

    >>> import tapeviz as tf
    >>> generator = tf.keras.preprocessing.image.ImageDataGenerator(horizontal_flip=True, rescale=1 / 255)
    >>> batches = generator.flow(tf.ones([10, 4, 4, 3]).numpy(), batch_size=4)
    >>> len(batches), next(batches).shape
    (3, (4, 4, 4, 3))
    """

    def __init__(
        self, featurewise_center: bool = False, samplewise_center: bool = False,
        featurewise_std_normalization: bool = False, samplewise_std_normalization: bool = False, *,
        rotation_range: float = 0, width_shift_range: float = 0.0, height_shift_range: float = 0.0,
        zoom_range: Any = 0.0, fill_mode: str = "nearest", cval: float = 0.0, horizontal_flip: bool = False,
        vertical_flip: bool = False, rescale: float | None = None,
        preprocessing_function: Callable[[Any], Any] | None = None, validation_split: float = 0.0, **unsupported: Any,
    ) -> None:  # fmt: skip
        for name, value in unsupported.items():
            if value and name not in ("data_format", "dtype", "interpolation_order", "zca_epsilon"):
                raise NotImplementedError(
                    f"ImageDataGenerator has no {name}: use a layer, such as RandomBrightness, or tf.data's map"
                )
        self._centers = featurewise_center, samplewise_center
        self._scales = featurewise_std_normalization, samplewise_std_normalization
        self.rescale, self.preprocessing_function, self.validation_split = (
            rescale, preprocessing_function, validation_split,
        )  # fmt: skip
        self._layers = _layers(rotation_range, (height_shift_range, width_shift_range), zoom_range, (fill_mode, cval))
        if horizontal_flip:
            self._layers.append(RandomFlip("horizontal"))
        if vertical_flip:
            self._layers.append(RandomFlip("vertical"))
        self.mean: Any = None
        self.std: Any = None

    def fit(self, x: Any, augment: bool = False, rounds: int = 1, seed: int | None = None) -> None:
        """Find the mean and the standard deviation of images."""
        images = np.asarray(x, np.float32)
        self.mean = images.mean((0, 1, 2), keepdims=True)[0]
        self.std = images.std((0, 1, 2), keepdims=True)[0]

    def standardize(self, x: Any) -> Any:
        """An image or a batch, scaled, and without mean and with a standard deviation of 1 where that is asked for.

        Raises:
            ValueError: :meth:`fit` has not found the mean that is to be taken off.
        """
        images = np.asarray(x, np.float32)
        if self.preprocessing_function is not None:
            one = images.ndim == 3  # noqa: PLR2004 - an image
            found = [self.preprocessing_function(image) for image in (images[None] if one else images)]
            images = np.asarray(found[0] if one else found, np.float32)
        if self.rescale:
            images = images * self.rescale
        axes = (-3, -2, -1)
        if self._centers[1]:
            images = images - images.mean(axes, keepdims=True)
        if self._scales[1]:
            images = images / (images.std(axes, keepdims=True) + 1e-6)
        if (self._centers[0] or self._scales[0]) and self.mean is None:
            raise ValueError("This ImageDataGenerator needs the mean of the images: call its fit(images) first")
        if self._centers[0]:
            images = images - self.mean
        return images / (self.std + 1e-6) if self._scales[0] else images

    def random_transform(self, x: Any, seed: int | None = None) -> Any:
        """An image or a batch, changed at random."""
        images: Any = np.asarray(x, np.float32)
        for layer in self._layers:
            images = layer(images, training=True)
        return np.asarray(images)

    def flow(
        self, x: Any, y: Any = None, batch_size: int = 32, shuffle: bool = True, sample_weight: Any = None,
        seed: int | None = None, subset: str | None = None, **_files: Any,
    ) -> Any:  # fmt: skip
        """Batches of arrays, without an end, which ``fit`` takes.

        Args:
            x: the images.
            y: what belongs to each.
            batch_size: how many in a batch.
            shuffle: whether in another order each time.
            sample_weight: what each counts.
            seed: decides which order.
            subset: ``"training"`` or ``"validation"``.
        """
        parts = [np.asarray(part) for part in (x, y, sample_weight) if part is not None]
        first = int(len(parts[0]) * self.validation_split)
        if subset is not None:
            parts = [part[:first] if subset == "validation" else part[first:] for part in parts]
        return _Batches(self, parts, batch_size, seed if shuffle else None, shuffle)


def _layers(degrees: float, shifts: tuple[float, float], zoom: Any, fill: tuple[str, float]) -> list[Layer]:
    mode, value = fill
    found: list[Layer] = []
    if degrees:
        found.append(RandomRotation(degrees / 360, mode, fill_value=value))
    if any(shifts):
        found.append(_Shift(*shifts, mode, fill_value=value))
    if zoom:
        low, high = zoom if isinstance(zoom, (tuple, list)) else (1 - zoom, 1 + zoom)
        found.append(RandomZoom((low - 1, high - 1), (low - 1, high - 1), mode, fill_value=value))
    return found


class _Shift(RandomTranslation):
    """Images moved by parts of their size, or by pixels where the range is 1 or more."""

    def _sources(self, images: Any, rows: Any, columns: Any) -> tuple[Any, Any]:
        sizes = int(images.shape[1]), int(images.shape[2])
        pixels = [
            self._drawn(images, *span).numpy()[..., 0] * (1 if span[1] >= 1 else size)
            for span, size in zip(self._spans, sizes, strict=True)
        ]
        return rows - pixels[0], columns - pixels[1]


class _Batches(PyDataset):
    """Batches without an end; as many in an epoch as there are."""

    def __init__(
        self, generator: ImageDataGenerator, parts: list[Any], batch_size: int, seed: int | None, shuffle: bool
    ) -> None:
        super().__init__()
        self._generator, self._parts, self.batch_size, self._shuffle = generator, parts, batch_size, shuffle
        self.n = len(parts[0])
        self._numbers = np.random.default_rng(seed)
        self._order = np.arange(self.n)
        self._place = 0
        self.on_epoch_end()

    def on_epoch_end(self) -> None:
        """Put the images in another order."""
        if self._shuffle:
            self._numbers.shuffle(self._order)

    def __len__(self) -> int:
        return math.ceil(self.n / self.batch_size)

    def __getitem__(self, index: int) -> Any:
        """A batch, changed at random."""
        rows = self._order[index * self.batch_size :][: self.batch_size]
        images, *rest = (part[rows] for part in self._parts)
        found = self._generator.standardize(self._generator.random_transform(images))
        return (found, *rest) if rest else found

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self._place == len(self):
            self._place = 0
            self.on_epoch_end()
        self._place += 1
        return self[self._place - 1]

    def next(self) -> Any:
        """The next batch."""
        return next(self)

    def reset(self) -> Self:
        """Begin with the first batch again."""
        self._place = 0
        return self
