"""A clock beside the program: now and then the next op is asked to have rows written, however few there are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

__all__ = ["reminding"]


@contextmanager
def reminding(limit: list[int], seconds: float) -> Iterator[None]:
    """A block in which ``limit``, the tensor number from which on to ask, is set to 0 as often as this.

    Ops compare a number with it anyway: a clock that each of them looked at would take longer.
    """
    over = Event()

    def remind() -> None:
        while not over.wait(seconds):
            limit[0] = 0

    thread = Thread(target=remind, name="tapeviz-reminder", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
