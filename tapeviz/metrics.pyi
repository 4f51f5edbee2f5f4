# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.keras.metrics import *
from tapeviz.keras.metrics import __all__ as __all__
