"""``tf.nn``: convolutions, activations, losses and what else networks are made of."""

from __future__ import annotations

from typing import Any, Final

from tapeviz import nn_experimental
from tapeviz.namespace import Namespace

_names = Namespace(
    __name__,
    {
        "tapeviz.ops.nn.activations": (
            "crelu elu gelu leaky_relu log_softmax relu relu6 selu silu softmax softsign swish"
        ),
        "tapeviz.ops.nn.ctc": "ctc_loss",
        "tapeviz.ops.nn.space_to_depth": "depth_to_space space_to_depth",
        "tapeviz.ops.nn.convolution": (
            "atrous_conv2d atrous_conv2d_transpose conv1d conv1d_transpose conv2d conv2d_transpose conv3d "
            "conv3d_transpose conv_transpose convolution"
        ),
        "tapeviz.ops.nn.depthwise_convolution": (
            "depthwise_conv2d depthwise_conv2d_backprop_filter depthwise_conv2d_backprop_input separable_conv2d"
        ),
        "tapeviz.ops.math.histograms": "zero_fraction",
        "tapeviz.ops.math.exponentials": "sigmoid softplus",
        "tapeviz.ops.nn.embedding": "embedding_lookup",
        "tapeviz.ops.nn.bias": "bias_add",
        "tapeviz.ops.nn.dropout": "dropout",
        "tapeviz.ops.nn.losses": (
            "l2_loss log_poisson_loss sigmoid_cross_entropy_with_logits softmax_cross_entropy_with_logits "
            "sparse_softmax_cross_entropy_with_logits weighted_cross_entropy_with_logits"
        ),
        "tapeviz.ops.nn.morphology": "dilation2d erosion2d",
        "tapeviz.ops.nn.normalization": (
            "batch_norm_with_global_normalization batch_normalization l2_normalize local_response_normalization "
            "lrn=local_response_normalization moments normalize_moments sufficient_statistics weighted_moments"
        ),
        "tapeviz.ops.nn.pooling": (
            "avg_pool avg_pool1d avg_pool2d avg_pool3d max_pool max_pool1d max_pool2d max_pool3d max_pool_with_argmax "
            "pool"
        ),
        "tapeviz.ops.array.sort": "in_top_k top_k",
        "tapeviz.ops.math.trigonometry": "tanh",
        "tapeviz.ops.array.space_to_batch": "space_to_batch",
    },
)
experimental = nn_experimental
_offered: Final = [*_names.listed, "experimental"]
__all__ = list(_offered)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
