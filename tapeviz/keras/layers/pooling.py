"""Layers that keep the largest or the mean of each window, or of everything."""

from __future__ import annotations

from typing import Any, ClassVar

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Op, registry
from tapeviz.engine.operators import public
from tapeviz.engine.tensor import Tensor
from tapeviz.keras.layers.input_spec import InputSpec
from tapeviz.keras.layers.layer import Layer
from tapeviz.keras.layers.parameters import config_of
from tapeviz.keras.layers.windows import channel_axis, format_of, inner, numbers_of, outer, padding_of, slid, turned
from tapeviz.ops.math.reductions import reduce_max, reduce_mean, reduce_sum
from tapeviz.ops.nn.pooling import averaged, largest_of

__all__ = [
    "AveragePooling1D", "AveragePooling2D", "AveragePooling3D", "GlobalAveragePooling1D", "GlobalAveragePooling2D",
    "GlobalAveragePooling3D", "GlobalMaxPooling1D", "GlobalMaxPooling2D", "GlobalMaxPooling3D", "MaxPooling1D",
    "MaxPooling2D", "MaxPooling3D",
]  # fmt: skip


class _Pooling(Layer):
    """What the layers whose windows slide have in common; see ``MaxPooling2D``."""

    count: ClassVar[int]
    op: ClassVar[Op]

    def __init__(
        self,
        pool_size: Any = 2,
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.pool_size: tuple[int, ...] = numbers_of(pool_size, self.count, "pool_size")
        self.strides: tuple[int, ...] = (
            self.pool_size if strides is None else numbers_of(strides, self.count, "strides")
        )
        self.padding: str
        self.data_format: str
        self.padding, self.data_format = padding_of(padding), format_of(data_format)
        self.input_spec: Any = InputSpec(ndim=self.count + 2)

    def call(self, inputs: Any) -> Tensor:
        """One number for each window, channel by channel."""
        window = (self.pool_size, self.strides, self.padding.upper())
        return turned(lambda x: self.op.run(x, *window), self, convert_to_tensor(inputs))

    def compute_output_shape(self, input_shape: Any) -> tuple[Any, ...]:
        """The shape of what comes out."""
        sizes = slid(self, inner(self, input_shape), self.pool_size, self.strides, (1,) * self.count)
        return outer(self, input_shape, sizes)

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "pool_size strides padding data_format")}


class MaxPooling1D(_Pooling):
    """The maximum of each window of sequences; the arguments are those of ``MaxPooling2D``, for one axis.

    >>> import tapeviz as tf
    >>> tf.keras.layers.MaxPooling1D()(tf.constant([[[1.0], [3.0], [2.0], [0.0]]])).numpy().ravel()
    array([3., 2.], dtype=float32)
    """

    count: ClassVar[int] = 1
    op: ClassVar[Op] = largest_of


class MaxPooling2D(_Pooling):
    """The maximum of each window of images, channel by channel.

    Args:
        pool_size: the height and the width of the window, or one number for both.
        strides: how far the window moves; as far as it is wide when it is None.
        padding: ``"valid"`` (none) or ``"same"`` (as many windows as pixels, at stride 1).
        data_format: ``"channels_last"`` (or None) or ``"channels_first"``.
        name: the layer's name.
        kwargs: what every layer takes.

    Raises:
        ValueError: a number does not fit, or the input has another rank.

    >>> import tapeviz as tf
    >>> tf.keras.layers.MaxPooling2D()(tf.reshape(tf.range(4.0), [1, 2, 2, 1])).numpy().ravel()
    array([3.], dtype=float32)
    """

    count: ClassVar[int] = 2
    op: ClassVar[Op] = largest_of


class MaxPooling3D(_Pooling):
    """The maximum of each window of volumes; the arguments are those of ``MaxPooling2D``, for three axes.

    >>> import tapeviz as tf
    >>> tf.keras.layers.MaxPooling3D()(tf.ones([1, 4, 4, 4, 2])).shape
    TensorShape([1, 2, 2, 2, 2])
    """

    count: ClassVar[int] = 3
    op: ClassVar[Op] = largest_of


class AveragePooling1D(_Pooling):
    """The mean of each window of sequences; the arguments are those of ``MaxPooling2D``, for one axis.

    >>> import tapeviz as tf
    >>> tf.keras.layers.AveragePooling1D(2)(tf.constant([[[1.0], [3.0], [2.0], [0.0]]])).numpy().ravel()
    array([2., 1.], dtype=float32)
    """

    count: ClassVar[int] = 1
    op: ClassVar[Op] = averaged


class AveragePooling2D(_Pooling):
    """The mean of each window of images, channel by channel; the arguments are those of ``MaxPooling2D``.

    >>> import tapeviz as tf
    >>> tf.keras.layers.AveragePooling2D(2)(tf.reshape(tf.range(4.0), [1, 2, 2, 1])).numpy().ravel()
    array([1.5], dtype=float32)
    """

    count: ClassVar[int] = 2
    op: ClassVar[Op] = averaged


class AveragePooling3D(_Pooling):
    """The mean of each window of volumes; the arguments are those of ``MaxPooling2D``, for three axes.

    >>> import tapeviz as tf
    >>> tf.keras.layers.AveragePooling3D(2)(tf.ones([1, 4, 4, 4, 2])).shape
    TensorShape([1, 2, 2, 2, 2])
    """

    count: ClassVar[int] = 3
    op: ClassVar[Op] = averaged


class _Global(Layer):
    """What the layers that keep one number a channel have in common; see ``GlobalAveragePooling2D``."""

    count: ClassVar[int]

    def __init__(self, data_format: str | None = None, keepdims: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format: str
        self.keepdims: bool
        self.data_format, self.keepdims = format_of(data_format), keepdims
        self.input_spec: Any = InputSpec(ndim=self.count + 2)

    @property
    def _axes(self) -> tuple[int, ...]:
        first = 1 if self.data_format == "channels_last" else 2
        return tuple(range(first, first + self.count))

    def compute_output_shape(self, input_shape: Any) -> tuple[Any, ...]:
        """The shape of what comes out."""
        if self.keepdims:
            return outer(self, input_shape, (1,) * self.count)
        return (input_shape[0], input_shape[channel_axis(self)])

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "data_format keepdims")}


class _GlobalMax(_Global):
    def call(self, inputs: Any) -> Tensor:
        """The largest element of each channel."""
        result: Tensor = reduce_max(inputs, self._axes, keepdims=self.keepdims)
        return result


class _GlobalAverage(_Global):
    def call(self, inputs: Any) -> Tensor:
        """The mean of each channel."""
        result: Tensor = reduce_mean(inputs, self._axes, keepdims=self.keepdims)
        return result


class GlobalMaxPooling1D(_GlobalMax):
    """The largest element of each channel of sequences; the arguments are those of ``GlobalAveragePooling2D``.

    >>> import tapeviz as tf
    >>> tf.keras.layers.GlobalMaxPooling1D()(tf.constant([[[1.0], [3.0], [2.0]]])).numpy()
    array([[3.]], dtype=float32)
    """

    count = 1


class GlobalMaxPooling2D(_GlobalMax):
    """The largest element of each channel of images; the arguments are those of ``GlobalAveragePooling2D``.

    >>> import tapeviz as tf
    >>> tf.keras.layers.GlobalMaxPooling2D()(tf.ones([2, 3, 3, 5])).shape
    TensorShape([2, 5])
    """

    count = 2


class GlobalMaxPooling3D(_GlobalMax):
    """The largest element of each channel of volumes; the arguments are those of ``GlobalAveragePooling2D``.

    >>> import tapeviz as tf
    >>> tf.keras.layers.GlobalMaxPooling3D()(tf.ones([2, 3, 3, 3, 5])).shape
    TensorShape([2, 5])
    """

    count = 3


class GlobalAveragePooling1D(_GlobalAverage):
    """The mean of each channel of sequences, of the steps that a mask leaves.

    Args:
        data_format: ``"channels_last"`` (or None) or ``"channels_first"``.
        keepdims: leave the axis of the steps in, with size 1.
        kwargs: what every layer takes.

    Raises:
        ValueError: the input has another rank.

    >>> import tapeviz as tf
    >>> x = tf.constant([[[1.0], [3.0], [20.0]]])
    >>> tf.keras.layers.GlobalAveragePooling1D()(x, mask=tf.constant([[True, True, False]])).numpy()
    array([[2.]], dtype=float32)
    """

    count = 1

    def __init__(self, data_format: str | None = None, keepdims: bool = False, **kwargs: Any) -> None:
        super().__init__(data_format=data_format, keepdims=keepdims, **kwargs)
        self.supports_masking = True

    def call(self, inputs: Any, mask: Any = None) -> Tensor:
        """The mean of each channel, of the steps whose mask is true."""
        if mask is None:
            return super().call(inputs)
        inputs = convert_to_tensor(inputs)
        kept = registry["expand_dims"].run(public["cast"](mask, inputs.dtype), -1 if self._axes == (1,) else 1)
        total = reduce_sum(inputs * kept, self._axes, keepdims=self.keepdims)
        result: Tensor = total / reduce_sum(kept, self._axes, keepdims=self.keepdims)
        return result

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """None: there are no steps any more."""
        return


class GlobalAveragePooling2D(_GlobalAverage):
    """The mean of each channel of images.

    Args:
        data_format: ``"channels_last"`` (or None) or ``"channels_first"``.
        keepdims: leave the axes of height and width in, with size 1.
        kwargs: what every layer takes.

    Raises:
        ValueError: the input has another rank.

    >>> import tapeviz as tf
    >>> tf.keras.layers.GlobalAveragePooling2D()(tf.reshape(tf.range(4.0), [1, 2, 2, 1])).numpy()
    array([[1.5]], dtype=float32)
    """

    count = 2


class GlobalAveragePooling3D(_GlobalAverage):
    """The mean of each channel of volumes; the arguments are those of ``GlobalAveragePooling2D``.

    >>> import tapeviz as tf
    >>> tf.keras.layers.GlobalAveragePooling3D()(tf.ones([2, 3, 3, 3, 5])).shape
    TensorShape([2, 5])
    """

    count = 3
