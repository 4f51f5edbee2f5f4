"""A training run that is killed again and again while it writes checkpoints, and goes on each time from what is there.

python -m tests.train.interruptions FOLDER COUNT SEED   kill -9 at random moments
python -m tests.train.interruptions FOLDER steps        end at the first, second, ... file system call of a writing
"""

import os
import random
import signal
import sys
import time
from pathlib import Path

import numpy as np

import tapeviz as tf

SIZE = 50_000


class Run:
    """The state of a run: a number of steps, and values that all tell it."""

    def __init__(self, folder):
        self.step = tf.Variable(0, dtype=tf.int64)
        self.values = [tf.Variable(tf.zeros([SIZE])) for _ in range(3)]
        checkpoint = tf.train.Checkpoint(step=self.step, values=self.values)
        self.manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=2)
        restored = self.manager.restore_or_initialize()
        if restored is not None:
            checkpoint.restore(restored).assert_consumed()

    def advance(self):
        """Take a step, and save it."""
        self.step.assign_add(1)
        for value in self.values:
            value.assign(tf.fill([SIZE], tf.cast(self.step, tf.float32)))
        self.manager.save()

    def check(self):
        """Give the number of steps, after a look at all that tells it."""
        step = int(self.step)
        for value in self.values:
            np.testing.assert_array_equal(value.numpy(), np.full(SIZE, step, np.float32))
        return step


def in_child(work):
    """Run in a process of its own; its number."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(1)
    return child


def forever(folder, told):
    """Save without end, and tell each number that is saved."""
    run = Run(folder)
    run.check()
    while True:
        run.advance()
        os.write(told, int(run.step).to_bytes(8, "little"))


def killed_at_random(folder, count, seed):
    """Kill at random moments; give how often that was in the middle of a writing."""
    chance, before, interrupted = random.Random(seed), 0, 0
    for _ in range(count):
        reading, writing = os.pipe()
        child = in_child(lambda told=writing: forever(folder, told))
        os.close(writing)
        said = os.read(reading, 8)  # it has begun
        time.sleep(chance.random() * 0.05)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        while more := os.read(reading, 1 << 16):
            said = (said + more)[-8:]
        os.close(reading)
        step = Run(folder).check()
        last = int.from_bytes(said, "little")
        assert step in {last, last + 1}, f"{step} after {last} was saved"
        assert step > before
        before = step
        names = [path.name for path in Path(folder).iterdir()]
        interrupted += any(".partial" in name for name in names) or len(names) % 2 == 0
    return interrupted


def ended_at_each_step(folder):
    """End at the first call of the file system, the second, ...; give how many there are."""
    step = before = 0
    Run(folder).advance()
    while True:
        step += 1
        child = in_child(lambda last=step: ended(folder, last))
        _, status = os.waitpid(child, 0)
        now = Run(folder).check()
        assert now in {before, before + 1} or step == 1, f"{now} after {before}"
        before = now
        if os.waitstatus_to_exitcode(status) == 0:
            return step


def ended(folder, last):
    """Save once, and end without a word at a call of the file system."""
    run, calls = Run(folder), 0

    def look(event, _arguments):
        nonlocal calls
        calls += event in {"open", "os.listdir", "os.remove", "os.rename"}
        if calls == last:
            os._exit(9)

    sys.addaudithook(look)
    run.advance()
    os._exit(0)


if __name__ == "__main__":
    where, what, *rest = sys.argv[1:]
    Path(where).mkdir(exist_ok=True)
    print(ended_at_each_step(where) if what == "steps" else killed_at_random(where, int(what), int(rest[0])))
