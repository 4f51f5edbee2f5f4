"""Layers that make sequences, images and volumes larger without learning how."""

from __future__ import annotations

from typing import Any, ClassVar

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.operators import public
from tapeviz.engine.tensor import Tensor
from tapeviz.keras.layers.input_spec import InputSpec
from tapeviz.keras.layers.layer import Layer
from tapeviz.keras.layers.parameters import config_of
from tapeviz.keras.layers.windows import format_of, inner, numbers_of, outer, turned
from tapeviz.ops.image.resize import resize

__all__ = ["UpSampling1D", "UpSampling2D", "UpSampling3D"]


class _UpSampling(Layer):
    """What the layers that make things larger have in common; see ``UpSampling2D``."""

    count: ClassVar[int]

    def __init__(self, size: Any = 2, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format: str = format_of(data_format)
        self._sizes = numbers_of(size, self.count, "size")
        self.size: Any | tuple[int, ...] = size if self.count == 1 else self._sizes
        self.input_spec: Any = InputSpec(ndim=self.count + 2)

    def call(self, inputs: Any) -> Tensor:
        """Each element as often as asked for."""
        return turned(self._repeated, self, convert_to_tensor(inputs))

    def _repeated(self, inputs: Any) -> Any:
        # Each axis gets one of size 1 behind it, which is stretched: the way back is a sum.
        examples, *sizes, channels = inputs._a.shape
        apart = [number for size in sizes for number in (size, 1)]
        whole = [number for size, times in zip(sizes, self._sizes, strict=True) for number in (size, times)]
        larger = [size * times for size, times in zip(sizes, self._sizes, strict=True)]
        reshape = registry["reshape"].run
        y = registry["broadcast_to"].run(reshape(inputs, (examples, *apart, channels)), (examples, *whole, channels))
        return reshape(y, (examples, *larger, channels))

    def compute_output_shape(self, input_shape: Any) -> tuple[Any, ...]:
        """The shape of what comes out."""
        sizes = zip(inner(self, input_shape), self._sizes, strict=True)
        return outer(self, input_shape, [None if size is None else size * times for size, times in sizes])

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "size" if self.count == 1 else "size data_format")}


class UpSampling1D(_UpSampling):
    """Each step of sequences several times.

    Args:
        size: how many times.
        kwargs: what every layer takes.

    Raises:
        ValueError: ``size`` is not positive, or the input has another rank.

    >>> import tapeviz as tf
    >>> tf.keras.layers.UpSampling1D()(tf.constant([[[1.0], [2.0]]])).numpy().ravel()
    array([1., 1., 2., 2.], dtype=float32)
    """

    count = 1

    def __init__(self, size: int = 2, **kwargs: Any) -> None:
        super().__init__(size, **kwargs)


class UpSampling2D(_UpSampling):
    """Images made larger.

    Args:
        size: how many times as high and as wide, or one number for both.
        data_format: ``"channels_last"`` (or None) or ``"channels_first"``.
        interpolation: ``"nearest"`` (each pixel becomes a block), ``"bilinear"``, ``"bicubic"``, ``"lanczos3"`` or
            ``"lanczos5"``.
        kwargs: what every layer takes.

    Raises:
        ValueError: an argument does not fit, or the input has another rank.

    >>> import tapeviz as tf
    >>> tf.keras.layers.UpSampling2D()(tf.reshape(tf.range(2.0), [1, 1, 2, 1])).numpy().reshape(2, 4)
    array([[0., 0., 1., 1.],
           [0., 0., 1., 1.]], dtype=float32)
    """

    count = 2

    def __init__(
        self, size: Any = 2, data_format: str | None = None, interpolation: str = "nearest", **kwargs: Any
    ) -> None:
        super().__init__(size, data_format, **kwargs)
        self.interpolation: str = interpolation.lower()
        if self.interpolation not in {"nearest", "bilinear", "bicubic", "lanczos3", "lanczos5"}:
            raise ValueError(
                "The `interpolation` argument should be one of: ['bicubic', 'bilinear', 'lanczos3', 'lanczos5', "
                f"'nearest']. Received: interpolation={interpolation}"
            )

    def _repeated(self, inputs: Any) -> Any:
        if self.interpolation == "nearest":
            return super()._repeated(inputs)
        height, width = inputs._a.shape[1:-1]
        larger = (height * self._sizes[0], width * self._sizes[1])
        return public["cast"](resize(inputs, larger, self.interpolation), inputs.dtype)

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "interpolation")}


class UpSampling3D(_UpSampling):
    """Each element of volumes as a block; the arguments are ``size`` and ``data_format`` of ``UpSampling2D``.

    >>> import tapeviz as tf
    >>> tf.keras.layers.UpSampling3D()(tf.ones([1, 2, 1, 2, 3])).shape
    TensorShape([1, 4, 2, 4, 3])
    """

    count = 3
