"""``tf.train``: training, saving, clusters."""

from __future__ import annotations

from typing import Any

from tapeviz.compat.v1.graph.absent_names import absent
from tapeviz.namespace import Namespace

_names = Namespace(
    __name__,
    {
        "tapeviz.compat.v1.session.cluster": "ClusterDef ClusterSpec JobDef Server ServerDef",
        "tapeviz.compat.v1.train.optimizer": (
            "GradientDescentOptimizer Optimizer create_global_step get_global_step get_or_create_global_step"
        ),
        "tapeviz.compat.v1.train.checkpoint": "Checkpoint",
        "tapeviz.compat.v1.train.saver": "Saver",
        "tapeviz.compat.v1.train.learning_rate_decay": (
            "cosine_decay cosine_decay_restarts exponential_decay inverse_time_decay natural_exp_decay "
            "piecewise_constant piecewise_constant_decay polynomial_decay"
        ),
        "tapeviz.compat.v1.train.slot_optimizers": (
            "AdadeltaOptimizer AdagradOptimizer AdamOptimizer FtrlOptimizer MomentumOptimizer "
            "ProximalAdagradOptimizer ProximalGradientDescentOptimizer RMSPropOptimizer"
        ),
        "tapeviz.summary.records": "summary_iterator=events",
        "tapeviz.train.checkpoint": "CheckpointOptions",
        "tapeviz.train.files": "checkpoint_exists",
        "tapeviz.train.following": "checkpoints_iterator",
        "tapeviz.train.manager": "CheckpointManager",
        "tapeviz.train.reading": "NewCheckpointReader=load_checkpoint list_variables load_checkpoint load_variable",
        "tapeviz.train.states": "get_checkpoint_state latest_checkpoint",
    },
)
__all__ = list(_names.listed)


def __getattr__(name: str) -> Any:
    if name not in _names.homes:
        raise absent(__name__, name)
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
