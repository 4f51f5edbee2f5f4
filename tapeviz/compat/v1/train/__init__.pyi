# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.compat.v1.cluster.device_setter import replica_device_setter
from tapeviz.compat.v1.cluster.server import Server, ServerDef
from tapeviz.compat.v1.cluster.spec import ClusterDef, ClusterSpec, JobDef
from tapeviz.compat.v1.train.checkpoint import Checkpoint
from tapeviz.compat.v1.train.learning_rate_decay import (
    cosine_decay,
    cosine_decay_restarts,
    exponential_decay,
    inverse_time_decay,
    natural_exp_decay,
    piecewise_constant,
    piecewise_constant_decay,
    polynomial_decay,
)
from tapeviz.compat.v1.train.moving_average import ExponentialMovingAverage
from tapeviz.compat.v1.train.optimizer import (
    GradientDescentOptimizer,
    Optimizer,
    create_global_step,
    get_global_step,
    get_or_create_global_step,
)
from tapeviz.compat.v1.train.saver import Saver, global_step
from tapeviz.compat.v1.train.slot_optimizers import (
    AdadeltaOptimizer,
    AdagradOptimizer,
    AdamOptimizer,
    FtrlOptimizer,
    MomentumOptimizer,
    ProximalAdagradOptimizer,
    ProximalGradientDescentOptimizer,
    RMSPropOptimizer,
)
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
from tapeviz.summary.records import events as summary_iterator
from tapeviz.train.checkpoint import CheckpointOptions
from tapeviz.train.checkpoint_reader import checkpoints_iterator, list_variables, load_checkpoint, load_variable
from tapeviz.train.checkpoint_reader import load_checkpoint as NewCheckpointReader
from tapeviz.train.files import checkpoint_exists
from tapeviz.train.manager import CheckpointManager
from tapeviz.train.states import get_checkpoint_state, latest_checkpoint

__all__ = [
    "AdadeltaOptimizer",
    "AdagradOptimizer",
    "AdamOptimizer",
    "BytesList",
    "Checkpoint",
    "CheckpointManager",
    "CheckpointOptions",
    "ClusterDef",
    "ClusterSpec",
    "Example",
    "ExponentialMovingAverage",
    "Feature",
    "FeatureList",
    "FeatureLists",
    "Features",
    "FloatList",
    "FtrlOptimizer",
    "GradientDescentOptimizer",
    "Int64List",
    "JobDef",
    "MomentumOptimizer",
    "NewCheckpointReader",
    "Optimizer",
    "ProximalAdagradOptimizer",
    "ProximalGradientDescentOptimizer",
    "RMSPropOptimizer",
    "Saver",
    "SequenceExample",
    "Server",
    "ServerDef",
    "checkpoint_exists",
    "checkpoints_iterator",
    "cosine_decay",
    "cosine_decay_restarts",
    "create_global_step",
    "exponential_decay",
    "get_checkpoint_state",
    "get_global_step",
    "get_or_create_global_step",
    "global_step",
    "inverse_time_decay",
    "latest_checkpoint",
    "list_variables",
    "load_checkpoint",
    "load_variable",
    "natural_exp_decay",
    "piecewise_constant",
    "piecewise_constant_decay",
    "polynomial_decay",
    "replica_device_setter",
    "summary_iterator",
]
