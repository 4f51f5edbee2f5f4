"""``tf.nn``: convolutions, activations, losses and what else networks are made of."""

from __future__ import annotations

from typing import Any, Final

from tapeviz import nn_experimental
from tapeviz.namespace import Namespace

_names = Namespace(
    __name__,
    {
        "tapeviz.ops.activations": (
            "crelu elu gelu leaky_relu log_softmax relu relu6 selu silu softmax softsign swish"
        ),
        "tapeviz.ops.alignment": "ctc_loss",
        "tapeviz.ops.blocks": "depth_to_space space_to_depth",
        "tapeviz.ops.convolution": "atrous_conv2d conv1d conv2d conv3d convolution",
        "tapeviz.ops.depthwise": (
            "depthwise_conv2d depthwise_conv2d_backprop_filter depthwise_conv2d_backprop_input separable_conv2d"
        ),
        "tapeviz.ops.counting": "zero_fraction",
        "tapeviz.ops.elementwise": "sigmoid softplus",
        "tapeviz.ops.embedding": "embedding_lookup",
        "tapeviz.ops.losses": (
            "bias_add dropout l2_loss l2_normalize sigmoid_cross_entropy_with_logits softmax_cross_entropy_with_logits "
            "sparse_softmax_cross_entropy_with_logits"
        ),
        "tapeviz.ops.morphology": "dilation2d erosion2d",
        "tapeviz.ops.normalization": (
            "batch_norm_with_global_normalization batch_normalization local_response_normalization "
            "lrn=local_response_normalization moments normalize_moments sufficient_statistics weighted_moments"
        ),
        "tapeviz.ops.pooling": (
            "avg_pool avg_pool1d avg_pool2d avg_pool3d max_pool max_pool1d max_pool2d max_pool3d max_pool_with_argmax "
            "pool"
        ),
        "tapeviz.ops.sorting": "in_top_k top_k",
        "tapeviz.ops.transposed_convolution": (
            "atrous_conv2d_transpose conv1d_transpose conv2d_transpose conv3d_transpose conv_transpose"
        ),
        "tapeviz.ops.trigonometry": "tanh",
        "tapeviz.ops.weighted_losses": "log_poisson_loss weighted_cross_entropy_with_logits",
        "tapeviz.ops.batch_blocks": "space_to_batch",
    },
)
experimental = nn_experimental
_offered: Final = [*_names.listed, "experimental"]
__all__ = list(_offered)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
