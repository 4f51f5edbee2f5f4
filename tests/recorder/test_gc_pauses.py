"""The collector's runs are seen, and an interrupt that arrives meanwhile is not lost."""

import gc
import signal
import subprocess
import sys
import threading
import time

import pytest

from tapeviz.recording.rows.gc_pauses import Pauses


@pytest.mark.slow
def test_each_run_has_its_beginning_and_its_end():
    pauses = Pauses()
    pauses.begin()
    before = time.perf_counter()
    gc.collect()
    gc.collect()
    after = time.perf_counter()
    pauses.end()
    gc.collect()
    (first, second) = pauses.take()
    assert before <= first[0] <= first[1] <= second[0] <= second[1] <= after
    assert pauses.take() == []


# Nearly all of its time goes to the collector.
PROGRAM = """
import gc, signal
import tapeviz as tf
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell's job in the background does not have
held = [[] for _ in range(300_000)]
x = tf.constant(1.0)
with tf.record(values="none"):
    print("going", flush=True)
    while True:
        x + 1.0
        gc.collect()
"""


@pytest.mark.slow
def test_an_interrupt_ends_a_loop_that_collects_all_the_time():
    for _ in range(3):
        process = subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            assert process.stdout.readline() == b"going\n"
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
        finally:
            process.kill()
        assert b"KeyboardInterrupt" in err
        assert b"ignored" not in err


def test_pauses_that_come_while_they_are_taken_are_of_the_next_time():
    pauses, done = Pauses(), threading.Event()

    def collect():
        while not done.is_set():
            gc.collect(0)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    other = threading.Thread(target=collect)
    pauses.begin()
    try:
        other.start()
        found = [pause for _ in range(20_000) for pause in pauses.take()]
    finally:
        done.set()
        other.join()
        sys.setswitchinterval(before)
        pauses.end()
    found += pauses.take()
    assert len(found) == pauses.count
    assert all(start <= stop for start, stop in found)
    assert found == sorted(found)


def test_a_run_that_another_thread_was_in_when_the_recording_began_is_left_out():
    pauses = Pauses()
    pauses._callback("stop", {})
    assert pauses.take() == []
    pauses._callback("stop", {})
    pauses._callback("start", {})
    pauses._callback("stop", {})
    pauses._callback("start", {})
    ((began, ended),) = pauses.take()
    assert began <= ended
    pauses._callback("stop", {})
    assert len(pauses.take()) == 1
    pauses._callback("stop", {})
    pauses.cut(0.0)
    assert pauses.take() == []
