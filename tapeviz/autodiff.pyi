# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.engine.forward import ForwardAccumulator
from tapeviz.engine.tape import GradientTape

__all__ = ["ForwardAccumulator", "GradientTape"]
