"""``tf.metrics`` of TensorFlow 1: the value of what was counted so far, and an op that counts a batch more."""

from __future__ import annotations

from typing import Any

from tapeviz.compat.v1.graph.absent_names import absent
from tapeviz.namespace import Namespace

_names = Namespace(
    __name__,
    {
        "tapeviz.compat.v1.metrics.confusion_counts": (
            "false_negatives false_positives mean_iou precision recall true_negatives true_positives"
        ),
        "tapeviz.compat.v1.metrics.means": (
            "accuracy mean mean_absolute_error mean_cosine_distance mean_per_class_accuracy mean_relative_error "
            "mean_squared_error mean_tensor percentage_below root_mean_squared_error"
        ),
        "tapeviz.compat.v1.metrics.thresholds": (
            "auc false_negatives_at_thresholds false_positives_at_thresholds precision_at_thresholds "
            "recall_at_thresholds sensitivity_at_specificity specificity_at_sensitivity true_negatives_at_thresholds "
            "true_positives_at_thresholds"
        ),
    },
)
__all__ = list(_names.listed)


def __getattr__(name: str) -> Any:
    if name not in _names.homes:
        raise absent(__name__, name)
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
