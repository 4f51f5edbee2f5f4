"""Convolutions as layers: plain, transposed, depthwise and separable ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.tensor import Tensor
from tapeviz.engine.variable import Variable
from tapeviz.keras import activations, regularizers
from tapeviz.keras.layers.input_spec import InputSpec
from tapeviz.keras.layers.layer import Layer
from tapeviz.keras.layers.parameters import config_of, make, remember
from tapeviz.keras.layers.windows import (
    channel_axis,
    format_of,
    inner,
    numbers_of,
    outer,
    padding_of,
    slid,
    turned,
    window_padding,
)
from tapeviz.ops.nn.convolution import BACK_TO_INPUT, convolution
from tapeviz.ops.nn.depthwise_convolution import depthwise_conv2d

__all__ = [
    "BaseConvolution",
    "Conv1D",
    "Conv1DTranspose",
    "Conv2D",
    "Conv2DTranspose",
    "Conv3D",
    "Conv3DTranspose",
    "DepthwiseConv1D",
    "DepthwiseConv2D",
    "SeparableConv1D",
    "SeparableConv2D",
]


class BaseConvolution(Layer):
    """A layer whose windows slide over one, two or three axes. A class says ``_convolved``, with channels last."""

    count: ClassVar[int]
    filters: int
    _paddings: ClassVar[tuple[str, ...]] = ("valid", "same")
    _made_with: ClassVar[str] = "kernel bias"  # the weights that a config speaks of, and the arguments
    _plain: ClassVar[str]

    def _set_filters(self, filters: int) -> None:
        """Keep how many channels come out.

        Raises:
            ValueError: there are none.
        """
        self.filters = filters
        if filters <= 0:
            raise ValueError(
                f"Invalid value for argument `filters`. Expected a strictly positive value. Received filters={filters}."
            )

    def _set_windows(self, kernel_size: Any, strides: Any, padding: str, data_format: str | None, holes: Any) -> None:
        """Keep what windows look like and how they slide.

        Raises:
            ValueError: no window can do so.
        """
        self.kernel_size: tuple[int, ...] = numbers_of(kernel_size, self.count, "kernel_size")
        self.strides: tuple[int, ...] = numbers_of(strides, self.count, "strides")
        self.dilation_rate: tuple[int, ...] = numbers_of(holes, self.count, "dilation_rate")
        self.padding: str
        self.data_format: str
        self.padding, self.data_format = padding_of(padding, self._paddings), format_of(data_format)
        self.input_spec = InputSpec(min_ndim=self.count + 2)
        if max(self.strides) > 1 and max(self.dilation_rate) > 1:
            raise ValueError(
                "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: "
                f"strides={self.strides} and dilation_rate={self.dilation_rate}"
            )

    def _set_outputs(
        self, activation: Any, use_bias: bool, initializer: Any, regularizer: Any, constraint: Any
    ) -> None:
        """Keep what becomes of the sums: the bias and what it is made with, and the activation."""
        self.activation: Callable[[Any], Tensor]
        self.use_bias: bool
        self.activation, self.use_bias = activations.get(activation), use_bias
        remember(self, "bias", initializer, regularizer, constraint)

    def _make_bias(self, channels: int) -> None:
        self.bias: Variable | None = make(self, "bias", (channels,)) if self.use_bias else None

    def _channels(self, shape: Any) -> int:
        """The number of channels, which from now on all inputs must have.

        Raises:
            ValueError: it is not known.
        """
        axis = channel_axis(self)
        channels = shape[axis]
        if channels is None:
            raise ValueError(
                f'The channel dimension of the inputs of layer "{self.name}" should be defined. The input_shape '
                f"received is {tuple(shape)}, where axis {axis} (0-based) is the channel dimension, which found to be "
                "`None`."
            )
        self.input_spec: Any = InputSpec(min_ndim=self.count + 2, axes={axis: channels})
        return int(channels)

    def call(self, inputs: Any) -> Tensor:
        """What windows give at each place, plus the bias, through the activation."""
        outputs = turned(self._convolved, self, inputs)
        if self.use_bias:
            form = "NHWC" if self.data_format == "channels_last" else "NCHW"
            outputs = registry["bias_add"].run(outputs, self.bias, form)
        return outputs if self.activation is None else self.activation(outputs)

    def _convolved(self, inputs: Any) -> Any:
        raise NotImplementedError(
            f"Layer {type(self).__name__} must implement `_convolved(self, inputs)`, the convolution."
        )

    def _slid(self, input_shape: Any, channels: int | None) -> tuple[Any, ...]:
        """The shape of what comes out where windows slide over the inputs."""
        sizes = slid(self, inner(self, input_shape), self.kernel_size, self.strides, self.dilation_rate)
        return outer(self, input_shape, sizes, channels)

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        made = config_of(self, self._plain, self._made_with, "activation")
        cost = {"activity_regularizer": regularizers.serialize(self.activity_regularizer)}
        return {**super().get_config(), **made, **cost}


class Convolution(BaseConvolution):
    """What the convolutions over one, two and three axes have in common; see ``Conv2D``."""

    _plain = "filters kernel_size strides padding data_format dilation_rate groups use_bias"

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        groups: int = 1,
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
        self.groups = groups
        self._set_filters(filters)
        self._set_windows(kernel_size, strides, padding, data_format, dilation_rate)
        self._set_outputs(activation, use_bias, bias_initializer, bias_regularizer, bias_constraint)
        remember(self, "kernel", kernel_initializer, kernel_regularizer, kernel_constraint)
        if groups <= 0 or filters % groups:
            raise ValueError(
                f"The number of filters must be evenly divisible by the number of groups. Received: groups={groups}, "
                f"filters={filters}."
            )

    def build(self, input_shape: Any) -> None:
        """Make ``kernel``, ``[*kernel_size, channels / groups, filters]``, and ``bias``, ``[filters]``."""
        channels = self._channels(input_shape)
        if channels % self.groups:
            raise ValueError(
                f"The number of input channels must be evenly divisible by the number of groups. Received "
                f"groups={self.groups}, but the input has {channels} channels (full input shape is {input_shape})."
            )
        self.compute_output_shape(input_shape)
        self.kernel: Variable = make(self, "kernel", (*self.kernel_size, channels // self.groups, self.filters))
        self._make_bias(self.filters)
        super().build(input_shape)

    def _convolved(self, inputs: Any) -> Any:
        """The filters' answer at each place."""
        padding = window_padding(self, self.kernel_size, self.dilation_rate)
        pads = padding if isinstance(padding, str) else ((0, 0), *padding, (0, 0))
        return convolution(inputs, self.kernel, self.strides, pads, None, self.dilation_rate)

    def compute_output_shape(self, input_shape: Any) -> tuple[Any, ...]:
        """The shape of what comes out."""
        return self._slid(input_shape, self.filters)


class Conv1D(Convolution):
    """A 1-D convolution: filters that slide along sequences.

    Args:
        filters: how many.
        kernel_size: how many elements a filter looks at.
        strides: how far the window moves.
        padding: ``"valid"`` (none), ``"same"`` (as many windows as elements, at stride 1) or ``"causal"``: no window
            sees what comes after its place.
        data_format: ``"channels_last"`` (or None) for ``[examples, steps, channels]``, ``"channels_first"`` for
            ``[examples, channels, steps]``.
        dilation_rate: how far apart the elements of a window are.
        groups: into how many groups the channels go, each with filters of its own.
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
    >>> differences = tf.keras.layers.Conv1D(1, 2, kernel_initializer="ones")
    >>> differences(tf.constant([[[1.0], [2.0], [4.0]]])).numpy().ravel()
    array([3., 6.], dtype=float32)
    """

    count = 1
    _paddings = ("valid", "same", "causal")


class Conv2D(Convolution):
    """A 2-D convolution: filters that slide over images.

    Args:
        filters: how many.
        kernel_size: the height and the width of a filter, or one number for both.
        strides: how far the window moves, along both axes or along each.
        padding: ``"valid"`` (none) or ``"same"`` (as many windows as pixels, at stride 1).
        data_format: ``"channels_last"`` (or None) for ``[examples, height, width, channels]``, ``"channels_first"``
            for ``[examples, channels, height, width]``.
        dilation_rate: how far apart the elements of a window are.
        groups: into how many groups the channels go, each with filters of its own.
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
    >>> layer = tf.keras.layers.Conv2D(8, 3, padding="same", activation="relu")
    >>> layer(tf.ones([1, 5, 5, 3])).shape, [weight.name for weight in layer.weights]
    (TensorShape([1, 5, 5, 8]), ['conv2d/kernel:0', 'conv2d/bias:0'])
    """

    count = 2


class Conv3D(Convolution):
    """A 3-D convolution: filters that slide over volumes (or over films: depth is time).

    The arguments are those of ``Conv2D``, with three axes instead of two.

    Raises:
        ValueError: a number does not fit, or the input has another rank.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Conv3D(4, 2)(tf.ones([1, 3, 3, 3, 1])).shape
    TensorShape([1, 2, 2, 2, 4])
    """

    count = 3


class TransposedConvolution(BaseConvolution):
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
    """A 2-D transposed convolution: each pixel gives a window, and where windows overlap they add up.

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


class _ByChannel(BaseConvolution):
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
    """A 1-D depthwise convolution; the arguments are those of ``DepthwiseConv2D``, for one axis.

    Raises:
        ValueError: a number does not fit, or the input has another rank.

    >>> import tapeviz as tf
    >>> tf.keras.layers.DepthwiseConv1D(2, depth_multiplier=2)(tf.ones([1, 4, 3])).shape
    TensorShape([1, 3, 6])
    """

    count = 1


class DepthwiseConv2D(_Depthwise):
    """A 2-D depthwise convolution: filters of its own for each channel of images.

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
