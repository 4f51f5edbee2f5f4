# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.train.checkpoint import Checkpoint, CheckpointOptions
from tapeviz.train.checkpoint_reader import checkpoints_iterator, list_variables, load_checkpoint, load_variable
from tapeviz.train.manager import CheckpointManager
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
