"""Several threads record at once, and the settings that are the whole process's are afterwards what they were."""

import gc
import random
import sys
import threading
import warnings
from contextlib import contextmanager

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.process.garbage_collector import paused, relaxed

_THREADS = 8


def settings():
    """What a process has one of, and a recorder might be tempted to change."""
    return {
        "threshold": gc.get_threshold(),
        "enabled": gc.isenabled(),
        "callbacks": list(gc.callbacks),
        "switch interval": sys.getswitchinterval(),
        "recursion limit": sys.getrecursionlimit(),
        "trace": sys.gettrace(),
        "profile": sys.getprofile(),
        "floating-point errors": np.geterr(),
        "warnings": list(warnings.filters),
        "hooks": (sys.excepthook, sys.unraisablehook, threading.excepthook, sys.displayhook),
    }


def recorded_in_threads(work, rounds):
    """Have each of eight threads record, all at once; what they returned and what went wrong."""
    together, results, errors = threading.Barrier(_THREADS), [], []

    def run(number):
        try:
            together.wait()
            results.extend(work(number, turn) for turn in range(rounds))
        except Exception as error:  # noqa: BLE001 - whatever it is, it fails the test
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(_THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results, errors


def test_eight_threads_that_record_at_once_leave_the_process_as_it_was():
    def work(number, turn):
        ops = 20 + 7 * ((number + turn) % 5)
        with tf.record(values=("none", "stats", "all")[number % 3]) as tape:
            y = tf.constant([float(number + 1)])
            for _ in range(ops):
                y = y * 1.0
        return number, ops, tape, float(y[0])

    before = settings()
    results, errors = recorded_in_threads(work, 10)
    assert errors == []
    assert settings() == before
    assert len(results) == 10 * _THREADS
    for number, ops, tape, value in results:
        assert value == number + 1
        names = [tape.recording.ops.name[row] for row in tape.events.op.tolist() if row >= 0]
        assert names.count("multiply") == ops  # its own ops, and nobody else's


def test_traced_functions_that_are_recorded_in_threads_leave_the_process_as_it_was():
    @tf.function
    def double(x):
        return tf.reduce_sum(x * 2.0)

    def work(number, turn):
        with tf.record() as tape:
            value = double(tf.ones([number * 10 + turn + 1]))
        return float(value), 2.0 * (number * 10 + turn + 1), tape

    before = settings()
    results, errors = recorded_in_threads(work, 3)
    assert errors == []
    assert settings() == before
    assert all(value == expected for value, expected, _ in results)


@contextmanager
def threshold(first):
    """Python's collector with another threshold."""
    before = gc.get_threshold()
    gc.set_threshold(first, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def test_a_threshold_that_cannot_be_doubled_is_no_error():
    with threshold(2**31 - 2):
        with tf.record(values="none"):
            tf.ones([2]) + 1.0
        assert gc.get_threshold()[0] == 2**31 - 2


def test_a_threshold_that_the_program_sets_while_it_is_recorded_stays():
    with threshold(1000):
        with tf.record(values="none"):
            gc.set_threshold(777)
        assert gc.get_threshold()[0] == 777


def test_a_collector_that_was_off_stays_off():
    gc.disable()
    try:
        with tf.record(values="none"):
            tf.ones([2]) + 1.0
        assert not gc.isenabled()
    finally:
        gc.enable()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("block", [paused, relaxed])
def test_blocks_that_end_in_any_order_restore_what_was(block, seed):
    drawn = random.Random(seed)
    before = gc.isenabled(), gc.get_threshold()
    under_way = []
    for _ in range(60):
        if under_way and drawn.random() < 0.5:
            under_way.pop(drawn.randrange(len(under_way))).__exit__(None, None, None)
        else:
            entered = block()
            entered.__enter__()
            under_way.append(entered)
        restored = (gc.isenabled(), gc.get_threshold()) == before
        assert restored == (not under_way)
    while under_way:
        under_way.pop().__exit__(None, None, None)
    assert (gc.isenabled(), gc.get_threshold()) == before
