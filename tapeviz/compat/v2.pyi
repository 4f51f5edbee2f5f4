# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz import *
from tapeviz import __all__ as __all__
