"""The memory of a device's pool while a program runs there, and that recordings on the host have nothing of it."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.backends import NUMPY
from tapeviz.backends.cupy_backend import CupyBackend
from tapeviz.engine.state import local
from tapeviz.recording import Builder
from tapeviz.recording.rows import memory_pools
from tapeviz.recording.rows.memory_pools import Pools
from tests.backends.imitation import Cupy, Cupyx
from tests.backends.pool import BLOCK, counting
from tests.engine.strict_gpu import StandIn, standing_in

N = 256  # float32 numbers: two blocks


@pytest.fixture(params=["strict", "cupy"])
def gpu(request, monkeypatch):
    """A GPU whose pool counts and is asked after every op: the strict device, or CuPy's imitation."""
    monkeypatch.setattr(memory_pools, "PART", float("inf"))
    with counting() as pool:
        monkeypatch.setitem(sys.modules, "cupy", Cupy(pool))
        monkeypatch.setitem(sys.modules, "cupyx", Cupyx())
        backend = StandIn(pool) if request.param == "strict" else CupyBackend()
        with standing_in(backend):
            yield backend


class Device:
    """A device whose pool has been told what to say, and takes its time for it."""

    name = "GPU:0"

    def __init__(self, clock, sizes):
        self.clock = clock
        self.sizes = sizes

    def pool(self):
        """Return the next size, a millisecond later."""
        self.clock[0] += 1e-3
        return self.sizes.pop(0)


def _rows(sampled):
    builder = Builder()
    sampled.write(builder, lambda _name: 3, lambda t: round(t * 1e9))
    return [(row.device, row.t, row.used, row.total) for row in builder.recording().pools]


def test_a_slow_pool_is_asked_less_often():
    clock = [0.0]
    sampled, device = Pools(lambda: clock[0]), Device(clock, [(1, 8), (2, 8), (3, 8), (4, 8)])
    for t in (0.0, 0.0205, 0.0215, 0.03, 0.043):
        clock[0] = t
        assert sampled.look(device)
    assert _rows(sampled) == [(3, 0, 1, 8), (3, 21_500_000, 2, 8), (3, 43_000_000, 3, 8)]
    sampled.finish()  # whenever that is
    assert _rows(sampled) == [(3, 44_000_000, 4, 8)]
    assert _rows(sampled) == []


def test_only_what_is_new_is_kept():
    clock = [0.0]
    sampled, device = Pools(lambda: clock[0]), Device(clock, [(1, 8), (1, 8), (1, 9), (1, 9)])
    for t in (0, 1, 2):
        clock[0] = t
        sampled.look(device)
    sampled.finish()
    assert _rows(sampled) == [(3, 0, 1, 8), (3, 2_000_000_000, 1, 9)]


def test_a_device_without_a_pool_is_asked_once():
    clock = [0.0]
    sampled, device = Pools(lambda: clock[0]), Device(clock, [None])
    assert not sampled.look(device)
    assert not sampled.look(device)
    sampled.look_again()
    sampled.finish()
    assert _rows(sampled) == []


def test_a_recording_has_the_pools_curve(gpu):
    with tf.device("/gpu:0"):
        x = tf.ones([N])
    before = gpu.pool()[0]
    with tf.record(values="none") as tape:
        y = x * 2.0
        kept = y + 1.0
        del y
        z = kept * 3.0
    r = tape.recording
    assert {r.devices.name[row] for row in r.pools.device} == {"GPU:0"}
    assert (np.diff(r.pools.t) > 0).all()
    # Of each op first its number, which is a block for as long as it runs, then its result. The second's number is
    # where the first's was: nothing new. Before the third's, y has gone.
    assert ((r.pools.used - before) / BLOCK).tolist() == [1, 2 + 1, 4 + 1, 2 + 1, 4 + 1, 4]
    assert (r.pools.used <= r.pools.total).all()
    assert z.numpy()[0] == 9.0


def test_so_has_its_backward_pass(gpu):
    with tf.device("/gpu:0"):
        x = tf.ones([N])
    with tf.record(values="none") as tape:
        with tf.GradientTape() as taped:
            taped.watch(x)
            y = tf.reduce_sum(x * x * x * x)
        before = gpu.pool()[0]
        found = taped.gradient(y, x)
    r = tape.recording
    during = r.pools.t > r.events.t0[r.events.phase == 1].min()
    assert during.sum() >= 3
    assert r.pools.used[during].max() >= before + 2 * BLOCK  # the gradients are in the pool too
    assert found.numpy()[0] == 4.0


@pytest.mark.usefixtures("gpu")
def test_a_recording_that_is_full_asks_no_more():
    with tf.record(values="none", max_ops=4096) as tape, tf.device("/gpu:0"):
        x = tf.ones([N])
        for _ in range(2 * 4096):
            x = x + x
        assert "truncated" in tape.recording.meta_dict()
        known = len(tape.recording.pools)
        held = [x * 2.0 for _ in range(100)]
        assert len(tape.recording.pools) == known
    assert len(held) == 100
    assert len(tape.recording.pools) == known + 1


@pytest.mark.parametrize("values", ["none", "stats", "all"])
def test_a_recording_on_the_host_never_asks(gpu, monkeypatch, values):
    def asked(_self):
        raise AssertionError("the host has no pool")

    monkeypatch.setattr(type(NUMPY), "pool", asked)
    monkeypatch.setattr(type(gpu), "pool", asked)
    with tf.record(values=values) as tape, tf.GradientTape() as taped:
        x = tf.Variable([1.0, 2.0])
        y = tf.reduce_sum(x * x)
        taped.gradient(y, x)
    assert len(tape.recording.pools) == 0


def test_the_host_has_no_pool_and_steps_go_straight_to_the_log(gpu):
    assert NUMPY.pool() is None
    assert NUMPY.memory() == {"current": 0, "peak": 0}
    assert gpu.memory() == dict(zip(("current", "peak"), gpu.pool(), strict=True))
    with tf.record(values="none"):
        recorder = local.state.observer
        tf.constant(1.0) + 1.0
        straight = recorder.packer.backward.log.extend
        assert recorder.on_vjp == straight
        tf.constant(1.0).gpu() + 1.0
        assert recorder.on_vjp != straight
