"""How many ops pass between a click and the boundary that does it: counted, never timed."""

import threading

import tapeviz as tf


class Clicks:
    """Asks for a pause from within an op, and counts the ops from there to the boundary."""

    def __init__(self, controls, ops):
        self.controls, self.ops, self.passed = controls, ops, []

    def click_at(self, number):
        begun = self.ops()
        self.controls.request("pause")
        while not self.controls.paused:
            threading.Event().wait(0.0005)
        self.passed.append(self.ops() - begun)
        self.controls.request("resume")
        while self.controls.paused:
            threading.Event().wait(0.0005)
        return number


def test_a_recorded_program_is_held_behind_the_op_that_runs():
    block = tf.record(live=True)
    clicks = Clicks(block.live.controls, lambda: block.live.ops)

    def asked():
        for number in range(60):
            clicks.click_at(number)
        block.live.controls.request("stop")

    clicking = threading.Thread(target=asked, daemon=True)
    x = tf.constant(1.0)
    try:
        with block:
            clicking.start()
            while True:
                x = tf.sin(x)
    except KeyboardInterrupt:
        pass
    clicking.join(20)
    # The op that runs when the click comes; the count may be read before that has been counted.
    assert len(clicks.passed) == 60
    assert sorted(clicks.passed)[54] <= 2


def test_a_click_between_two_ops_lets_no_further_op_pass():
    block = tf.record(live=True)
    seen = []

    def resume():
        while not block.live.controls.paused:
            threading.Event().wait(0.001)
        seen.append(block.live.ops)
        block.live.controls.request("resume")

    with block:
        x = tf.sin(tf.constant(1.0))
        before = block.live.ops
        block.live.controls.request("pause")
        thread = threading.Thread(target=resume, daemon=True)
        thread.start()
        for _ in range(5):
            x = tf.sin(x)
    thread.join(20)
    assert seen == [before + 1]
