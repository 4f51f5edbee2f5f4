# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.keras.floats import epsilon, floatx, set_epsilon, set_floatx
from tapeviz.keras.names import clear_names as clear_session

__all__ = ["clear_session", "epsilon", "floatx", "set_epsilon", "set_floatx"]
