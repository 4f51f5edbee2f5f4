"""Each program of the table gives the same eager, traced and differentiated."""

import pytest

import tapeviz as tf
from tapeviz.autograph.operators.elements import Elements
from tests.autograph.every_program import assert_same, ids, programs, tensors
from tests.autograph.traced_functions import traced


def gradients(function, x, *others):
    """The results, and the gradient of the sum of what is floating among them by the first argument."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        results = function(x, *others)
        floats = [part for part in tf.nest.flatten(results) if tf.is_tensor(part) and part.dtype.is_floating]
        total = tf.add_n([tf.reduce_sum(part) for part in floats])
    return results, tape.gradient(total, x, unconnected_gradients="zero")


@pytest.mark.parametrize("program", programs, ids=ids)
def test_eager_as_traced_as_differentiated(program):
    graph = traced(program.function)
    inside = traced(lambda *given: gradients(program.function, *given))
    for arguments in program.calls:
        given = tensors(program, arguments)
        assert_same(graph(*given), program.function(*given))
        if program.differentiable:
            wanted = gradients(program.function, *given)
            assert_same(gradients(graph, *given), wanted)
            assert_same(inside(*given), wanted)


def test_a_return_that_this_trace_leaves_out():
    def run(x, early):
        for _ in tf.range(3):
            if early:
                return x
            x = x * 2.0
        return x + 1.0

    assert traced(run)(tf.constant(1.0), False).numpy() == 9.0


def test_a_loop_without_iterations_sets_nothing():
    def run(x):
        y = x
        for k in tf.range(0):
            y = y + tf.cast(k, tf.float32)
        return y

    assert traced(run)(tf.constant(1.0)).numpy() == 1.0


def test_what_has_a_hook_is_gone_over_in_the_graph():
    class Squares:
        def __init__(self, n):
            self.n = n

        def _graph_loop(self):
            return Elements(self.n, lambda k: tf.cast(k * k, tf.float32))

    def run(x, n):
        for square in Squares(n):
            if square > 3.0:
                x = x + square
        return x

    assert traced(run)(tf.constant(1.0), tf.constant(4)).numpy() == 14.0


def test_what_happens_once_and_what_in_each_run(capfd):
    seen = []

    def run(x):
        while x < 3:
            seen.append("traced")
            tf.print("ran", x)
            x += 1
        return x

    function = traced(run)
    assert function(tf.constant(0)).numpy() == 3
    assert function(tf.constant(1)).numpy() == 3
    assert seen == ["traced"]
    assert capfd.readouterr().err.split("\n")[:-1] == ["ran 0", "ran 1", "ran 2", "ran 1", "ran 2"]


def test_variables_in_branches_and_loops():
    total, limit = tf.Variable(0.0), tf.Variable(10.0)

    def run(x):
        while total < limit:
            if x > 0:
                total.assign_add(x)
            else:
                total.assign(limit)
        return total.read_value()

    function = traced(run)
    assert function(tf.constant(4.0)).numpy() == 12.0
    total.assign(0.0)
    assert function(tf.constant(-1.0)).numpy() == 10.0
    total.assign(0.0)
    limit.assign(3.0)
    assert function(tf.constant(4.0)).numpy() == 4.0


def test_functions_within_functions_keep_their_own_graphs():
    @tf.function
    def inner(x):
        return x * 2.0 if x > 0 else x

    def run(x):
        for _ in tf.range(2):
            x = inner(x) + 1.0
        return x

    assert traced(run)(tf.constant(1.0)).numpy() == 7.0
    assert inner.experimental_get_tracing_count() == 1


def test_what_a_loop_makes_may_have_another_shape_each_time():
    def grown(n):
        i = 0
        while i < n:
            row = tf.zeros([1, i, 2])
            i += 1
        return row

    assert traced(grown)(tf.constant(4)).shape == (1, 3, 2)
