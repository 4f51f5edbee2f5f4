# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.autograph import experimental
from tapeviz.autograph.api import set_verbosity, to_code, to_graph, trace
from tapeviz.autograph.conversion import Conversion, convert
from tapeviz.autograph.experimental import do_not_convert

__all__ = ["Conversion", "convert", "do_not_convert", "experimental", "set_verbosity", "to_code", "to_graph", "trace"]
