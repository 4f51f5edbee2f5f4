"""Threads of pipelines: errors come where they belong, order stays, and no thread is left."""

import gc
import threading
import time

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.data import workers

D = tf.data.Dataset
INT = tf.TensorSpec([], tf.int32)


def left():
    return [thread for thread in threading.enumerate() if thread.name == workers.NAME]


def none_left(seconds=5.0):
    """Whether the threads of pipelines end."""
    until = time.monotonic() + seconds
    while left() and time.monotonic() < until:
        time.sleep(0.01)
    return not left()


@pytest.fixture(autouse=True)
def without_threads():
    yield
    gc.collect()
    assert none_left()


def counted(most, closed=None, error=None, at=None):
    def generator():
        try:
            for k in range(most):
                if k == at:
                    raise error
                yield k
        finally:
            if closed is not None:
                closed.set()

    return D.from_generator(generator, output_signature=INT)


def test_elements_are_made_ready_ahead():
    made = []

    def generator():
        for k in range(10):
            made.append(k)
            yield k

    iterator = iter(D.from_generator(generator, output_signature=INT).prefetch(3))
    assert next(iterator).numpy() == 0
    until = time.monotonic() + 5
    while len(made) < 4 and time.monotonic() < until:
        time.sleep(0.005)
    time.sleep(0.05)
    assert made == [0, 1, 2, 3]  # one taken, three ready
    assert [x.numpy() for x in iterator] == list(range(1, 10))


def test_the_thread_ends_with_its_iterator():
    closed = threading.Event()
    iterator = iter(counted(1_000_000, closed).prefetch(2))
    next(iterator)
    assert left()
    del iterator
    gc.collect()
    assert closed.wait(5)


def test_the_thread_ends_where_a_loop_is_left():
    closed = threading.Event()
    for x in counted(1_000_000, closed).map(lambda v: v + 1).batch(2).prefetch(2):
        assert x.numpy().tolist() == [1, 2]
        break
    gc.collect()
    assert closed.wait(5)


def test_no_thread_waits_for_an_iterator_that_is_kept_but_not_asked():
    iterator = iter(counted(100).prefetch(2))  # as a traceback keeps it
    next(iterator)
    assert none_left()
    assert [x.numpy() for x in iterator] == list(range(1, 100))  # and it goes on all the same


def test_an_interrupt_in_the_users_loop_leaves_no_thread():
    closed = threading.Event()
    iterator = iter(counted(1_000_000, closed).prefetch(2))
    with pytest.raises(KeyboardInterrupt) as kept:  # noqa: PT012 - the loop is what is interrupted
        for _ in iterator:
            raise KeyboardInterrupt
    assert none_left()
    assert kept.value is not None
    del iterator, kept, _
    gc.collect()
    assert closed.wait(5)


@pytest.mark.parametrize("threads", [False, True])
def test_an_interrupt_while_an_element_is_made_is_no_end(threads):
    def generator():
        yield 1
        raise KeyboardInterrupt

    dataset = D.from_generator(generator, output_signature=INT)
    iterator = iter(dataset.prefetch(1) if threads else dataset)
    assert next(iterator).numpy() == 1
    with pytest.raises(KeyboardInterrupt):
        next(iterator)
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"interrupted \(KeyboardInterrupt\)"):
        next(iterator)


@pytest.mark.parametrize("change", [lambda d: d, lambda d: d.prefetch(4), lambda d: d.prefetch(1).prefetch(2)])
def test_an_error_comes_after_the_elements_before_it_and_stays(change):
    iterator = iter(change(counted(9, error=ValueError("broken file"), at=3)))
    found = []
    with pytest.raises(tf.errors.InvalidArgumentError, match="ValueError: broken file") as caught:  # noqa: PT012
        while True:
            found.append(next(iterator).numpy())
    assert found == [0, 1, 2]
    assert isinstance(caught.value.__cause__, ValueError)
    with pytest.raises(tf.errors.InvalidArgumentError, match="broken file"):  # which is no end of the data
        next(iterator)


def test_parallel_calls_keep_the_order_and_overlap():
    together = threading.Barrier(2, timeout=10)

    def slow(x):
        together.wait()  # would break if one waited for the other
        if int(x) % 2 == 0:
            time.sleep(0.01)
        return x

    dataset = D.range(8).map(lambda x: tf.py_function(slow, [x], tf.int64), num_parallel_calls=2)
    assert [x.numpy() for x in dataset] == list(range(8))


def test_an_error_in_a_parallel_call_comes_in_its_place():
    def failing(x):
        if int(x) == 3:
            raise ValueError("three")
        return x

    iterator = iter(D.range(8).map(lambda x: tf.py_function(failing, [x], tf.int64), num_parallel_calls=4))
    assert [next(iterator).numpy() for _ in range(3)] == [0, 1, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="three"):
        next(iterator)


def test_threads_of_interleave_end_too():
    dataset = D.range(50).interleave(lambda x: D.from_tensors(x).repeat(5), 4, 2, num_parallel_calls=4)
    plain = D.range(50).interleave(lambda x: D.from_tensors(x).repeat(5), 4, 2)
    assert list(dataset.as_numpy_iterator()) == list(plain.as_numpy_iterator())
    iterator = iter(dataset)
    next(iterator)
    del iterator


def test_an_iterator_can_be_used_by_several_threads():
    iterator = iter(D.range(2000).batch(4))
    found = []

    def take():
        found.extend(batch.numpy() for batch in iterator)

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(np.concatenate(found).tolist()) == list(range(2000))


def test_many_iterators_begun_and_left():
    for _ in range(100):
        next(iter(D.range(1000).map(lambda x: x).shuffle(10).batch(4).prefetch(2)))
    gc.collect()
    assert none_left()
