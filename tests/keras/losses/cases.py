"""The losses that are compared with Keras': expressions of Keras' names, and what they are given."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

REDUCTIONS = ("'sum_over_batch_size'", "'sum'", "'none'", "'mean'", "'mean_with_sample_weight'")

_PLAIN = {
    "numbers": "MeanSquaredError MeanAbsoluteError MeanAbsolutePercentageError CosineSimilarity Huber LogCosh",
    "positive": "MeanSquaredLogarithmicError Poisson",
    "shares": "CategoricalCrossentropy KLDivergence CategoricalFocalCrossentropy CategoricalHinge",
    "truths": "BinaryCrossentropy BinaryFocalCrossentropy Hinge SquaredHinge Dice Tversky",
    "classes": "SparseCategoricalCrossentropy CategoricalGeneralizedCrossEntropy",
}
_FUNCTIONS = {
    "numbers": "mean_squared_error mean_absolute_error mean_absolute_percentage_error cosine_similarity huber "
    "MSE mse MAE mae MAPE mape",
    "positive": "mean_squared_logarithmic_error poisson MSLE msle",
    "shares": "categorical_crossentropy kl_divergence categorical_focal_crossentropy categorical_hinge",
    "truths": "binary_crossentropy binary_focal_crossentropy hinge squared_hinge dice tversky",
    "classes": "sparse_categorical_crossentropy",
}
_SPECIAL = [
    ("numbers", "Huber(delta=0.3)(y_true, y_pred)"),
    ("numbers", "huber(y_true, y_pred, delta=2.5)"),
    ("numbers", "log_cosh(y_true, y_pred)"),
    ("numbers", "CosineSimilarity(axis=0)(y_true, y_pred)"),
    ("numbers", "MeanSquaredError()(y_true[0], y_pred[0])"),
    ("images", "MeanSquaredError()(y_true, y_pred, weights)"),
    ("images", "MeanAbsoluteError(reduction='none')(y_true, y_pred, weights)"),
    ("images", "CosineSimilarity(axis=1)(y_true, y_pred)"),
    ("column", "MeanSquaredError()(y_true, y_pred)"),
    ("column", "BinaryCrossentropy(from_logits=True)(y_true, y_pred)"),
    ("column", "mean_absolute_error(y_true, y_pred)"),
    ("logits", "CategoricalCrossentropy(from_logits=True)(y_true, y_pred)"),
    ("logits", "CategoricalCrossentropy(from_logits=True, label_smoothing=0.2)(y_true, y_pred, weights)"),
    ("logits", "CategoricalFocalCrossentropy(from_logits=True, gamma=1.5, alpha=0.4)(y_true, y_pred)"),
    ("logits", "categorical_crossentropy(y_true, y_pred, from_logits=True)"),
    ("shares", "CategoricalCrossentropy(label_smoothing=0.1)(y_true, y_pred)"),
    ("shares", "categorical_crossentropy(y_true, y_pred * 3.0)"),
    ("unsure", "CategoricalCrossentropy()(y_true, y_pred)"),
    ("unsure", "BinaryCrossentropy()(y_true, y_pred)"),
    ("unsure", "KLDivergence()(y_true, y_pred)"),
    ("truth_logits", "BinaryCrossentropy(from_logits=True)(y_true, y_pred)"),
    ("truth_logits", "BinaryCrossentropy(from_logits=True, label_smoothing=0.3, axis=0)(y_true, y_pred)"),
    ("truth_logits", "BinaryFocalCrossentropy(from_logits=True, gamma=3.0)(y_true, y_pred)"),
    ("truth_logits", "binary_crossentropy(y_true, y_pred, from_logits=True)"),
    ("truths", "BinaryCrossentropy(label_smoothing=0.2)(y_true, y_pred)"),
    ("truths", "BinaryFocalCrossentropy(apply_class_balancing=True, alpha=0.4)(y_true, y_pred)"),
    ("truths", "Dice(axis=(1,), reduction='none')(y_true, y_pred)"),
    ("truths", "Tversky(alpha=0.3, beta=0.7, axis=(1,))(y_true, y_pred)"),
    ("class_logits", "SparseCategoricalCrossentropy(from_logits=True)(y_true, y_pred)"),
    ("class_logits", "SparseCategoricalCrossentropy(from_logits=True, ignore_class=2)(y_true, y_pred)"),
    ("class_logits", "SparseCategoricalCrossentropy(from_logits=True, ignore_class=2)(y_true, y_pred, weights)"),
    (
        "class_logits",
        "SparseCategoricalCrossentropy(ignore_class=2, from_logits=True, reduction='sum')(y_true, y_pred)",
    ),
    ("class_logits", "sparse_categorical_crossentropy(y_true, y_pred, from_logits=True, ignore_class=0)"),
    ("pixel_classes", "SparseCategoricalCrossentropy(from_logits=True, ignore_class=-1)(y_true, y_pred)"),
    ("pixel_classes", "SparseCategoricalCrossentropy(from_logits=True, ignore_class=-1)(y_true, y_pred, weights)"),
    ("classes", "SparseCategoricalCrossentropy()(y_true[:, None], y_pred)"),
    ("classes", "CategoricalGeneralizedCrossEntropy(q=0.8)(y_true, y_pred)"),
    ("signs", "Hinge()(y_true, y_pred)"),
    ("signs", "SquaredHinge()(y_true, y_pred, weights)"),
    ("embeddings", "Circle()(y_true, y_pred)"),
    ("embeddings", "Circle(gamma=2.0, margin=0.1, remove_diagonal=False, reduction='none')(y_true, y_pred)"),
    ("embeddings", "circle(y_true, y_pred, gamma=5.0)"),
]


def cases() -> list[tuple[str, str]]:
    """Return inputs and expression of each case."""
    rows = []
    for inputs, names in _PLAIN.items():
        for name in names.split():
            rows.append((inputs, f"{name}()(y_true, y_pred)"))
            if name in {"Dice", "Tversky"}:
                continue
            rows.append((inputs, f"{name}()(y_true, y_pred, weights)"))
            rows.append((inputs, f"{name}(reduction='sum')(y_true, y_pred)"))
    rows += [("numbers", f"MeanSquaredError(reduction={how})(y_true, y_pred, weights)") for how in REDUCTIONS]
    rows += [(inputs, f"{name}(y_true, y_pred)") for inputs, names in _FUNCTIONS.items() for name in names.split()]
    return rows + _SPECIAL


def _softmax(x: np.ndarray) -> np.ndarray:
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def given(inputs: str, dtype: str) -> dict[str, np.ndarray]:
    """Return what is right, what is predicted and weights, by the names in the expressions."""
    rng = np.random.default_rng(7)
    weights = np.array([0.5, 2.0, 0.0, 1.5, 1.0, 3.0])
    numbers, others = rng.normal(size=(6, 4)), rng.normal(size=(6, 4))
    hot = np.eye(4)[[0, 3, 1, 1, 2, 0]]
    truths = (rng.uniform(size=(6, 4)) > 0.5).astype(float)
    classes, pixels = np.array([0, 3, 2, 1, 2, 0], "int32"), rng.integers(-1, 4, size=(2, 3)).astype("int32")
    unit = numbers / np.linalg.norm(numbers, axis=1, keepdims=True)
    y_true, y_pred = {
        "numbers": (numbers, others),
        "positive": (np.floor(np.abs(numbers) * 3), np.abs(others) + 0.1),
        "images": (rng.normal(size=(6, 3, 2)), rng.normal(size=(6, 3, 2))),
        "column": (truths[:, 0], others[:, :1]),
        "shares": (hot, _softmax(others)),
        "logits": (hot, others * 2),
        "unsure": (np.eye(3), np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.9, 0.1, 0.0]])),
        "truths": (truths, rng.uniform(0.05, 0.95, size=(6, 4))),
        "truth_logits": (truths, others * 3),
        "classes": (classes, _softmax(others)),
        "class_logits": (classes, others * 2),
        "pixel_classes": (pixels, rng.normal(size=(2, 3, 4))),
        "signs": (2 * truths - 1, others),
        "embeddings": (np.array([0, 1, 0, 2, 1, 0], "int32"), unit),
    }[inputs]
    if inputs == "images":
        weights = rng.uniform(0.5, 1.5, size=(6, 3))
    if inputs == "pixel_classes":
        weights = weights.reshape(2, 3)
    return {
        "y_true": y_true if y_true.dtype == np.int32 else y_true.astype(dtype),
        "y_pred": y_pred.astype(dtype),
        "weights": weights.astype(dtype),
    }


def words(module: Any, dtype: str) -> dict[str, Any]:
    """Return the names of a module as expressions use them: classes compute in the dtype."""
    names = [name for name in dir(module) if not name.startswith("_")]
    found = {name: getattr(module, name) for name in names}
    return {
        name: partial(value, dtype=dtype) if isinstance(value, type) and name not in {"Loss", "Reduction"} else value
        for name, value in found.items()
    }
