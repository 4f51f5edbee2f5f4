"""Why a function was traced again: all that changed, in the user's words, and nothing advised that is done already."""

import logging

import pytest

import tapeviz as tf


def last(function):
    return tf.retraces(function)[-1]


def test_every_part_of_the_key_that_changed_is_named():
    @tf.function
    def f(x, n):
        return x * n

    f(tf.ones([2]), 1)
    f(tf.ones([3]), 2)
    row = last(f)
    assert "x has another shape" in row.reason
    assert "n is a Python value that changed: 2 instead of 1" in row.reason
    assert [change.argument for change in row.changes] == ["x", "n"]
    assert "reduce_retracing" in row.fix
    assert "tf.constant(2)" in row.fix


def test_shape_and_dtype_are_said_together():
    @tf.function
    def f(x):
        return x

    f(tf.ones([2]))
    f(tf.ones([3], tf.float64))
    assert last(f).reason.startswith("x has another shape and dtype:")
    assert "cast x to one dtype" in last(f).fix


def test_what_is_set_already_is_not_advised():
    @tf.function(reduce_retracing=True)
    def f(x):
        return x + 1.0

    f(tf.ones([2]))
    f(tf.ones([3]))
    assert last(f).fix == ""
    f(tf.ones([3, 1]))
    assert "as many axes" in last(f).fix
    assert "use @tf.function" not in last(f).fix


def test_another_rank_is_not_mended_by_what_leaves_sizes_open():
    @tf.function
    def f(x):
        return x

    f(tf.ones([2]))
    f(tf.ones([2, 2]))
    assert "reduce_retracing" not in last(f).fix
    assert "with None for its shape" in last(f).fix


def test_keywords_have_no_marks():
    @tf.function
    def f(x, *, epoch, **further):
        return x * epoch * len(further)

    f(tf.ones([]), epoch=1)
    f(tf.ones([]), epoch=2, more=1)
    row = last(f)
    assert "*" not in row.reason + row.fix + row.argument
    assert [change.argument for change in row.changes] == ["epoch", "more"]


@pytest.mark.parametrize(("first", "then"), [(True, False), (None, True)])
def test_a_flag_is_not_to_be_made_a_tensor(first, then):
    @tf.function
    def f(x, training):
        return x if training else -x

    f(tf.ones([]), first)
    f(tf.ones([]), then)
    assert "training is a Python value" in last(f).reason
    assert "tf.constant" not in last(f).fix


def test_a_text_is_not_to_be_made_a_tensor():
    @tf.function
    def f(x, kind):
        return x if kind == "a" else -x

    f(tf.ones([]), "a")
    f(tf.ones([]), "b")
    assert "tf.constant" not in last(f).fix


def test_the_argument_whose_structure_changed_is_named():
    @tf.function
    def f(x, parts):
        return x * len(parts)

    f(tf.ones([]), {"a": 1})
    f(tf.ones([]), (1,))
    assert last(f).reason == "parts is a tuple now, and was a dict"
    f(tf.ones([]), [1])
    assert last(f).reason == "parts is a list now, and was a tuple"


def test_nesting_that_changed_is_said_once_with_both_structures():
    @tf.function
    def f(tree, *, options=None):
        return tf.constant(float(len(tf.nest.flatten([tree, options]))))

    f(("a", ("b", "c")), options={"k": [1]})
    f((("a", "b"), ("c", "d")), options={"k": [1]})
    (change,) = last(f).changes
    assert (change.argument, change.before, change.after) == ("tree", "('a', ('b', 'c'))", "(('a', 'b'), ('c', 'd'))")
    assert "always the same" in last(f).fix
    f((("a", "b"), ("c", "d")), options={"k": [1, {"m": 2}], "l": (3, 4)})
    assert last(f).reason == "options has another structure: {'k': [1, {'m': 2}], 'l': (3, 4)} instead of {'k': [1]}"
    f((("a", "b"), ("c",)), options={"k": [1]})
    assert last(f).reason == "tree[1][1] is no longer given"
    f(tuple(map(str, range(40))), options={"k": [1]})
    assert len(last(f).changes[0].after) == 64


def test_a_function_made_anew_as_an_argument_is_said_to_be():
    @tf.function
    def f(x, g):
        return g(x)

    for _ in range(2):
        f(tf.ones([]), lambda value: value + 1.0)
    assert "made anew" in last(f).reason
    assert "__eq__" not in last(f).fix


def warnings_of(caplog, run):
    with caplog.at_level(logging.WARNING, "tapeviz"):
        run()
    return [record.getMessage() for record in caplog.records]


def test_functions_made_anew_for_each_call_are_warned_of(caplog):
    made = []

    def run():
        for _ in range(8):

            @tf.function
            def step(x):
                return x + 1.0

            step(tf.ones([]))
            made.append(step)

    (text,) = warnings_of(caplog, run)
    assert "step is made anew for each call" in text
    assert "make step once, outside of the loop" in text
    assert "one of 8 functions made by the same lines" in repr(tf.retraces(made[-1]))


def test_objects_made_anew_for_each_call_are_warned_of(caplog):
    class Model(tf.Module):
        @tf.function
        def __call__(self, x):
            return x

    def run():
        for _ in range(8):
            Model()(tf.ones([]))

    (text,) = warnings_of(caplog, run)
    assert "the object that __call__ is a method of is made anew" in text


def test_functions_that_are_used_again_are_not_warned_of(caplog):
    def run():
        for _ in range(8):

            @tf.function
            def step(x):
                return x + 1.0

            for _ in range(3):
                step(tf.ones([]))

    assert warnings_of(caplog, run) == []


def test_training_many_models_is_no_retracing(caplog):
    def run():
        for _ in range(7):
            model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
            model.compile("sgd", "mse")
            model.fit(tf.ones([2, 2]), tf.ones([2, 1]), verbose=0)
            model.predict(tf.ones([2, 2]), verbose=0)

    assert warnings_of(caplog, run) == []
