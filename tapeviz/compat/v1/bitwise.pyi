# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.bitwise import bitwise_and, bitwise_or, bitwise_xor, invert, left_shift, right_shift

__all__ = ["bitwise_and", "bitwise_or", "bitwise_xor", "invert", "left_shift", "right_shift"]
