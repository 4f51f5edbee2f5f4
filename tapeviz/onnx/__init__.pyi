# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.onnx.exporter import export

__all__ = ["export"]
