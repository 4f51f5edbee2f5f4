"""Large arrays a block at a time, on as many threads as there are to be.

What the steps of an op make of one block stays in the processor's cache, where an array for each step would go through
memory. NumPy's functions let other threads run while they compute, so blocks of one array are computed on all cores.

Where a block begins follows from shape and dtype, never from the number of threads or from who is busy: results are the
same to the bit on any number of threads. A thread takes the next block when it is done with one, so that a thread
which the system does not let run holds up nobody. The caller takes part: without other threads it computes all.

Nothing here calls BLAS, which has threads of its own; the two are never busy at once on behalf of one caller.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable
from functools import lru_cache
from queue import SimpleQueue
from typing import Any, Final

import numpy as np

__all__ = [
    "LARGE",
    "are_alike",
    "are_floating",
    "into_blocks",
    "places_of",
    "run_blocks",
    "set_threads",
    "stepwise",
    "threads",
    "ufunc_in_blocks",
]

LARGE: Final = 65_536
"""Elements from which on blocks are worth the questions asked, and several threads what it takes to wake them."""

_BLOCK_BYTES: Final = 1 << 18  # with a few blocks of other arrays beside it, what a core's own cache holds

_LINE: Final = 64  # elements of which each block but the last has a multiple, so that no two write into one cache line
_FLOATS: Final = frozenset(map(np.dtype, (np.float16, np.float32, np.float64)))

Place = slice


class _Pool:
    """Threads that wait for work; started when there is some, as many as the widest job has asked for."""

    def __init__(self) -> None:
        self.queue: SimpleQueue[_Job | None] = SimpleQueue()
        self.threads: list[threading.Thread] = []
        self.lock = threading.Lock()

    def help_with(self, job: _Job, count: int) -> None:
        """Have ``count`` threads look at a job."""
        if len(self.threads) < count:
            with self.lock:
                while len(self.threads) < count:
                    name = f"tapeviz-blocks-{len(self.threads)}"
                    thread = threading.Thread(target=_work, args=(self.queue,), name=name, daemon=True)
                    try:
                        thread.start()
                    except RuntimeError:  # the system gives no more threads, or Python is about to end
                        break
                    self.threads.append(thread)
        for _ in range(count):
            self.queue.put(job)

    def end(self) -> None:
        """Have the threads end, each with the block that it has, and wait for them."""
        with self.lock:
            for _ in self.threads:
                self.queue.put(None)
            for thread in self.threads:
                thread.join()


class _Job:
    """Blocks that are to be computed: which are left, and who has said of one that it is done."""

    __slots__ = ("done", "function", "left")

    def __init__(self, function: Callable[[Place], object], places: Iterable[Place]) -> None:
        self.function = function
        self.left = deque(places)
        self.done: SimpleQueue[BaseException | None] = SimpleQueue()

    def take(self) -> Place | None:
        """A block that nobody has begun."""
        try:
            return self.left.popleft()
        except IndexError:
            return None


def _work(queue: SimpleQueue[_Job | None]) -> None:
    # As around every kernel that can warn, and for ever: the thread is ours.
    np.seterr(all="ignore")
    while (job := queue.get()) is not None:
        while (place := job.take()) is not None:
            try:
                job.function(place)
            except BaseException as error:  # noqa: BLE001 - raised where the job came from
                job.done.put(error)
            else:
                job.done.put(None)
        del job  # and the arrays with it


def _threads_at_first() -> int:
    """As many as the process may use cores, or as OMP_NUM_THREADS says, as for other libraries."""
    said = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if said.isdigit() and int(said):
        return int(said)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_pool = _Pool()
_threads = _threads_at_first()


def _forget_threads() -> _Pool:
    """Begin with new threads; a forked process has none of its parent's, and locks may be held by them."""
    global _pool
    old, _pool = _pool, _Pool()
    return old


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=lambda: _forget_threads().end(), after_in_child=_forget_threads)


def threads() -> int:
    """How many threads work on one op at most, the caller's among them."""
    return _threads


def set_threads(count: int) -> None:
    """Have so many threads at most work on one op; 0 for as many as at first."""
    global _threads  # noqa: PLW0603 - one for the process
    _threads = count or _threads_at_first()


def run_blocks(function: Callable[[Place], object], places: list[Place]) -> None:
    """Call ``function`` for each place, on several threads where that is wanted; its first error is raised.

    What it calls may be NumPy's functions on parts of arrays that no other place has, and nothing that asks which
    thread it is on.
    """
    helpers = min(_threads, len(places)) - 1
    if helpers < 1:
        for each in places:
            function(each)
        return
    job = _Job(function, places)
    _pool.help_with(job, helpers)
    done, failure = 0, None
    try:
        while (place := job.take()) is not None:
            done += 1
            function(place)
    except BaseException as error:  # noqa: BLE001 - raised when nobody writes into the arrays any more
        failure = error
        while job.take() is not None:
            done += 1
    for _ in range(len(places) - done):
        other = job.done.get()
        failure = failure or other
    if failure is not None:
        raise failure


def are_alike(*arrays: Any) -> bool:
    """Whether these are arrays of the host's of one shape, each with its elements one after the other."""
    shape = arrays[0].shape
    return all(array.__class__ is np.ndarray and array.shape == shape and array.flags.c_contiguous for array in arrays)


def are_floating(*arrays: Any) -> bool:
    """Whether all have one dtype, of plain floating-point numbers."""
    dtype = arrays[0].dtype
    return dtype in _FLOATS and all(array.dtype is dtype for array in arrays)


def into_blocks(function: Callable[..., Any], *arrays: Any) -> Any:
    """Call ``function`` with the blocks of arrays that are alike; it writes into the last one, which is returned."""
    result = arrays[-1]
    flat = [array.reshape(-1) for array in arrays]
    run_blocks(lambda place: function(*[array[place] for array in flat]), places_of(result.size, result.itemsize))
    return result


def stepwise(function: Callable[..., Any]) -> Callable[..., Any]:
    """An elementwise function, of large arrays in blocks: what it makes has their shape, and their dtype.

    Among its arguments may be what is no array and the same for all blocks. Where arrays have different shapes or
    dtypes, or are no plain numbers, the function is called as it is.
    """

    def in_blocks(*args: Any, **attrs: Any) -> Any:
        places = [place for place, value in enumerate(args) if value.__class__ is np.ndarray]
        arrays = [args[place] for place in places]
        if not (arrays and are_floating(*arrays) and are_alike(*arrays)):
            return function(*args, **attrs)
        result = np.empty(arrays[0].shape, arrays[0].dtype)

        def compute(*blocks: Any) -> None:
            some = list(args)
            for place, block in zip(places, blocks, strict=False):
                some[place] = block
            blocks[-1][...] = function(*some, **attrs)

        return into_blocks(compute, *arrays, result)

    return in_blocks


def ufunc_in_blocks(ufunc: Callable[..., Any]) -> Callable[..., Any]:
    """A ufunc, of large arrays in blocks; where arrays are not alike it is called as it is."""

    def in_blocks(*arrays: Any) -> Any:
        if not (are_floating(*arrays) and are_alike(*arrays)):
            return ufunc(*arrays)
        return into_blocks(ufunc, *arrays, np.empty(arrays[0].shape, arrays[0].dtype))

    return in_blocks


@lru_cache(maxsize=512)
def places_of(count: int, each: int, most: int = _BLOCK_BYTES) -> list[Place]:
    """Where blocks of about ``most`` bytes lie in ``count`` things of so many bytes each.

    All but the last are equally long, none of them short.
    """
    blocks = max(1, -(-count * each // most))
    step = -(-count // blocks)
    step += -step % min(step, _LINE)
    return [slice(start, min(start + step, count)) for start in range(0, count, step)]
