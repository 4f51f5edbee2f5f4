"""What ``compile(loss=..., loss_weights=...)`` becomes: one number out of the outputs and their targets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from tapeviz.engine import nest
from tapeviz.engine.scopes import name_scope
from tapeviz.keras.losses.crossentropy import (
    BinaryCrossentropy,
    CategoricalCrossentropy,
    SparseCategoricalCrossentropy,
)
from tapeviz.keras.losses.loss import Loss, LossFunctionWrapper
from tapeviz.keras.losses.loss_lookup import get as loss_of
from tapeviz.keras.metrics.reduction import Mean
from tapeviz.keras.training.outputs import by_output, of_form, output_names, per_output

__all__ = ["CompiledLoss"]

_CROSSENTROPIES: Final = (BinaryCrossentropy, SparseCategoricalCrossentropy, CategoricalCrossentropy)


class CompiledLoss:
    """The losses of a model's outputs, weighted and added up.

    Args:
        loss: a loss, its name or a function, for all outputs; or a list or dict of them, an output each.
        loss_weights: what each is multiplied with: a list or dict, or a number for a single output.
        names: the names of the outputs; None where the model does not say.

    Raises:
        ValueError: there is no such loss; when called: losses, weights, targets and outputs do not agree.
    """

    def __init__(self, loss: Any, loss_weights: Any = None, names: Sequence[str] | None = None) -> None:
        self._given = loss
        self._given_weights = loss_weights
        self._model_names = names
        self._losses: list[Loss | None] = []
        self._weights: list[float | None] = []
        self._names: list[str] = []
        self.trackers: list[Mean] = []
        self.built: bool = False
        if not isinstance(loss, (list, tuple, dict)):
            as_loss(loss)  # a name that there is not is an error at once
        else:
            for one in nest.flatten(loss):
                as_loss(one)

    def build(self, y: Any, y_pred: Any) -> None:
        """Find out which loss is which output's."""
        self._names = output_names(y_pred, self._model_names)
        named = isinstance(y_pred, dict) or self._model_names is not None
        if isinstance(self._given, (list, tuple, dict)):
            found = per_output(self._given, self._names, "loss", named=named)
            found = [one[0] if isinstance(one, (list, tuple)) else one for one in found]
        else:
            found = [self._given] * len(self._names)
        targets = self._of_outputs(y) if any(map(_depends, found)) else [None] * len(found)
        self._losses = [
            as_loss(one, *pair)
            for one, *pair in zip(found, targets, by_output(y_pred, self._names, "y_pred"), strict=True)
        ]
        weights = self._given_weights
        if weights is None or isinstance(weights, (int, float)):
            self._weights = [weights] * len(self._names)
        else:
            self._weights = per_output(weights, self._names, "loss_weights", named=named)
        several = sum(one is not None for one in self._losses) > 1
        self.trackers = [Mean(name=f"{name}_loss") for name, loss in zip(self._names, self._losses, strict=True)
                         if loss is not None] if several else []  # fmt: skip
        self.built = True

    def __call__(self, y: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """The loss of a batch; None where there are no targets to compare with."""
        if not self.built:
            self.build(y, y_pred)
        outputs = by_output(y_pred, self._names, "y_pred")
        targets = self._targets(y)
        weights = self._sample_weights(sample_weight)
        total: Any = None
        trackers = iter(self.trackers)
        for loss, target, output, weight, factor in zip(
            self._losses, targets, outputs, weights, self._weights, strict=True
        ):
            if loss is None:
                continue
            value = loss(target, output, weight)
            if self.trackers:
                tracker = next(trackers)
                with name_scope(tracker.name):
                    tracker.update_state(value)
            value = value if factor is None else value * factor
            total = value if total is None else total + value
        return total

    def _targets(self, y: Any) -> list[Any]:
        if isinstance(y, dict):
            by_output(y, [n for n, loss in zip(self._names, self._losses, strict=True) if loss is not None], "y")
        return self._of_outputs(y)

    def _of_outputs(self, y: Any) -> list[Any]:
        if isinstance(y, dict):
            return [y.get(name) for name in self._names]
        return by_output([y] if len(self._names) == 1 and not isinstance(y, (list, tuple)) else y, self._names, "y")

    def _sample_weights(self, given: Any) -> list[Any]:
        """Those of each output; one tensor of weights serves all."""
        if isinstance(given, dict):
            return [given.get(name) for name in self._names]
        if isinstance(given, (list, tuple)):
            return by_output(given, self._names, "sample_weight")
        return [given] * len(self._names)


def _depends(identifier: Any) -> bool:
    """Whether what is meant depends on the targets."""
    return isinstance(identifier, str) and identifier.lower() in ("crossentropy", "ce")


def as_loss(identifier: Any, y: Any = None, y_pred: Any = None) -> Loss | None:
    """A loss object for a name, a function or a loss; None for None.

    Raises:
        ValueError: there is no such loss.
    """
    if _depends(identifier):
        made: Loss | None = None if y_pred is None else of_form(y, y_pred, *_CROSSENTROPIES)()
        return made
    found = loss_of(identifier)
    if found is None or isinstance(found, Loss):
        return found
    return LossFunctionWrapper(found, name=getattr(found, "__name__", None))
