# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from typing import Any as _Any

from tapeviz.compat.v1.layers.layer_classes import (
    AveragePooling1D,
    AveragePooling2D,
    AveragePooling3D,
    BatchNormalization,
    Conv1D,
    Conv2D,
    Conv2DTranspose,
    Conv3D,
    Conv3DTranspose,
    Dense,
    Dropout,
    Flatten,
    MaxPooling1D,
    MaxPooling2D,
    MaxPooling3D,
    SeparableConv1D,
    SeparableConv2D,
)
from tapeviz.compat.v1.layers.layer_scopes import Layer
from tapeviz.engine.annotations import TensorLike as _TensorLike
from tapeviz.engine.tensor import Tensor as _Tensor
from tapeviz.keras.layers.input_spec import InputSpec

__all__ = [
    "AveragePooling1D",
    "AveragePooling2D",
    "AveragePooling3D",
    "BatchNormalization",
    "Conv1D",
    "Conv2D",
    "Conv2DTranspose",
    "Conv3D",
    "Conv3DTranspose",
    "Dense",
    "Dropout",
    "Flatten",
    "InputSpec",
    "Layer",
    "MaxPooling1D",
    "MaxPooling2D",
    "MaxPooling3D",
    "SeparableConv1D",
    "SeparableConv2D",
    "average_pooling1d",
    "average_pooling2d",
    "average_pooling3d",
    "batch_normalization",
    "conv1d",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "dense",
    "dropout",
    "flatten",
    "max_pooling1d",
    "max_pooling2d",
    "max_pooling3d",
    "separable_conv1d",
    "separable_conv2d",
]

def average_pooling1d(
    inputs: _TensorLike,
    pool_size: _Any = 2,
    strides: _Any = None,
    padding: str = "valid",
    data_format: str | None = None,
    *,
    name: str | None = None,
    reuse: _Any = None,
) -> _Tensor:
    """A layer of the class ``AveragePooling1D``, made here and applied at once."""

def average_pooling2d(
    inputs: _TensorLike,
    pool_size: _Any = 2,
    strides: _Any = None,
    padding: str = "valid",
    data_format: str | None = None,
    *,
    name: str | None = None,
    reuse: _Any = None,
) -> _Tensor:
    """A layer of the class ``AveragePooling2D``, made here and applied at once."""

def average_pooling3d(
    inputs: _TensorLike,
    pool_size: _Any = 2,
    strides: _Any = None,
    padding: str = "valid",
    data_format: str | None = None,
    *,
    name: str | None = None,
    reuse: _Any = None,
) -> _Tensor:
    """A layer of the class ``AveragePooling3D``, made here and applied at once."""

def batch_normalization(
    inputs: _TensorLike,
    axis: int = -1,
    momentum: float = 0.99,
    epsilon: float = 0.001,
    center: bool = True,
    scale: bool = True,
    beta_initializer: _Any = "zeros",
    gamma_initializer: _Any = "ones",
    moving_mean_initializer: _Any = "zeros",
    moving_variance_initializer: _Any = "ones",
    beta_regularizer: _Any = None,
    gamma_regularizer: _Any = None,
    beta_constraint: _Any = None,
    gamma_constraint: _Any = None,
    renorm: bool = False,
    renorm_clipping: _Any = None,
    renorm_momentum: float = 0.99,
    synchronized: bool = False,
    *,
    training: _Any = False,
    name: str | None = None,
    reuse: _Any = None,
) -> _Tensor:
    """A layer of the class ``BatchNormalization``, made here and applied at once."""

def conv1d(
    inputs: _TensorLike,
    filters: int,
    kernel_size: _Any,
    strides: _Any = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: _Any = 1,
    groups: int = 1,
    activation: _Any = None,
    use_bias: bool = True,
    kernel_initializer: _Any = "glorot_uniform",
    bias_initializer: _Any = "zeros",
    kernel_regularizer: _Any = None,
    bias_regularizer: _Any = None,
    activity_regularizer: _Any = None,
    kernel_constraint: _Any = None,
    bias_constraint: _Any = None,
    *,
    name: str | None = None,
    reuse: _Any = None,
) -> _Tensor:
    """A layer of the class ``Conv1D``, made here and applied at once."""

def conv2d(
    inputs: _TensorLike,
    filters: int,
    kernel_size: _Any,
    strides: _Any = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: _Any = 1,
    groups: int = 1,
    activation: _Any = None,
    use_bias: bool = True,
    kernel_initializer: _Any = "glorot_uniform",
    bias_initializer: _Any = "zeros",
    kernel_regularizer: _Any = None,
    bias_regularizer: _Any = None,
    activity_regularizer: _Any = None,
    kernel_constraint: _Any = None,
    bias_constraint: _Any = None,
    *,
    name: str | None = None,
    reuse: _Any = None,
) -> _Tensor:
    """A layer of the class ``Conv2D``, made here and applied at once."""

def conv2d_transpose(
    inputs: _TensorLike,
    filters: int,
    kernel_size: _Any,
    strides: _Any = 1,
    padding: str = "valid",
    output_padding: _Any = None,
    data_format: str | None = None,
    dilation_rate: _Any = 1,
    activation: _Any = None,
    use_bias: bool = True,
    kernel_initializer: _Any = "glorot_uniform",
    bias_initializer: _Any = "zeros",
    kernel_regularizer: _Any = None,
    bias_regularizer: _Any = None,
    activity_regularizer: _Any = None,
    kernel_constraint: _Any = None,
    bias_constraint: _Any = None,
    *,
    name: str | None = None,
    reuse: _Any = None,
) -> _Tensor:
    """A layer of the class ``Conv2DTranspose``, made here and applied at once."""

def conv3d(
    inputs: _TensorLike,
    filters: int,
    kernel_size: _Any,
    strides: _Any = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: _Any = 1,
    groups: int = 1,
    activation: _Any = None,
    use_bias: bool = True,
    kernel_initializer: _Any = "glorot_uniform",
    bias_initializer: _Any = "zeros",
    kernel_regularizer: _Any = None,
    bias_regularizer: _Any = None,
    activity_regularizer: _Any = None,
    kernel_constraint: _Any = None,
    bias_constraint: _Any = None,
    *,
    name: str | None = None,
    reuse: _Any = None,
) -> _Tensor:
    """A layer of the class ``Conv3D``, made here and applied at once."""

def conv3d_transpose(
    inputs: _TensorLike,
    filters: int,
    kernel_size: _Any,
    strides: _Any = 1,
    padding: str = "valid",
    output_padding: _Any = None,
    data_format: str | None = None,
    dilation_rate: _Any = 1,
    activation: _Any = None,
    use_bias: bool = True,
    kernel_initializer: _Any = "glorot_uniform",
    bias_initializer: _Any = "zeros",
    kernel_regularizer: _Any = None,
    bias_regularizer: _Any = None,
    activity_regularizer: _Any = None,
    kernel_constraint: _Any = None,
    bias_constraint: _Any = None,
    *,
    name: str | None = None,
    reuse: _Any = None,
) -> _Tensor:
    """A layer of the class ``Conv3DTranspose``, made here and applied at once."""

def dense(
    inputs: _TensorLike,
    units: int,
    activation: _Any = None,
    use_bias: bool = True,
    kernel_initializer: _Any = "glorot_uniform",
    bias_initializer: _Any = "zeros",
    kernel_regularizer: _Any = None,
    bias_regularizer: _Any = None,
    activity_regularizer: _Any = None,
    kernel_constraint: _Any = None,
    bias_constraint: _Any = None,
    *,
    name: str | None = None,
    reuse: _Any = None,
) -> _Tensor:
    """A layer of the class ``Dense``, made here and applied at once."""

def dropout(
    inputs: _TensorLike,
    rate: float = 0.5,
    noise_shape: _Any = None,
    seed: _Any = None,
    *,
    training: _Any = False,
    name: str | None = None,
    reuse: _Any = None,
) -> _Tensor:
    """A layer of the class ``Dropout``, made here and applied at once."""

def flatten(
    inputs: _TensorLike, data_format: str | None = None, *, name: str | None = None, reuse: _Any = None
) -> _Tensor:
    """A layer of the class ``Flatten``, made here and applied at once."""

def max_pooling1d(
    inputs: _TensorLike,
    pool_size: _Any = 2,
    strides: _Any = None,
    padding: str = "valid",
    data_format: str | None = None,
    *,
    name: str | None = None,
    reuse: _Any = None,
) -> _Tensor:
    """A layer of the class ``MaxPooling1D``, made here and applied at once."""

def max_pooling2d(
    inputs: _TensorLike,
    pool_size: _Any = 2,
    strides: _Any = None,
    padding: str = "valid",
    data_format: str | None = None,
    *,
    name: str | None = None,
    reuse: _Any = None,
) -> _Tensor:
    """A layer of the class ``MaxPooling2D``, made here and applied at once."""

def max_pooling3d(
    inputs: _TensorLike,
    pool_size: _Any = 2,
    strides: _Any = None,
    padding: str = "valid",
    data_format: str | None = None,
    *,
    name: str | None = None,
    reuse: _Any = None,
) -> _Tensor:
    """A layer of the class ``MaxPooling3D``, made here and applied at once."""

def separable_conv1d(
    inputs: _TensorLike,
    filters: int,
    kernel_size: _Any,
    strides: _Any = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: _Any = 1,
    depth_multiplier: int = 1,
    activation: _Any = None,
    use_bias: bool = True,
    depthwise_initializer: _Any = "glorot_uniform",
    pointwise_initializer: _Any = "glorot_uniform",
    bias_initializer: _Any = "zeros",
    depthwise_regularizer: _Any = None,
    pointwise_regularizer: _Any = None,
    bias_regularizer: _Any = None,
    activity_regularizer: _Any = None,
    depthwise_constraint: _Any = None,
    pointwise_constraint: _Any = None,
    bias_constraint: _Any = None,
    *,
    name: str | None = None,
    reuse: _Any = None,
) -> _Tensor:
    """A layer of the class ``SeparableConv1D``, made here and applied at once."""

def separable_conv2d(
    inputs: _TensorLike,
    filters: int,
    kernel_size: _Any,
    strides: _Any = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: _Any = 1,
    depth_multiplier: int = 1,
    activation: _Any = None,
    use_bias: bool = True,
    depthwise_initializer: _Any = "glorot_uniform",
    pointwise_initializer: _Any = "glorot_uniform",
    bias_initializer: _Any = "zeros",
    depthwise_regularizer: _Any = None,
    pointwise_regularizer: _Any = None,
    bias_regularizer: _Any = None,
    activity_regularizer: _Any = None,
    depthwise_constraint: _Any = None,
    pointwise_constraint: _Any = None,
    bias_constraint: _Any = None,
    *,
    name: str | None = None,
    reuse: _Any = None,
) -> _Tensor:
    """A layer of the class ``SeparableConv2D``, made here and applied at once."""
