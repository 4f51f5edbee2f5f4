# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.keras.sequences import pad_sequences

__all__ = ["pad_sequences"]
