"""A recording that is held while it runs: ops are counted, never seconds."""

import threading

import numpy as np
import pytest

import tapeviz as tf
from tests.tape.test_live_strip import network


def held(block, program):
    """Run a program in a block, in a thread of its own, from the first op on paused."""

    def run():
        try:
            with block:
                block.live.controls.request("pause")
                program()
        except KeyboardInterrupt:
            block.interrupted = True

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def settle(live, ops):
    while not (live.controls.paused and live.ops == ops):
        threading.Event().wait(0.001)


@pytest.mark.parametrize("traced", [False, True])
def test_a_boundary_is_an_op(traced):
    def sines():
        x = tf.constant(1.0)
        for _ in range(30):
            x = tf.sin(x)
        return x

    program = tf.function(sines) if traced else sines
    program()
    block = tf.record(live=True)
    thread = held(block, program)
    live = block.live
    settle(live, 1)
    for what, ops in (("step", 2), ("ten", 12), ("step", 13)):
        live.controls.request(what)
        settle(live, ops)
    live.controls.request("stop")
    thread.join(20)
    assert block.interrupted
    assert len(block.tape.query("op:sin")) == 13
    assert block.tape.recording.meta_dict()["stopped"]["type"] == "KeyboardInterrupt"
    assert live.payload()["progress"]["state"] == "stopped by hand"


def test_a_pause_in_a_backward_pass():
    x = tf.constant(0.5)

    def program():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.tanh(tf.tanh(tf.tanh(x)))
        tape.gradient(y, x)

    block = tf.record(live=True)
    thread = held(block, program)
    settle(block.live, 1)
    block.live.controls.request("ten")
    thread.join(20)
    assert block.live.ops >= 6
    assert block.live.payload()["steps"] == 1


def test_backward_passes_are_steps():
    _, _, step = network()
    block = tf.record(live=True)
    with block as tape:
        norms = []
        for _ in range(5):
            _, gradients = step()
            norms.append(np.sqrt(sum(np.sum(g.numpy() ** 2) for g in gradients[:2])))
    strip = block.live._strip.columns
    assert strip.rows == ["first", "last"]
    np.testing.assert_allclose(strip.values("gradient")[0], norms, rtol=1e-5)
    assert len(tape.requests) == 20
    assert block.live.payload()["progress"]["state"] == "done"


def test_a_snapshot_is_the_tape_so_far():
    block = tf.record(live=True)
    with block as tape:
        x = tf.tanh(tf.constant(1.0))
        block.live.controls.request("snapshot")
        x = tf.exp(x)
        tf.sin(x)
    (snapshot,) = block.live.tapes
    assert [len(snapshot.query(f"op:{op}")) for op in ("tanh", "exp", "sin")] == [1, 1, 0]
    assert [len(tape.query(f"op:{op}")) for op in ("tanh", "exp", "sin")] == [1, 1, 1]


def test_a_ring_is_not_shown_from_its_beginning():
    with pytest.raises(ValueError, match="does not go with keep='last'"):
        tf.record(live=True, keep="last", max_ops=10)
