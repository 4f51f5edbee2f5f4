"""Layers that do something at random while a model is trained, and nothing afterwards; and one that costs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar, Final

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.tensor import Tensor
from tapeviz.keras.layers.input_spec import InputSpec
from tapeviz.keras.layers.layer import Layer
from tapeviz.keras.layers.parameters import config_of
from tapeviz.keras.layers.windows import format_of
from tapeviz.keras.regularizers.penalties import L1L2
from tapeviz.ops.nn.dropout import dropout
from tapeviz.ops.random.random_numbers import normal, uniform

__all__ = ["ActivityRegularization", "AlphaDropout", "Dropout", "GaussianDropout", "GaussianNoise", "SpatialDropout1D",
           "SpatialDropout2D", "SpatialDropout3D"]  # fmt: skip

# The limit of selu for large negative numbers.
_ALPHA: Final = -1.0507009873554804934193349852946 * 1.6732632423543772848170429916717


class _Random(Layer):
    """A layer that leaves its inputs alone except in training."""

    least: ClassVar[str] = "rate"
    _by_training = "noise"

    def __init__(self, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.seed = seed
        self.supports_masking = True

    def _mode(self, training: Any) -> dict[str, Any]:
        mode = super()._mode(training)
        if getattr(self, self.least) == 0:  # it leaves its inputs alone in training too
            mode.pop("by_training", None)
        return mode

    def call(self, inputs: Any, training: Any = False) -> Tensor:
        """The inputs, in training with noise."""
        x = convert_to_tensor(inputs)
        result: Tensor = self._noisy(x) if training and getattr(self, self.least) > 0 else x
        return result

    def _noisy(self, inputs: Any) -> Any:
        """The inputs with noise."""
        raise NotImplementedError(
            f"Layer {type(self).__name__} must implement `_noisy(self, inputs)`, which adds the noise."
        )

    def compute_output_shape(self, input_shape: Any) -> tuple[Any, ...]:
        """The shape of what comes out: that of what goes in."""
        return tuple(input_shape)


def _probability(rate: float) -> float:
    if not 0 <= rate <= 1:
        raise ValueError(
            f"Invalid value received for argument `rate`. Expected a float value between 0 and 1. Received: rate={rate}"
        )
    return rate


class Dropout(_Random):
    """Dropout: sets elements to 0 at random in training, and scales the others so that the mean stays.

    Args:
        rate: the probability that an element is dropped.
        noise_shape: the shape in which to choose, where it broadcasts to that of the inputs: with ``(None, 1, 8)`` all
            steps of an example lose the same elements.
        seed: makes the choices repeatable, see ``tf.random.set_seed``.
        kwargs: what every layer takes.

    Raises:
        ValueError: ``rate`` is outside its range.

    >>> import tapeviz as tf
    >>> layer = tf.keras.layers.Dropout(0.5)
    >>> layer(tf.ones([4])).numpy(), sorted(set(layer(tf.ones([100]), training=True).numpy().tolist()))
    (array([1., 1., 1., 1.], dtype=float32), [0.0, 2.0])
    """

    def __init__(
        self, rate: float, noise_shape: Sequence[int | None] | None = None, seed: int | None = None, **kwargs: Any
    ) -> None:
        super().__init__(seed=seed, **kwargs)
        self.rate: float
        self.noise_shape: tuple[int | None, ...] | None
        self.rate, self.noise_shape = _probability(rate), None if noise_shape is None else tuple(noise_shape)

    def _shape(self, inputs: Any) -> Any:
        sizes = inputs._a.shape
        if self.noise_shape is None:
            return sizes
        return tuple(size if wanted is None else wanted for wanted, size in zip(self.noise_shape, sizes, strict=True))

    def _noisy(self, inputs: Any) -> Any:
        if self.rate == 1:
            return registry["zeros_like"].run(inputs)
        return dropout(inputs, self.rate, self._shape(inputs), self.seed)

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "rate noise_shape seed")}


class _SpatialDropout(_Random):
    """What the layers that drop whole channels have in common; see ``SpatialDropout2D``."""

    count: ClassVar[int]

    def __init__(self, rate: float, data_format: str | None = None, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(seed=seed, **kwargs)
        self.rate: float
        self.data_format: str
        self.rate, self.data_format = _probability(rate), format_of(data_format)
        self.input_spec: Any = InputSpec(ndim=self.count + 2)

    def _noisy(self, inputs: Any) -> Any:
        sizes, ones = inputs._a.shape, (1,) * self.count
        last = self.data_format == "channels_last"
        return dropout(inputs, self.rate, (sizes[0], *ones, sizes[-1]) if last else (*sizes[:2], *ones), self.seed)

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        names = "rate seed" if self.count == 1 else "rate data_format seed"
        return {**super().get_config(), **config_of(self, names)}


class SpatialDropout1D(_SpatialDropout):
    """Sets whole channels of sequences to 0 at random in training.

    Args:
        rate: the probability that a channel is dropped.
        seed: makes the choices repeatable.
        kwargs: what every layer takes.

    Raises:
        ValueError: ``rate`` is outside its range, or the input has another rank.

    >>> import tapeviz as tf
    >>> y = tf.keras.layers.SpatialDropout1D(0.5)(tf.ones([1, 3, 4]), training=True)
    >>> bool(tf.reduce_all(y[:, 0] == y[:, 2]))
    True
    """

    count = 1

    def __init__(self, rate: float, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(rate, seed=seed, **kwargs)


class SpatialDropout2D(_SpatialDropout):
    """Sets whole channels of images to 0 at random in training: neighbouring pixels say much the same.

    Args:
        rate: the probability that a channel is dropped.
        data_format: ``"channels_last"`` (or None) or ``"channels_first"``.
        seed: makes the choices repeatable.
        kwargs: what every layer takes.

    Raises:
        ValueError: ``rate`` is outside its range, or the input has another rank.

    >>> import tapeviz as tf
    >>> y = tf.keras.layers.SpatialDropout2D(0.5)(tf.ones([1, 2, 2, 4]), training=True)
    >>> bool(tf.reduce_all(y[:, 0, 0] == y[:, 1, 1]))
    True
    """

    count = 2


class SpatialDropout3D(_SpatialDropout):
    """Sets whole channels of volumes to 0 at random in training; the arguments are those of ``SpatialDropout2D``.

    >>> import tapeviz as tf
    >>> tf.keras.layers.SpatialDropout3D(0.5)(tf.ones([1, 2, 2, 2, 4])).shape
    TensorShape([1, 2, 2, 2, 4])
    """

    count = 3


class GaussianNoise(_Random):
    """Adds normally distributed numbers in training.

    Args:
        stddev: their standard deviation.
        seed: makes them repeatable.
        kwargs: what every layer takes.

    Raises:
        ValueError: ``stddev`` is outside its range.

    >>> import tapeviz as tf
    >>> tf.keras.layers.GaussianNoise(0.1)(tf.ones([2])).numpy()
    array([1., 1.], dtype=float32)
    """

    least = "stddev"

    def __init__(self, stddev: float, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(seed=seed, **kwargs)
        if not 0 <= stddev <= 1:
            raise ValueError(
                "Invalid value received for argument `stddev`. Expected a float value between 0 and 1. Received: "
                f"stddev={stddev}"
            )
        self.stddev = stddev

    def _noisy(self, inputs: Any) -> Any:
        return inputs + normal(inputs._a.shape, 0.0, self.stddev, dtype=inputs.dtype, seed=self.seed)

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "stddev seed")}


class GaussianDropout(_Random):
    """Multiplies with normally distributed numbers around 1 in training, as spread out as those of dropout.

    Args:
        rate: the probability of the dropout that it stands for.
        seed: makes the numbers repeatable.
        kwargs: what every layer takes.

    Raises:
        ValueError: ``rate`` is outside its range.

    >>> import tapeviz as tf
    >>> tf.keras.layers.GaussianDropout(0.5)(tf.ones([2])).numpy()
    array([1., 1.], dtype=float32)
    """

    def __init__(self, rate: float, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(seed=seed, **kwargs)
        self.rate: float = _probability(rate)

    def _noisy(self, inputs: Any) -> Any:
        spread = math.sqrt(self.rate / (1.0 - self.rate))
        return inputs * normal(inputs._a.shape, 1.0, spread, dtype=inputs.dtype, seed=self.seed)

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "rate seed")}


class AlphaDropout(Dropout):
    """Dropout that keeps mean and variance: elements become what ``selu`` makes of large negative numbers.

    Args:
        rate: the probability that an element is dropped.
        noise_shape: the shape in which to choose, where it broadcasts to that of the inputs.
        seed: makes the choices repeatable.
        kwargs: what every layer takes.

    Raises:
        ValueError: ``rate`` is outside its range.

    >>> import tapeviz as tf
    >>> tf.keras.layers.AlphaDropout(0.5)(tf.ones([2])).numpy()
    array([1., 1.], dtype=float32)
    """

    def _noisy(self, inputs: Any) -> Any:
        kept = uniform(self._shape(inputs), dtype=inputs.dtype, seed=self.seed) >= self.rate
        scale = ((1 - self.rate) * (1 + self.rate * _ALPHA**2)) ** -0.5
        return registry["where"].run(kept, inputs, _ALPHA) * scale - scale * _ALPHA * self.rate


class ActivityRegularization(Layer):
    """Gives what it gets, and adds to the loss what it costs.

    Args:
        l1: the factor of the sum of absolute values.
        l2: the factor of the sum of squares.
        kwargs: what every layer takes.

    >>> import tapeviz as tf
    >>> layer = tf.keras.layers.ActivityRegularization(l1=0.5)
    >>> _ = layer(tf.constant([[1.0, -3.0]]))
    >>> float(layer.losses[0])
    2.0
    """

    def __init__(self, l1: float = 0.0, l2: float = 0.0, **kwargs: Any) -> None:
        super().__init__(activity_regularizer=L1L2(l1, l2), **kwargs)
        self.l1: float
        self.l2: float
        self.l1, self.l2 = l1, l2
        self.supports_masking = True

    def call(self, inputs: Any) -> Any:
        """The inputs."""
        return inputs

    def compute_output_shape(self, input_shape: Any) -> tuple[Any, ...]:
        """The shape of what comes out: that of what goes in."""
        return tuple(input_shape)

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        config = {**super().get_config(), **config_of(self, "l1 l2")}
        config.pop("activity_regularizer", None)
        return config
