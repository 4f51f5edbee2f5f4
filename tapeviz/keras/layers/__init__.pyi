# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from typing import Any as _Any

from tapeviz.engine.annotations import TensorLike as _TensorLike
from tapeviz.engine.tensor import Tensor as _Tensor
from tapeviz.keras.layers.activation_layers import ELU, LeakyReLU, PReLU, ReLU, Softmax
from tapeviz.keras.layers.attention import AdditiveAttention, Attention
from tapeviz.keras.layers.batch_normalization import BatchNormalization
from tapeviz.keras.layers.bidirectional import Bidirectional
from tapeviz.keras.layers.category_vectors import CategoryEncoding, Discretization, Hashing
from tapeviz.keras.layers.convolution import (
    Conv1D,
    Conv1DTranspose,
    Conv2D,
    Conv2DTranspose,
    Conv3D,
    Conv3DTranspose,
    DepthwiseConv1D,
    DepthwiseConv2D,
    SeparableConv1D,
    SeparableConv2D,
)
from tapeviz.keras.layers.convolution import Conv1D as Convolution1D
from tapeviz.keras.layers.convolution import Conv1DTranspose as Convolution1DTranspose
from tapeviz.keras.layers.convolution import Conv2D as Convolution2D
from tapeviz.keras.layers.convolution import Conv2DTranspose as Convolution2DTranspose
from tapeviz.keras.layers.convolution import Conv3D as Convolution3D
from tapeviz.keras.layers.convolution import Conv3DTranspose as Convolution3DTranspose
from tapeviz.keras.layers.convolution import SeparableConv1D as SeparableConvolution1D
from tapeviz.keras.layers.convolution import SeparableConv2D as SeparableConvolution2D
from tapeviz.keras.layers.core import Activation, Flatten, Identity, Lambda
from tapeviz.keras.layers.dense import Dense
from tapeviz.keras.layers.dropout import (
    ActivityRegularization,
    AlphaDropout,
    Dropout,
    GaussianDropout,
    GaussianNoise,
    SpatialDropout1D,
    SpatialDropout2D,
    SpatialDropout3D,
)
from tapeviz.keras.layers.einsum_dense import EinsumDense
from tapeviz.keras.layers.embedding import Embedding, Masking
from tapeviz.keras.layers.feature_normalization import Normalization
from tapeviz.keras.layers.image_sizes import CenterCrop, Resizing
from tapeviz.keras.layers.input_layer import Input, InputLayer
from tapeviz.keras.layers.input_spec import InputSpec
from tapeviz.keras.layers.layer import Layer
from tapeviz.keras.layers.merge import Add, Average, Concatenate, Dot, Maximum, Minimum, Multiply, Subtract
from tapeviz.keras.layers.multi_head_attention import MultiHeadAttention
from tapeviz.keras.layers.normalization import (
    GroupNormalization,
    LayerNormalization,
    RMSNormalization,
    UnitNormalization,
)
from tapeviz.keras.layers.op_layer import OpLayer
from tapeviz.keras.layers.padding import Cropping1D, Cropping2D, Cropping3D, ZeroPadding1D, ZeroPadding2D, ZeroPadding3D
from tapeviz.keras.layers.pooling import (
    AveragePooling1D,
    AveragePooling2D,
    AveragePooling3D,
    GlobalAveragePooling1D,
    GlobalAveragePooling2D,
    GlobalAveragePooling3D,
    GlobalMaxPooling1D,
    GlobalMaxPooling2D,
    GlobalMaxPooling3D,
    MaxPooling1D,
    MaxPooling2D,
    MaxPooling3D,
)
from tapeviz.keras.layers.pooling import AveragePooling1D as AvgPool1D
from tapeviz.keras.layers.pooling import AveragePooling2D as AvgPool2D
from tapeviz.keras.layers.pooling import AveragePooling3D as AvgPool3D
from tapeviz.keras.layers.pooling import GlobalAveragePooling1D as GlobalAvgPool1D
from tapeviz.keras.layers.pooling import GlobalAveragePooling2D as GlobalAvgPool2D
from tapeviz.keras.layers.pooling import GlobalAveragePooling3D as GlobalAvgPool3D
from tapeviz.keras.layers.pooling import GlobalMaxPooling1D as GlobalMaxPool1D
from tapeviz.keras.layers.pooling import GlobalMaxPooling2D as GlobalMaxPool2D
from tapeviz.keras.layers.pooling import GlobalMaxPooling3D as GlobalMaxPool3D
from tapeviz.keras.layers.pooling import MaxPooling1D as MaxPool1D
from tapeviz.keras.layers.pooling import MaxPooling2D as MaxPool2D
from tapeviz.keras.layers.pooling import MaxPooling3D as MaxPool3D
from tapeviz.keras.layers.random_images import (
    RandomBrightness,
    RandomContrast,
    RandomCrop,
    RandomFlip,
    RandomRotation,
    RandomTranslation,
    RandomZoom,
)
from tapeviz.keras.layers.recurrent import GRU, LSTM, RNN, SimpleRNN
from tapeviz.keras.layers.recurrent_cells import GRUCell, LSTMCell, SimpleRNNCell, StackedRNNCells
from tapeviz.keras.layers.rescaling import Rescaling
from tapeviz.keras.layers.reshape import Permute, RepeatVector, Reshape
from tapeviz.keras.layers.text_vectorization import TextVectorization
from tapeviz.keras.layers.time_distributed import TimeDistributed
from tapeviz.keras.layers.upsampling import UpSampling1D, UpSampling2D, UpSampling3D
from tapeviz.keras.layers.vocabulary import IntegerLookup, StringLookup
from tapeviz.keras.serialization import deserialize_keras_object as deserialize
from tapeviz.keras.serialization import serialize_keras_object as serialize

__all__ = [
    "Activation",
    "ActivityRegularization",
    "Add",
    "AdditiveAttention",
    "AlphaDropout",
    "Attention",
    "Average",
    "AveragePooling1D",
    "AveragePooling2D",
    "AveragePooling3D",
    "AvgPool1D",
    "AvgPool2D",
    "AvgPool3D",
    "BatchNormalization",
    "Bidirectional",
    "CategoryEncoding",
    "CenterCrop",
    "Concatenate",
    "Conv1D",
    "Conv1DTranspose",
    "Conv2D",
    "Conv2DTranspose",
    "Conv3D",
    "Conv3DTranspose",
    "Convolution1D",
    "Convolution1DTranspose",
    "Convolution2D",
    "Convolution2DTranspose",
    "Convolution3D",
    "Convolution3DTranspose",
    "Cropping1D",
    "Cropping2D",
    "Cropping3D",
    "Dense",
    "DepthwiseConv1D",
    "DepthwiseConv2D",
    "Discretization",
    "Dot",
    "Dropout",
    "ELU",
    "EinsumDense",
    "Embedding",
    "Flatten",
    "GRU",
    "GRUCell",
    "GaussianDropout",
    "GaussianNoise",
    "GlobalAveragePooling1D",
    "GlobalAveragePooling2D",
    "GlobalAveragePooling3D",
    "GlobalAvgPool1D",
    "GlobalAvgPool2D",
    "GlobalAvgPool3D",
    "GlobalMaxPool1D",
    "GlobalMaxPool2D",
    "GlobalMaxPool3D",
    "GlobalMaxPooling1D",
    "GlobalMaxPooling2D",
    "GlobalMaxPooling3D",
    "GroupNormalization",
    "Hashing",
    "Identity",
    "Input",
    "InputLayer",
    "InputSpec",
    "IntegerLookup",
    "LSTM",
    "LSTMCell",
    "Lambda",
    "Layer",
    "LayerNormalization",
    "LeakyReLU",
    "Masking",
    "MaxPool1D",
    "MaxPool2D",
    "MaxPool3D",
    "MaxPooling1D",
    "MaxPooling2D",
    "MaxPooling3D",
    "Maximum",
    "Minimum",
    "MultiHeadAttention",
    "Multiply",
    "Normalization",
    "OpLayer",
    "PReLU",
    "Permute",
    "RMSNormalization",
    "RNN",
    "RandomBrightness",
    "RandomContrast",
    "RandomCrop",
    "RandomFlip",
    "RandomRotation",
    "RandomTranslation",
    "RandomZoom",
    "ReLU",
    "RepeatVector",
    "Rescaling",
    "Reshape",
    "Resizing",
    "SeparableConv1D",
    "SeparableConv2D",
    "SeparableConvolution1D",
    "SeparableConvolution2D",
    "SimpleRNN",
    "SimpleRNNCell",
    "Softmax",
    "SpatialDropout1D",
    "SpatialDropout2D",
    "SpatialDropout3D",
    "StackedRNNCells",
    "StringLookup",
    "Subtract",
    "TextVectorization",
    "TimeDistributed",
    "UnitNormalization",
    "UpSampling1D",
    "UpSampling2D",
    "UpSampling3D",
    "ZeroPadding1D",
    "ZeroPadding2D",
    "ZeroPadding3D",
    "add",
    "average",
    "concatenate",
    "deserialize",
    "dot",
    "maximum",
    "minimum",
    "multiply",
    "serialize",
    "subtract",
]

def add(inputs: _Any, **kwargs: _Any) -> _Tensor:
    """The sum of the inputs: an ``Add`` layer, made and called."""

def average(inputs: _Any, **kwargs: _Any) -> _Tensor:
    """The mean of the inputs: an ``Average`` layer, made and called."""

def concatenate(inputs: _Any, axis: int = -1, **kwargs: _Any) -> _Tensor:
    """The inputs concatenated: a ``Concatenate`` layer, made and called."""

def dot(inputs: _Any, axes: _TensorLike = -1, **kwargs: _Any) -> _Tensor:
    """The dot product along an axis of each: a ``Dot`` layer, made and called."""

def maximum(inputs: _Any, **kwargs: _Any) -> _Tensor:
    """The largest of the inputs: a ``Maximum`` layer, made and called."""

def minimum(inputs: _Any, **kwargs: _Any) -> _Tensor:
    """The smallest of the inputs: a ``Minimum`` layer, made and called."""

def multiply(inputs: _Any, **kwargs: _Any) -> _Tensor:
    """The product of the inputs: a ``Multiply`` layer, made and called."""

def subtract(inputs: _Any, **kwargs: _Any) -> _Tensor:
    """The first input minus the second: a ``Subtract`` layer, made and called."""
