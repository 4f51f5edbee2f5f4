"""Batch normalization: mean and variance are those of the batch, and of all batches so far."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.operators import public
from tapeviz.engine.tensor import Tensor
from tapeviz.keras.layers.input_spec import InputSpec
from tapeviz.keras.layers.normalization import Scaled, along, axes_of, narrow, wide
from tapeviz.keras.layers.parameters import config_of, make, remember
from tapeviz.ops.math.reductions import reduce_sum
from tapeviz.ops.nn.normalization import batch_normalization, moments

__all__ = ["BatchNormalization"]

_SMALL: Final = 1e-7


class BatchNormalization(Scaled):
    """Batch normalization: each channel to mean 0 and variance 1 over the batch, then to a learned mean and scale.

    In training it uses the mean and variance of the batch, and moves averages of them along; otherwise, and when
    ``trainable`` is False, it uses the averages.

    Args:
        axis: the axis of the channels.
        momentum: how much of the averages stays at each step.
        epsilon: is added to the variance, so that nothing is divided by 0.
        center: whether a mean, ``beta``, is learned.
        scale: whether a scale, ``gamma``, is learned.
        beta_initializer: how the means begin.
        gamma_initializer: how the scales begin.
        moving_mean_initializer: how the average of means begins.
        moving_variance_initializer: how the average of variances begins.
        beta_regularizer: what the means cost.
        gamma_regularizer: what the scales cost.
        beta_constraint: what the means are put through after each step.
        gamma_constraint: what the scales are put through after each step.
        renorm: accepted as False.
        renorm_clipping: accepted as None.
        renorm_momentum: not used.
        synchronized: accepted as False: there is one device.
        kwargs: what every layer takes.

    Raises:
        ValueError: the channels have no fixed number, there is no such axis, or ``renorm`` is asked for.

    >>> import tapeviz as tf
    >>> layer = tf.keras.layers.BatchNormalization(epsilon=0.0)
    >>> layer(tf.constant([[1.0], [3.0]]), training=True).numpy().ravel()
    array([-1.,  1.], dtype=float32)
    >>> layer.moving_mean.numpy()
    array([0.02], dtype=float32)
    """

    moving_mean: Any
    moving_variance: Any

    _by_training = "statistics of the batch"

    def __init__(
        self,
        axis: int = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        moving_mean_initializer: Any = "zeros",
        moving_variance_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        renorm: bool = False,
        renorm_clipping: Any = None,
        renorm_momentum: float = 0.99,
        synchronized: bool = False,
        **kwargs: Any,
    ) -> None:
        kwargs.pop("fused", None)  # of TensorFlow 1: which of its kernels computes the same
        super().__init__(**kwargs)
        if renorm or synchronized:
            raise ValueError("BatchNormalization has no `renorm` and, on one device, nothing to be `synchronized` with")
        self.axis: int
        self.momentum: float
        self.epsilon: float
        self.axis, self.momentum, self.epsilon = int(axis), momentum, epsilon
        self.renorm: bool
        self.synchronized: bool
        self.renorm_momentum: float
        self.renorm, self.synchronized, self.renorm_momentum = renorm, synchronized, renorm_momentum
        self.renorm_clipping = renorm_clipping
        self.remember_all(
            center=center, scale=scale, beta_initializer=beta_initializer, beta_regularizer=beta_regularizer,
            beta_constraint=beta_constraint, gamma_initializer=gamma_initializer, gamma_regularizer=gamma_regularizer,
            gamma_constraint=gamma_constraint,
        )  # fmt: skip
        remember(self, "moving_mean", moving_mean_initializer)
        remember(self, "moving_variance", moving_variance_initializer)
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        """Make ``gamma``, ``beta``, ``moving_mean`` and ``moving_variance``, one number a channel each."""
        rank = len(input_shape)
        (axis,) = axes_of(self.axis, rank, self.name)
        if input_shape[axis] is None:
            raise ValueError(f'Axis {self.axis} of the input of layer "{self.name}" must have a fixed size. '
                             f"Received: input_shape={tuple(input_shape)}")  # fmt: skip
        shape = (input_shape[axis],)
        self.make_all(shape)
        self.moving_mean = make(self, "moving_mean", shape, trainable=False)
        self.moving_variance = make(self, "moving_variance", shape, trainable=False)
        self.input_spec: Any = InputSpec(ndim=rank, axes={axis: input_shape[axis]})
        super().build(input_shape)

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Tensor:
        """The inputs normalized, by the batch in training and by the averages otherwise."""
        inputs = convert_to_tensor(inputs)
        rank = inputs.ndim
        axes = axes_of(self.axis, rank, self.name)
        x = wide(inputs)
        if training and self.trainable:
            mean, variance = self._of_batch(x, tuple(axis for axis in range(rank) if axis not in axes), mask)
            self._move(mean, variance)
        else:
            mean, variance = wide(self.moving_mean), wide(self.moving_variance)
        beta, gamma = (None if weight is None else wide(weight) for weight in (self.beta, self.gamma))
        mean, variance, beta, gamma = (along(part, axes, rank) for part in (mean, variance, beta, gamma))
        result: Tensor = narrow(batch_normalization(x, mean, variance, beta, gamma, self.epsilon), inputs.dtype)
        return result

    def _move(self, mean: Any, variance: Any) -> None:
        """Move the averages along."""
        for average, value in ((self.moving_mean, mean), (self.moving_variance, variance)):
            still = registry["stop_gradient"].run(value)  # a tape has nothing to follow in the averages
            average.assign(narrow(wide(average) * self.momentum + still * (1.0 - self.momentum), average.dtype))

    def _of_batch(self, x: Any, axes: tuple[int, ...], mask: Any) -> tuple[Any, Any]:
        """Mean and variance of the batch, of the steps that a mask leaves."""
        if mask is None:
            return moments(x, axes)
        if len(mask.shape) != x.ndim - 1:
            raise ValueError(
                "The mask provided should be one dimension less than the inputs. Received: "
                f"mask.shape={mask.shape}, inputs.shape={x.shape}"
            )
        kept = registry["broadcast_to"].run(registry["expand_dims"].run(mask, -1), x._a.shape)
        where = registry["where"].run
        count = reduce_sum(public["cast"](kept, x.dtype), axes, keepdims=True) + _SMALL
        mean = reduce_sum(where(kept, x, 0.0), axes, keepdims=True) / count
        variance = reduce_sum(registry["square"].run(where(kept, x - mean, 0.0)), axes, keepdims=True) / count
        return registry["squeeze"].run(mean, axes), registry["squeeze"].run(variance, axes)

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        plain = "axis momentum epsilon center scale synchronized renorm renorm_clipping renorm_momentum"
        config = {**super().get_config(), **config_of(self, plain, "beta gamma moving_mean moving_variance")}
        unused = {f"moving_{of}_{kind}" for of in ("mean", "variance") for kind in ("regularizer", "constraint")}
        return {name: value for name, value in config.items() if name not in unused}
