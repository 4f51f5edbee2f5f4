# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.data.experimental import *
from tapeviz.data.experimental import __all__ as __all__
