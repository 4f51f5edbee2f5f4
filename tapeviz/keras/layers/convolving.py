"""What all convolutions are: windows that slide, weights, a bias for each channel that comes out, an activation."""

from __future__ import annotations

from typing import Any, ClassVar

from tapeviz.engine.declaration import registry
from tapeviz.engine.variable import Variable
from tapeviz.keras import activations, regularizers
from tapeviz.keras.layers.base import Layer
from tapeviz.keras.layers.input_spec import InputSpec
from tapeviz.keras.layers.parameters import config_of, make, remember
from tapeviz.keras.layers.windows import channel_axis, format_of, inner, numbers_of, outer, padding_of, slid, turned

__all__ = ["Convolving"]


class Convolving(Layer):
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
        self.activation: Any
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

    def call(self, inputs: Any) -> Any:
        """What windows give at each place, plus the bias, through the activation."""
        outputs = turned(self._convolved, self, inputs)
        if self.use_bias:
            form = "NHWC" if self.data_format == "channels_last" else "NCHW"
            outputs = registry["bias_add"].run(outputs, self.bias, form)
        return outputs if self.activation is None else self.activation(outputs)

    def _convolved(self, inputs: Any) -> Any:
        raise NotImplementedError(
            f"Layer {type(self).__name__} does not say what windows give: give the class a method "
            "`_convolved(self, inputs)`."
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
