"""Tapes, observers, scopes and devices belong to the thread that turned them on."""

from __future__ import annotations

import threading

import numpy as np

import tapeviz as tf
from tapeviz.engine.state import active, local, observing


def in_thread(function):
    """Run ``function`` in a thread of its own; return its result or raise its error."""
    results, errors = [], []

    def run():
        try:
            results.append(function())
        except BaseException as error:  # noqa: BLE001 - raised again by the caller
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]


def test_a_tape_sees_only_its_own_thread():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        elsewhere = in_thread(lambda: y * x)
    assert tape.gradient(elsewhere, x) is None


def test_a_thread_has_tapes_of_its_own():
    x = tf.constant(3.0)

    def slope():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x * x
        return tape.gradient(y, x).numpy()

    with tf.GradientTape() as outer:
        outer.watch(x)
        y = x * x
        assert in_thread(slope) == 27.0
    assert outer.gradient(y, x).numpy() == 6.0


def test_an_observer_sees_only_its_own_thread():
    class Counter:
        on_addend = None
        ops = 0

        def on_binary_op(self, *_args):
            self.ops += 1

        def __getattr__(self, _name):
            return lambda *_args: None

    counter = Counter()
    x = tf.constant(3.0)
    with observing(counter):
        tf.add(x, x)
        in_thread(lambda: tf.add(x, x))
    assert counter.ops == 1


def test_a_name_scope_is_the_threads_own():
    with tf.name_scope("here"):
        assert in_thread(lambda: tf.Variable(1.0, name="v").name) == "v:0"


def test_many_threads_train_at_once():
    def train(seed):
        rng = np.random.default_rng(seed)
        w = tf.Variable(rng.normal(size=(3, 3)))
        for _ in range(20):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.tanh(w @ w))
            w.assign_sub(0.1 * tape.gradient(loss, w))
        return w.numpy()

    alone = [train(seed) for seed in range(4)]
    together = [None] * 4

    def run(seed):
        together[seed] = train(seed)

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one, other)


def test_nothing_stays_on():
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        try:
            with tf.GradientTape():
                tf.reshape(x, [2])
        except tf.errors.InvalidArgumentError:
            pass
    assert local.state.tapes == ()
    assert not active
