# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from typing import Any as _Any

from tapeviz.compat.v1.losses.loss_weights import Reduction
from tapeviz.engine.annotations import TensorLike as _TensorLike
from tapeviz.engine.tensor import Tensor as _Tensor

__all__ = [
    "Reduction",
    "absolute_difference",
    "add_loss",
    "compute_weighted_loss",
    "cosine_distance",
    "get_losses",
    "get_regularization_loss",
    "get_regularization_losses",
    "get_total_loss",
    "hinge_loss",
    "huber_loss",
    "log_loss",
    "mean_pairwise_squared_error",
    "mean_squared_error",
    "sigmoid_cross_entropy",
    "softmax_cross_entropy",
    "sparse_softmax_cross_entropy",
]

def absolute_difference(
    labels: _TensorLike,
    predictions: _TensorLike,
    weights: _TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = "losses",
    reduction: str = "weighted_sum_by_nonzero_weights",
) -> _Tensor:
    """Absolute difference: ``|predictions - labels|``."""

def add_loss(loss: _TensorLike, loss_collection: str | None = "losses") -> None:
    """Add a loss to a collection of the graph, from which :func:`get_total_loss` takes it. Eagerly there is none."""

def compute_weighted_loss(
    losses: _TensorLike,
    weights: _TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = "losses",
    reduction: str = "weighted_sum_by_nonzero_weights",
) -> _Tensor:
    """The loss of a step from the losses of its elements. It is computed in float32, as TensorFlow 1 does."""

def cosine_distance(
    labels: _TensorLike,
    predictions: _TensorLike,
    axis: int | None = None,
    weights: _TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = "losses",
    reduction: str = "weighted_sum_by_nonzero_weights",
    dim: int | None = None,
) -> _Tensor:
    """Cosine distance: 1 less the cosine of the angle between vectors of length 1."""

def get_losses(scope: str | None = None, loss_collection: str = "losses") -> list[_Any]:
    """The losses of a collection."""

def get_regularization_loss(scope: str | None = None, name: str = "total_regularization_loss") -> _Tensor:
    """The sum of the penalties; 0 where there are none."""

def get_regularization_losses(scope: str | None = None) -> list[_Any]:
    """The penalties that regularizers of variables have added."""

def get_total_loss(
    add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None
) -> _Tensor:
    """The sum of all losses of the collection, which an optimizer is given."""

def hinge_loss(
    labels: _TensorLike,
    logits: _TensorLike,
    weights: _TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = "losses",
    reduction: str = "weighted_sum_by_nonzero_weights",
) -> _Tensor:
    """Hinge loss: how far scores are from being on the right side of 0 by 1."""

def huber_loss(
    labels: _TensorLike,
    predictions: _TensorLike,
    weights: _TensorLike = 1.0,
    delta: float = 1.0,
    scope: str | None = None,
    loss_collection: str | None = "losses",
    reduction: str = "weighted_sum_by_nonzero_weights",
) -> _Tensor:
    """Huber loss: half the square of small errors, and of those above ``delta`` a straight line."""

def log_loss(
    labels: _TensorLike,
    predictions: _TensorLike,
    weights: _TensorLike = 1.0,
    epsilon: float = 1e-07,
    scope: str | None = None,
    loss_collection: str | None = "losses",
    reduction: str = "weighted_sum_by_nonzero_weights",
) -> _Tensor:
    """Log loss: the cross entropy of probabilities, minus the logarithm of that of the label."""

def mean_pairwise_squared_error(
    labels: _TensorLike,
    predictions: _TensorLike,
    weights: _TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = "losses",
) -> _Tensor:
    """How far differences between the elements of an example are off: what an error common to all adds nothing to."""

def mean_squared_error(
    labels: _TensorLike,
    predictions: _TensorLike,
    weights: _TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = "losses",
    reduction: str = "weighted_sum_by_nonzero_weights",
) -> _Tensor:
    """Mean squared error. Arguments and errors as for :func:`absolute_difference`."""

def sigmoid_cross_entropy(
    multi_class_labels: _TensorLike,
    logits: _TensorLike,
    weights: _TensorLike = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: str | None = "losses",
    reduction: str = "weighted_sum_by_nonzero_weights",
) -> _Tensor:
    """The cross entropy of scores for classes that do not exclude each other."""

def softmax_cross_entropy(
    onehot_labels: _TensorLike,
    logits: _TensorLike,
    weights: _TensorLike = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: str | None = "losses",
    reduction: str = "weighted_sum_by_nonzero_weights",
) -> _Tensor:
    """The cross entropy of scores for classes of which one is right."""

def sparse_softmax_cross_entropy(
    labels: _TensorLike,
    logits: _TensorLike,
    weights: _TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = "losses",
    reduction: str = "weighted_sum_by_nonzero_weights",
) -> _Tensor:
    """The cross entropy of scores for classes of which one is right, given by its number."""
