"""How much memory Python has in use."""

import gc
import tracemalloc

from tapeviz.process.background import wait_for_all

__all__ = ["memory_in_use"]


def memory_in_use() -> int:
    """Bytes that tracemalloc knows of. What compiles beside the program ends first: its modules and code stay."""
    wait_for_all()
    gc.collect()
    return tracemalloc.get_traced_memory()[0]
