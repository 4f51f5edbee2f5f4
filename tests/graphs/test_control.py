"""``cond``, ``case`` and ``switch_case`` in graphs: values and gradients as eagerly, errors as TensorFlow's."""

import pytest

import tapeviz as tf
from tests.graphs.ways import agree, check

X, LOW = tf.constant(1.5), tf.constant(0.5)
Y = tf.constant([3.0, 4.0])
FIXED = tf.constant([0.5, 2.0])

BRANCHES = {
    "two results": lambda x, y: tf.cond(x > 1, lambda: (x * x * y, tf.sin(x)), lambda: (y, x)),
    "one side uses all": lambda x, y: tf.cond(x > 1, lambda: tf.exp(x) * y * y, lambda: tf.zeros_like(y)),
    "inputs as they are": lambda x, y: tf.cond(x > 1, lambda: (x, y), lambda: (x * 2.0, y)),
    "one tensor twice": lambda x, y: tf.cond(x > 1, lambda: (y, y), lambda: (y * x, y)),
    "nested": lambda x, y: tf.cond(x > 1, lambda: tf.cond(y[0] > 2, lambda: x**3 * y, lambda: y * y), lambda: y),
    "after another": lambda x, y: tf.cond(x > 1, lambda: x, lambda: y[0]) * tf.cond(y[0] > 1, lambda: y, lambda: x * y),
    "dicts": lambda x, y: tf.cond(x > 1, lambda: {"b": x * y, "a": [x]}, lambda: {"b": y, "a": [x * x]})["b"],
    "case": lambda x, y: tf.case([(x < 1, lambda: y * x), (x < 2, lambda: y * y * x)], default=lambda: y),
    "switch_case": lambda x, y: tf.switch_case(
        tf.cast(x * 2.0, tf.int32), [lambda: y, lambda: x * y, lambda: y * y, lambda: x * x * y]
    ),
}


@pytest.mark.parametrize("x", [X, LOW], ids=["true", "false"])
@pytest.mark.parametrize("name", BRANCHES)
def test_values_and_gradients(name, x):
    check(BRANCHES[name], x, Y)


def test_gradients_of_the_third_order():
    def f(a):
        return tf.cond(a > 1, lambda: a**4, lambda: tf.sin(a))

    def thrice(g, a):
        with tf.GradientTape() as third:
            third.watch(a)
            with tf.GradientTape() as second:
                second.watch(a)
                with tf.GradientTape() as first:
                    first.watch(a)
                    result = g(a)
                one = first.gradient(result, a)
            two = second.gradient(one, a)
        return one, two, third.gradient(two, a)

    for value in (1.2, 0.7):
        wanted = thrice(f, tf.constant(value))
        agree(tf.function(lambda a: thrice(f, a))(tf.constant(value)), wanted)
        agree(thrice(tf.function(f), tf.constant(value)), wanted)


def test_gradients_by_what_is_taken_from_outside():
    w = tf.Variable(3.0)

    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(FIXED)
            y = tf.cond(x > 1, lambda: FIXED * FIXED * w * x, lambda: FIXED * x)
        return tape.gradient(y, [FIXED, w])

    agree(f(tf.constant(2.0)), [tf.constant([6.0, 24.0]), tf.constant(8.5)])
    agree(f(tf.constant(0.5)), [tf.constant([0.5, 0.5]), tf.constant(0.0)])


def test_a_tape_in_a_branch_follows_tensors_from_outside():
    @tf.function
    def f(x, y):
        def branch():
            with tf.GradientTape() as tape:
                tape.watch(y)
                z = y * y * x
            return tape.gradient(z, y)

        return tf.cond(x > 1, branch, lambda: y)

    agree(f(X, Y), 2 * X * Y)
    agree(f(LOW, Y), Y)


@tf.custom_gradient
def square_with_another_gradient(z):
    twice = 2.0 * z
    return z * z, lambda upstream: upstream * twice * FIXED[1]


def test_custom_gradients_in_a_branch():
    f = tf.function(lambda z: tf.cond(z > 0, lambda: square_with_another_gradient(z), lambda: z))
    z = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(z)
        result = f(z)
    assert tape.gradient(result, z).numpy() == 12.0


def test_a_custom_gradient_that_takes_more_from_outside():
    def f(z, scale):
        doubled = scale * 2.0

        @tf.custom_gradient
        def g(z):
            return z * z, lambda upstream: upstream * doubled

        with tf.GradientTape() as tape:
            tape.watch(z)
            result = tf.cond(z > 0, lambda: g(z), lambda: z)
            looped = tf.while_loop(lambda i, b: i < 2, lambda i, b: (i + 1, g(b)), (0, z))[1]
        return tape.gradient([result, looped], z)

    z, scale = tf.constant(2.0), tf.constant(1.5)
    agree(tf.function(f)(z, scale), f(z, scale))


def test_variables_are_assigned_in_order():
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        before = v + 0.0
        tf.cond(x > 1, lambda: v.assign_add(x), lambda: v.assign(0.0))
        between = v + 0.0
        v.assign(between * 2.0)
        return before, between, tf.cond(x > 1, lambda: v + 1.0, lambda: v - 1.0)

    agree(f(tf.constant(2.0)), (tf.constant(1.0), tf.constant(3.0), tf.constant(7.0)))
    assert v.numpy() == 6.0
    agree(f(tf.constant(0.0)), (tf.constant(6.0), tf.constant(0.0), tf.constant(-1.0)))


def test_a_called_function_that_assigns_runs_though_nobody_uses_its_result():
    v = tf.Variable(1.0)

    @tf.function
    def inner(x):
        v.assign_add(x)
        return x

    @tf.function
    def outer(x):
        inner(x)
        return v + 0.0

    assert outer(tf.constant(2.0)).numpy() == 3.0
    assert v.numpy() == 3.0


def test_one_branch_runs(capsys):
    @tf.function
    def f(x):
        tf.cond(x > 1, lambda: tf.print("more"), lambda: tf.print("less"))
        return x

    f(X)
    f(LOW)
    printed = capsys.readouterr()
    assert (printed.out + printed.err).split() == ["more", "less"]


def test_what_is_known_while_tracing_chooses_at_once():
    @tf.function
    def f(x):
        return tf.cond(tf.constant(True), lambda: x, lambda: "no tensor of this dtype"), tf.cond(
            False, lambda: 1, lambda: x * 2.0
        )

    agree(f(X), (X, X * 2.0))
    assert [node.type for node in f.get_concrete_function(X).graph.nodes].count("If") == 0


def test_shapes_are_what_both_branches_say():
    shapes = []

    @tf.function
    def f(x, y):
        shapes.append(tf.cond(x > 1, lambda: y[:1], lambda: y).shape)
        shapes.append(tf.cond(x > 1, lambda: y * 2.0, lambda: y).shape)
        shapes.append(tf.cond(x > 1, lambda: x, lambda: y).shape)
        return tf.cond(x > 1, lambda: y[:1], lambda: y) * 2.0

    agree(f(X, Y), Y[:1] * 2.0)
    agree(f(LOW, Y), Y * 2.0)
    assert str(shapes) == "[TensorShape([None]), TensorShape([2]), TensorShape(None)]"


def test_branches_that_give_nothing():
    assert tf.function(lambda x: tf.cond(x > 1, lambda: None, lambda: None))(X) is None
    found = tf.function(lambda x: tf.cond(x > 1, lambda: (None, x), lambda: (None, x * 2.0)))(LOW)
    assert found[0] is None
    assert found[1].numpy() == 1.0


def test_a_predicate_with_one_element_will_do():
    f = tf.function(lambda x: tf.cond(tf.reshape(x > 1, [1]), lambda: x, lambda: -x))
    assert f(X).numpy() == 1.5
    assert f(LOW).numpy() == -0.5


ERRORS = {
    "dtypes": (lambda x: tf.cond(x > 0, lambda: 1, lambda: 2.0), TypeError, "same number, type, and overall structure"),
    "dtypes named": (lambda x: tf.cond(x > 0, lambda: 1, lambda: 2.0), TypeError, "have different types"),
    "structures": (lambda x: tf.cond(x > 0, lambda: (x,), lambda: [x]), TypeError, "true_fn and false_fn arguments"),
    "numbers": (lambda x: tf.cond(x > 0, lambda: (x,), lambda: (x, x)), TypeError, "nested structure"),
    "none": (lambda x: tf.cond(x > 0, lambda: None, lambda: x), ValueError, "Lengths of branch outputs of cond must"),
    "no bool": (lambda x: tf.cond(x, lambda: x, lambda: x), tf.errors.InvalidArgumentError, "float32 expected bool"),
    "several": (lambda x: tf.cond([x > 0] * 2, lambda: x, lambda: x), tf.errors.InvalidArgumentError, "one truth val"),
    "missing": (lambda x: tf.cond(x > 0, lambda: x), TypeError, "'false_fn' argument required"),
    "no function": (lambda x: tf.cond(x > 0, 3, lambda: x), TypeError, "'true_fn' must be callable"),
    "no tensor": (lambda x: tf.cond(x > 0, object, object), TypeError, "found return value of type object"),
    "switch": (
        lambda x: tf.switch_case(tf.cast(x, tf.int32), [lambda: 1, lambda: 2.0]), TypeError,
        r"branches\[0\] and branches\[1\] arguments to tf.switch_case",
    ),
    "no case": (
        lambda x: tf.case([(x < 0, lambda: 1)]), tf.errors.InvalidArgumentError, "None of conditions evaluated as True",
    ),
    "two cases": (
        lambda x: tf.case([(x < 2, lambda: 1), (x < 3, lambda: 2)], exclusive=True), tf.errors.InvalidArgumentError,
        r"exclusive=True: more than 1 conditions .*\[1 1\]",
    ),
    "case of a number": (lambda x: tf.case([(True, lambda: 1)]), TypeError, "pred must be a Tensor"),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    f, cls, words = ERRORS[name]
    with pytest.raises(cls, match=words):
        tf.function(f, autograph=False)(X)


def test_an_error_in_a_branch_names_its_line():
    f = tf.function(lambda x, i: tf.cond(x > 1, lambda: tf.gather(Y, i), lambda: x), autograph=False)
    assert f(LOW, tf.constant(9)).numpy() == 0.5
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"test_control.py: .*tf\.gather\(Y, i\)"):
        f(X, tf.constant(9))
