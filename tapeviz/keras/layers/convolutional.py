"""Convolutions as layers: filters that slide over sequences, images and volumes, and are learned."""

from __future__ import annotations

from typing import Any, ClassVar

from tapeviz.engine.declaration import registry
from tapeviz.keras import activations, regularizers
from tapeviz.keras.layers.base import Layer
from tapeviz.keras.layers.input_spec import InputSpec
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
from tapeviz.ops.convolution import convolution

__all__ = ["Conv1D", "Conv2D", "Conv3D"]


class Convolution(Layer):
    """What the convolutions over one, two and three axes have in common; see ``Conv2D``."""

    count: ClassVar[int]
    paddings: ClassVar[tuple[str, ...]] = ("valid", "same")

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
        self.filters, self.groups, self.use_bias = filters, groups, use_bias
        self.kernel_size = numbers_of(kernel_size, self.count, "kernel_size")
        self.strides = numbers_of(strides, self.count, "strides")
        self.dilation_rate = numbers_of(dilation_rate, self.count, "dilation_rate")
        self.padding, self.data_format = padding_of(padding, self.paddings), format_of(data_format)
        self.activation = activations.get(activation)
        remember(self, "kernel", kernel_initializer, kernel_regularizer, kernel_constraint)
        remember(self, "bias", bias_initializer, bias_regularizer, bias_constraint)
        self.input_spec = InputSpec(min_ndim=self.count + 2)
        refuse_numbers(self)
        if groups <= 0 or filters % groups:
            raise ValueError(
                f"The number of filters must be evenly divisible by the number of groups. Received: groups={groups}, "
                f"filters={filters}."
            )

    def build(self, input_shape: Any) -> None:
        """Make ``kernel``, ``[*kernel_size, channels / groups, filters]``, and ``bias``, ``[filters]``."""
        channels = channels_of(self, input_shape)
        if channels % self.groups:
            raise ValueError(
                f"The number of input channels must be evenly divisible by the number of groups. Received "
                f"groups={self.groups}, but the input has {channels} channels (full input shape is {input_shape})."
            )
        self.compute_output_shape(input_shape)
        self.kernel = make(self, "kernel", (*self.kernel_size, channels // self.groups, self.filters))
        self.bias = make(self, "bias", (self.filters,)) if self.use_bias else None
        super().build(input_shape)

    def call(self, inputs: Any) -> Any:
        """The filters' answer at each place, plus the bias, through the activation."""
        return finished(self, turned(self._convolved, self, inputs))

    def _convolved(self, inputs: Any) -> Any:
        padding = window_padding(self, self.kernel_size, self.dilation_rate)
        pads = padding if isinstance(padding, str) else ((0, 0), *padding, (0, 0))
        return convolution(inputs, self.kernel, self.strides, pads, None, self.dilation_rate)

    def compute_output_shape(self, input_shape: Any) -> tuple[Any, ...]:
        """The shape of what comes out."""
        sizes = slid(self, inner(self, input_shape), self.kernel_size, self.strides, self.dilation_rate)
        return outer(self, input_shape, sizes, self.filters)

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        plain = "filters kernel_size strides padding data_format dilation_rate groups use_bias"
        return {**super().get_config(), **config_of(self, plain, "kernel bias", "activation"), **activity_of(self)}


def refuse_numbers(layer: Any) -> None:
    """Refuse what no window can do.

    Raises:
        ValueError: there are no filters, or a window with holes moves by more than one.
    """
    if layer.filters is not None and layer.filters <= 0:
        raise ValueError(
            "Invalid value for argument `filters`. Expected a strictly positive value. Received "
            f"filters={layer.filters}."
        )
    if max(layer.strides) > 1 and max(layer.dilation_rate) > 1:
        raise ValueError(
            f"`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: strides={layer.strides} "
            f"and dilation_rate={layer.dilation_rate}"
        )


def channels_of(layer: Any, shape: Any) -> int:
    """The number of channels, which from now on all inputs must have.

    Raises:
        ValueError: it is not known.
    """
    axis = channel_axis(layer)
    channels = shape[axis]
    if channels is None:
        raise ValueError(
            f'The channel dimension of the inputs of layer "{layer.name}" should be defined. The input_shape received '
            f"is {tuple(shape)}, where axis {axis} (0-based) is the channel dimension, which found to be `None`."
        )
    layer.input_spec = InputSpec(min_ndim=layer.count + 2, axes={axis: channels})
    return int(channels)


def finished(layer: Any, outputs: Any) -> Any:
    """The outputs plus the bias, through the activation."""
    if layer.use_bias:
        form = "NHWC" if layer.data_format == "channels_last" else "NCHW"
        outputs = registry["bias_add"].run(outputs, layer.bias, form)
    return outputs if layer.activation is None else layer.activation(outputs)


def activity_of(layer: Any) -> dict[str, Any]:
    """The part of a config that says what outputs cost."""
    return {"activity_regularizer": regularizers.serialize(layer.activity_regularizer)}


class Conv1D(Convolution):
    """Filters that slide along sequences.

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
    paddings = ("valid", "same", "causal")


class Conv2D(Convolution):
    """Filters that slide over images.

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
    """Filters that slide over volumes (or over films: depth is time).

    The arguments are those of ``Conv2D``, with three axes instead of two.

    Raises:
        ValueError: a number does not fit, or the input has another rank.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Conv3D(4, 2)(tf.ones([1, 3, 3, 3, 1])).shape
    TensorShape([1, 2, 2, 2, 4])
    """

    count = 3
