"""Elements made ready by another thread while the one before is used."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from typing import Any, Final

from tapeviz.data.nodes import Element, Node, Run
from tapeviz.data.workers import Workers
from tapeviz.engine.errors import InvalidArgumentError

__all__ = ["PrefetchNode", "ahead"]

AUTOTUNE: Final = -1
_BY_ITSELF: Final = 2


class _Buffer:
    """Elements made ready. One task at a time fills it, and ends when it is full; taking from it begins the next."""

    def __init__(self, source: Iterator[Element], size: int, workers: Workers) -> None:
        self._source = source
        self._size = size
        self._workers = workers
        self._ready: deque[Any] = deque()
        self._changed = threading.Condition()
        self._filling = False
        self._over = False
        self._stopped = False

    def take(self) -> Any:
        """The next pair of element and error; None at the end."""
        with self._changed:
            self._fill()
            while not self._ready:
                if self._over:
                    return None
                self._changed.wait()
            found = self._ready.popleft()
            self._fill()
        return found

    def _fill(self) -> None:
        if not self._filling and not self._over and len(self._ready) < self._size:
            self._filling = True
            self._workers.begin(self._filled)

    def _filled(self) -> None:
        while True:
            element = error = None
            try:
                element = next(self._source, None)
            except BaseException as raised:  # noqa: BLE001 - passed on to who asks
                error = raised
            with self._changed:
                if element is not None or error is not None:
                    self._ready.append((element, error))
                self._over = self._over or element is None or self._stopped
                going = not self._over and len(self._ready) < self._size
                self._filling = going
                stopped = self._stopped
                self._changed.notify_all()
            if not going:
                break
        if stopped:
            self._close()

    def stop(self) -> None:
        """Make no more ready."""
        with self._changed:
            self._stopped = self._over = True
            self._ready.clear()
            filling = self._filling
        if not filling:  # else the task does it
            self._close()

    def _close(self) -> None:
        close = getattr(self._source, "close", None)
        if close is not None:
            close()


def ahead(source: Iterator[Element], size: int, workers: Workers | None = None) -> Iterator[Element]:
    """The elements, up to ``size`` of them made ready before they are asked for. Errors come where they belong."""
    own = workers is None
    used = Workers(1) if workers is None else workers
    buffer = _Buffer(source, size, used)
    del source
    try:
        while (found := buffer.take()) is not None:
            element, error = found
            if error is not None:
                raise error
            yield element
    finally:
        buffer.stop()
        if own:
            used.close()


class PrefetchNode(Node):
    """The elements, made ready by another thread.

    Raises:
        InvalidArgumentError: the number is negative and not AUTOTUNE.
    """

    name = "Prefetch"

    def __init__(self, source: Node, size: int) -> None:
        if size < AUTOTUNE:
            raise InvalidArgumentError(
                "buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning", "PrefetchDataset"
            )
        self.inputs: tuple[Node] = (source,)
        self.spec: Any = source.spec
        self._size = _BY_ITSELF if size == AUTOTUNE else size

    def cardinality(self) -> int:
        """As many as come in."""
        return self.inputs[0].cardinality()

    def open(self, run: Run) -> Iterator[Element]:
        """Give them."""
        elements = self.inputs[0].open(run.input())
        return elements if self.inputs[0].quick or not self._size else ahead(elements, self._size)
