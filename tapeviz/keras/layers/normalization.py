"""Layers that normalize each example: to mean 0 and variance 1, or to length 1, then as is learned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.operators import public
from tapeviz.engine.tensor import Tensor
from tapeviz.engine.variable import Variable
from tapeviz.keras.layers.input_spec import InputSpec
from tapeviz.keras.layers.layer import Layer
from tapeviz.keras.layers.parameters import config_of, make, remember
from tapeviz.ops.math.reductions import reduce_mean, reduce_sum
from tapeviz.ops.nn.normalization import batch_normalization, moments

__all__ = [
    "GroupNormalization",
    "LayerNormalization",
    "RMSNormalization",
    "Scaled",
    "UnitNormalization",
    "along",
    "axes_of",
    "narrow",
    "wide",
]

_SINGLE: Final = 4  # bytes


def axes_of(axis: Any, rank: int, name: str) -> tuple[int, ...]:
    """The axes, counted from the front."""
    given = list(axis) if isinstance(axis, Sequence) else [axis]
    if wrong := [one for one in given if not -rank <= one < rank]:
        raise ValueError(f'Axis {wrong[0]} is out of bounds for the input of layer "{name}", which has {rank} axes')
    return tuple(sorted(one % rank for one in given))


def along(weight: Any, axes: tuple[int, ...], rank: int) -> Any:
    """A weight of the sizes of some axes in a shape that broadcasts against all."""
    if weight is None or axes == (rank - 1,):
        return weight
    sizes = dict(zip(axes, tuple(weight.shape), strict=True))
    return registry["reshape"].run(weight, tuple(sizes.get(axis, 1) for axis in range(rank)))


def wide(value: Any) -> Any:
    """The value in single precision where it is in half: squares would overflow."""
    tensor = convert_to_tensor(value)
    return public["cast"](tensor, "float32") if tensor.dtype.size < _SINGLE else tensor


def narrow(tensor: Any, dtype: Any) -> Any:
    """A tensor in a dtype again."""
    return tensor if tensor.dtype == dtype else public["cast"](tensor, dtype)


class Scaled(Layer):
    """A layer with a scale, ``gamma``, and a mean, ``beta``, that are learned."""

    def remember_all(self, **arguments: Any) -> None:
        """Keep the arguments for ``beta`` and ``gamma``."""
        for name in ("beta", "gamma"):
            remember(
                self, name, *(arguments[f"{name}_{kind}"] for kind in ("initializer", "regularizer", "constraint"))
            )
        self.center: Any
        self.scale: Any
        self.center, self.scale = arguments["center"], arguments["scale"]

    def make_all(self, shape: tuple[int, ...]) -> None:
        """Make ``gamma`` and ``beta``, where they are wanted."""
        self.gamma: Variable | None = make(self, "gamma", shape) if self.scale else None
        self.beta: Variable | None = make(self, "beta", shape) if self.center else None

    def compute_output_shape(self, input_shape: Any) -> tuple[Any, ...]:
        """The shape of what comes out: that of what goes in."""
        return tuple(input_shape)


class LayerNormalization(Scaled):
    """Layer normalization: each example to mean 0 and variance 1 along some axes, then to a learned mean and scale.

    Args:
        axis: the axis or axes to go along.
        epsilon: is added to the variance, so that nothing is divided by 0.
        center: whether a mean, ``beta``, is learned.
        scale: whether a scale, ``gamma``, is learned.
        beta_initializer: how the means begin.
        gamma_initializer: how the scales begin.
        beta_regularizer: what the means cost.
        gamma_regularizer: what the scales cost.
        beta_constraint: what the means are put through after each step.
        gamma_constraint: what the scales are put through after each step.
        kwargs: what every layer takes.

    Raises:
        ValueError: there is no such axis.

    >>> import tapeviz as tf
    >>> tf.keras.layers.LayerNormalization(epsilon=0.0)(tf.constant([[1.0, 3.0]])).numpy()
    array([[-1.,  1.]], dtype=float32)
    """

    def __init__(
        self,
        axis: Any = -1,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.axis: Any = list(axis) if isinstance(axis, Sequence) else axis
        self.epsilon = epsilon
        self.remember_all(
            center=center, scale=scale, beta_initializer=beta_initializer, beta_regularizer=beta_regularizer,
            beta_constraint=beta_constraint, gamma_initializer=gamma_initializer, gamma_regularizer=gamma_regularizer,
            gamma_constraint=gamma_constraint,
        )  # fmt: skip
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        """Make ``gamma`` and ``beta``, of the sizes of the axes."""
        axes = axes_of(self.axis, len(input_shape), self.name)
        self.axis = sorted(self.axis) if isinstance(self.axis, list) else [self.axis]
        self.make_all(tuple(input_shape[axis] for axis in axes))
        super().build(input_shape)

    def call(self, inputs: Any) -> Tensor:
        """Each example normalized."""
        inputs = convert_to_tensor(inputs)
        axes = axes_of(self.axis, inputs.ndim, self.name)
        x = wide(inputs)
        mean, variance = moments(x, axes, keepdims=True)
        weights = (None if weight is None else wide(weight) for weight in (self.beta, self.gamma))
        beta, gamma = (along(weight, axes, inputs.ndim) for weight in weights)
        result: Tensor = narrow(batch_normalization(x, mean, variance, beta, gamma, self.epsilon), inputs.dtype)
        return result

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "axis epsilon center scale", "beta gamma")}


class GroupNormalization(Scaled):
    """Group normalization: groups of channels to mean 0 and variance 1, then to a learned mean and scale.

    Args:
        groups: how many groups; -1 for one a channel.
        axis: the axis of the channels.
        epsilon: is added to the variance, so that nothing is divided by 0.
        center: whether a mean, ``beta``, is learned.
        scale: whether a scale, ``gamma``, is learned.
        beta_initializer: how the means begin.
        gamma_initializer: how the scales begin.
        beta_regularizer: what the means cost.
        gamma_regularizer: what the scales cost.
        beta_constraint: what the means are put through after each step.
        gamma_constraint: what the scales are put through after each step.
        kwargs: what every layer takes.

    Raises:
        ValueError: the channels cannot be shared among the groups.

    >>> import tapeviz as tf
    >>> layer = tf.keras.layers.GroupNormalization(groups=2, epsilon=0.0)
    >>> layer(tf.constant([[1.0, 3.0, 10.0, 20.0]])).numpy()
    array([[-1.,  1., -1.,  1.]], dtype=float32)
    """

    def __init__(
        self,
        groups: int = 32,
        axis: int = -1,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.axis: int
        self.epsilon: float
        self.groups: Any
        self.groups, self.axis, self.epsilon = groups, axis, epsilon
        self.remember_all(
            center=center, scale=scale, beta_initializer=beta_initializer, beta_regularizer=beta_regularizer,
            beta_constraint=beta_constraint, gamma_initializer=gamma_initializer, gamma_regularizer=gamma_regularizer,
            gamma_constraint=gamma_constraint,
        )  # fmt: skip
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        """Make ``gamma`` and ``beta``, one number a channel each."""
        rank = len(input_shape)
        (axis,) = axes_of(self.axis, rank, self.name)
        channels = input_shape[axis]
        if channels is None:
            raise ValueError(f'Axis {self.axis} of the input of layer "{self.name}" must have a fixed size. '
                             f"Received: input_shape={tuple(input_shape)}")  # fmt: skip
        if self.groups == -1:
            self.groups = channels
        if channels % self.groups:
            raise ValueError(
                f"Number of groups ({self.groups}) must be a divisor of the number of channels ({channels}) of the "
                f'input of layer "{self.name}".'
            )
        self.make_all((channels,))
        self.input_spec: Any = InputSpec(ndim=rank, axes={axis: channels})
        super().build(input_shape)

    def call(self, inputs: Any) -> Tensor:
        """Each group of each example normalized."""
        inputs = convert_to_tensor(inputs)
        (axis,) = axes_of(self.axis, inputs.ndim, self.name)
        sizes, reshape = inputs._a.shape, registry["reshape"].run
        apart = (*sizes[:axis], self.groups, sizes[axis] // self.groups, *sizes[axis + 1 :])
        x = reshape(inputs, apart)
        mean, variance = moments(x, tuple(one for one in range(1, x.ndim) if one != axis), keepdims=True)
        wide = (*(1,) * axis, self.groups, apart[axis + 1], *(1,) * (inputs.ndim - axis - 1))
        beta, gamma = (None if weight is None else reshape(weight, wide) for weight in (self.beta, self.gamma))
        result: Tensor = reshape(batch_normalization(x, mean, variance, beta, gamma, self.epsilon), sizes)
        return result

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "groups axis epsilon center scale", "beta gamma")}


class RMSNormalization(Layer):
    """RMS normalization: each example divided by the root of its mean square, then scaled by learned weights.

    Args:
        axis: the axis or axes to go along.
        epsilon: is added to the mean square, so that nothing is divided by 0.
        kwargs: what every layer takes.

    >>> import tapeviz as tf
    >>> tf.keras.layers.RMSNormalization(epsilon=0.0)(tf.constant([[1.0, -1.0, 1.0, 1.0]])).numpy()
    array([[ 1., -1.,  1.,  1.]], dtype=float32)
    """

    def __init__(self, axis: Any = -1, epsilon: float = 1e-6, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.epsilon: float
        self.axis: Any
        self.axis, self.epsilon = axis, epsilon
        remember(self, "scale", "ones")

    def build(self, input_shape: Any) -> None:
        """Make ``scale``, of the sizes of the axes."""
        axes = axes_of(self.axis, len(input_shape), self.name)
        self.axis = sorted(self.axis) if isinstance(self.axis, Sequence) else [self.axis]
        self.scale: Variable = make(self, "scale", tuple(input_shape[axis] for axis in axes))
        super().build(input_shape)

    def call(self, inputs: Any) -> Tensor:
        """Each example divided by the root of its mean square."""
        x = convert_to_tensor(inputs)
        axes = axes_of(self.axis, x.ndim, self.name)
        size = reduce_mean(registry["square"].run(x), axes, keepdims=True)
        result: Tensor = x * registry["rsqrt"].run(size + self.epsilon) * along(self.scale, axes, x.ndim)
        return result

    def compute_output_shape(self, input_shape: Any) -> tuple[Any, ...]:
        """The shape of what comes out: that of what goes in."""
        return tuple(input_shape)

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "axis epsilon")}


class UnitNormalization(Layer):
    """Unit normalization: each example divided by its Euclidean norm along some axes.

    Args:
        axis: the axis or axes to go along.
        kwargs: what every layer takes.

    >>> import tapeviz as tf
    >>> tf.keras.layers.UnitNormalization()(tf.constant([[3.0, 4.0]])).numpy()
    array([[0.6, 0.8]], dtype=float32)
    """

    def __init__(self, axis: Any = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis: Any = list(axis) if isinstance(axis, Sequence) else axis
        self.supports_masking = True

    def call(self, inputs: Any) -> Tensor:
        """Each example at length 1."""
        x = convert_to_tensor(inputs)
        axes = axes_of(self.axis, x.ndim, self.name)
        squares = reduce_sum(registry["square"].run(x), axes, keepdims=True)
        result: Tensor = x * registry["rsqrt"].run(registry["maximum"].run(squares, 1e-12))
        return result

    def compute_output_shape(self, input_shape: Any) -> tuple[Any, ...]:
        """The shape of what comes out: that of what goes in."""
        return tuple(input_shape)

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "axis")}
