"""``tf.keras.layers``."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.namespace import Namespace

_names: Final = Namespace(
    __name__,
    {
        "tapeviz.keras.layers.activation_layers": "ELU LeakyReLU PReLU ReLU Softmax",
        "tapeviz.keras.layers.attention": "AdditiveAttention Attention",
        "tapeviz.keras.layers.base": "Layer",
        "tapeviz.keras.layers.batch_normalization": "BatchNormalization",
        "tapeviz.keras.layers.bidirectional": "Bidirectional",
        "tapeviz.keras.layers.convolutional": (
            "Conv1D Conv2D Conv3D Convolution1D=Conv1D Convolution2D=Conv2D Convolution3D=Conv3D"
        ),
        "tapeviz.keras.layers.dense": "Dense",
        "tapeviz.keras.layers.dropout": (
            "ActivityRegularization AlphaDropout Dropout GaussianDropout GaussianNoise SpatialDropout1D "
            "SpatialDropout2D SpatialDropout3D"
        ),
        "tapeviz.keras.layers.edges": "Cropping1D Cropping2D Cropping3D ZeroPadding1D ZeroPadding2D ZeroPadding3D",
        "tapeviz.keras.layers.einsum_dense": "EinsumDense",
        "tapeviz.keras.layers.embedding": "Embedding Masking",
        "tapeviz.keras.layers.input_layer": "Input InputLayer",
        "tapeviz.keras.layers.input_spec": "InputSpec",
        "tapeviz.keras.layers.merging": (
            "Add Average Concatenate Dot Maximum Minimum Multiply Subtract add average concatenate dot maximum "
            "minimum multiply subtract"
        ),
        "tapeviz.keras.layers.multi_head_attention": "MultiHeadAttention",
        "tapeviz.keras.layers.normalization": (
            "GroupNormalization LayerNormalization RMSNormalization UnitNormalization"
        ),
        "tapeviz.keras.layers.op_layer": "OpLayer",
        "tapeviz.keras.layers.plain": "Activation Flatten Identity Lambda",
        "tapeviz.keras.layers.pooling": (
            "AveragePooling1D AveragePooling2D AveragePooling3D AvgPool1D=AveragePooling1D AvgPool2D=AveragePooling2D "
            "AvgPool3D=AveragePooling3D GlobalAveragePooling1D GlobalAveragePooling2D GlobalAveragePooling3D "
            "GlobalAvgPool1D=GlobalAveragePooling1D GlobalAvgPool2D=GlobalAveragePooling2D "
            "GlobalAvgPool3D=GlobalAveragePooling3D GlobalMaxPool1D=GlobalMaxPooling1D "
            "GlobalMaxPool2D=GlobalMaxPooling2D GlobalMaxPool3D=GlobalMaxPooling3D GlobalMaxPooling1D "
            "GlobalMaxPooling2D GlobalMaxPooling3D MaxPool1D=MaxPooling1D MaxPool2D=MaxPooling2D "
            "MaxPool3D=MaxPooling3D MaxPooling1D MaxPooling2D MaxPooling3D"
        ),
        "tapeviz.keras.layers.recurrent": "RNN",
        "tapeviz.keras.layers.recurrent_cells": "GRUCell LSTMCell SimpleRNNCell StackedRNNCells",
        "tapeviz.keras.layers.recurrent_layers": "GRU LSTM SimpleRNN",
        "tapeviz.keras.layers.rescaling": "Rescaling",
        "tapeviz.keras.layers.reshaping": "Permute RepeatVector Reshape",
        "tapeviz.keras.layers.separable": (
            "DepthwiseConv1D DepthwiseConv2D SeparableConv1D SeparableConv2D SeparableConvolution1D=SeparableConv1D "
            "SeparableConvolution2D=SeparableConv2D"
        ),
        "tapeviz.keras.layers.time_distributed": "TimeDistributed",
        "tapeviz.keras.layers.transposed": (
            "Conv1DTranspose Conv2DTranspose Conv3DTranspose Convolution1DTranspose=Conv1DTranspose "
            "Convolution2DTranspose=Conv2DTranspose Convolution3DTranspose=Conv3DTranspose"
        ),
        "tapeviz.keras.layers.upsampling": "UpSampling1D UpSampling2D UpSampling3D",
    },
)
_offered: Final = list(_names.listed)
__all__ = list(_offered)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
