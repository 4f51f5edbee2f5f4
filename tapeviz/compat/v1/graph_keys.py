"""Collections: lists that a graph keeps under names, so that parts of a program find what other parts made."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["Collections", "GraphKeys"]


class GraphKeys:
    """The usual names of collections."""

    GLOBAL_VARIABLES = "variables"
    VARIABLES = "variables"
    LOCAL_VARIABLES = "local_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    MODEL_VARIABLES = "model_variables"
    METRIC_VARIABLES = "metric_variables"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    REGULARIZATION_LOSSES = "regularization_losses"
    LOSSES = "losses"
    UPDATE_OPS = "update_ops"
    TRAIN_OP = "train_op"
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    READY_OP = "ready_op"
    GLOBAL_STEP = "global_step"
    SUMMARIES = "summaries"
    SUMMARY_OP = "summary_op"
    SAVERS = "savers"
    SAVEABLE_OBJECTS = "saveable_objects"
    WEIGHTS = "weights"
    BIASES = "biases"
    ACTIVATIONS = "activations"
    ASSET_FILEPATHS = "asset_filepaths"
    QUEUE_RUNNERS = "queue_runners"
    TABLE_INITIALIZERS = "table_initializer"
    CONCATENATED_VARIABLES = "concatenated_variables"


class Collections:
    """The lists of one graph."""

    def __init__(self) -> None:
        self.lists: dict[str, list[Any]] = {}

    def add(self, name: str, value: Any) -> None:
        """Add to a list."""
        self.lists.setdefault(name, []).append(value)

    def ref(self, name: str) -> list[Any]:
        """A list, itself."""
        return self.lists.setdefault(name, [])

    def get(self, name: str, scope: str | None) -> list[Any]:
        """A copy of a list, of the items whose names begin with what matches ``scope``."""
        items = list(self.lists.get(name, ()))
        if scope is None:
            return items
        pattern = re.compile(scope)
        return [item for item in items if hasattr(item, "name") and pattern.match(item.name)]
