# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.experimental import dlpack, numpy

__all__ = ["dlpack", "numpy"]
