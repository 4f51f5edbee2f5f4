# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.ragged import constant, map_flat_values, stack

__all__ = ["constant", "map_flat_values", "stack"]
