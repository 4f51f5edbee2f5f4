# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.io.examples import (
    BytesList,
    Example,
    Feature,
    FeatureList,
    FeatureLists,
    Features,
    FloatList,
    Int64List,
    SequenceExample,
)
from tapeviz.train.checkpoint import Checkpoint, CheckpointOptions
from tapeviz.train.checkpoint_reader import checkpoints_iterator, list_variables, load_checkpoint, load_variable
from tapeviz.train.manager import CheckpointManager
from tapeviz.train.moving_average import ExponentialMovingAverage
from tapeviz.train.states import get_checkpoint_state, latest_checkpoint

__all__ = [
    "BytesList",
    "Checkpoint",
    "CheckpointManager",
    "CheckpointOptions",
    "Example",
    "ExponentialMovingAverage",
    "Feature",
    "FeatureList",
    "FeatureLists",
    "Features",
    "FloatList",
    "Int64List",
    "SequenceExample",
    "checkpoints_iterator",
    "get_checkpoint_state",
    "latest_checkpoint",
    "list_variables",
    "load_checkpoint",
    "load_variable",
]
