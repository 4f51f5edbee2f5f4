"""Transposed convolutions as layers: from each element a whole window, so that images become larger."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.convert import convert_to_tensor
from tapeviz.engine.variable import Variable
from tapeviz.keras.layers.convolving import Convolving
from tapeviz.keras.layers.parameters import make, remember
from tapeviz.keras.layers.windows import inner, numbers_of, outer
from tapeviz.ops.nn.convolution import BACK_TO_INPUT

__all__ = ["Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose"]


class TransposedConvolution(Convolving):
    """What the transposed convolutions have in common; see ``Conv2DTranspose``."""

    _plain = "filters kernel_size strides padding output_padding data_format dilation_rate use_bias"

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        output_padding: Any = None,
        data_format: str | None = None,
        dilation_rate: Any = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self._set_filters(filters)
        self._set_windows(kernel_size, strides, padding, data_format, dilation_rate)
        self._set_outputs(activation, use_bias, bias_initializer, bias_regularizer, bias_constraint)
        remember(self, "kernel", kernel_initializer, kernel_regularizer, kernel_constraint)
        self.output_padding: tuple[int, ...] | None = (
            None if output_padding is None else numbers_of(output_padding, self.count, "output_padding", least=0)
        )
        for more, stride in zip(self.output_padding or (), self.strides, strict=False):
            if more >= stride:
                raise ValueError(
                    "`output_padding` must be strictly less than `strides` for all dimensions. Received: "
                    f"output_padding={self.output_padding}, strides={self.strides}"
                )

    def build(self, input_shape: Any) -> None:
        """Make ``kernel``, ``[*kernel_size, filters, channels]``, and ``bias``, ``[filters]``."""
        channels = self._channels(input_shape)
        self.kernel: Variable = make(self, "kernel", (*self.kernel_size, self.filters, channels))
        self._make_bias(self.filters)
        super().build(input_shape)

    def _convolved(self, inputs: Any) -> Any:
        """Each element's window, added up where windows overlap."""
        inputs = convert_to_tensor(inputs)
        shape = inputs._a.shape
        sizes = (shape[0], *self._sizes(shape[1:-1]), self.filters)
        window = (self.strides, self.padding.upper(), self.dilation_rate)
        return BACK_TO_INPUT[self.count].run(self.kernel, inputs, sizes, *window)

    def _sizes(self, sizes: Any) -> tuple[Any, ...]:
        """How large the axes become."""
        more = self.output_padding or (None,) * self.count
        axes = zip(sizes, self.kernel_size, self.strides, self.dilation_rate, more, strict=True)
        return tuple(None if axis[0] is None else self._size(*axis) for axis in axes)

    def _size(self, size: Any, width: int, stride: int, hole: int, more: int | None) -> Any:
        reach = (width - 1) * hole + 1
        if self.padding == "same":
            return size * stride if more is None else (size - 1) * stride + reach % 2 + more
        return (size - 1) * stride + (max(reach, stride) if more is None else reach + more)

    def compute_output_shape(self, input_shape: Any) -> tuple[Any, ...]:
        """The shape of what comes out."""
        return outer(self, input_shape, self._sizes(inner(self, input_shape)), self.filters)


class Conv1DTranspose(TransposedConvolution):
    """A transposed convolution along sequences; the arguments are those of ``Conv2DTranspose``, for one axis.

    Raises:
        ValueError: a number does not fit, or the input has another rank.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Conv1DTranspose(2, 3, strides=2)(tf.ones([1, 4, 1])).shape
    TensorShape([1, 9, 2])
    """

    count = 1


class Conv2DTranspose(TransposedConvolution):
    """Images from smaller ones: each pixel gives a window, and where windows overlap they add up.

    Args:
        filters: how many channels come out.
        kernel_size: the height and the width of a window, or one number for both.
        strides: how far windows are apart.
        padding: ``"valid"`` (all of each window stays) or ``"same"`` (each axis becomes ``strides`` times as long).
        output_padding: how much longer axes become, less than ``strides``; found out where it is None.
        data_format: ``"channels_last"`` (or None) or ``"channels_first"``.
        dilation_rate: how far apart the elements of a window are.
        activation: what the sums go through, a function or its name.
        use_bias: whether a number is added for each filter.
        kernel_initializer: how the filters begin.
        bias_initializer: how the biases begin.
        kernel_regularizer: what the filters cost.
        bias_regularizer: what the biases cost.
        activity_regularizer: what the outputs cost.
        kernel_constraint: what the filters are put through after each step.
        bias_constraint: what the biases are put through after each step.
        kwargs: what every layer takes.

    Raises:
        ValueError: a number does not fit, or the input has another rank.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Conv2DTranspose(3, 2, strides=2, padding="same")(tf.ones([1, 4, 5, 1])).shape
    TensorShape([1, 8, 10, 3])
    """

    count = 2


class Conv3DTranspose(TransposedConvolution):
    """A transposed convolution over volumes; the arguments are those of ``Conv2DTranspose``, for three axes.

    Raises:
        ValueError: a number does not fit, or the input has another rank.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Conv3DTranspose(1, 2)(tf.ones([1, 2, 2, 2, 1])).shape
    TensorShape([1, 3, 3, 3, 1])
    """

    count = 3
