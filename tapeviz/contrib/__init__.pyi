# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.contrib import eager

__all__ = ["eager"]
