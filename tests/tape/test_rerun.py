"""A recorded program that runs again."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz as tf
import tapeviz.compat.v1 as tf1
from tests.zoo.models import ZOO
from tests.zoo.ways import WAYS


def same(tape, again):
    """Check that two tapes are of the same ops with the same contents, to the bit."""
    found = tf.diff(tape, again)
    assert len(found) > 0
    assert {row.what for row in found} == {"equal"}
    assert {row.basis for row in found} == {"values"}


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ZOO)
def test_a_training_step_again_is_the_same_step(name, way):
    tf.random.set_seed(0)
    step = WAYS[way](ZOO[name]())
    step()
    with tf.record(values="inputs", budget="256M") as tape:
        step()
        step()
    again = tape.rerun()
    step()  # the model goes on from where it was
    same(tape, again)
    same(tape, tape.rerun())


def test_a_value_replaced_is_the_program_with_that_value():
    w, b = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="w"), tf.Variable([0.5, -1.0], name="b")

    def program(x, h=None, start=None):
        if start is not None:
            w.assign(start)
        with tf.GradientTape() as g:
            hidden = tf.nn.relu(x @ w + b) if h is None else tf.constant(h)
            loss = tf.reduce_sum(hidden * w)
        return loss, g.gradient(loss, [w, b])

    with tf.record(values="inputs") as tape:
        x = tf.constant([[1.0, -2.0], [0.5, 1.0]])
        with tf.GradientTape() as g:
            hidden = tf.nn.relu(x @ w + b)
            loss = tf.reduce_sum(hidden * w)
        dw, db = g.gradient(loss, [w, b])

    assert (dw.shape, db.shape) == ((2, 2), (2,))

    def check(again, expected):
        value, (by_w, by_b) = expected
        np.testing.assert_array_equal(again.value("loss"), value)
        np.testing.assert_array_equal(again.value("dw"), by_w)
        if by_b is not None:
            np.testing.assert_array_equal(again.value("db"), by_b)
        else:
            assert again.requests.gradient[-1] == -1

    other = [[3.0, 1.0], [-1.0, 2.0]]
    assert tape.rerun().value(hidden) is not None
    for key in ("x", tape.number("x")):
        check(tape.rerun({key: other}), program(tf.constant(other)))
    check(tape.rerun([(x, other)]), program(tf.constant(other)))
    check(tape.rerun({"hidden": other}), program(x, h=other))
    check(tape.rerun([(hidden, other)]), program(x, h=other))
    for pairs in ({"w": other}, [(w, other)]):
        again = tape.rerun(pairs)
        check(again, program(x, start=other))
        w.assign([[1.0, 2.0], [3.0, 4.0]])
    assert len(tape.rerun({"hidden": other}).events) == len(tape.events) - 4  # matmul, add and relu, and no gradient


def test_variables_and_random_numbers_of_the_user_stay_as_they_are():
    tf.random.set_seed(3)
    w = tf.Variable(1.0)
    with tf.record(values="inputs") as tape:
        for _ in range(3):
            w.assign_add(tf.random.normal(()))
    after = float(w)
    w.assign(7.0)
    expected = tf.random.normal(())
    tf.random.set_seed(3)
    tf.random.normal(()), tf.random.normal(()), tf.random.normal(())
    again = tape.rerun()
    assert float(tf.random.normal(())) == float(expected)
    assert float(w) == 7.0
    assert again.value(again.tensors.id[-1]) == after
    same(tape, again)


def test_a_variable_that_is_gone_has_another_in_its_place():
    def forget():
        v = tf.Variable([1.0, 2.0], name="v")
        v.assign_add([1.0, 1.0])
        return tf.reduce_sum(v * v)

    with tf.record(values="inputs") as tape:
        total = forget()
    assert float(total) == 13.0
    same(tape, tape.rerun())
    assert tape.rerun({"v": [0.0, 0.0]}).value("total") == 2.0


def test_what_python_read_is_as_it_was_and_that_is_said():
    with tf.record(values="inputs") as tape:
        x = tf.constant(2.0)
        y = x * 3.0
        z = tf.constant(float(y)) + x
    assert float(z) == 8.0
    again = tape.rerun({"x": 5.0})
    assert again.value("z") == 6.0 + 5.0
    (row,) = again.recording.meta_dict()["rerun"]["stale"]
    assert again.sites.text[row].strip() == "z = tf.constant(float(y)) + x"
    assert "Rerun with x replaced\n" in str(again)
    assert f"On line {again.sites.line[row]} Python read a value that is other now" in str(again)
    assert "stale" not in tape.rerun().recording.meta_dict()["rerun"]


def test_a_branch_that_would_go_the_other_way_is_named():
    with tf.record(values="inputs") as tape:
        x = tf.constant(3.0)
        y = x + 1.0
        if y > 2.0:
            z = y * 2.0
        if float(y) > 3.5:
            z = z + 0.0
    assert float(z) == 8.0
    again = tape.rerun({"x": 0.5})
    facts = again.recording.meta_dict()["rerun"]
    (row,) = facts["branches"]
    assert again.sites.text[row].strip() == "if y > 2.0:"
    line = int(again.sites.line[row])
    told = " ".join(str(again).split())
    assert f"Line {line} branched on a value that is the opposite now: the program would go another way." in told
    assert f"Line {line + 2} asks for a value that is other now: the program may go another way." in told
    same_way = tape.rerun({"x": 2.0})
    assert "branches" not in same_way.recording.meta_dict()["rerun"]
    assert f"Line {line} asks for a value that is other now" not in str(same_way)
    assert "another way" not in str(tape.rerun())


def test_a_branch_in_another_precision_is_named_too():
    with tf.record(values="inputs") as tape:
        x = tf.constant(0.1)
        if x * 10.0 == 1.0:
            x = x + 1.0
    again = tape.rerun(dtype="float64")
    assert "the program would go another way" in " ".join(str(again).split())


@tf.custom_gradient
def softplus(v):
    e = tf.exp(v)
    return tf.math.log(1.0 + e), lambda up: up * (1.0 - 1.0 / (1.0 + e))


def cube(v):
    return tf.reduce_sum(v**3)


def second_order(function, x, persistent=False):
    with tf.GradientTape(persistent=persistent) as outer:
        with tf.GradientTape() as g:
            y = function(x)
        d = g.gradient(y, x)
    return [outer.gradient(d, x) for _ in range(1 + persistent)]


def jacobian(x):
    with tf.GradientTape() as outer:
        y = tf.exp(x) * tf.reduce_sum(x)
    return outer.jacobian(y, x)


def forward_mode(x):
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0, 2.0])) as accumulator:
        y = cube(x)
    return accumulator.jvp(y)


def not_recorded(x):
    with tf.GradientTape() as g:
        y = cube(x)
        with g.stop_recording():
            aside = cube(x)
        y = y * aside
    return g.gradient(y, x)


PROGRAMS = {
    "traced": lambda x: second_order(tf.function(lambda v: tf.reduce_sum(v * v * tf.sin(v))), x),
    "custom": lambda x: second_order(lambda v: tf.reduce_sum(softplus(v) * v), x),
    "second": lambda x: second_order(cube, x),
    "persistent": lambda x: second_order(cube, x, persistent=True),
    "jacobian": jacobian,
    "forward": forward_mode,
    "stopped": not_recorded,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_ways_to_differentiate(name):
    x = tf.Variable([1.0, 2.0, 0.5])
    with tf.record(values="inputs") as tape:
        PROGRAMS[name](x)
    same(tape, tape.rerun())
    before = x.value()
    again = tape.rerun([(x, [0.3, -1.0, 2.0])])
    assert np.array_equal(x, before)
    x.assign([0.3, -1.0, 2.0])
    with tf.record(values="inputs") as expected:
        PROGRAMS[name](x)
    same(expected, again)


def test_a_traced_function_with_what_it_takes_from_outside():
    w = tf.Variable(2.0)
    scale = tf.constant(3.0)

    @tf.function
    def f(x):
        w.assign_add(x)
        return tf.cond(w > 4.0, lambda: w * scale, lambda: -w)

    with tf.record(values="inputs") as tape:
        x = tf.constant(1.0)
        y = f(x)
        z = f(y)
    assert (float(y), float(z), float(w)) == (-3.0, 0.0, 0.0)
    same(tape, tape.rerun())
    again = tape.rerun({"x": 4.0})
    assert (again.value("y"), again.value("z")) == (18.0, 24.0 * 3.0)
    assert float(w) == 0.0


def test_what_functions_reach_by_themselves_is_that_of_the_rerun():
    @tf.custom_gradient
    def scaled(v):
        return v * factor, lambda up: up * factor

    with tf.record(values="inputs") as tape:
        x = tf.constant(2.0)
        factor = x + 1.0
        traced = tf.function(lambda v: v * factor)
        with tf.GradientTape() as g:
            g.watch(factor)
            y = traced(x) + scaled(x)
        d = g.gradient(y, factor)
    assert (float(y), float(d)) == (12.0, 2.0)
    again = tape.rerun({"x": 5.0})
    assert (again.value("y"), again.value("d")) == (60.0, 5.0)
    assert float(factor) == 3.0


def test_sessions():
    with tf1.Graph().as_default(), tf1.Session() as session:
        x = tf1.placeholder(tf1.float32, (), name="x")
        v = tf1.get_variable("v", initializer=1.0)
        step = tf1.assign_add(v, x * 2.0)
        session.run(tf1.global_variables_initializer())
        with tf.record(values="inputs") as tape:
            assert session.run(step, {x: 3.0}) == 7.0
            assert session.run(step, {x: 4.0}) == 15.0
        same(tape, tape.rerun())
        assert session.run(v) == 15.0


def test_in_another_precision():
    rng = np.random.default_rng(0)
    data, target = rng.normal(size=(5, 3)), rng.normal(size=(5, 1))
    w = tf.Variable(rng.normal(size=(3, 1)).astype("f4"))

    def program(w, data, target):
        with tf.GradientTape() as g:
            e = data @ w - target
            loss = tf.reduce_mean(e * e) + 0.1 * tf.reduce_sum(tf.exp(w)) + tf.reduce_sum(tf.zeros((2,), w.dtype))
        return loss, g.gradient(loss, w)

    with tf.record(values="inputs") as tape:
        loss, dw = program(w, tf.constant(data, tf.float32), tf.constant(target, tf.float32))
    assert dw.dtype == tf.float32
    again = tape.rerun(dtype="float64")
    double = tf.Variable(tf.cast(w, tf.float64))
    inputs = (tf.constant(a.astype("f4").astype("f8")) for a in (data, target))
    with tf.GradientTape() as g:
        x, y = inputs
        e = x @ double - y
        expected = tf.reduce_mean(e * e) + float(np.float32(0.1)) * tf.reduce_sum(tf.exp(double))
    np.testing.assert_array_equal(again.value("loss"), expected)
    np.testing.assert_array_equal(again.value("dw"), g.gradient(expected, double))
    assert again.value("loss") != loss.numpy()
    assert w.dtype == tf.float32


def test_up_to_a_tensor():
    with tf.record(values="inputs") as tape:
        with tf.GradientTape() as g:
            x = tf.constant(2.0)
            g.watch(x)
            a = x * 3.0
            b = a + 1.0
            c = b * b
        g.gradient(c, x)
    again = tape.rerun(until="b")
    assert again.value("b") == 7.0
    assert len(again.requests) == 0
    with pytest.raises(LookupError, match="nothing called 'c'"):
        again.value("c")


def test_an_op_that_fails_fails_again_and_the_rest_is_there():
    with tf.record(values="inputs") as tape:
        x = tf.constant([1.0, 2.0])
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.linalg.matmul(x, x)
        y = x * 2.0
    assert list(y.numpy()) == [2.0, 4.0]
    again = tape.rerun()
    assert [row.what for row in tf.diff(tape, again)] == ["equal"] * len(tape.events)
    assert again.messages.type == tape.messages.type
    assert list(tape.rerun({"x": [3.0, 4.0]}).value("y")) == [6.0, 8.0]


def test_where_a_replaced_value_does_not_fit_the_new_tape_ends_and_says_so():
    with tf.record(values="inputs") as tape:
        x = tf.constant([1.0, 2.0])
        y = x + 1.0
        y + tf.constant([3.0, 4.0])
    again = tape.rerun({"y": [1.0, 2.0, 3.0]})
    assert "Stopped" in str(again)
    assert "Incompatible shapes" in str(again)


def test_inside_another_tape_and_recording_it_is_on_its_own():
    w = tf.Variable(2.0)
    with tf.record(values="inputs") as tape:
        y = w * w
    with tf.record() as outer, tf.GradientTape() as g:
        again = tape.rerun()
        z = w * 3.0
    same(tape, again)
    assert [outer.ops.name[row] for row in outer.events.op if row >= 0] == ["multiply"]
    assert float(g.gradient(z, w)) == 3.0
    assert float(y) == 4.0


def test_what_was_not_kept_is_refused():
    with tf.record() as tape:
        tf.constant(1.0) + 1.0
    with pytest.raises(RuntimeError, match=r"values='stats'.*record with values='inputs'"):
        tape.rerun()
    with pytest.raises(ValueError, match="values='inputs' keeps the whole program, so it does not go with max_ops"):
        tf.record(values="inputs", max_ops=10)


def test_a_tape_of_a_file_has_no_program(tmp_path):
    with tf.record(values="inputs") as tape:
        tf.constant(1.0) + 1.0
    with pytest.raises(RuntimeError, match="opened from a file"):
        tf.load(tape.save(tmp_path / "a.tape")).rerun()


def test_bad_replacements_are_named():
    with tf.record(values="inputs") as tape:
        x = tf.constant([1.0, 2.0])
        x * 2.0
    with pytest.raises(LookupError, match="nothing called 'z' is in this recording"):
        tape.rerun({"z": 1.0})
    with pytest.raises(TypeError, match="Cannot convert 'a' to EagerTensor of dtype float32"):
        tape.rerun({"x": "a"})
    with pytest.raises(LookupError, match="the tensor to replace must be a tensor, a variable, a name or an id"):
        tape.rerun({3.5: 1.0})
    assert tape.rerun({"x": [3, 4]}).value("x").dtype == np.float32


@pytest.mark.parametrize("traced", [False, True])
def test_what_is_replaced_is_other_or_it_is_refused(traced):
    def line(x, w):
        return tf.reduce_sum(tf.exp(x) * w) + 1.0

    line = tf.function(line) if traced else line
    w = tf.Variable([2.0, 3.0])
    with tf.record(values="inputs") as tape:
        with tf.GradientTape() as g:
            y = line(tf.constant([0.5, 1.5]), w)
        g.gradient(y, w)
    refused = 0
    for number in [n for n in tape.in_memory if tape.value(n).dtype.kind == "f"]:
        wanted = tape.value(number) + 1
        try:
            until = tape.rerun(until=number)
        except LookupError:
            with pytest.raises(LookupError, match=f"tensor {number} is made within one call"):
                tape.rerun({number: wanted})
            refused += 1
            continue
        again = tape.rerun({number: wanted})
        np.testing.assert_array_equal(again.value(again.counterparts[number]), wanted)
        if len(until.events):  # else it is there from the beginning
            np.testing.assert_array_equal(until.value(until.counterparts[number]), tape.value(number))
    assert refused
