# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.keras.optimizers.legacy import *
from tapeviz.keras.optimizers.legacy import __all__ as __all__
