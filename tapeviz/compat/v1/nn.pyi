# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from typing import Any as _Any
from typing import overload as _overload

from tapeviz.compat.v1.layers.rnn_functions import (
    bidirectional_dynamic_rnn,
    dynamic_rnn,
    static_bidirectional_rnn,
    static_rnn,
)
from tapeviz.contrib import rnn as rnn_cell
from tapeviz.engine.annotations import ShapeLike as _ShapeLike
from tapeviz.engine.annotations import TensorLike as _TensorLike
from tapeviz.engine.tensor import Tensor as _Tensor
from tapeviz.nn import (
    all_candidate_sampler,
    atrous_conv2d,
    atrous_conv2d_transpose,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    batch_norm_with_global_normalization,
    batch_normalization,
    bias_add,
    compute_accidental_hits,
    compute_average_loss,
    conv1d,
    conv1d_transpose,
    conv2d_transpose,
    conv3d,
    conv3d_transpose,
    conv_transpose,
    convolution,
    crelu,
    ctc_loss,
    depth_to_space,
    depthwise_conv2d,
    depthwise_conv2d_backprop_filter,
    depthwise_conv2d_backprop_input,
    dilation2d,
    elu,
    embedding_lookup,
    erosion2d,
    experimental,
    gelu,
    l2_loss,
    leaky_relu,
    local_response_normalization,
    log_poisson_loss,
    lrn,
    max_pool1d,
    max_pool2d,
    max_pool3d,
    max_pool_with_argmax,
    nce_loss,
    normalize_moments,
    pool,
    relu,
    relu6,
    sampled_softmax_loss,
    scale_regularization_loss,
    selu,
    separable_conv2d,
    sigmoid,
    sigmoid_cross_entropy_with_logits,
    silu,
    softmax_cross_entropy_with_logits,
    softplus,
    softsign,
    space_to_batch,
    space_to_depth,
    sparse_softmax_cross_entropy_with_logits,
    sufficient_statistics,
    swish,
    tanh,
    top_k,
    weighted_cross_entropy_with_logits,
    weighted_moments,
    zero_fraction,
)
from tapeviz.ops.random.candidates import SampledCandidates as _SampledCandidates

__all__ = [
    "all_candidate_sampler",
    "atrous_conv2d",
    "atrous_conv2d_transpose",
    "avg_pool",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm_with_global_normalization",
    "batch_normalization",
    "bias_add",
    "bidirectional_dynamic_rnn",
    "compute_accidental_hits",
    "compute_average_loss",
    "conv1d",
    "conv1d_transpose",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "conv_transpose",
    "convolution",
    "crelu",
    "ctc_loss",
    "depth_to_space",
    "depthwise_conv2d",
    "depthwise_conv2d_backprop_filter",
    "depthwise_conv2d_backprop_input",
    "dilation2d",
    "dropout",
    "dynamic_rnn",
    "elu",
    "embedding_lookup",
    "erosion2d",
    "experimental",
    "gelu",
    "in_top_k",
    "l2_loss",
    "l2_normalize",
    "leaky_relu",
    "local_response_normalization",
    "log_poisson_loss",
    "log_softmax",
    "log_uniform_candidate_sampler",
    "lrn",
    "max_pool",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "max_pool_with_argmax",
    "moments",
    "nce_loss",
    "normalize_moments",
    "pool",
    "relu",
    "relu6",
    "relu_layer",
    "rnn_cell",
    "sampled_softmax_loss",
    "scale_regularization_loss",
    "selu",
    "separable_conv2d",
    "sigmoid",
    "sigmoid_cross_entropy_with_logits",
    "silu",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softmax_cross_entropy_with_logits_v2",
    "softplus",
    "softsign",
    "space_to_batch",
    "space_to_depth",
    "sparse_softmax_cross_entropy_with_logits",
    "static_bidirectional_rnn",
    "static_rnn",
    "sufficient_statistics",
    "swish",
    "tanh",
    "top_k",
    "uniform_candidate_sampler",
    "weighted_cross_entropy_with_logits",
    "weighted_moments",
    "xw_plus_b",
    "zero_fraction",
]

@_overload
def avg_pool(
    input: _TensorLike,
    ksize: _TensorLike,
    strides: _TensorLike,
    padding: _TensorLike,
    data_format: str | None = None,
    name: str | None = None,
) -> _Tensor: ...
@_overload
def avg_pool(
    *,
    value: _TensorLike,
    ksize: _TensorLike,
    strides: _TensorLike,
    padding: _TensorLike,
    data_format: str | None = None,
    name: str | None = None,
) -> _Tensor: ...
@_overload
def conv2d(
    input: _TensorLike,
    filters: _TensorLike,
    strides: _TensorLike,
    padding: _TensorLike,
    data_format: str = "NHWC",
    dilations: _TensorLike | None = None,
    name: str | None = None,
) -> _Tensor: ...
@_overload
def conv2d(
    input: _TensorLike,
    *,
    filter: _TensorLike,
    strides: _TensorLike,
    padding: _TensorLike,
    data_format: str = "NHWC",
    dilations: _TensorLike | None = None,
    name: str | None = None,
) -> _Tensor: ...
def dropout(
    x: _TensorLike,
    keep_prob: _TensorLike | None = None,
    noise_shape: _ShapeLike | None = None,
    seed: _Any = None,
    name: str | None = None,
    rate: _TensorLike | None = None,
) -> _Tensor:
    """``x`` with elements set to zero at random: see :func:`tapeviz.nn.dropout`."""

def in_top_k(predictions: _TensorLike, targets: _TensorLike, k: _TensorLike, name: str | None = None) -> _Tensor:
    """:func:`tapeviz.nn.in_top_k`, whose first two arguments were the other way round."""

def l2_normalize(
    x: _TensorLike,
    axis: _TensorLike | None = None,
    epsilon: float = 1e-12,
    name: str | None = None,
    dim: _TensorLike | None = None,
) -> _Tensor:
    """``x`` divided by its Euclidean norm along ``axis``, which counts as at least the root of ``epsilon``."""

def log_softmax(
    logits: _TensorLike, axis: int | None = None, name: str | None = None, *, dim: int | None = None
) -> _Tensor:
    """The logarithm of ``softmax``, exact where softmax itself would round to 0."""

@_overload
def max_pool(
    input: _TensorLike,
    ksize: _TensorLike,
    strides: _TensorLike,
    padding: _TensorLike,
    data_format: str | None = None,
    name: str | None = None,
) -> _Tensor: ...
@_overload
def max_pool(
    *,
    value: _TensorLike,
    ksize: _TensorLike,
    strides: _TensorLike,
    padding: _TensorLike,
    data_format: str | None = None,
    name: str | None = None,
) -> _Tensor: ...
def moments(
    x: _TensorLike,
    axes: _TensorLike,
    shift: _TensorLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
    *,
    keep_dims: bool | None = None,
) -> tuple[_Tensor, _Tensor]:
    """The mean and the variance of ``x`` along ``axes``."""

def softmax(
    logits: _TensorLike, axis: int | None = None, name: str | None = None, *, dim: int | None = None
) -> _Tensor:
    """The softmax along ``axis`` (the last when it is None): ``exp(logits)`` divided by its sum."""

def relu_layer(x: _TensorLike, weights: _TensorLike, biases: _TensorLike, name: str | None = None) -> _Tensor:
    """``relu(x @ weights + biases)``."""

def softmax_cross_entropy_with_logits_v2(
    labels: _TensorLike, logits: _TensorLike, axis: int = -1, name: str | None = None
) -> _Tensor:
    """The cross entropy between ``labels`` and ``softmax(logits)``, one number for each row along ``axis``."""

def xw_plus_b(x: _TensorLike, weights: _TensorLike, biases: _TensorLike, name: str | None = None) -> _Tensor:
    """``x @ weights + biases``."""

def log_uniform_candidate_sampler(
    true_classes: _TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> _SampledCandidates:
    """Classes drawn by Zipf's law: class k with a probability as ``log((k + 2) / (k + 1))``."""

def uniform_candidate_sampler(
    true_classes: _TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> _SampledCandidates:
    """Classes drawn with equal probabilities."""
