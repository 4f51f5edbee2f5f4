"""Sessions: what is fed, what is fetched, what runs for it, and what is refused."""

import threading
from typing import Any, NamedTuple

import numpy as np
import pytest

import tapeviz
import tapeviz.compat.v1 as tf
from tapeviz.errors import FailedPreconditionError, InvalidArgumentError


class Pair(NamedTuple):
    first: Any
    second: Any


def test_structures_of_fetches():
    a, b = tf.constant(1.0, name="a"), tf.constant([2.0, 3.0], name="b")
    weight = tf.Variable(4.0, name="weight")
    nothing = tf.no_op(name="nothing")
    with tf.Session() as session:
        session.run(weight.initializer)
        found = session.run(
            {"list": [a, (b, nothing)], "pair": Pair(weight, "b:0"), "operation": "nothing", "none": []}
        )
    assert list(found) == ["list", "pair", "operation", "none"]
    assert found["list"][0] == 1.0
    assert isinstance(found["list"], list)
    assert isinstance(found["list"][1], tuple)
    assert found["list"][1][0].tolist() == [2.0, 3.0]
    assert found["list"][1][1] is None
    assert isinstance(found["pair"], Pair)
    assert found["pair"].first == 4.0
    assert found["pair"].second.tolist() == [2.0, 3.0]
    assert found["operation"] is None
    assert found["none"] == []


def test_what_is_given_back_is_the_callers():
    weight = tf.Variable([1.0, 2.0])
    fixed = tf.constant([3.0, 4.0])
    given = np.array([5.0, 6.0], np.float32)
    place = tf.placeholder(tf.float32, [2])
    kept = weight.assign(place)
    with tf.Session() as session:
        session.run(weight.initializer)
        for tensor in (weight, fixed, place):
            value = session.run(tensor, {place: given})
            value[:] = 0.0
        assert session.run(weight).tolist() == [1.0, 2.0]
        assert session.run(fixed).tolist() == [3.0, 4.0]
        session.run(kept, {place: given})
        given[:] = 0.0
        assert session.run(weight).tolist() == [5.0, 6.0]


def test_scalars_and_texts_come_as_numpy_and_python_have_them():
    with tf.Session() as session:
        assert type(session.run(tf.constant(1.0))) is np.float32
        assert session.run(tf.constant("text")) == b"text"
        assert session.run(tf.constant(["a", "b"])).tolist() == [b"a", b"b"]
        assert session.run(tf.constant(True)) == np.True_


def test_any_tensor_can_be_fed():
    x = tf.placeholder(tf.float32, [], name="x")
    doubled = x * 2.0
    moved = doubled + tf.constant(1.0, name="one")
    weight = tf.Variable(7.0)
    with tf.Session() as session:
        assert session.run(moved, {doubled: 10.0}) == 11.0  # x is not needed then
        assert session.run(moved, {"x:0": 1.0, "one:0": 5.0}) == 7.0
        assert session.run(weight + 1.0, {weight: 1.0}) == 2.0  # nor its initial value
        assert session.run([moved, doubled], {doubled: 3.0}) == [4.0, 3.0]
        assert session.run(x, {x: 4}) == 4.0
        assert session.run((x * 1.0, moved), {(x, doubled): (1.0, 2.0)}) == (1.0, 3.0)


def test_texts_and_truth_values_are_fed():
    word, truth = tf.placeholder(tf.string, [None]), tf.placeholder(tf.bool, [])
    with tf.Session() as session:
        assert session.run(tf.identity(word), {word: ["ä", b"b"]}).tolist() == ["ä".encode(), b"b"]
        assert session.run(tf.logical_not(truth), {truth: True}) == np.False_


def test_only_what_is_fetched_runs():
    seen = []
    x = tf.placeholder(tf.float32, [], name="x")
    left = tf.py_func(lambda value: seen.append("left") or value, [x], tf.float32)
    right = tf.py_func(lambda value: seen.append("right") or value, [x], tf.float32)
    never = tf.placeholder(tf.float32, [], name="never") + right
    with tf.Session() as session:
        assert session.run(left + 1.0, {x: 1.0}) == 2.0
        assert seen == ["left"]
        session.run([left, right], {x: 1.0})
        assert sorted(seen) == ["left", "left", "right"]
        with pytest.raises(InvalidArgumentError, match="placeholder tensor 'never' with dtype float and shape \\[\\]"):
            session.run(never, {x: 1.0})


def test_programs_are_kept_and_bounded():
    x = tf.placeholder(tf.float32, [])
    parts = [x + float(number) for number in range(100)]
    with tf.Session() as session:
        for _ in range(2):
            assert session.run(parts[0], {x: 1.0}) == 1.0
        assert len(session._programs) == 1
        first = next(iter(session._programs.values()))[1]
        session.run(parts[0], {x: 2.0})
        assert next(iter(session._programs.values()))[1] is first
        for part in parts:
            session.run(part, {x: 1.0})
        assert len(session._programs) == 64
        grown = parts[0] * 2.0
        assert session.run([grown, parts[0]], {x: 3.0}) == [6.0, 3.0]


@pytest.mark.parametrize(
    ("dtype", "shape", "words"),
    [
        (tf.float32, [2, None], "dtype float and shape [2,?]"),
        (tf.int64, [], "dtype int64 and shape []"),
        (tf.float64, None, "dtype double\n"),
        (tf.string, [1], "dtype string and shape [1]"),
    ],
)
def test_the_error_of_what_was_not_fed(dtype, shape, words):
    hole = tf.placeholder(dtype, shape, name="hole")
    with tf.Session() as session, pytest.raises(InvalidArgumentError) as caught:
        session.run(tf.identity(hole))
    assert str(caught.value).startswith(f"You must feed a value for placeholder tensor 'hole' with {words}")


def test_what_fails_in_a_run_is_no_fault_of_the_graph_being_built():
    with tf.Graph().as_default() as graph:
        hole = tf.placeholder(tf.float32, [2], name="hole")
        sizes = tf.placeholder(tf.int32, [1], name="sizes")
        with tf.Session(graph=graph) as session:
            for run in (lambda: session.run(hole + 1), lambda: session.run(tf.ones([3])[sizes[0]], {sizes: [7]})):
                with pytest.raises(InvalidArgumentError) as caught:
                    run()
                assert type(caught.value) is InvalidArgumentError


def test_nothing_waits_for_what_is_fed():
    with tf.Graph().as_default():
        hole, beside = tf.placeholder(tf.int32, [], name="hole"), tf.Variable(1)
        with tf.control_dependencies([hole, beside.assign_add(1)]):
            told = tf.identity(hole)
        both = tf.tuple([hole, None, 2])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            assert session.run([told, both[0]], {hole: 3}) == [3, 3]
            assert session.run(beside) == 2
            with pytest.raises(InvalidArgumentError, match="You must feed a value for placeholder tensor 'hole'"):
                session.run(told)


def test_what_cannot_be_fed():
    x = tf.placeholder(tf.float32, [2, None], name="x")
    count = tf.placeholder(tf.int32, [], name="count")
    other = tf.Graph()
    with other.as_default():
        foreign = tf.constant(1.0)
    cases = [
        ({x: [1, 2, 3]}, ValueError, r"Cannot feed value of shape \(3,\) for Tensor x:0, which has shape \(2, None\)"),
        ({x: [["a"], ["b"]]}, ValueError, "could not convert string to float"),
        ({x: tf.ones([2, 1])}, TypeError, r"The value of a feed cannot be a tf\.Tensor object"),
        ({"y:0": 1}, TypeError, r"Cannot interpret feed_dict key as Tensor: The name 'y:0' refers to a Tensor which"),
        ({"x": 1}, TypeError, r"The name 'x' refers to an Operation, not a Tensor"),
        ({3: 1}, TypeError, "Cannot interpret feed_dict key as Tensor: Can not convert a int into a Tensor"),
        ({foreign: 1}, TypeError, r"is not an element of this graph\. .*tf\.Session\(graph=g\)"),
        ({count: 2**40}, TypeError, r"Type of feed value 1099511627776 with type <class 'int'> is not compatible"),
        (3, TypeError, "Argument `feed_dict` must be a dictionary, but got int"),
    ]
    with tf.Session() as session:
        for feeds, error, words in cases:
            with pytest.raises(error, match=words):
                session.run(tf.identity(x), feeds)
        assert session.run(x, {x: tapeviz.constant([[1.0], [2.0]])}).tolist() == [
            [1.0],
            [2.0],
        ]  # an eager tensor has one


def test_what_cannot_be_fetched():
    tf.constant(1.0, name="one")
    cases = [
        (None, TypeError, 'Argument `fetch` = None has invalid type "NoneType". Cannot be None'),
        ([3], TypeError, 'Argument `fetch` = 3 has invalid type "int" must be a string or Tensor'),
        ("two:0", ValueError, "Argument `fetch` = two:0 cannot be interpreted as a Tensor"),
        ("one:1", ValueError, "exists but only has 1 outputs"),
    ]
    with tf.Session() as session:
        for fetches, error, words in cases:
            with pytest.raises(error) as caught:
                session.run(fetches)
            assert words in str(caught.value)


def test_shapes_that_the_graph_was_built_with_cannot_be_fed():
    x = tf.placeholder(tf.float32, [None], name="x")
    form, later = tf.constant([2, -1], name="form"), tf.placeholder_with_default([2, -1], [2])
    size = tf.shape(x, name="size")
    with tf.Session() as session:
        assert session.run(tf.reshape(x, later), {x: [1, 2, 3, 4], later: [4, 1]}).shape == (4, 1)
        assert session.run(form * 2, {form: [3, 4]}).tolist() == [6, 8]
        assert session.run(size, {size: [7]}).tolist() == [7]
        for made, tensor in ((tf.reshape(x, form), form), (tf.zeros(size), size)):
            with pytest.raises(InvalidArgumentError, match=f"{tensor.name} cannot be fed in this run: nothing takes"):
                session.run(made, {x: [1, 2, 3, 4], tensor: [4, 1][: tensor.shape[0]]})


def test_closed_and_empty_sessions():
    with pytest.raises(RuntimeError, match=r"^The Session graph is empty\. Add operations to the graph before"):
        tf.Session(graph=tf.Graph()).run("x:0")
    one = tf.constant(1.0)
    session = tf.Session()
    assert session.run(one) == 1.0
    session.close()
    with pytest.raises(RuntimeError, match=r"^Attempted to use a closed Session\.$"):
        session.run(one)
    with tf.Session() as session:
        pass
    with pytest.raises(RuntimeError, match="closed"):
        session.run(one)


def test_arguments_of_a_session():
    for arguments, words in [
        ({"target": 3}, 'Argument `target` must be a string, but got "int"'),
        ({"graph": 3}, 'Argument `graph` must be a tf.Graph, but got "int"'),
        ({"config": 3}, 'Argument `config` must be a tf.ConfigProto, but got "int"'),
    ]:
        with pytest.raises(TypeError) as caught:
            tf.Session(**arguments)
        assert str(caught.value) == words


def test_default_sessions():
    total = tf.constant(1.0) + 2.0
    step = tf.Variable(1.0)
    assert tf.get_default_session() is None
    with pytest.raises(ValueError, match=r"Cannot evaluate tensor using `eval\(\)`: No default session is registered"):
        total.eval()
    with pytest.raises(ValueError, match=r"Cannot execute operation using `run\(\)`: No default session"):
        step.initializer.run()
    with tf.Session() as session:
        assert tf.get_default_session() is session
        step.initializer.run()
        assert (total.eval(), step.eval()) == (3.0, 1.0)
        assert total.eval(feed_dict={total: 5.0}) == 5.0
    outside = tf.Session()
    assert total.eval(session=outside) == 3.0
    with outside.as_default():
        assert total.eval() == 3.0
    assert outside.run(total) == 3.0  # leaving that block closes nothing
    with (
        tf.Session(graph=tf.Graph()),
        pytest.raises(ValueError, match="the tensor's graph is different from the session"),
    ):
        total.eval()


def test_a_session_makes_its_graph_the_default_one():
    graph = tf.Graph()
    with tf.Session(graph=graph):
        assert tf.get_default_graph() is graph
        assert (tf.constant(2.0) * 2.0).eval() == 4.0
    assert tf.get_default_graph() is not graph


def test_an_interactive_session():
    session = tf.InteractiveSession()
    weight = tf.Variable([1.0, 2.0])
    tf.global_variables_initializer().run()
    assert tf.reduce_sum(weight).eval() == 3.0
    session.close()
    assert tf.get_default_session() is None
    graph = tf.Graph()
    inner = tf.InteractiveSession(graph=graph)
    assert tf.get_default_graph() is graph
    inner.close()
    assert tf.get_default_graph() is not graph


def test_a_callable_of_a_session():
    x, y = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    with tf.Session() as session:
        product = session.make_callable(x * y, [x, y])
        assert product(3.0, 4.0) == 12.0
        with pytest.raises(TypeError, match="takes 2 values to feed and was given 1"):
            product(3.0)


def test_errors_of_a_run_name_the_operation_and_the_line():
    x = tf.placeholder(tf.float32, [None], name="x")
    y = tf.placeholder(tf.float32, [None], name="y")
    total = tf.add(x, y, name="total")  # the line that is named
    with tf.Session() as session, pytest.raises(InvalidArgumentError) as caught:
        session.run(total, {x: [1, 2, 3], y: [1, 2]})
    assert "{{node total}}" in str(caught.value)
    assert "the line that is named" in str(caught.value)


def test_sessions_in_threads():
    count = tf.Variable(0.0)
    more = count.assign_add(1.0)
    session = tf.Session()
    session.run(count.initializer)

    def work():
        for _ in range(50):
            session.run(more)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert session.run(count) == 200.0


def test_a_failed_run_leaves_the_session_as_it_was():
    weight = tf.Variable(1.0, name="weight")
    with tf.Session() as session:
        with pytest.raises(FailedPreconditionError, match="Attempting to use uninitialized value weight"):
            session.run(weight + 1.0)
        session.run(weight.initializer)
        assert session.run(weight + 1.0) == 2.0


@pytest.mark.parametrize("values", ["none", "stats", "all"])
def test_runs_are_recorded(values):
    x = tf.placeholder(tf.float32, [2], name="x")
    weight = tf.Variable([1.0, 2.0], name="weight")
    total = tf.reduce_sum(x * weight, name="total")
    tf.exp(x, name="unused")
    begin = tf.global_variables_initializer()
    session = tf.Session()
    with tapeviz.record(values=values) as run:
        session.run(begin)
        assert session.run(total, {x: [3.0, 4.0]}) == 11.0
    runs = run.recording.graph_runs
    assert len(runs) == 2
    assert [list(map(str, column)) for column in (runs.fed, runs.fetched)] == [
        ["[]", '["x:0"]'],
        ['["init"]', '["total:0"]'],
    ]
    assert min(runs.pruned) > 0


def test_a_session_may_be_given_another_value_for_the_constant_that_chooses_a_branch():
    with tf.Graph().as_default():
        predicate, index = tf.constant(True), tf.constant(0)
        chosen = tf.cond(predicate, lambda: tf.constant(0.0), lambda: tf.constant(37.0))
        switched = tf.switch_case(index, [lambda: tf.constant(10.0), lambda: tf.constant(20.0)])
        first = tf.case([(predicate, lambda: tf.constant(1.0))], default=lambda: tf.constant(2.0))
        with tf.Session() as session:
            made = [chosen, switched, first]
            assert session.run(made) == [0.0, 10.0, 1.0]
            assert session.run(made, {predicate: False, index: 1}) == [37.0, 20.0, 2.0]


def test_while_loop_of_one_variable_gives_the_tensor_as_in_tensorflow_1():
    def loop(**options):
        return tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)], **options)

    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run(loop() + 1) == 4
        assert session.run(loop(return_same_structure=True)) == [3]
        pair = tf.while_loop(lambda i, _: i < 3, lambda i, j: (i + 1, j), [tf.constant(0), tf.constant(1.0)])
        assert session.run(pair) == [3, 1.0]
    assert tapeviz.function(loop)().numpy() == 3


def test_functions_are_called_in_a_session_graph_whatever_their_names():
    def _underlined(x):
        return x * 2.0

    with tf.Graph().as_default(), tf.Session() as session:
        for function in (_underlined, lambda x: x * 2.0):
            assert session.run(tapeviz.function(function)(tf.constant(3.0))) == 6.0


def test_where_of_a_vector_chooses_rows_as_in_tensorflow_1():
    chosen = tf.where(tf.constant([True, False]), tf.ones([2, 2]), tf.zeros([2, 2]))
    several = tf.where(tf.constant([True, False]), tf.ones([2, 3, 4]), tf.zeros([2, 3, 4]))
    with tf.Session() as session:
        assert session.run(chosen).tolist() == [[1.0, 1.0], [0.0, 0.0]]
        assert session.run(several).sum(axis=(1, 2)).tolist() == [12.0, 0.0]


def test_a_gradient_goes_through_a_placeholder_with_a_default():
    value = tf.constant([1.0, 2.0])
    given = tf.placeholder_with_default(value, [2])
    by_value, by_given = tf.gradients(given * given, [value, given])
    with tf.Session() as session:
        assert session.run(by_value).tolist() == [2.0, 4.0]
        assert session.run(by_given, {given: [3.0, 4.0]}).tolist() == [6.0, 8.0]


@pytest.mark.parametrize("kind", ["branch", "loop", "function", "nested"])
def test_what_a_branch_or_a_loop_asks_to_run_first_runs(kind):
    v = tf.Variable(1.0)
    assigned = tf.assign_add(v, 1.0)

    def after(value=1.0):
        with tf.control_dependencies([assigned]):
            return tf.constant(3.0) + value

    made = {
        "branch": lambda: tf.cond(tf.placeholder_with_default(True, []), after, lambda: tf.constant(0.0)),
        "loop": lambda: tf.while_loop(lambda i: i < 1.0, after, [tf.constant(0.0)]),
        "function": tf.function(after),
        "nested": lambda: tf.cond(
            tf.placeholder_with_default(True, []),
            lambda: tf.while_loop(lambda i: i < 1.0, after, [tf.constant(0.0)]),
            lambda: tf.constant(0.0),
        ),
    }[kind]()
    with tf.Session() as session:
        session.run(v.initializer)
        session.run(made)
        assert session.run(v) == 2.0
