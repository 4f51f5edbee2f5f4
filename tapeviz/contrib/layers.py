"""``tf.contrib.layers``: those of ``tf.layers``, by other names of arguments and with an activation by default."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tapeviz.compat.v1.layers import layer_functions as functions
from tapeviz.compat.v1.v1_functions import old_dropout
from tapeviz.compat.v1.variables.graph_initializers import GlorotNormal, GlorotUniform, VarianceScaling
from tapeviz.keras.activations.activations import relu
from tapeviz.keras.regularizers.penalties import L1, L1L2, L2
from tapeviz.ops.array.select import one_hot

__all__ = [
    "avg_pool2d", "batch_norm", "conv2d", "conv2d_transpose", "convolution2d", "dropout", "flatten",
    "fully_connected", "l1_l2_regularizer", "l1_regularizer", "l2_regularizer", "linear", "max_pool2d",
    "one_hot_encoding", "variance_scaling_initializer", "xavier_initializer", "xavier_initializer_conv2d",
]  # fmt: skip

_NAMES: Final = {
    "num_outputs": "filters", "stride": "strides", "weights_initializer": "kernel_initializer",
    "weights_regularizer": "kernel_regularizer", "biases_initializer": "bias_initializer",
    "biases_regularizer": "bias_regularizer", "activation_fn": "activation", "scope": "name",
    "is_training": "training", "decay": "momentum", "rate": "dilation_rate",
}  # fmt: skip
"""What ``tf.layers`` calls the arguments."""
_ACCEPTED: Final = ("outputs_collections", "variables_collections", "normalizer_params", "updates_collections", "fused")


def _renamed(function: Callable[..., Any], order: str, doc: str, **defaults: Any) -> Callable[..., Any]:
    """A function of ``tf.layers`` by these names of arguments, in this order."""
    positional = order.split()

    def apply(inputs: Any, *args: Any, **kwargs: Any) -> Any:
        given = {**defaults, **dict(zip(positional, args, strict=False)), **kwargs}
        normalized = given.pop("normalizer_fn", None)
        parameters = given.get("normalizer_params") or {}
        for name in _ACCEPTED:
            given.pop(name, None)
        if "biases_initializer" in given and given["biases_initializer"] is None:
            given["use_bias"] = given.pop("biases_initializer") is not None
        named = {_NAMES.get(name, name): value for name, value in given.items()}
        if isinstance(named.get("padding"), str):
            named["padding"] = named["padding"].lower()
        if function is functions.dense:
            named["units"] = named.pop("filters")
        if normalized is None:
            return function(inputs, **named)
        activation = named.pop("activation", None)
        found = normalized(function(inputs, use_bias=False, **named), **parameters)
        return found if activation is None else activation(found)

    apply.__doc__ = doc
    return apply


fully_connected: Callable[..., Any] = _renamed(
    functions.dense, "num_outputs activation_fn", "``activation_fn(x @ weights + biases)``.", activation_fn=relu
)
linear: Callable[..., Any] = _renamed(functions.dense, "num_outputs", "``x @ weights + biases``.")
conv2d: Callable[..., Any] = _renamed(
    functions.conv2d, "num_outputs kernel_size stride padding", "Filters that slide over images.",
    padding="same", activation_fn=relu,
)  # fmt: skip
convolution2d = conv2d
conv2d_transpose: Callable[..., Any] = _renamed(
    functions.conv2d_transpose, "num_outputs kernel_size stride padding", "A convolution backwards.",
    padding="same", activation_fn=relu,
)  # fmt: skip
max_pool2d: Callable[..., Any] = _renamed(
    functions.max_pooling2d, "pool_size stride padding", "The largest of each window.", stride=2
)
avg_pool2d: Callable[..., Any] = _renamed(
    functions.average_pooling2d, "pool_size stride padding", "The mean of each window.", stride=2
)
batch_norm: Callable[..., Any] = _renamed(
    functions.batch_normalization, "decay center scale epsilon activation_fn", "Normalised over the batch.",
    decay=0.999, scale=False, is_training=True,
)  # fmt: skip
flatten: Callable[..., Any] = functions.flatten


def dropout(
    inputs: Any, keep_prob: Any = 0.5, noise_shape: Any = None, is_training: bool = True, **_options: Any
) -> Any:
    """Elements set to zero at random, of training alone."""
    return old_dropout(inputs, keep_prob, noise_shape) if is_training else inputs


def one_hot_encoding(
    labels: Any, num_classes: int, on_value: float = 1.0, off_value: float = 0.0, **_options: Any
) -> Any:
    """A row for each class number: see :func:`tapeviz.one_hot`."""
    return one_hot(labels, num_classes, on_value=on_value, off_value=off_value)


def l1_regularizer(scale: float, scope: str | None = None) -> Any:
    """``scale`` times the sum of absolute values."""
    return L1(scale)


def l2_regularizer(scale: float, scope: str | None = None) -> Any:
    """``scale`` times half the sum of squares.

    >>> import tapeviz as tf
    >>> tf.contrib.layers.l2_regularizer(0.1)(tf.constant([2.0])).numpy()
    np.float32(0.2)
    """
    return L2(scale / 2)


def l1_l2_regularizer(scale_l1: float = 1.0, scale_l2: float = 1.0, scope: str | None = None) -> Any:
    """Both."""
    return L1L2(scale_l1, scale_l2 / 2)


def xavier_initializer(uniform: bool = True, seed: int | None = None, dtype: Any = "float32") -> Any:
    """Glorot's draws."""
    return (GlorotUniform if uniform else GlorotNormal)(seed=seed)


xavier_initializer_conv2d = xavier_initializer


def variance_scaling_initializer(
    factor: float = 2.0, mode: str = "FAN_IN", uniform: bool = False, seed: int | None = None, dtype: Any = "float32"
) -> Any:
    """Draws of a variance of ``factor`` over the number of inputs, or as ``mode`` says."""
    return VarianceScaling(factor, mode.lower(), "uniform" if uniform else "truncated_normal", seed)
