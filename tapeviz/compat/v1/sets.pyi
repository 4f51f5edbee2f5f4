# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.sets import difference, intersection, size, union

__all__ = ["difference", "intersection", "size", "union"]
