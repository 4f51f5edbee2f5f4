# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from typing import Any as _Any

from tapeviz.engine.annotations import DTypeLike as _DTypeLike
from tapeviz.engine.annotations import ShapeLike as _ShapeLike
from tapeviz.engine.annotations import TensorLike as _TensorLike
from tapeviz.engine.tensor import Tensor as _Tensor
from tapeviz.nn import experimental
from tapeviz.ops.nn.sampled_losses import AccidentalHits as _AccidentalHits
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
    "sampled_softmax_loss",
    "scale_regularization_loss",
    "selu",
    "separable_conv2d",
    "sigmoid",
    "sigmoid_cross_entropy_with_logits",
    "silu",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softplus",
    "softsign",
    "space_to_batch",
    "space_to_depth",
    "sparse_softmax_cross_entropy_with_logits",
    "sufficient_statistics",
    "swish",
    "tanh",
    "top_k",
    "weighted_cross_entropy_with_logits",
    "weighted_moments",
    "zero_fraction",
]

def all_candidate_sampler(
    true_classes: _TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    seed: int | None = None,
    name: str | None = None,
) -> _SampledCandidates:
    """All classes from 0 up to, not including, ``num_sampled``, each to be expected once: for tests of a loss."""

def atrous_conv2d(
    value: _TensorLike, filters: _TensorLike, rate: _TensorLike, padding: _TensorLike, name: str | None = None
) -> _Tensor:
    """``conv2d`` with a filter whose elements are ``rate`` pixels apart."""

def atrous_conv2d_transpose(
    value: _TensorLike,
    filters: _TensorLike,
    output_shape: _ShapeLike,
    rate: _TensorLike,
    padding: _TensorLike,
    name: str | None = None,
) -> _Tensor:
    """The transposed convolution with a filter whose elements are ``rate`` pixels apart."""

def avg_pool(
    input: _TensorLike,
    ksize: _TensorLike,
    strides: _TensorLike,
    padding: _TensorLike,
    data_format: str | None = None,
    name: str | None = None,
) -> _Tensor:
    """The mean of each window of sequences, images or volumes, channel by channel."""

def avg_pool1d(
    input: _TensorLike,
    ksize: _TensorLike,
    strides: _TensorLike,
    padding: _TensorLike,
    data_format: str = "NWC",
    name: str | None = None,
) -> _Tensor:
    """The mean of each window of sequences, channel by channel."""

def avg_pool2d(
    input: _TensorLike,
    ksize: _TensorLike,
    strides: _TensorLike,
    padding: _TensorLike,
    data_format: str = "NHWC",
    name: str | None = None,
) -> _Tensor:
    """The mean of each window of images, channel by channel."""

def avg_pool3d(
    input: _TensorLike,
    ksize: _TensorLike,
    strides: _TensorLike,
    padding: _TensorLike,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> _Tensor:
    """The mean of each window of volumes, channel by channel."""

def batch_norm_with_global_normalization(
    input: _TensorLike,
    mean: _TensorLike,
    variance: _TensorLike,
    beta: _TensorLike,
    gamma: _TensorLike,
    variance_epsilon: _TensorLike,
    scale_after_normalization: bool,
    name: str | None = None,
) -> _Tensor:
    """``batch_normalization`` to the mean ``beta`` and, if asked for, the scale ``gamma``."""

def batch_normalization(
    x: _TensorLike,
    mean: _TensorLike,
    variance: _TensorLike,
    offset: _TensorLike,
    scale: _TensorLike,
    variance_epsilon: _TensorLike,
    name: str | None = None,
) -> _Tensor:
    """Batch normalization by a given mean and variance: ``scale * (x - mean) / std + offset``."""

def bias_add(value: _TensorLike, bias: _TensorLike, data_format: str | None = None, name: str | None = None) -> _Tensor:
    """``value`` with ``bias`` added along its last axis (along the second if ``data_format`` begins with ``"NC"``)."""

def compute_accidental_hits(
    true_classes: _TensorLike,
    sampled_candidates: _TensorLike,
    num_true: int,
    seed: int | None = None,
    name: str | None = None,
) -> _AccidentalHits:
    """Where sampled classes are true ones by chance."""

def compute_average_loss(
    per_example_loss: _TensorLike,
    sample_weight: _TensorLike | None = None,
    global_batch_size: _TensorLike | None = None,
) -> _Tensor:
    """The sum of losses over the size of the batch of all replicas."""

def conv1d(
    input: _TensorLike,
    filters: _TensorLike,
    stride: _TensorLike,
    padding: _TensorLike,
    data_format: str = "NWC",
    dilations: _TensorLike | None = None,
    name: str | None = None,
) -> _Tensor:
    """The 1-D convolution of sequences with filters."""

def conv1d_transpose(
    input: _TensorLike,
    filters: _TensorLike,
    output_shape: _ShapeLike,
    strides: _TensorLike,
    padding: _TensorLike = "SAME",
    data_format: str = "NWC",
    dilations: _TensorLike | None = None,
    name: str | None = None,
) -> _Tensor:
    """The 1-D transposed convolution: each element gives a window, and where windows overlap they add up."""

def conv2d(
    input: _TensorLike,
    filters: _TensorLike,
    strides: _TensorLike,
    padding: _TensorLike,
    data_format: str = "NHWC",
    dilations: _TensorLike | None = None,
    name: str | None = None,
) -> _Tensor:
    """The 2-D convolution of images with filters."""

def conv2d_transpose(
    input: _TensorLike,
    filters: _TensorLike,
    output_shape: _ShapeLike,
    strides: _TensorLike,
    padding: _TensorLike = "SAME",
    data_format: str = "NHWC",
    dilations: _TensorLike | None = None,
    name: str | None = None,
) -> _Tensor:
    """A 2-D transposed convolution: each pixel gives a window, and where windows overlap they add up."""

def conv3d(
    input: _TensorLike,
    filters: _TensorLike,
    strides: _TensorLike,
    padding: _TensorLike,
    data_format: str = "NDHWC",
    dilations: _TensorLike | None = None,
    name: str | None = None,
) -> _Tensor:
    """The 3-D convolution of volumes (or of films: depth is time) with filters."""

def conv3d_transpose(
    input: _TensorLike,
    filters: _TensorLike,
    output_shape: _ShapeLike,
    strides: _TensorLike,
    padding: _TensorLike = "SAME",
    data_format: str = "NDHWC",
    dilations: _TensorLike | None = None,
    name: str | None = None,
) -> _Tensor:
    """The 3-D transposed convolution: each element gives a window, and where windows overlap they add up."""

def conv_transpose(
    input: _TensorLike,
    filters: _TensorLike,
    output_shape: _ShapeLike,
    strides: _TensorLike,
    padding: _TensorLike = "SAME",
    data_format: str | None = None,
    dilations: _TensorLike | None = None,
    name: str | None = None,
) -> _Tensor:
    """``conv1d_transpose``, ``conv2d_transpose`` or ``conv3d_transpose``, by the length of ``output_shape``."""

def convolution(
    input: _TensorLike,
    filters: _TensorLike,
    strides: _TensorLike | None = None,
    padding: _TensorLike = "VALID",
    data_format: str | None = None,
    dilations: _TensorLike | None = None,
    name: str | None = None,
) -> _Tensor:
    """The convolution over as many axes as the filter says: ``conv1d``, ``conv2d`` or ``conv3d``."""

def crelu(features: _TensorLike, axis: int = -1, name: str | None = None) -> _Tensor:
    """What ``relu`` lets through, and beside it along ``axis`` what it holds back, with its sign turned."""

def ctc_loss(
    labels: _TensorLike,
    logits: _TensorLike,
    label_length: _TensorLike,
    logit_length: _TensorLike,
    logits_time_major: bool = True,
    unique: _TensorLike | None = None,
    blank_index: int | None = None,
    name: str | None = None,
) -> _Tensor:
    """The connectionist temporal classification loss: minus the log probability of the labels (Graves et al., 2006)."""

def depth_to_space(
    input: _TensorLike, block_size: _TensorLike, data_format: str = "NHWC", name: str | None = None
) -> _Tensor:
    """Images with each pixel made into a block of pixels of fewer channels."""

def depthwise_conv2d(
    input: _TensorLike,
    filter: _TensorLike,
    strides: _TensorLike,
    padding: _TensorLike,
    data_format: str | None = None,
    dilations: _TensorLike | None = None,
    name: str | None = None,
) -> _Tensor:
    """The 2-D depthwise convolution of images: each channel with filters of its own."""

def depthwise_conv2d_backprop_filter(
    input: _TensorLike,
    filter_sizes: _ShapeLike,
    out_backprop: _TensorLike,
    strides: _TensorLike,
    padding: _TensorLike,
    data_format: str = "NHWC",
    dilations: _TensorLike = (1, 1, 1, 1),
    name: str | None = None,
) -> _Tensor:
    """The gradient of ``depthwise_conv2d`` by its filters, for channels that come last."""

def depthwise_conv2d_backprop_input(
    input_sizes: _ShapeLike,
    filter: _TensorLike,
    out_backprop: _TensorLike,
    strides: _TensorLike,
    padding: _TensorLike,
    data_format: str = "NHWC",
    dilations: _TensorLike = (1, 1, 1, 1),
    name: str | None = None,
) -> _Tensor:
    """The gradient of ``depthwise_conv2d`` by its input, for channels that come last."""

def dilation2d(
    input: _TensorLike,
    filters: _TensorLike,
    strides: _TensorLike,
    padding: str,
    data_format: str,
    dilations: _TensorLike,
    name: str | None = None,
) -> _Tensor:
    """Images dilated by a structuring function: for each window the largest sum of an element and the filter's there."""

def dropout(
    x: _TensorLike, rate: float, noise_shape: _ShapeLike | None = None, seed: int | None = None, name: str | None = None
) -> _Tensor:
    """``x`` with elements set to 0 at random; the others are scaled so that the mean stays."""

def elu(features: _TensorLike, name: str | None = None) -> _Tensor:
    """x where it is positive, else exp(x) - 1, element by element."""

def embedding_lookup(
    params: _TensorLike, ids: _TensorLike, max_norm: float | None = None, name: str | None = None
) -> _Tensor:
    """The rows of ``params`` at ``ids``."""

def erosion2d(
    value: _TensorLike,
    filters: _TensorLike,
    strides: _TensorLike,
    padding: str,
    data_format: str,
    dilations: _TensorLike,
    name: str | None = None,
) -> _Tensor:
    """Images eroded by a structuring function: for each window the smallest difference of an element and the filter's."""

def gelu(features: _TensorLike, approximate: bool = False, name: str | None = None) -> _Tensor:
    """Gaussian error linear unit: ``features`` times the standard normal CDF there; ``approximate`` uses tanh for it."""

def in_top_k(targets: _TensorLike, predictions: _TensorLike, k: _TensorLike, name: str | None = None) -> _Tensor:
    """Whether the prediction for each row's target is among its ``k`` largest; ties count as hits."""

def l2_loss(t: _TensorLike, name: str | None = None) -> _Tensor:
    """Half the sum of the squares of all elements of ``t``."""

def l2_normalize(
    x: _TensorLike,
    axis: _TensorLike | None = None,
    epsilon: float = 1e-12,
    name: str | None = None,
    dim: _TensorLike | None = None,
) -> _Tensor:
    """``x`` divided by its Euclidean norm along ``axis``, which counts as at least the root of ``epsilon``."""

def leaky_relu(features: _TensorLike, alpha: float = 0.2, name: str | None = None) -> _Tensor:
    """``features`` where positive, else ``alpha`` times it, so that a gradient is left."""

def local_response_normalization(
    input: _TensorLike,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
    name: str | None = None,
) -> _Tensor:
    """Each channel divided by a power of ``bias`` plus ``alpha`` times the squares of the channels around it."""

def log_poisson_loss(
    targets: _TensorLike, log_input: _TensorLike, compute_full_loss: bool = False, name: str | None = None
) -> _Tensor:
    """The negative log likelihood of counts under a Poisson distribution of rate ``exp(log_input)``, elementwise."""

def log_softmax(logits: _TensorLike, axis: int | None = None, name: str | None = None) -> _Tensor:
    """The logarithm of ``softmax``, exact where softmax itself would round to 0."""

def lrn(
    input: _TensorLike,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
    name: str | None = None,
) -> _Tensor:
    """Each channel divided by a power of ``bias`` plus ``alpha`` times the squares of the channels around it."""

def max_pool(
    input: _TensorLike,
    ksize: _TensorLike,
    strides: _TensorLike,
    padding: _TensorLike,
    data_format: str | None = None,
    name: str | None = None,
) -> _Tensor:
    """The maximum of each window of sequences, images or volumes, channel by channel."""

def max_pool1d(
    input: _TensorLike,
    ksize: _TensorLike,
    strides: _TensorLike,
    padding: _TensorLike,
    data_format: str = "NWC",
    name: str | None = None,
) -> _Tensor:
    """The maximum of each window of sequences, channel by channel."""

def max_pool2d(
    input: _TensorLike,
    ksize: _TensorLike,
    strides: _TensorLike,
    padding: _TensorLike,
    data_format: str = "NHWC",
    name: str | None = None,
) -> _Tensor:
    """The maximum of each window of images, channel by channel."""

def max_pool3d(
    input: _TensorLike,
    ksize: _TensorLike,
    strides: _TensorLike,
    padding: _TensorLike,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> _Tensor:
    """The maximum of each window of volumes, channel by channel."""

def max_pool_with_argmax(
    input: _TensorLike,
    ksize: _TensorLike,
    strides: _TensorLike,
    padding: str,
    data_format: str = "NHWC",
    output_dtype: _DTypeLike = "int64",
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> tuple[_Tensor, _Tensor]:
    """The maximum of each window of images, and where it is."""

def moments(
    x: _TensorLike, axes: _TensorLike, shift: _TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> tuple[_Tensor, _Tensor]:
    """The mean and the variance of ``x`` along ``axes``."""

def nce_loss(
    weights: _TensorLike,
    biases: _TensorLike,
    labels: _TensorLike,
    inputs: _Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: _TensorLike | None = None,
    remove_accidental_hits: bool = False,
    name: str | None = None,
) -> _Tensor:
    """Noise-contrastive estimation: each true class against ``num_sampled`` sampled ones, one number an example."""

def normalize_moments(
    counts: _TensorLike, mean_ss: _TensorLike, variance_ss: _TensorLike, shift: _TensorLike, name: str | None = None
) -> tuple[_Tensor, _Tensor]:
    """The mean and the variance, from what ``sufficient_statistics`` gave."""

def pool(
    input: _TensorLike,
    window_shape: _TensorLike,
    pooling_type: str,
    strides: _TensorLike | None = None,
    padding: _TensorLike = "VALID",
    data_format: str | None = None,
    dilations: _TensorLike | None = None,
    name: str | None = None,
) -> _Tensor:
    """The largest element or the mean of each window."""

def relu(features: _TensorLike, name: str | None = None) -> _Tensor:
    """x where it is positive, else 0, element by element."""

def relu6(features: _TensorLike, name: str | None = None) -> _Tensor:
    """x, no smaller than 0 and no larger than 6, element by element."""

def sampled_softmax_loss(
    weights: _TensorLike,
    biases: _TensorLike,
    labels: _TensorLike,
    inputs: _Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: _TensorLike | None = None,
    remove_accidental_hits: bool = True,
    seed: int | None = None,
    name: str | None = None,
) -> _Tensor:
    """The cross-entropy of a softmax over the true classes and ``num_sampled`` sampled ones, one number an example."""

def scale_regularization_loss(regularization_loss: _TensorLike) -> _Tensor:
    """The sum of penalties over the number of replicas, which all have the same."""

def selu(features: _TensorLike, name: str | None = None) -> _Tensor:
    """A scaled elu that keeps mean 0 and variance 1 from layer to layer, element by element."""

def separable_conv2d(
    input: _TensorLike,
    depthwise_filter: _TensorLike,
    pointwise_filter: _TensorLike,
    strides: _TensorLike,
    padding: _TensorLike,
    data_format: str | None = None,
    dilations: _TensorLike | None = None,
    name: str | None = None,
) -> _Tensor:
    """A depthwise convolution, then one of single pixels that mixes the channels."""

def sigmoid(x: _TensorLike, name: str | None = None) -> _Tensor:
    """1 / (1 + exp(-x)), between 0 and 1, element by element."""

def sigmoid_cross_entropy_with_logits(
    labels: _TensorLike | None = None, logits: _TensorLike | None = None, name: str | None = None
) -> _Tensor:
    """The cross entropy between ``labels`` (0 to 1) and ``sigmoid(logits)``, element by element."""

def silu(features: _TensorLike, beta: float = 1.0) -> _Tensor:
    """``features`` times the sigmoid of ``beta * features``, element by element; also called swish."""

def softmax(logits: _TensorLike, axis: int | None = None, name: str | None = None) -> _Tensor:
    """The softmax along ``axis`` (the last when it is None): ``exp(logits)`` divided by its sum."""

def softmax_cross_entropy_with_logits(
    labels: _TensorLike, logits: _TensorLike, axis: int = -1, name: str | None = None
) -> _Tensor:
    """The cross entropy between ``labels`` and ``softmax(logits)``, one number for each row along ``axis``."""

def softplus(features: _TensorLike, name: str | None = None) -> _Tensor:
    """log(1 + exp(features)), a smooth relu, element by element."""

def softsign(features: _TensorLike, name: str | None = None) -> _Tensor:
    """x / (1 + abs(x)), element by element."""

def space_to_batch(
    input: _TensorLike, block_shape: _TensorLike, paddings: _TensorLike, name: str | None = None
) -> _Tensor:
    """The elements at the same place of each block, after padding with zeros, together in the batch."""

def space_to_depth(
    input: _TensorLike, block_size: _TensorLike, data_format: str = "NHWC", name: str | None = None
) -> _Tensor:
    """Images with each block of pixels made into one pixel of more channels."""

def sparse_softmax_cross_entropy_with_logits(
    labels: _TensorLike, logits: _TensorLike, name: str | None = None
) -> _Tensor:
    """The cross entropy between one class index a row and ``softmax(logits)`` along the last axis."""

def sufficient_statistics(
    x: _TensorLike, axes: _TensorLike, shift: _TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> tuple[_Tensor, _Tensor, _Tensor, _Tensor | None]:
    """What means and variances can be made of, and added up before: count, sum, sum of squares, and the shift."""

def swish(features: _TensorLike, beta: float = 1.0) -> _Tensor:
    """``features`` times the sigmoid of ``beta * features``, element by element; also called swish."""

def tanh(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The hyperbolic tangent of x, between -1 and 1, element by element."""

def top_k(
    input: _TensorLike,
    k: _TensorLike = 1,
    sorted: bool = True,
    index_type: _DTypeLike = "int32",
    name: str | None = None,
) -> tuple[_Tensor, _Tensor]:
    """The ``k`` largest elements of each row of ``input``, and their indices, as ``(values, indices)``."""

def weighted_cross_entropy_with_logits(
    labels: _TensorLike, logits: _TensorLike, pos_weight: _TensorLike, name: str | None = None
) -> _Tensor:
    """The cross entropy between ``labels`` (0 to 1) and ``sigmoid(logits)`` where being wrong about a 1 costs more."""

def weighted_moments(
    x: _TensorLike, axes: _TensorLike, frequency_weights: _TensorLike, keepdims: bool = False, name: str | None = None
) -> tuple[_Tensor, _Tensor]:
    """The mean and the variance of ``x`` along ``axes``, where elements count as often as their weights say."""

def zero_fraction(value: _TensorLike, name: str | None = None) -> _Tensor:
    """The fraction of the elements that is zero, as float32; nan of no elements."""
