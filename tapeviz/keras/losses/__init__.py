"""``tf.keras.losses``, which is ``tf.losses`` too."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.namespace import Namespace

_names: Final = Namespace(
    __name__,
    {
        "tapeviz.keras.losses.base": "Loss",
        "tapeviz.keras.losses.crossentropies": (
            "binary_crossentropy binary_focal_crossentropy categorical_crossentropy categorical_focal_crossentropy "
            "categorical_generalized_cross_entropy sparse_categorical_crossentropy"
        ),
        "tapeviz.keras.losses.crossentropy_losses": (
            "BinaryCrossentropy BinaryFocalCrossentropy CategoricalCrossentropy CategoricalFocalCrossentropy "
            "CategoricalGeneralizedCrossEntropy SparseCategoricalCrossentropy"
        ),
        "tapeviz.keras.losses.divergences": (
            "KLD=kl_divergence KLDivergence Poisson kl_divergence kld=kl_divergence "
            "kullback_leibler_divergence=kl_divergence poisson"
        ),
        "tapeviz.keras.losses.lookup": "deserialize get serialize",
        "tapeviz.keras.losses.hinges": ("CategoricalHinge Hinge SquaredHinge categorical_hinge hinge squared_hinge"),
        "tapeviz.keras.losses.overlaps": "Circle Dice Tversky circle dice tversky",
        "tapeviz.keras.losses.regression": (
            "CosineSimilarity Huber LogCosh MAE=mean_absolute_error MAPE=mean_absolute_percentage_error "
            "MSE=mean_squared_error MSLE=mean_squared_logarithmic_error MeanAbsoluteError "
            "MeanAbsolutePercentageError MeanSquaredError MeanSquaredLogarithmicError cosine_similarity huber "
            "log_cosh logcosh=log_cosh mae=mean_absolute_error mape=mean_absolute_percentage_error "
            "mean_absolute_error mean_absolute_percentage_error mean_squared_error mean_squared_logarithmic_error "
            "mse=mean_squared_error msle=mean_squared_logarithmic_error"
        ),
    },
)
_offered: Final = list(_names.listed)
__all__ = list(_offered)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
