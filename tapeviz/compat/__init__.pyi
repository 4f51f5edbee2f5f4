# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.compat import v1

__all__ = ["v1"]
