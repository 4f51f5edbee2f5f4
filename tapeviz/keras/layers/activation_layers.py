"""Activations as layers, for those with numbers of their own or with weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.operators import public
from tapeviz.engine.tensor import Tensor
from tapeviz.engine.variable import Variable
from tapeviz.keras import activations
from tapeviz.keras.layers.input_spec import InputSpec
from tapeviz.keras.layers.layer import Layer
from tapeviz.keras.layers.parameters import config_of, make, remember
from tapeviz.ops.math.statistics import reduce_logsumexp

__all__ = ["ELU", "LeakyReLU", "PReLU", "ReLU", "Softmax"]


class _Activating(Layer):
    """A layer that works element by element."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True

    def compute_output_shape(self, input_shape: Any) -> tuple[Any, ...]:
        """The shape of what comes out: that of what goes in."""
        return tuple(input_shape)


def _number(value: Any, name: str, layer: str) -> Any:
    """The number given, which is not negative.

    Raises:
        ValueError: it is, or it is None.
    """
    if value is None or value < 0:
        raise ValueError(
            f"The {name} value of a {layer} layer cannot be {'None' if value is None else 'negative'}. Received: "
            f"{name}={value}"
        )
    return value


class ReLU(_Activating):
    """Rectified linear unit: what is positive stays, the rest becomes 0, or what the arguments say.

    Args:
        max_value: the largest number that comes out; None for any.
        negative_slope: the slope below the threshold.
        threshold: below it numbers are bent.
        kwargs: what every layer takes.

    Raises:
        ValueError: an argument is negative.

    >>> import tapeviz as tf
    >>> tf.keras.layers.ReLU(max_value=1.0)(tf.constant([-3.0, 0.5, 2.0])).numpy()
    array([0. , 0.5, 1. ], dtype=float32)
    """

    def __init__(
        self, max_value: float | None = None, negative_slope: float = 0.0, threshold: float = 0.0, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.max_value: Any | None = None if max_value is None else _number(max_value, "max_value", "ReLU")
        self.negative_slope: Any = _number(negative_slope, "negative_slope", "ReLU")
        self.threshold: Any = _number(threshold, "threshold", "ReLU")

    def call(self, inputs: Any) -> Tensor:
        """The inputs, bent."""
        return activations.relu(
            inputs, negative_slope=self.negative_slope, max_value=self.max_value, threshold=self.threshold
        )

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "max_value negative_slope threshold")}


class LeakyReLU(_Activating):
    """Leaky rectified linear unit: what is positive stays, the rest is multiplied by a small number.

    Args:
        negative_slope: the number.
        alpha: its first name.
        kwargs: what every layer takes.

    Raises:
        ValueError: the number is negative.

    >>> import tapeviz as tf
    >>> tf.keras.layers.LeakyReLU(0.1)(tf.constant([-3.0, 2.0])).numpy()
    array([-0.3,  2. ], dtype=float32)
    """

    def __init__(self, negative_slope: float = 0.3, *, alpha: float | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.negative_slope: Any = _number(negative_slope if alpha is None else alpha, "negative_slope", "LeakyReLU")

    def call(self, inputs: Any) -> Tensor:
        """The inputs, bent."""
        return activations.leaky_relu(inputs, negative_slope=self.negative_slope)

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "negative_slope")}


class PReLU(_Activating):
    """Parametric rectified linear unit: what is positive stays, the rest is multiplied by learned numbers.

    Args:
        alpha_initializer: how they begin.
        alpha_regularizer: what they cost.
        alpha_constraint: what they are put through after each step.
        shared_axes: axes along which there is one number for all.
        kwargs: what every layer takes.

    Raises:
        ValueError: a size is not known, or an argument is of another kind.

    >>> import tapeviz as tf
    >>> tf.keras.layers.PReLU(alpha_initializer="ones")(tf.constant([[-3.0, 2.0]])).numpy()
    array([[-3.,  2.]], dtype=float32)
    """

    def __init__(
        self,
        alpha_initializer: Any = "Zeros",
        alpha_regularizer: Any = None,
        alpha_constraint: Any = None,
        shared_axes: int | Sequence[int] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        remember(self, "alpha", alpha_initializer, alpha_regularizer, alpha_constraint)
        shared = [shared_axes] if isinstance(shared_axes, int) else shared_axes
        self.shared_axes: list[int] | None = None if shared is None else list(shared)

    def build(self, input_shape: Any) -> None:
        """Make ``alpha``, of the shape of an example, with size 1 along the shared axes."""
        shared = self.shared_axes or ()
        self.alpha: Variable = make(self, "alpha", tuple(1 if axis in shared else size for axis, size in
                                               enumerate(input_shape[1:], 1)))  # fmt: skip
        known = {axis: size for axis, size in enumerate(input_shape) if axis and axis not in shared}
        self.input_spec: Any = InputSpec(ndim=len(input_shape), axes=known if shared else {})
        super().build(input_shape)

    def call(self, inputs: Any) -> Tensor:
        """The inputs, bent."""
        x, relu = convert_to_tensor(inputs), registry["relu"].run
        result: Tensor = relu(x) - self.alpha * relu(-x)
        return result

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "shared_axes", "alpha")}


class ELU(_Activating):
    """Exponential linear unit: what is positive stays, the rest becomes ``alpha * (exp(x) - 1)``.

    Args:
        alpha: the limit for large negative numbers, without its sign.
        kwargs: what every layer takes.

    >>> import tapeviz as tf
    >>> tf.keras.layers.ELU()(tf.constant([-100.0, 2.0])).numpy()
    array([-1.,  2.], dtype=float32)
    """

    def __init__(self, alpha: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.alpha = alpha

    def call(self, inputs: Any) -> Tensor:
        """The inputs, bent."""
        return activations.elu(inputs, alpha=self.alpha)

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "alpha")}


class Softmax(_Activating):
    """Softmax: exponentials divided by their sum.

    Args:
        axis: the axis, or axes, along which shares add up to 1.
        kwargs: what every layer takes.

    >>> import tapeviz as tf
    >>> layer = tf.keras.layers.Softmax()
    >>> layer(tf.constant([1.0, 1.0, 9.0]), mask=tf.constant([True, True, False])).numpy()
    array([0.5, 0.5, 0. ], dtype=float32)
    """

    def __init__(self, axis: int | Sequence[int] = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis: int | list[int] = axis if isinstance(axis, int) else list(axis)

    def call(self, inputs: Any, mask: Any = None) -> Tensor:
        """The shares, of the elements that a mask leaves."""
        inputs = convert_to_tensor(inputs)
        where = registry["where"].run
        if mask is not None:
            mask = public["cast"](mask, "bool")
            inputs = where(mask, inputs, -3e4 if inputs.dtype.name == "float16" else -1e9)
        if isinstance(self.axis, int) or len(self.axis) == 1:
            shares = activations.softmax(inputs, axis=self.axis if isinstance(self.axis, int) else self.axis[0])
        else:
            shares = registry["exp"].run(inputs - reduce_logsumexp(inputs, self.axis, keepdims=True))
        return shares if mask is None else where(mask, shares, 0.0)

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "axis")}
