"""Every pass keeps results equal to the bit, and says what it did."""

import numpy as np
import pytest
from hypothesis import example, given

import tapeviz as tf
from tapeviz.graphs.passes.pipeline import PASSES
from tapeviz.graphs.run.executable import Executable
from tests.example_counts import exploring
from tests.graphs.random_graphs import apply, graphs
from tests.ops.catalogue import same


@pytest.fixture(autouse=True)
def _not_compiled():
    """What is compiled is tested in native/: it may give another nan."""
    tf.config.optimizer.set_jit(False)
    yield
    tf.config.optimizer.set_jit(True)


# A gradient that is two parts of one packed value.
TWICE = (
    [
        np.float32([[-1.25, -0.5, -3.25], [0.5, -0.25, -1.25]]),
        np.float32([[0, 0.125, -0.75], [-1, -0.5, -np.inf]]),
        np.float32(-0.25),
    ],
    [(0, 0, 0, 0), (0, 0, 0, 0), (1, 57, 0, 1), (3, 1, 0, 41)],
    [1, 6],
)
PREFIXES = [tuple(PASSES)[:count] for count in range(len(PASSES) + 1)]


def traced(call, *arguments):
    """Return the graph's routine."""
    return tf.function(call, autograph=False).get_concrete_function(*arguments)._routine


def program(routine, passes=tuple(PASSES)):
    return Executable(routine.graph, routine.outputs, passes=passes)


def check(routine, arrays, wanted, passes):
    """Run it several times: buffers are used again, and what was given before stays."""
    run = program(routine, passes)
    before = [tuple(run(arrays)) for _ in range(3)]
    for found in before:
        for one, other in zip(found, wanted, strict=True):
            assert same(one, other)


@exploring(60, 1500)
@given(graphs())
def test_every_prefix_of_the_passes_keeps_random_graphs_equal(drawn):
    inputs, recipe, outputs = drawn
    tensors = [tf.constant(x) for x in inputs]
    made = apply(recipe, tensors)
    wanted = [made[place]._a for place in outputs]
    routine = traced(lambda *xs: [apply(recipe, list(xs))[place] for place in outputs], *tensors)
    for passes in PREFIXES:
        check(routine, [tensor._a for tensor in tensors], wanted, passes)


@exploring(25, 1000)
@given(graphs(most=20))
@example(TWICE)
def test_gradients_of_random_graphs_are_equal(drawn):
    inputs, recipe, outputs = drawn
    tensors = [tf.constant(x) for x in inputs]

    def gradient(*xs):
        with tf.GradientTape() as tape:
            tape.watch(xs)
            made = apply(recipe, list(xs))
        return tape.gradient([made[place] for place in outputs], list(xs), unconnected_gradients="zero")

    wanted = [tensor._a for tensor in gradient(*tensors)]
    routine = traced(gradient, *tensors)
    for passes in PREFIXES:
        check(routine, [tensor._a for tensor in tensors], wanted, passes)


@exploring(25, 1000)
@given(graphs(most=20))
@example(([np.zeros((2, 3), np.float32)], [(1, 0, 0, 0), (0, 2, 1, 0), (1, 2, 2, 1)], [3]))
def test_open_sizes_with_buffers_for_what_comes_often(drawn):
    inputs, recipe, outputs = drawn
    tensors = [tf.constant(x) for x in inputs]

    def elementwise(*xs):
        made = [tf.convert_to_tensor(x) for x in xs]
        for kind, _, first, second in recipe:
            x = made[first % len(made)]
            made.append([tf.tanh(x), x * x, x + made[0] * 0.5 if second % 2 else tf.nn.relu(x), -x][kind])
        return [made[place] for place in outputs]

    first = elementwise(*[tensors[0]] * len(tensors))
    specs = [tf.TensorSpec([None] * tensors[0].ndim, tf.float32)] * len(tensors)
    run = program(traced(elementwise, *specs))
    for _ in range(6):
        found = run([tensors[0]._a] * len(tensors))
        assert all(same(one, other._a) for one, other in zip(found, first, strict=True))


# What each pass does.


def plan_of(call, *arguments):
    return program(traced(call, *arguments)).plan


def kinds(plan):
    return [step.op.name for step in plan.steps]


X = tf.constant([[1.0, -2.0], [3.0, 0.5]])


def by_op(plan):
    """Return what became of the nodes, by the names of their ops."""
    found: dict[str, list[str]] = {}
    for node, fate in plan.fates().items():
        found.setdefault(node.op.name, []).append(fate.kind)
    return found


def test_prune_leaves_out_what_is_not_needed():
    def f(x):
        tf.exp(x)
        return tf.reduce_sum(x)

    plan = plan_of(f, X)
    assert kinds(plan) == ["reduce_sum"]
    assert by_op(plan)["exp"] == ["pruned"]
    assert plan.passes[0].text == "1 of 2 nodes are not needed for the outputs."
    assert [step.name for step in plan.passes] == list(PASSES)
    assert all(step.seconds >= 0 for step in plan.passes)


def test_fold_computes_constants_once_but_no_random_numbers():
    def f(x):
        fixed = tf.exp(tf.constant(2.0)) * tf.constant(3.0)
        return x + fixed + tf.random.normal([])

    plan = plan_of(f, X)
    fates = by_op(plan)
    assert fates["exp"] == fates["multiply"] == ["folded"]
    assert fates["random_normal"] == ["kept"]


def test_merge_finds_common_subexpressions_but_no_two_draws_alike():
    def f(x):
        return tf.reduce_sum(tf.exp(x)) + tf.reduce_sum(tf.exp(x)), tf.random.normal([2]) - tf.random.normal([2])

    plan = plan_of(f, X)
    fates = by_op(plan)
    assert fates["exp"] == ["kept", "merged"]
    assert fates["reduce_sum"] == ["kept", "merged"]
    assert fates["random_normal"] == ["kept", "kept"]
    merged = next(node for node in plan.graph.nodes if plan.fate(node).kind == "merged")
    assert plan.fate(merged).into in plan.graph.nodes
    assert plan.passes[plan.fate(merged).stage].name == "merge"


def test_a_variable_read_before_and_after_an_assignment_is_not_merged():
    v = tf.Variable(1.0)

    @tf.function
    def f():
        before = v * 2.0
        v.assign_add(1.0)
        return before, v * 2.0

    assert [x.numpy() for x in f()] == [2.0, 4.0]
    assert [x.numpy() for x in f()] == [4.0, 6.0]


@pytest.mark.parametrize(
    ("call", "left"),
    [
        (lambda x: x * 1.0, []),
        (lambda x: 1.0 * x, []),
        (lambda x: x / 1.0, []),
        (lambda x: x - 0.0, []),
        (lambda x: x + (-0.0), []),
        (lambda x: x + 0.0, ["constant", "add"]),
        (lambda x: tf.negative(tf.negative(x)), []),
        (lambda x: tf.transpose(tf.transpose(x)), []),
        (lambda x: tf.reshape(tf.reshape(x, [4]), [2, 2]), []),
        (lambda x: tf.reshape(tf.reshape(x, [4]), [1, 4]), ["reshape"]),
        (lambda x: tf.identity(tf.stop_gradient(x)), []),
        (lambda x: tf.cast(x, tf.float32), []),
        (lambda x: tf.broadcast_to(x, [2, 2]), []),
        (lambda x: tf.matmul(tf.transpose(x), x), ["matmul"]),
        (lambda x: x * 0.0, ["constant", "multiply"]),
        (lambda x: x * tf.ones([3, 2, 2]), ["constant", "multiply"]),
    ],
)
def test_simplify(call, left):
    assert kinds(plan_of(call, X)) == left
    assert same(program(traced(call, X))([X._a])[0], call(X)._a)


def test_fuse_makes_one_step_of_elementwise_ones():
    plan = plan_of(lambda x: tf.reduce_sum(tf.exp(x) * x + 1.0), X)
    assert kinds(plan) == ["constant", "fused", "reduce_sum"]
    assert [member.op.name for member in plan.steps[1].members] == ["exp", "multiply", "add"]
    assert by_op(plan)["exp"] == ["fused"]
    assert {plan.fate(member.node).into.name for member in plan.steps[1].members} == {"add"}


def test_inline_puts_the_nodes_of_a_called_graph_in_the_place_of_the_call():
    inner = tf.function(lambda x: tf.exp(x) + 1.0)
    plan = plan_of(lambda x: inner(x) * inner(x), X)
    assert by_op(plan)["call"] == ["inlined", "inlined"]
    assert "call" not in kinds(plan)
    assert sum(member.op.name == "exp" for step in plan.steps for member in step.members) == 1


def test_the_traced_graph_stays_as_it_is():
    routine = traced(lambda x: tf.exp(x) * 1.0 + tf.exp(x), X)
    before = [(node.op, node.inputs, dict(node.attrs), node.outputs) for node in routine.graph.nodes]
    program(routine)
    assert len(before) == len(routine.graph.nodes)
    for node, (op, inputs, attrs, outputs) in zip(routine.graph.nodes, before, strict=True):
        assert node.op is op
        assert all(one is other for one, other in zip(node.inputs, inputs, strict=True))
        assert all(one is other for one, other in zip(node.outputs, outputs, strict=True))
        assert node.attrs.keys() == attrs.keys()


def losses(x, labels):
    """A loss and its gradient, which share most of their steps."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=x)
    return loss, tape.gradient(loss, x), tf.nn.log_softmax(x, axis=0), tf.nn.softmax(x, axis=-2)


@pytest.mark.parametrize("labels", [np.int32, np.int64])
@pytest.mark.parametrize("floats", [np.float16, np.float32, np.float64])
def test_lower_shares_what_a_loss_and_its_gradient_need(labels, floats):
    rng = np.random.default_rng(3)
    x = tf.constant(np.where(rng.random((4, 3, 9)) < 0.1, -np.inf, rng.normal(size=(4, 3, 9))).astype(floats))
    right = tf.constant(rng.integers(0, 9, (4, 3)).astype(labels))
    routine = traced(losses, x, right)
    check(routine, [x._a, right._a], [tensor._a for tensor in losses(x, right)], tuple(PASSES))
    ops = [single.op.name for step in program(routine).plan.steps for single in step.single()]
    assert ops.count("exp") == 3
    assert "softmax" not in ops


@pytest.mark.parametrize("wrong", [-1, 9])
def test_a_label_that_is_no_class_is_refused_with_buffers_too(wrong):
    x, right = tf.zeros([4, 9]), tf.constant([0, 1, 2, 8])
    run = tf.function(losses)
    assert run(x, right)[0].shape == [4]
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"label value of {wrong} which is outside"):
        run(x, tf.constant([0, wrong, 2, 8]))
    assert same(run(x, right)[0]._a, losses(x, right)[0]._a)
