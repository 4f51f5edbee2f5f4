"""``tf.losses`` of TensorFlow 1: losses of a step, which add themselves to a collection of the graph."""

from __future__ import annotations

from typing import Any

from tapeviz.compat.v1.graph.absent_names import absent
from tapeviz.namespace import Namespace

_names = Namespace(
    __name__,
    {
        "tapeviz.compat.v1.losses.loss_functions": (
            "absolute_difference cosine_distance hinge_loss huber_loss log_loss mean_pairwise_squared_error "
            "mean_squared_error sigmoid_cross_entropy softmax_cross_entropy sparse_softmax_cross_entropy"
        ),
        "tapeviz.compat.v1.losses.loss_weights": (
            "Reduction add_loss compute_weighted_loss get_losses get_regularization_loss get_regularization_losses "
            "get_total_loss"
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
