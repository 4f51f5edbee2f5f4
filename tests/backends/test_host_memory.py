"""Freed memory is kept for the next arrays, up to a limit, and nobody ever sees it."""

from __future__ import annotations

import os
import subprocess
import sys
from threading import Thread

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.backends import NUMPY
from tapeviz.backends.cupy_backend import CupyBackend
from tapeviz.backends.host_memory import CHOICE, c_library, give_back, keep_freed
from tests.backends.imitation import Cupy, Cupyx
from tests.engine.strict_gpu import standing_in

MIB = 2**20
LARGE = 12 * MIB  # float32 numbers: 48 MiB, which glibc by itself never keeps
# A process says what it holds, and how many pages it was given, after large results have come and gone.
PROGRAM = f"""
import resource
import tapeviz as tf

def held():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize() / 2**20

def given():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

def work(parts=4):
    return [float(tf.reduce_max(part)) for part in [x + float(number) for number in range(parts)]]

x = tf.ones([{LARGE}])
work()
pages, before = given(), held()
for _ in range(5):
    work()
pages = given() - pages
"""


class CLibrary:
    """A C library that writes down what it is told, and may be an old one."""

    def __init__(self, most=2**31):
        self.most = most
        self.told = []
        self.trimmed = 0

    def mallopt(self, name, value):
        self.told.append((name, value))
        return int(name != -3 or value <= self.most)

    def malloc_trim(self, _pad):
        self.trimmed += 1


def said_by(program, **environment):
    """Return the numbers that a process prints whose allocator nobody else has told anything."""
    inherited = {name: value for name, value in os.environ.items() if "MALLOC" not in name.upper()}
    inherited.pop(CHOICE, None)
    command = [sys.executable, "-c", PROGRAM + program]
    done = subprocess.run(command, env={**inherited, **environment}, capture_output=True, text=True, check=True)
    return [float(word) for word in done.stdout.split()]


def test_large_results_get_the_memory_of_those_before_them():
    pages, held, base = said_by("print(pages, held(), before)")
    # Cleared one by one, 20 results of 48 MiB would be 245,760 small pages, or 480 huge ones.
    assert pages < 100
    assert held <= base + 60  # of memory that is there already, nothing is taken anew


@pytest.mark.parametrize(
    ("name", "value"), [(CHOICE, "0"), (CHOICE, "16"), ("MALLOC_TRIM_THRESHOLD_", "1000000"), ("MALLOC_TOP_PAD_", "1")]
)
def test_what_is_beyond_the_limit_goes_back_at_once(name, value):
    """The limit may be 0, or less than a result; and what the user has told the C library itself counts."""
    pages, held = said_by("print(pages, held() - before)", **{name: value})
    assert pages > 400
    assert abs(held) < 40


def test_the_limit_is_for_what_is_free_together():
    held, first = said_by("y = work(8)\nprint(held(), before)", **{CHOICE: "100"})
    assert held < first + 110


def test_all_of_it_can_be_given_back():
    kept, after = said_by("kept = held()\ntf.config.experimental.free_unused_memory()\nprint(kept, held())")
    assert kept - after > 3 * 48


def test_a_long_run_with_many_sizes_needs_no_more_and_more():
    """Freed memory that is cut up by what lives on: half of the sizes are new in every round."""
    program = """
import random
choose, alive = random.Random(1), []

def rounds(count):
    for _ in range(count):
        alive.append(tf.ones([choose.randrange(2**18, 2**23)]) * 2.0)
        if len(alive) > 8:
            del alive[choose.randrange(8)]

rounds(300)
middle = held()
rounds(1200)
print(middle, held())
"""
    middle, end = said_by(program)
    assert end < 1.5 * middle


def test_what_still_has_a_view_is_not_written_over():
    x = tf.range(float(LARGE // 4))
    first = x * 2.0
    view, flat = first.numpy()[::1000], tf.reshape(first, [4, -1])
    expected, memory = view.copy(), memoryview(first.numpy())
    del first
    for number in range(6):
        x + float(number)
    np.testing.assert_array_equal(view, expected)
    np.testing.assert_array_equal(flat.numpy().reshape(-1)[::1000], expected)
    np.testing.assert_array_equal(np.asarray(memory)[::1000], expected)


def test_what_the_recorder_keeps_stays():
    """It computes statistics after the program has let go of the tensors, and others may have come since."""
    x = tf.ones([LARGE // 6])
    with tf.record(values="stats") as tape:
        for number in range(6):
            x * float(number)
    assert {0.0, 1.0, 2.0, 3.0, 4.0, 5.0} <= set(tape.recording.stats.mean)


def test_ops_that_fail_and_are_interrupted_leave_nothing_behind():
    program = """
import signal

def stopped(*_):
    raise KeyboardInterrupt

signal.signal(signal.SIGALRM, stopped)
interrupted = failed = 0
before = held()
for number in range(40):
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.002 + 0.001 * number)
        while True:
            work(2)
    except KeyboardInterrupt:
        interrupted += 1
    try:
        (x * 2.0) @ (x * 3.0)
    except tf.errors.InvalidArgumentError:
        failed += 1
print(interrupted, failed, held() - before)
"""
    interrupted, failed, grown = said_by(program)
    assert (interrupted, failed) == (40, 40)
    assert grown < 2 * 48


def test_threads_have_memory_of_their_own():
    wrong = []

    def work(number):
        for step in range(10):
            y = tf.fill([LARGE // 12], float(number)) + float(step)
            z = y * 2.0
            if not (z.numpy() == 2.0 * (number + step)).all():
                wrong.append((number, step))

    threads = [Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_quarter_of_the_machine_is_kept_or_what_the_environment_says():
    quarter = min(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 4, 2**31 - 1)
    for said, limit in (("", quarter), ("many", quarter), ("100", 100 * MIB), ("9999999", 2**31 - 1)):
        library = CLibrary()
        assert keep_freed(library, {CHOICE: said}) == limit
        assert library.told == [(-3, limit), (-1, limit)]


def test_an_old_library_keeps_smaller_blocks():
    library = CLibrary(most=32 * MIB)
    assert keep_freed(library, {}) > 0
    assert library.told[1] == (-3, 32 * MIB)


@pytest.mark.parametrize(
    "environment",
    [{CHOICE: "0"}, {"MALLOC_MMAP_THRESHOLD_": "1"}, {"MALLOC_MMAP_MAX_": "0"},
     {"GLIBC_TUNABLES": "glibc.malloc.trim_threshold=1"}],
)  # fmt: skip
def test_a_library_that_has_been_told_is_left_alone(environment):
    library = CLibrary()
    assert keep_freed(library, environment) == 0
    assert library.told == []


def test_another_library_is_left_alone(monkeypatch):
    assert keep_freed(None, {}) == 0
    give_back(None)
    monkeypatch.setattr(sys, "platform", "darwin")
    assert c_library() is None


def test_memory_of_every_device_is_given_back(monkeypatch):
    pool = type("Pool", (), {"used_bytes": int, "total_bytes": int, "emptied": 0})()

    def empty():
        pool.emptied += 1

    pool.free_all_blocks = empty
    monkeypatch.setitem(sys.modules, "cupy", Cupy(pool))
    monkeypatch.setitem(sys.modules, "cupyx", Cupyx())
    library = CLibrary()
    monkeypatch.setattr(NUMPY, "_library", library)
    with standing_in(CupyBackend()):
        tf.config.experimental.free_unused_memory()
    assert (pool.emptied, library.trimmed) == (1, 1)
