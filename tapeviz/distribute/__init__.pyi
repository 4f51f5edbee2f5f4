# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.distribute.replica_context import ReduceOp, ReplicaContext, get_replica_context
from tapeviz.distribute.strategy import MultiWorkerMirroredStrategy, PerReplica

__all__ = ["MultiWorkerMirroredStrategy", "PerReplica", "ReduceOp", "ReplicaContext", "get_replica_context"]
