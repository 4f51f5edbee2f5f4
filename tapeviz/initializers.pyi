# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.keras.initializers import *
from tapeviz.keras.initializers import __all__ as __all__
