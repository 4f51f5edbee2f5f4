# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.distribute.one_device import InputContext, MirroredStrategy, OneDeviceStrategy, get_strategy, has_strategy
from tapeviz.distribute.replica_context import ReduceOp, ReplicaContext, get_replica_context
from tapeviz.distribute.strategy import MultiWorkerMirroredStrategy, PerReplica

__all__ = [
    "InputContext",
    "MirroredStrategy",
    "MultiWorkerMirroredStrategy",
    "OneDeviceStrategy",
    "PerReplica",
    "ReduceOp",
    "ReplicaContext",
    "get_replica_context",
    "get_strategy",
    "has_strategy",
]
