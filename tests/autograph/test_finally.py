"""``try`` with exits in it: what runs of its ``else`` and its ``finally``."""

import itertools

from tapeviz import autograph
from tests.autograph.test_python import both


def test_an_exit_in_finally_swallows_the_exception():
    def run(x):
        while x > 0:
            x -= 1
            try:
                if x == 5:
                    raise ValueError
            finally:
                if x < 6:
                    break  # noqa: B012
        return x

    converted, conversion = autograph.convert(run)
    assert conversion.reason == "a `finally` that is left by break, continue or return is Python's own"
    assert converted(9) == run(9) == 5


def test_a_try_that_is_left_does_not_run_its_else():
    def run(stop, skip):
        log = []
        for i in range(4):
            try:
                if i == stop:
                    break
                if i == skip:
                    continue
            except ValueError:
                log.append("never")
            else:
                log.append(i)
            finally:
                log.append("finally")
        return log

    original, converted = both(run)
    for stop, skip in itertools.product(range(5), repeat=2):
        assert converted(stop, skip) == original(stop, skip)
