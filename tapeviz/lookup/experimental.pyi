# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.ops.array.lookup_tables import MutableHashTable

__all__ = ["MutableHashTable"]
