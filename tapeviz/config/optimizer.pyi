# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.graphs.native.compile_policy import get_jit, set_jit

__all__ = ["get_jit", "set_jit"]
