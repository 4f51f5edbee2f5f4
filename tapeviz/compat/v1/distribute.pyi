# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.distribute import MultiWorkerMirroredStrategy, PerReplica, ReduceOp, ReplicaContext, get_replica_context

__all__ = ["MultiWorkerMirroredStrategy", "PerReplica", "ReduceOp", "ReplicaContext", "get_replica_context"]
