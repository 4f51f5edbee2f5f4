# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.train.checkpoint import Checkpoint, CheckpointOptions
from tapeviz.train.following import checkpoints_iterator
from tapeviz.train.manager import CheckpointManager
from tapeviz.train.reading import list_variables, load_checkpoint, load_variable
from tapeviz.train.states import get_checkpoint_state, latest_checkpoint

__all__ = [
    "Checkpoint",
    "CheckpointManager",
    "CheckpointOptions",
    "checkpoints_iterator",
    "get_checkpoint_state",
    "latest_checkpoint",
    "list_variables",
    "load_checkpoint",
    "load_variable",
]
