"""``tf.train``: checkpoints."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.namespace import Namespace

_names: Final = Namespace(
    __name__,
    {
        "tapeviz.train.checkpoint": "Checkpoint CheckpointOptions",
        "tapeviz.train.following": "checkpoints_iterator",
        "tapeviz.train.manager": "CheckpointManager",
        "tapeviz.train.reading": "list_variables load_checkpoint load_variable",
        "tapeviz.train.states": "get_checkpoint_state latest_checkpoint",
    },
)
_offered: Final = list(_names.listed)
__all__ = list(_offered)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
