"""Numbers that stand for datasets and iterators in graphs, whose tensors are arrays."""

from __future__ import annotations

import itertools
import threading
import weakref
from typing import Any, Final

import numpy as np

from tapeviz.engine.errors import FailedPreconditionError

__all__ = ["behind", "handle_of"]

_known: Final[weakref.WeakValueDictionary[int, Any]] = weakref.WeakValueDictionary()
_numbers: Final[weakref.WeakKeyDictionary[Any, int]] = weakref.WeakKeyDictionary()
_next: Final = itertools.count(1).__next__
_lock: Final = threading.Lock()


def handle_of(thing: Any) -> np.ndarray:
    """The number of a dataset's last step, or of an iterator. It does not keep it alive."""
    with _lock:
        number = _numbers.get(thing)
        if number is None:
            number = _numbers[thing] = _next()
            _known[number] = thing
    return np.array(number, np.int64)


def behind(handle: Any) -> Any:
    """What has this number.

    Raises:
        FailedPreconditionError: it is gone.
    """
    found = _known.get(int(handle))
    if found is None:
        raise FailedPreconditionError(
            "the dataset or iterator no longer exists: keep a reference to it while a function iterates over it"
        )
    return found
