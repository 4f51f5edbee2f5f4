"""The metrics that are compared with Keras': expressions of Keras' names, and the batches that they are told."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

BATCHES = 3

_PLAIN = {
    "values": "Mean Sum",
    "numbers": "MeanSquaredError MeanAbsoluteError MeanAbsolutePercentageError RootMeanSquaredError LogCoshError "
    "CosineSimilarity R2Score PearsonCorrelation ConcordanceCorrelation",
    "positive": "MeanSquaredLogarithmicError Poisson",
    "shares": "CategoricalCrossentropy KLDivergence CategoricalHinge CategoricalAccuracy F1Score FBetaScore",
    "truths": "BinaryCrossentropy Hinge SquaredHinge BinaryAccuracy",
    "classes": "SparseCategoricalCrossentropy SparseCategoricalAccuracy",
    "scores": "AUC Precision Recall TruePositives FalsePositives TrueNegatives FalseNegatives",
    "labels": "Accuracy",
}
_SPECIAL = [
    ("matrices", "Mean()"),
    ("matrices", "Sum()"),
    ("column", "MeanSquaredError()"),
    ("column", "BinaryAccuracy(threshold=0.2)"),
    ("shares", "TopKCategoricalAccuracy(k=2)"),
    ("classes", "SparseTopKCategoricalAccuracy(k=2)"),
    ("class_columns", "SparseCategoricalAccuracy()"),
    ("steps", "SparseCategoricalAccuracy()"),
    ("steps", "SparseTopKCategoricalAccuracy(k=3)"),
    ("steps", "SparseCategoricalCrossentropy(from_logits=True)"),
    ("sorted_ids", "SparseTopKCategoricalAccuracy(k=2, from_sorted_ids=True)"),
    ("shares", "CategoricalCrossentropy(from_logits=True, label_smoothing=0.1)"),
    ("truths", "BinaryCrossentropy(from_logits=True, label_smoothing=0.2)"),
    ("classes", "SparseCategoricalCrossentropy(ignore_class=1)"),
    ("numbers", "R2Score(class_aggregation=None)"),
    ("numbers", "R2Score(class_aggregation='variance_weighted_average')"),
    ("numbers", "R2Score(num_regressors=2)"),
    ("numbers", "MeanMetricWrapper(huber, delta=0.4)"),
    ("scores", "AUC(num_thresholds=5)"),
    ("scores", "AUC(curve='PR')"),
    ("scores", "AUC(curve='PR', summation_method='majoring')"),
    ("scores", "AUC(curve='PRGAIN')"),
    ("scores", "AUC(summation_method='minoring')"),
    ("scores", "AUC(thresholds=[0.1, 0.35, 0.8])"),
    ("scores", "AUC(thresholds=[0.25, 0.5, 0.75])"),
    ("score_logits", "AUC(from_logits=True)"),
    ("truths", "AUC(multi_label=True)"),
    ("truths", "AUC(multi_label=True, num_labels=4, label_weights=[0.5, 1.0, 2.0, 0.25], curve='PR')"),
    ("truths", "AUC(multi_label=True, thresholds=[0.2, 0.7])"),
    ("truths", "AUC(label_weights=[0.5, 1.0, 2.0, 0.25])"),
    ("scores", "Precision(thresholds=[0.3, 0.6])"),
    ("scores", "Recall(thresholds=0.7)"),
    ("scores", "TruePositives(thresholds=[0.0, 0.5, 1.0])"),
    ("scores", "FalseNegatives(thresholds=[0.2, 0.9])"),
    ("truths", "Precision(top_k=2)"),
    ("truths", "Recall(top_k=2, class_id=1)"),
    ("truths", "Precision(class_id=3, thresholds=0.4)"),
    ("scores", "SensitivityAtSpecificity(0.6)"),
    ("scores", "SpecificityAtSensitivity(0.6, num_thresholds=50)"),
    ("scores", "PrecisionAtRecall(0.5)"),
    ("scores", "RecallAtPrecision(0.4)"),
    ("truths", "SensitivityAtSpecificity(0.5, class_id=2)"),
    ("scores", "PrecisionAtRecall(0.5, num_thresholds=1)"),
    ("truths", "F1Score(average='micro', threshold=0.5)"),
    ("truths", "F1Score(average='macro', threshold=0.5)"),
    ("truths", "FBetaScore(beta=2.0, average='weighted', threshold=0.4)"),
    ("labels", "IoU(num_classes=4, target_class_ids=[0, 2])"),
    ("labels", "MeanIoU(num_classes=4)"),
    ("labels", "MeanIoU(num_classes=4, ignore_class=0)"),
    ("shares", "OneHotIoU(num_classes=4, target_class_ids=[1])"),
    ("shares", "OneHotMeanIoU(num_classes=4)"),
    ("scores", "BinaryIoU(threshold=0.4)"),
    ("scores", "BinaryIoU(target_class_ids=[1])"),
]
# Keras has no weights for these, or takes whole ones only.
_UNWEIGHTED = ("IoU",)


def cases() -> list[tuple[str, str, bool]]:
    """Return inputs, expression and whether there are weights, of each case."""
    rows = [(inputs, f"{name}()") for inputs, names in _PLAIN.items() for name in names.split()]
    rows += _SPECIAL
    weighted = [row for row in rows if not any(name in row[1] for name in _UNWEIGHTED)]
    return [*((*row, False) for row in rows), *((*row, True) for row in weighted)]


def batches(inputs: str, dtype: str, *, weighted: bool) -> list[dict[str, np.ndarray]]:
    """Return what each call is told, by the names of arguments."""
    rng = np.random.default_rng(11)
    found = []
    for _ in range(BATCHES):
        arrays = _batch(inputs, rng)
        weights = rng.uniform(0.0, 2.0, size=8)
        if inputs == "steps":
            weights = rng.uniform(0.0, 2.0, size=(8, 3))
        if weighted:
            arrays["sample_weight"] = weights
        found.append({name: a if a.dtype.kind == "i" else a.astype(dtype) for name, a in arrays.items()})
    return found


def _batch(inputs: str, rng: np.random.Generator) -> dict[str, np.ndarray]:
    numbers, others = rng.normal(size=(8, 4)), rng.normal(size=(8, 4))
    powers = np.exp(others)
    shares = powers / powers.sum(-1, keepdims=True)
    classes, labels = (rng.integers(0, 4, size=8).astype("int32") for _ in range(2))
    truths = (rng.uniform(size=(8, 4)) > 0.4).astype(float)
    likely = np.clip(0.6 * truths + rng.uniform(-0.1, 0.5, size=(8, 4)), 0, 1)
    if inputs in {"values", "matrices"}:
        return {"values": numbers[:, 0] if inputs == "values" else numbers}
    y_true, y_pred = {
        "numbers": (numbers, numbers + 0.7 * others),
        "positive": (np.floor(np.abs(numbers) * 3), np.abs(others) + 0.1),
        "column": (truths[:, 0], likely[:, :1]),
        "shares": (np.eye(4)[classes], shares),
        "classes": (classes, shares),
        "class_columns": (classes[:, None], shares),
        "truths": (truths, likely),
        "scores": (truths[:, 0], likely[:, 0]),
        "score_logits": (truths[:, 0], 4 * likely[:, 0] - 2),
        "labels": (classes, labels),
        "steps": (rng.integers(0, 5, size=(8, 3)).astype("int32"), rng.normal(size=(8, 3, 5))),
        "sorted_ids": (classes, np.argsort(-shares, axis=1).astype("int32")),
    }[inputs]
    return {"y_true": y_true, "y_pred": y_pred}


def words(module: Any, dtype: str) -> dict[str, Any]:
    """Return the names of a module as expressions use them: classes count in the dtype."""
    found = {name: getattr(module, name) for name in dir(module) if not name.startswith("_")}
    return {
        name: partial(value, dtype=dtype) if isinstance(value, type) and "IoU" not in name else value
        for name, value in found.items()
    }
