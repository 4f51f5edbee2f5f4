# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.distribute import (
    InputContext,
    MirroredStrategy,
    MultiWorkerMirroredStrategy,
    OneDeviceStrategy,
    PerReplica,
    ReduceOp,
    ReplicaContext,
    get_replica_context,
    get_strategy,
    has_strategy,
)

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
