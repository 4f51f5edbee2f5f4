# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.autodiff import ForwardAccumulator, GradientTape

__all__ = ["ForwardAccumulator", "GradientTape"]
