"""Images of one size: resized, or cut out of their middle."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.operators import public
from tapeviz.keras.layers.layer import Layer
from tapeviz.keras.layers.parameters import config_of
from tapeviz.ops.image.resize import resize

__all__ = ["CenterCrop", "ImageLayer", "Resizing", "filling"]

_IMAGES: Final = (3, 4)


class ImageLayer(Layer):
    """A layer of images, one or a batch, whose channels come last; it computes in its dtype, by default float32."""

    def _images(self, inputs: Any) -> Any:
        """The inputs as tensor of the layer's dtype.

        Raises:
            ValueError: they are not images.
        """
        images: Any = public["cast"](convert_to_tensor(inputs), self.compute_dtype)
        if images.ndim not in _IMAGES:
            raise ValueError(
                f"Layer '{self.name}' takes one image [height, width, channels] or a batch of them. "
                f"Received: shape={images.shape}"
            )
        return images


def filling(images: Any, height: int, width: int, interpolation: str = "bilinear") -> Any:
    """The middle of images that has the proportions of this size, in this size."""
    rows, columns = images.shape[-3:-1]
    high = min(rows, int(columns * height / width))
    wide = min(columns, int(rows * width / height))
    return resize(cut(images, (rows - high) // 2, (columns - wide) // 2, high, wide), (height, width), interpolation)


def cut(images: Any, top: int, left: int, height: int, width: int) -> Any:
    """A part of images."""
    return images[..., top : top + height, left : left + width, :]


class Resizing(ImageLayer):
    """Images resized to another size.

    Args:
        height: the new height.
        width: the new width.
        interpolation: a method of :func:`tapeviz.image.resize`.
        crop_to_aspect_ratio: whether proportions stay, and what lies beyond the new size is cut off.
        kwargs: what every layer takes.

    Raises:
        ValueError: what comes in is not images.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Resizing(2, 3)(tf.ones([4, 4, 1])).shape
    TensorShape([2, 3, 1])
    """

    def __init__(
        self, height: int, width: int, interpolation: str = "bilinear", crop_to_aspect_ratio: bool = False,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.height, self.width, self.interpolation = height, width, interpolation
        self.crop_to_aspect_ratio: bool = crop_to_aspect_ratio

    def call(self, inputs: Any) -> Any:
        """The images in the new size."""
        images = self._images(inputs)
        if self.crop_to_aspect_ratio:
            return filling(images, self.height, self.width, self.interpolation)
        return resize(images, (self.height, self.width), self.interpolation)

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "height width interpolation crop_to_aspect_ratio")}


class CenterCrop(ImageLayer):
    """The middle of images; of smaller images, what has its proportions, enlarged.

    Args:
        height: the height of the part.
        width: its width.
        kwargs: what every layer takes.

    Raises:
        ValueError: what comes in is not images.

    >>> import tapeviz as tf
    >>> tf.keras.layers.CenterCrop(1, 2)(tf.reshape(tf.range(12.0), [3, 4, 1])).numpy().ravel()
    array([5., 6.], dtype=float32)
    """

    def __init__(self, height: int, width: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.height, self.width = height, width

    def call(self, inputs: Any) -> Any:
        """The middle of the images."""
        images = self._images(inputs)
        rows, columns = images.shape[-3:-1]
        if rows < self.height or columns < self.width:
            return filling(images, self.height, self.width)
        return cut(images, (rows - self.height) // 2, (columns - self.width) // 2, self.height, self.width)

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "height width")}
