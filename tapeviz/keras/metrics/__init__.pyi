# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from typing import Any as _Any

from tapeviz.engine.annotations import TensorLike as _TensorLike
from tapeviz.engine.tensor import Tensor as _Tensor
from tapeviz.keras.losses import (
    KLD,
    MAE,
    MAPE,
    MSE,
    MSLE,
    binary_crossentropy,
    binary_focal_crossentropy,
    categorical_crossentropy,
    categorical_focal_crossentropy,
    categorical_hinge,
    hinge,
    huber,
    kl_divergence,
    kld,
    kullback_leibler_divergence,
    log_cosh,
    logcosh,
    mae,
    mape,
    mean_absolute_error,
    mean_absolute_percentage_error,
    mean_squared_error,
    mean_squared_logarithmic_error,
    mse,
    msle,
    poisson,
    sparse_categorical_crossentropy,
    squared_hinge,
)
from tapeviz.keras.metrics.accuracies import (
    Accuracy,
    BinaryAccuracy,
    CategoricalAccuracy,
    SparseCategoricalAccuracy,
    SparseTopKCategoricalAccuracy,
    TopKCategoricalAccuracy,
)
from tapeviz.keras.metrics.confusion_metrics import (
    FalseNegatives,
    FalsePositives,
    Precision,
    Recall,
    TrueNegatives,
    TruePositives,
)
from tapeviz.keras.metrics.correlations import ConcordanceCorrelation, PearsonCorrelation
from tapeviz.keras.metrics.curves import AUC
from tapeviz.keras.metrics.errors import (
    CosineSimilarity,
    LogCoshError,
    MeanAbsoluteError,
    MeanAbsolutePercentageError,
    MeanSquaredError,
    MeanSquaredLogarithmicError,
    R2Score,
    RootMeanSquaredError,
)
from tapeviz.keras.metrics.iou import BinaryIoU, IoU, MeanIoU, OneHotIoU, OneHotMeanIoU
from tapeviz.keras.metrics.metric import Metric
from tapeviz.keras.metrics.operating_points import (
    PrecisionAtRecall,
    RecallAtPrecision,
    SensitivityAtSpecificity,
    SpecificityAtSensitivity,
)
from tapeviz.keras.metrics.probabilistic import (
    BinaryCrossentropy,
    CategoricalCrossentropy,
    CategoricalHinge,
    Hinge,
    KLDivergence,
    Poisson,
    SparseCategoricalCrossentropy,
    SquaredHinge,
)
from tapeviz.keras.metrics.reduction import Mean, MeanMetricWrapper, Sum
from tapeviz.keras.metrics.scores import F1Score, FBetaScore

__all__ = [
    "AUC",
    "Accuracy",
    "BinaryAccuracy",
    "BinaryCrossentropy",
    "BinaryIoU",
    "CategoricalAccuracy",
    "CategoricalCrossentropy",
    "CategoricalHinge",
    "ConcordanceCorrelation",
    "CosineSimilarity",
    "F1Score",
    "FBetaScore",
    "FalseNegatives",
    "FalsePositives",
    "Hinge",
    "IoU",
    "KLD",
    "KLDivergence",
    "LogCoshError",
    "MAE",
    "MAPE",
    "MSE",
    "MSLE",
    "Mean",
    "MeanAbsoluteError",
    "MeanAbsolutePercentageError",
    "MeanIoU",
    "MeanMetricWrapper",
    "MeanSquaredError",
    "MeanSquaredLogarithmicError",
    "Metric",
    "OneHotIoU",
    "OneHotMeanIoU",
    "PearsonCorrelation",
    "Poisson",
    "Precision",
    "PrecisionAtRecall",
    "R2Score",
    "Recall",
    "RecallAtPrecision",
    "RootMeanSquaredError",
    "SensitivityAtSpecificity",
    "SparseCategoricalAccuracy",
    "SparseCategoricalCrossentropy",
    "SparseTopKCategoricalAccuracy",
    "SpecificityAtSensitivity",
    "SquaredHinge",
    "Sum",
    "TopKCategoricalAccuracy",
    "TrueNegatives",
    "TruePositives",
    "binary_accuracy",
    "binary_crossentropy",
    "binary_focal_crossentropy",
    "categorical_accuracy",
    "categorical_crossentropy",
    "categorical_focal_crossentropy",
    "categorical_hinge",
    "concordance_correlation",
    "deserialize",
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
    "pearson_correlation",
    "poisson",
    "serialize",
    "sparse_categorical_accuracy",
    "sparse_categorical_crossentropy",
    "sparse_top_k_categorical_accuracy",
    "squared_hinge",
    "top_k_categorical_accuracy",
]

def binary_accuracy(y_true: _TensorLike, y_pred: _TensorLike, threshold: float = 0.5) -> _Tensor:
    """1 where the prediction is on the right side of the threshold, 0 elsewhere."""

def categorical_accuracy(y_true: _TensorLike, y_pred: _TensorLike) -> _Tensor:
    """1 where the most likely class is that of the one-hot ``y_true``, 0 elsewhere."""

def concordance_correlation(y_true: _TensorLike, y_pred: _TensorLike, axis: int = -1) -> _Tensor:
    """Concordance correlation along ``axis``, less where means or variances differ: 1 where the two are the same."""

def deserialize(config: _Any, custom_objects: dict[str, _Any] | None = None) -> _Any:
    """The metric that :func:`serialize` wrote down, or of that name."""

def get(identifier: _Any) -> _Any:
    """The metric that something stands for."""

def pearson_correlation(y_true: _TensorLike, y_pred: _TensorLike, axis: int = -1) -> _Tensor:
    """Pearson correlation of the two along ``axis``: 1 where one is a rising line of the other."""

def serialize(metric: _Any) -> _Any:
    """A metric as plain data, from which :func:`deserialize` makes it again."""

def sparse_categorical_accuracy(y_true: _TensorLike, y_pred: _TensorLike) -> _Tensor:
    """1 where the most likely class is that whose number is in ``y_true``, 0 elsewhere."""

def sparse_top_k_categorical_accuracy(
    y_true: _TensorLike, y_pred: _TensorLike, k: int = 5, from_sorted_ids: bool = False
) -> _Tensor:
    """1 where the class whose number is in ``y_true`` is among the ``k`` most likely ones, 0 elsewhere."""

def top_k_categorical_accuracy(y_true: _TensorLike, y_pred: _TensorLike, k: int = 5) -> _Tensor:
    """1 where the class of the one-hot ``y_true`` is among the ``k`` most likely ones, 0 elsewhere."""
