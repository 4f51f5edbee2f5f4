"""The client's end of the links: sums, who has left, who has died, whose clock is ahead."""

import threading
import time
from contextlib import contextmanager
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client

import numpy as np
import pytest

from tapeviz.distribute import hub as hub_module
from tapeviz.distribute.hub import Hub, answered


def _joined(hub, rank):
    link = Client(hub.address, authkey=hub.key)
    link.send(rank)
    answered(link)
    return link


@contextmanager
def _links(count):
    """A hub, and the replicas' ends of its links."""
    hub, links = Hub(count), {}
    threads = [
        threading.Thread(target=lambda rank=rank: links.update({rank: _joined(hub, rank)})) for rank in range(count)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    hub.start()
    try:
        yield hub, [links[rank] for rank in range(count)]
    finally:
        hub.close()
        for link in links.values():
            link.close()


def _wait_for(truth):
    end = time.monotonic() + 30
    while not truth():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize(("reduce", "expected"), [("sum", [4, 6]), ("mean", [2, 3])])
def test_arrays_are_added_and_all_get_the_same(reduce, expected):
    with _links(2) as (_, (first, second)):
        second.send((np.array([3, 4], "f4"), reduce))
        first.send((np.array([1, 2], "f4"), reduce))
        for place, link in enumerate((first, second)):
            total, rank, size = link.recv()
            assert (total.tolist(), total.dtype, rank, size) == (expected, np.float32, place, 2)


def test_who_has_died_is_left_out_and_the_others_move_up():
    with _links(3) as (hub, (first, second, third)):
        for link in (first, third):
            link.send((np.ones(1), "sum"))
        second.close()
        for place, link in enumerate((first, third)):
            total, rank, size = link.recv()
            assert (total.tolist(), rank, size) == ([2.0], place, 2)
        assert (hub.lost, hub.ranks) == ([1], [0, 2])


def test_who_waits_for_one_that_has_left_is_told_so_and_the_next_program_has_all():
    with _links(2) as (_, (first, second)):
        second.send(None)
        first.send((np.ones(1), "sum"))
        assert first.recv() == "rank 1 has left the program while rank 0 waits for it in an all_reduce"
        first.send(None)
        for link in (first, second):
            link.send((np.ones(1), "sum"))
        assert first.recv()[0] == second.recv()[0] == 2.0


def test_arrays_of_different_shapes_are_refused():
    with _links(2) as (_, (first, second)):
        first.send((np.ones(1), "sum"))
        second.send((np.ones(2), "sum"))
        assert first.recv() == "the ranks' arrays are not alike: {0: 'float64 [1]', 1: 'float64 [2]'}"


def test_clocks_are_measured_to_half_the_smallest_round_trip(monkeypatch):
    late = 5_000_000_000
    now = time.time_ns

    def of_thread():
        name = threading.current_thread().name
        return now() + (late if name == "late" else 0)

    monkeypatch.setattr(hub_module.time, "time_ns", of_thread)
    hub = Hub(1)
    replica = threading.Thread(target=lambda: _joined(hub, 0), name="late")
    replica.start()
    replica.join()
    hub.start()
    clock = hub.clocks[0]
    hub.close()
    assert abs(clock.ahead - 5.0) <= clock.residual < 1.0


def test_nobody_joins_without_the_key():
    hub = Hub(1)
    with pytest.raises(AuthenticationError):
        Client(hub.address, authkey=b"another")
    link = _joined(hub, 0)
    hub.start()
    assert (hub.address[0], hub.ranks) == ("127.0.0.1", [0])
    hub.close()
    link.close()


def test_the_thread_ends_with_the_links():
    with _links(1) as (hub, (link,)):
        link.close()
        _wait_for(lambda: not hub.ranks)
