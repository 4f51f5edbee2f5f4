# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.version import COMPILER_VERSION, GIT_VERSION, GRAPH_DEF_VERSION, VERSION

__all__ = ["COMPILER_VERSION", "GIT_VERSION", "GRAPH_DEF_VERSION", "VERSION"]
