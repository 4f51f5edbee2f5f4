# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.signal import *
from tapeviz.signal import __all__ as __all__
