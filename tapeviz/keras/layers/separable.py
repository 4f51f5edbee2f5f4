"""Convolutions that look at each channel by itself, and those that mix the channels after that."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.declaration import registry
from tapeviz.engine.variable import Variable
from tapeviz.keras.layers.convolving import Convolving
from tapeviz.keras.layers.parameters import make, remember
from tapeviz.keras.layers.windows import channel_axis
from tapeviz.ops.nn.convolution import convolution
from tapeviz.ops.nn.depthwise_convolution import depthwise_conv2d

__all__ = ["DepthwiseConv1D", "DepthwiseConv2D", "SeparableConv1D", "SeparableConv2D"]


class _ByChannel(Convolving):
    """A layer that slides filters over each channel by itself."""

    depth_multiplier: int

    def _set_windows(self, kernel_size: Any, strides: Any, padding: str, data_format: str | None, holes: Any) -> None:
        if self.depth_multiplier <= 0:
            raise ValueError(
                "Invalid value for argument `depth_multiplier`. Expected a strictly positive value. Received "
                f"depth_multiplier={self.depth_multiplier}."
            )
        super()._set_windows(kernel_size, strides, padding, data_format, holes)

    def _each_channel(self, inputs: Any, kernel: Any) -> Any:
        """The depthwise convolution over one axis or two; sequences go as images of one row."""
        flat = self.count == 1
        insert = registry["expand_dims"].run
        x, filters = (insert(inputs, 1), insert(kernel, 0)) if flat else (inputs, kernel)
        strides = (1, *(self.strides * 2 if flat else self.strides), 1)
        holes = (1, *self.dilation_rate) if flat else self.dilation_rate
        y = depthwise_conv2d(x, filters, strides, self.padding.upper(), None, holes)
        return registry["squeeze"].run(y, (1,)) if flat else y


class _Depthwise(_ByChannel):
    """What the depthwise convolutions have in common; see ``DepthwiseConv2D``."""

    _made_with = "depthwise bias"
    _plain = "kernel_size strides padding depth_multiplier data_format dilation_rate use_bias"

    def __init__(
        self,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        depth_multiplier: int = 1,
        data_format: str | None = None,
        dilation_rate: Any = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.depth_multiplier = depth_multiplier
        self._set_windows(kernel_size, strides, padding, data_format, dilation_rate)
        self._set_outputs(activation, use_bias, bias_initializer, bias_regularizer, bias_constraint)
        remember(self, "depthwise", depthwise_initializer, depthwise_regularizer, depthwise_constraint)

    def build(self, input_shape: Any) -> None:
        """Make ``kernel``, ``[*kernel_size, channels, depth_multiplier]``, and ``bias``, one number a channel given."""
        channels = self._channels(input_shape)
        self.compute_output_shape(input_shape)
        shape = (*self.kernel_size, channels, self.depth_multiplier)
        self.kernel: Variable = make(self, "depthwise", shape, "kernel")
        self._make_bias(channels * self.depth_multiplier)
        super().build(input_shape)

    def _convolved(self, inputs: Any) -> Any:
        """Each channel's filters' answer at each place."""
        return self._each_channel(inputs, self.kernel)

    def compute_output_shape(self, input_shape: Any) -> tuple[Any, ...]:
        """The shape of what comes out."""
        return self._slid(input_shape, input_shape[channel_axis(self)] * self.depth_multiplier)


class DepthwiseConv1D(_Depthwise):
    """Filters of its own for each channel of sequences; the arguments are those of ``DepthwiseConv2D``, for one axis.

    Raises:
        ValueError: a number does not fit, or the input has another rank.

    >>> import tapeviz as tf
    >>> tf.keras.layers.DepthwiseConv1D(2, depth_multiplier=2)(tf.ones([1, 4, 3])).shape
    TensorShape([1, 3, 6])
    """

    count = 1


class DepthwiseConv2D(_Depthwise):
    """Filters of its own for each channel of images.

    Args:
        kernel_size: the height and the width of a filter, or one number for both.
        strides: how far the window moves, along both axes or along each.
        padding: ``"valid"`` (none) or ``"same"`` (as many windows as pixels, at stride 1).
        depth_multiplier: how many filters each channel has.
        data_format: ``"channels_last"`` (or None) or ``"channels_first"``.
        dilation_rate: how far apart the elements of a window are.
        activation: what the sums go through, a function or its name.
        use_bias: whether a number is added for each filter.
        depthwise_initializer: how the filters begin.
        bias_initializer: how the biases begin.
        depthwise_regularizer: what the filters cost.
        bias_regularizer: what the biases cost.
        activity_regularizer: what the outputs cost.
        depthwise_constraint: what the filters are put through after each step.
        bias_constraint: what the biases are put through after each step.
        kwargs: what every layer takes.

    Raises:
        ValueError: a number does not fit, or the input has another rank.

    >>> import tapeviz as tf
    >>> tf.keras.layers.DepthwiseConv2D(3, padding="same")(tf.ones([1, 4, 4, 3])).shape
    TensorShape([1, 4, 4, 3])
    """

    count = 2


class _Separable(_ByChannel):
    """What the separable convolutions have in common; see ``SeparableConv2D``."""

    _made_with = "depthwise pointwise bias"
    _plain = "filters kernel_size strides padding data_format dilation_rate depth_multiplier use_bias"

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        pointwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.depth_multiplier = depth_multiplier
        self._set_filters(filters)
        self._set_windows(kernel_size, strides, padding, data_format, dilation_rate)
        self._set_outputs(activation, use_bias, bias_initializer, bias_regularizer, bias_constraint)
        remember(self, "depthwise", depthwise_initializer, depthwise_regularizer, depthwise_constraint)
        remember(self, "pointwise", pointwise_initializer, pointwise_regularizer, pointwise_constraint)

    def build(self, input_shape: Any) -> None:
        """Make ``depthwise_kernel``, ``pointwise_kernel`` and ``bias``."""
        channels = self._channels(input_shape)
        self.compute_output_shape(input_shape)
        deep = (*self.kernel_size, channels, self.depth_multiplier)
        self.depthwise_kernel: Variable = make(self, "depthwise", deep, "depthwise_kernel")
        mixing = (*(1,) * self.count, channels * self.depth_multiplier, self.filters)
        self.pointwise_kernel: Variable = make(self, "pointwise", mixing, "pointwise_kernel")
        self._make_bias(self.filters)
        super().build(input_shape)

    def _convolved(self, inputs: Any) -> Any:
        """Each channel's filters' answer, mixed pixel by pixel."""
        return convolution(self._each_channel(inputs, self.depthwise_kernel), self.pointwise_kernel)

    def compute_output_shape(self, input_shape: Any) -> tuple[Any, ...]:
        """The shape of what comes out."""
        return self._slid(input_shape, self.filters)


class SeparableConv1D(_Separable):
    """A depthwise convolution, then a mix of the channels; the arguments are those of ``SeparableConv2D``.

    Raises:
        ValueError: a number does not fit, or the input has another rank.

    >>> import tapeviz as tf
    >>> tf.keras.layers.SeparableConv1D(5, 2)(tf.ones([1, 4, 3])).shape
    TensorShape([1, 3, 5])
    """

    count = 1


class SeparableConv2D(_Separable):
    """A depthwise convolution, then one of single pixels that mixes the channels.

    Args:
        filters: how many channels come out.
        kernel_size: the height and the width of a filter, or one number for both.
        strides: how far the window moves, along both axes or along each.
        padding: ``"valid"`` (none) or ``"same"`` (as many windows as pixels, at stride 1).
        data_format: ``"channels_last"`` (or None) or ``"channels_first"``.
        dilation_rate: how far apart the elements of a window are.
        depth_multiplier: how many filters each channel has.
        activation: what the sums go through, a function or its name.
        use_bias: whether a number is added for each channel that comes out.
        depthwise_initializer: how the filters of the channels begin.
        pointwise_initializer: how the mix begins.
        bias_initializer: how the biases begin.
        depthwise_regularizer: what the filters of the channels cost.
        pointwise_regularizer: what the mix costs.
        bias_regularizer: what the biases cost.
        activity_regularizer: what the outputs cost.
        depthwise_constraint: what the filters of the channels are put through after each step.
        pointwise_constraint: what the mix is put through after each step.
        bias_constraint: what the biases are put through after each step.
        kwargs: what every layer takes.

    Raises:
        ValueError: a number does not fit, or the input has another rank.

    >>> import tapeviz as tf
    >>> layer = tf.keras.layers.SeparableConv2D(5, 3)
    >>> layer(tf.ones([1, 4, 4, 2])).shape, layer.count_params()
    (TensorShape([1, 2, 2, 5]), 33)
    """

    count = 2
