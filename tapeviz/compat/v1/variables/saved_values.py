"""Values that were saved for variables which are made later: they begin with them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["saved_value", "saved_values"]

Values = Callable[[str], Any]


class _Here(threading.local):
    """What gives the value that was saved under a name, in this thread."""

    def __init__(self) -> None:
        self.values: Values | None = None


_here = _Here()


@contextmanager
def saved_values(values: Values) -> Iterator[None]:
    """A block in which a variable begins with what ``values`` gives for its name, unless that is None."""
    before, _here.values = _here.values, values
    try:
        yield
    finally:
        _here.values = before


def saved_value(name: str) -> Any:
    """The value that was saved for a variable of that name, without the ``:0``; None where there is none."""
    return None if _here.values is None else _here.values(name.removesuffix(":0"))
