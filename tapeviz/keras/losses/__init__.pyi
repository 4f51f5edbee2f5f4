# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from typing import Any as _Any

from tapeviz.engine.annotations import TensorLike as _TensorLike
from tapeviz.engine.tensor import Tensor as _Tensor
from tapeviz.keras.losses.crossentropy import (
    BinaryCrossentropy,
    BinaryFocalCrossentropy,
    CategoricalCrossentropy,
    CategoricalFocalCrossentropy,
    CategoricalGeneralizedCrossEntropy,
    SparseCategoricalCrossentropy,
)
from tapeviz.keras.losses.divergences import KLDivergence, Poisson
from tapeviz.keras.losses.hinges import CategoricalHinge, Hinge, SquaredHinge
from tapeviz.keras.losses.loss import Loss
from tapeviz.keras.losses.loss_reduction import Reduction
from tapeviz.keras.losses.regression import (
    CosineSimilarity,
    Huber,
    LogCosh,
    MeanAbsoluteError,
    MeanAbsolutePercentageError,
    MeanSquaredError,
    MeanSquaredLogarithmicError,
)
from tapeviz.keras.losses.segmentation import Circle, Dice, Tversky

__all__ = [
    "BinaryCrossentropy",
    "BinaryFocalCrossentropy",
    "CategoricalCrossentropy",
    "CategoricalFocalCrossentropy",
    "CategoricalGeneralizedCrossEntropy",
    "CategoricalHinge",
    "Circle",
    "CosineSimilarity",
    "Dice",
    "Hinge",
    "Huber",
    "KLD",
    "KLDivergence",
    "LogCosh",
    "Loss",
    "MAE",
    "MAPE",
    "MSE",
    "MSLE",
    "MeanAbsoluteError",
    "MeanAbsolutePercentageError",
    "MeanSquaredError",
    "MeanSquaredLogarithmicError",
    "Poisson",
    "Reduction",
    "SparseCategoricalCrossentropy",
    "SquaredHinge",
    "Tversky",
    "binary_crossentropy",
    "binary_focal_crossentropy",
    "categorical_crossentropy",
    "categorical_focal_crossentropy",
    "categorical_generalized_cross_entropy",
    "categorical_hinge",
    "circle",
    "cosine_similarity",
    "deserialize",
    "dice",
    "get",
    "hinge",
    "huber",
    "kl_divergence",
    "kld",
    "kullback_leibler_divergence",
    "log_cosh",
    "logcosh",
    "mae",
    "mape",
    "mean_absolute_error",
    "mean_absolute_percentage_error",
    "mean_squared_error",
    "mean_squared_logarithmic_error",
    "mse",
    "msle",
    "poisson",
    "serialize",
    "sparse_categorical_crossentropy",
    "squared_hinge",
    "tversky",
]

def KLD(y_true: _TensorLike, y_pred: _TensorLike) -> _Tensor:
    """Kullback-Leibler divergence ``sum(y_true * log(y_true / y_pred))`` of two distributions, along the last axis."""

def MAE(y_true: _TensorLike, y_pred: _TensorLike) -> _Tensor:
    """Mean absolute error along the last axis."""

def MAPE(y_true: _TensorLike, y_pred: _TensorLike) -> _Tensor:
    """Mean absolute error in per cent of the label, along the last axis."""

def MSE(y_true: _TensorLike, y_pred: _TensorLike) -> _Tensor:
    """Mean squared error along the last axis."""

def MSLE(y_true: _TensorLike, y_pred: _TensorLike) -> _Tensor:
    """Mean squared logarithmic error, of differences of ``log(1 + y)``, along the last axis. Negative numbers are 0."""

def binary_crossentropy(
    y_true: _TensorLike, y_pred: _TensorLike, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1
) -> _Tensor:
    """The cross entropy between truths (1 or 0) and predicted probabilities of truth, the mean along ``axis``."""

def binary_focal_crossentropy(
    y_true: _TensorLike,
    y_pred: _TensorLike,
    apply_class_balancing: bool = False,
    alpha: float = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> _Tensor:
    """Focal cross entropy of binary labels: what is predicted well counts less."""

def categorical_crossentropy(
    y_true: _TensorLike, y_pred: _TensorLike, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1
) -> _Tensor:
    """The cross entropy between the probabilities of classes and predicted ones."""

def categorical_focal_crossentropy(
    y_true: _TensorLike,
    y_pred: _TensorLike,
    alpha: _TensorLike = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> _Tensor:
    """Focal cross entropy of one-hot labels: classes that are predicted well count less."""

def categorical_generalized_cross_entropy(y_true: _TensorLike, y_pred: _TensorLike, q: float) -> _Tensor:
    """A loss between the cross entropy (``q`` near 0) and the mean absolute error (``q`` = 1), for noisy labels."""

def categorical_hinge(y_true: _TensorLike, y_pred: _TensorLike) -> _Tensor:
    """Categorical hinge loss: how far the best wrong class comes within 1 of the right one, for one-hot ``y_true``."""

def circle(
    y_true: _TensorLike,
    y_pred: _TensorLike,
    ref_labels: _TensorLike | None = None,
    ref_embeddings: _TensorLike | None = None,
    remove_diagonal: bool = True,
    gamma: float = 80,
    margin: float = 0.4,
) -> _Tensor:
    """Circle loss: how far embeddings of one class are apart, and how near those of others, weighted."""

def cosine_similarity(y_true: _TensorLike, y_pred: _TensorLike, axis: int = -1) -> _Tensor:
    """Negative cosine similarity along ``axis``: -1 where the two point the same way."""

def deserialize(name: _TensorLike, custom_objects: dict[str, _Any] | None = None) -> _Any:
    """The loss that :func:`serialize` wrote down, or of that name."""

def dice(y_true: _TensorLike, y_pred: _TensorLike, axis: _TensorLike | None = None) -> _Tensor:
    """Dice loss: one minus twice the overlap by the sum of both."""

def get(identifier: _Any) -> _Any:
    """The loss that something stands for."""

def hinge(y_true: _TensorLike, y_pred: _TensorLike) -> _Tensor:
    """The mean of ``max(1 - y_true * y_pred, 0)`` along the last axis, for labels -1 and 1 (0 and 1 will do)."""

def huber(y_true: _TensorLike, y_pred: _TensorLike, delta: float = 1.0) -> _Tensor:
    """Huber loss: half the square of errors up to ``delta``, a straight line beyond; the mean along the last axis."""

def kl_divergence(y_true: _TensorLike, y_pred: _TensorLike) -> _Tensor:
    """Kullback-Leibler divergence ``sum(y_true * log(y_true / y_pred))`` of two distributions, along the last axis."""

def kld(y_true: _TensorLike, y_pred: _TensorLike) -> _Tensor:
    """Kullback-Leibler divergence ``sum(y_true * log(y_true / y_pred))`` of two distributions, along the last axis."""

def kullback_leibler_divergence(y_true: _TensorLike, y_pred: _TensorLike) -> _Tensor:
    """Kullback-Leibler divergence ``sum(y_true * log(y_true / y_pred))`` of two distributions, along the last axis."""

def log_cosh(y_true: _TensorLike, y_pred: _TensorLike) -> _Tensor:
    """The mean of ``log(cosh(error))`` along the last axis: a square for small errors, a line for large ones."""

def logcosh(y_true: _TensorLike, y_pred: _TensorLike) -> _Tensor:
    """The mean of ``log(cosh(error))`` along the last axis: a square for small errors, a line for large ones."""

def mae(y_true: _TensorLike, y_pred: _TensorLike) -> _Tensor:
    """Mean absolute error along the last axis."""

def mape(y_true: _TensorLike, y_pred: _TensorLike) -> _Tensor:
    """Mean absolute error in per cent of the label, along the last axis."""

def mean_absolute_error(y_true: _TensorLike, y_pred: _TensorLike) -> _Tensor:
    """Mean absolute error along the last axis."""

def mean_absolute_percentage_error(y_true: _TensorLike, y_pred: _TensorLike) -> _Tensor:
    """Mean absolute error in per cent of the label, along the last axis."""

def mean_squared_error(y_true: _TensorLike, y_pred: _TensorLike) -> _Tensor:
    """Mean squared error along the last axis."""

def mean_squared_logarithmic_error(y_true: _TensorLike, y_pred: _TensorLike) -> _Tensor:
    """Mean squared logarithmic error, of differences of ``log(1 + y)``, along the last axis. Negative numbers are 0."""

def mse(y_true: _TensorLike, y_pred: _TensorLike) -> _Tensor:
    """Mean squared error along the last axis."""

def msle(y_true: _TensorLike, y_pred: _TensorLike) -> _Tensor:
    """Mean squared logarithmic error, of differences of ``log(1 + y)``, along the last axis. Negative numbers are 0."""

def poisson(y_true: _TensorLike, y_pred: _TensorLike) -> _Tensor:
    """The mean of ``y_pred - y_true * log(y_pred)`` along the last axis: for counts, of which a rate is predicted."""

def serialize(loss: _Any) -> _Any:
    """A loss as plain data, from which :func:`deserialize` makes it again."""

def sparse_categorical_crossentropy(
    y_true: _TensorLike, y_pred: _TensorLike, from_logits: bool = False, ignore_class: int | None = None, axis: int = -1
) -> _Tensor:
    """Cross entropy of integer labels and predicted probabilities."""

def squared_hinge(y_true: _TensorLike, y_pred: _TensorLike) -> _Tensor:
    """The mean of ``max(1 - y_true * y_pred, 0) ** 2`` along the last axis."""

def tversky(
    y_true: _TensorLike, y_pred: _TensorLike, alpha: float = 0.5, beta: float = 0.5, axis: _TensorLike | None = None
) -> _Tensor:
    """Tversky loss: one minus the overlap by itself and what is outside of it, each side with its own weight."""
