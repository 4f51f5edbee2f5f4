"""``tf.keras.metrics``, which is ``tf.metrics`` too."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.namespace import Namespace

_names: Final = Namespace(
    __name__,
    {
        "tapeviz.keras.losses.crossentropies": (
            "binary_crossentropy binary_focal_crossentropy categorical_crossentropy categorical_focal_crossentropy "
            "sparse_categorical_crossentropy"
        ),
        "tapeviz.keras.losses.divergences": (
            "KLD=kl_divergence kl_divergence kld=kl_divergence kullback_leibler_divergence=kl_divergence poisson"
        ),
        "tapeviz.keras.losses.hinges": "categorical_hinge hinge squared_hinge",
        "tapeviz.keras.losses.regression": (
            "MAE=mean_absolute_error MAPE=mean_absolute_percentage_error MSE=mean_squared_error "
            "MSLE=mean_squared_logarithmic_error huber log_cosh logcosh=log_cosh mae=mean_absolute_error "
            "mape=mean_absolute_percentage_error mean_absolute_error mean_absolute_percentage_error "
            "mean_squared_error mean_squared_logarithmic_error mse=mean_squared_error "
            "msle=mean_squared_logarithmic_error"
        ),
        "tapeviz.keras.metrics.accuracies": (
            "Accuracy BinaryAccuracy CategoricalAccuracy SparseCategoricalAccuracy SparseTopKCategoricalAccuracy "
            "TopKCategoricalAccuracy binary_accuracy categorical_accuracy sparse_categorical_accuracy "
            "sparse_top_k_categorical_accuracy top_k_categorical_accuracy"
        ),
        "tapeviz.keras.metrics.confusion_metrics": (
            "FalseNegatives FalsePositives Precision Recall TrueNegatives TruePositives"
        ),
        "tapeviz.keras.metrics.correlations": (
            "ConcordanceCorrelation PearsonCorrelation concordance_correlation pearson_correlation"
        ),
        "tapeviz.keras.metrics.curves": "AUC",
        "tapeviz.keras.metrics.errors": (
            "CosineSimilarity LogCoshError MeanAbsoluteError MeanAbsolutePercentageError MeanSquaredError "
            "MeanSquaredLogarithmicError R2Score RootMeanSquaredError"
        ),
        "tapeviz.keras.metrics.lookup": "deserialize get serialize",
        "tapeviz.keras.metrics.metric": "Metric",
        "tapeviz.keras.metrics.operating_points": (
            "PrecisionAtRecall RecallAtPrecision SensitivityAtSpecificity SpecificityAtSensitivity"
        ),
        "tapeviz.keras.metrics.overlaps": "BinaryIoU IoU MeanIoU OneHotIoU OneHotMeanIoU",
        "tapeviz.keras.metrics.probabilistic": (
            "BinaryCrossentropy CategoricalCrossentropy CategoricalHinge Hinge KLDivergence Poisson "
            "SparseCategoricalCrossentropy SquaredHinge"
        ),
        "tapeviz.keras.metrics.reduction": "Mean MeanMetricWrapper Sum",
        "tapeviz.keras.metrics.scores": "F1Score FBetaScore",
    },
)
_offered: Final = list(_names.listed)
__all__ = list(_offered)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
