"""What ``compile(metrics=..., weighted_metrics=...)`` becomes: metrics that belong to outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from tapeviz.engine.scopes import name_scope
from tapeviz.keras.metrics.accuracies import BinaryAccuracy, CategoricalAccuracy, SparseCategoricalAccuracy
from tapeviz.keras.metrics.metric import Metric
from tapeviz.keras.metrics.metric_lookup import get as metric_of
from tapeviz.keras.metrics.reduction import MeanMetricWrapper
from tapeviz.keras.training.outputs import by_output, of_form, output_names, per_output

__all__ = ["CompiledMetrics"]

# What "accuracy" means depends on the targets.
_ACCURACIES: Final = (BinaryAccuracy, SparseCategoricalAccuracy, CategoricalAccuracy)


class CompiledMetrics:
    """The metrics of a model's outputs.

    Args:
        metrics: a list of metrics, their names or functions; for several outputs a list or dict with an entry each.
        weighted_metrics: the same, for those that take the sample weights into account.
        names: the names of the outputs; None where the model does not say.

    Raises:
        ValueError: there is no such metric; when built: metrics and outputs do not agree.
    """

    def __init__(self, metrics: Any, weighted_metrics: Any, names: Sequence[str] | None = None) -> None:
        for argument, given in (("metrics", metrics), ("weighted_metrics", weighted_metrics)):
            if given is not None and not isinstance(given, (list, tuple, dict)):
                raise ValueError(
                    f"Expected `{argument}` argument to be a list, tuple, or dict. Received instead: "
                    f"{argument}={given} of type {type(given)}"
                )
        self._given = metrics, weighted_metrics
        self._model_names = names
        self._names: list[str] = []
        self._plain: list[list[Metric]] = []
        self._weighted: list[list[Metric]] = []
        self._labels: dict[str, Metric] = {}
        self.built: bool = False

    def build(self, y: Any, y_pred: Any) -> None:
        """Make the metrics, now that the forms of targets and outputs are known."""
        self._names = output_names(y_pred, self._model_names)
        targets = by_output(y, self._names, "y") if not isinstance(y, dict) else [y.get(n) for n in self._names]
        outputs = by_output(y_pred, self._names, "y_pred")
        named = isinstance(y_pred, dict) or self._model_names is not None
        made = []
        for argument, given in zip(("metrics", "weighted_metrics"), self._given, strict=True):
            lists = self._lists(given, argument, named=named)
            made.append([[as_metric(one, *pair) for one in found] for found, *pair in
                         zip(lists, targets, outputs, strict=True)])  # fmt: skip
        self._plain, self._weighted = made
        for kinds in made:
            for name, found in zip(self._names, kinds, strict=True):
                for metric in found:
                    self._label(metric.name if len(self._names) == 1 else f"{name}_{metric.name}", metric)
        self.built = True

    def _label(self, name: str, metric: Metric) -> None:
        label, number = name, 1
        while label in self._labels:
            label, number = f"{name}_{number}", number + 1
        self._labels[label] = metric

    def _lists(self, given: Any, argument: str, *, named: bool) -> list[list[Any]]:
        """A list of metrics for each output."""
        if not given:
            return [[] for _ in self._names]
        if len(self._names) == 1:
            flat = list(given.values()) if isinstance(given, dict) else list(given)
            return [[one for item in flat for one in (item if isinstance(item, (list, tuple)) else [item])]]
        found = per_output(given, self._names, argument, named=named)
        return [list(one) if isinstance(one, (list, tuple)) else [] if one is None else [one] for one in found]

    @property
    def metrics(self) -> list[Metric]:
        """All of them."""
        return list(self._labels.values())

    def update_state(self, y: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Take a batch into account."""
        if not self.built:
            self.build(y, y_pred)
        targets = by_output(y, self._names, "y") if not isinstance(y, dict) else [y.get(n) for n in self._names]
        outputs = by_output(y_pred, self._names, "y_pred")
        if isinstance(sample_weight, dict):
            weights = [sample_weight.get(name) for name in self._names]
        elif isinstance(sample_weight, (list, tuple)):
            weights = by_output(sample_weight, self._names, "sample_weight")
        else:
            weights = [sample_weight] * len(self._names)
        for place, (target, output, weight) in enumerate(zip(targets, outputs, weights, strict=True)):
            if target is None:
                continue
            for metric in self._plain[place]:
                with name_scope(metric.name):
                    metric.update_state(target, output)
            for metric in self._weighted[place]:
                with name_scope(metric.name):
                    metric.update_state(target, output, weight)

    def result(self) -> dict[str, Any]:
        """What each has found, by its name: the output's first where there are several."""
        found = {}
        for label, metric in self._labels.items():
            with name_scope(metric.name):
                found[label] = metric.result()
        return found


def as_metric(identifier: Any, y: Any, y_pred: Any) -> Metric:
    """A metric object for a name, a function or a metric; one given by a name has that name.

    Raises:
        ValueError: there is no such metric.
    """
    if isinstance(identifier, str) and identifier.lower() in ("accuracy", "acc"):
        made: Metric = of_form(y, y_pred, *_ACCURACIES)(name=identifier)
        return made
    found = metric_of(identifier)
    if found is None:
        raise ValueError(f"Unable to interpret `metrics` entry: {identifier!r}")
    if not isinstance(found, Metric):
        name = identifier if isinstance(identifier, str) else getattr(found, "__name__", type(found).__name__)
        return MeanMetricWrapper(found, name=name)
    if isinstance(identifier, str):
        found._name = identifier
    return found
