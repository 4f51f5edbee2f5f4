"""Convolutions as layers: filters that slide over sequences, images and volumes, and are learned."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.variable import Variable
from tapeviz.keras.layers.convolving import Convolving
from tapeviz.keras.layers.parameters import make, remember
from tapeviz.keras.layers.windows import window_padding
from tapeviz.ops.nn.convolution import convolution

__all__ = ["Conv1D", "Conv2D", "Conv3D"]


class Convolution(Convolving):
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
    _paddings = ("valid", "same", "causal")


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
