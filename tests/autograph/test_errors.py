"""Errors of branches and loops on tensors of a graph name the variable and the user's line."""

# ruff: noqa: PERF401, PERF402, RET503, SIM108

import itertools
import linecache
import re

import pytest

import tapeviz as tf
from tests.autograph.traced_functions import traced


class Box:
    """Something with attributes."""


def only_in_one_branch(x):
    if x > 0:  # here
        y = x
    return y


def only_in_else(x):
    if x > 0:  # here
        pass
    else:
        y = x
    return y


def attribute_only_in_one_branch(x):
    box = Box()
    if x > 0:  # here
        box.value = x
    return x


def dtypes_of_branches(x):
    if x > 0:  # here
        y = 1
    else:
        y = 2.5
    return y


def structures_of_branches(x):
    if x > 0:  # here
        y = [x, x]
    else:
        y = [x]
    return y


def none_in_one_branch(x):
    if x > 0:  # here
        y = None
    else:
        y = x
    return y


def objects_in_branches(x):
    if x > 0:  # here
        y = object()
    else:
        y = object()
    return y


def return_in_one_branch(x):
    if x > 0:  # here
        return x


def returns_of_other_forms(x):
    if x > 0:  # here
        return x, x
    return x


def returns_of_other_dtypes(x):
    if x > 0:  # here
        return 1
    return x


def condition_that_is_a_vector(x):
    if tf.stack([x, x]) > 0:  # here
        return x
    return -x


def conditional_expression_of_two_dtypes(x):
    return 1 if x > 0 else 1.5  # here


def raised_while_tracing(x):
    if x > 0:
        raise ValueError("raised while tracing")  # here
    return x


def assertion(x):
    y = x * 2.0
    assert y < 0, "must be negative"  # here
    return y


def kept_as_python(x):
    if x > 0:  # here
        return sorted(locals())
    return x


def comprehension_over_a_tensor(x):
    return [y for y in tf.stack([x, x])]  # here  # noqa: C416


def dtype_of_a_loop_variable(x):
    y = 0
    while x < 10.0:  # here
        x = x + 1.0
        y = x
    return y


def shape_of_a_loop_variable(x):
    y = tf.zeros([1])
    for _ in tf.range(tf.cast(x, tf.int32)):  # here
        y = tf.concat([y, y], 0)
    return y


def shape_against_an_invariant(x):
    y = tf.zeros([1, 2])
    while x < 10.0:  # here
        tf.autograph.experimental.set_loop_options(shape_invariants=[(y, tf.TensorShape([None, 2]))])
        x = x + 1.0
        y = tf.concat([y, y], 1)
    return y


def structure_of_a_loop_variable(x):
    y = [x]
    while x < 10.0:  # here
        x = x + 1.0
        y = y + [x]  # noqa: RUF005
    return y


def none_before_a_loop(x):
    y = None
    while x < 10.0:  # here
        x = x + 1.0
        y = x
    return y


def none_after_an_iteration(x):
    y = x
    while x < 10.0:  # here
        x = x + 1.0
        y = None
    return y


def object_changed_in_a_loop(x):
    y = object()
    while x < 10.0:  # here
        x = x + 1.0
        y = object()
    return y


def set_in_one_branch_in_a_loop(x):
    while x < 10.0:
        if x > 5.0:  # here
            y = x
        x = x + 1.0
    return y


def op_with_two_dtypes_in_a_loop(x):
    n = 0
    while x < 10.0:
        x = x + 1.0
        n = n + x  # here
    return n


def loop_over_a_scalar(x):
    for y in x:  # here
        x = x + y
    return x


def break_in_an_endless_loop_of_python(x):
    for k in itertools.count():  # here
        if x * k > 10.0:
            break
    return x


def list_of_two_shapes(x):
    values = [x]
    for _ in tf.range(3):
        values.append(tf.stack([x, x]))  # here
    return tf.stack(values)


def list_of_two_dtypes(x):
    values = [x]
    for k in tf.range(3):
        values.append(k)  # here
    return tf.stack(values)


CASES = [
    (dtype_of_a_loop_variable, TypeError, "'y' has dtype int32 before the loop, but dtype float32 after one iteration"),
    (shape_of_a_loop_variable, ValueError, re.escape("'y' has shape (1,) before the loop, but shape (2,) after one")),
    (shape_against_an_invariant, ValueError, "'y' has shape .* does not conform with the shape invariant"),
    (structure_of_a_loop_variable, TypeError, "'y' does not have the same nested structure after one iteration"),
    (none_before_a_loop, ValueError, "'y' is None before the loop"),
    (none_after_an_iteration, ValueError, "'y' is None at the end of the iteration"),
    (object_changed_in_a_loop, TypeError, "'y' is <object object"),
    (set_in_one_branch_in_a_loop, ValueError, "'y' must also be initialized in the else branch"),
    (op_with_two_dtypes_in_a_loop, (TypeError, tf.errors.InvalidArgumentError), "float32"),
    (loop_over_a_scalar, TypeError, "Cannot iterate over a scalar tensor"),
    (break_in_an_endless_loop_of_python, NotImplementedError, "may never end while tracing"),
    (list_of_two_shapes, ValueError, re.escape("elements of shape (), but one of shape (2,) is appended")),
    (list_of_two_dtypes, TypeError, "elements of dtype float32, but int32 is appended"),
    (only_in_one_branch, ValueError, "'y' must also be initialized in the else branch"),
    (only_in_else, ValueError, "'y' must also be initialized in the main branch"),
    (attribute_only_in_one_branch, ValueError, "'box.value' must also be initialized in the else branch"),
    (dtypes_of_branches, TypeError, "'y' has dtype int32 in the main branch, but dtype float32 in the else branch"),
    (structures_of_branches, TypeError, "'y' must have the same nested structure in the main and else branches"),
    (none_in_one_branch, ValueError, "'y' is None at the end of the main branch"),
    (objects_in_branches, TypeError, "'y' is <object object"),
    (return_in_one_branch, ValueError, "the else branch must also have a return statement"),
    (returns_of_other_forms, TypeError, "must have the same nested structure in the main and else branches"),
    (returns_of_other_dtypes, TypeError, "has dtype int32 in the main branch, but dtype float32 in the else branch"),
    (condition_that_is_a_vector, ValueError, "condition of if statement expected to be a scalar"),
    (conditional_expression_of_two_dtypes, TypeError, "dtype int32 in the main branch, but dtype float32"),
    (assertion, tf.errors.InvalidArgumentError, re.escape("assertion failed: [must be negative]")),
    (kept_as_python, tf.errors.OperatorNotAllowedInGraphError, "as a Python `bool` is not allowed"),
    (comprehension_over_a_tensor, tf.errors.OperatorNotAllowedInGraphError, "Iterating over a symbolic"),
]


def line_of(function):
    code = function.__code__
    lines = linecache.getlines(code.co_filename)
    return next(k for k in range(code.co_firstlineno, len(lines)) if "# here" in lines[k - 1])


@pytest.mark.parametrize(("function", "kind", "message"), CASES, ids=[case[0].__name__ for case in CASES])
def test_the_error_names_what_and_where(function, kind, message):
    with pytest.raises(kind, match=message) as caught:
        traced(function)(tf.constant(2.0))
    assert f"line {line_of(function)} of {__file__}" in str(caught.value)
    ours = [
        entry.frame for entry in caught.traceback if entry.frame.f_globals["__name__"].startswith("tapeviz.autograph")
    ]
    assert [frame.code.name for frame in ours[:-1] if "__tracebackhide__" not in frame.f_locals] == []


def test_what_is_raised_in_a_branch_is_raised_while_tracing_with_the_users_line():
    with pytest.raises(ValueError, match="raised while tracing") as caught:
        traced(raised_while_tracing)(tf.constant(-2.0))
    last = caught.traceback[-1]
    assert (str(last.path), last.lineno + 1) == (__file__, line_of(raised_while_tracing))


def test_an_assertion_that_holds_says_nothing():
    assert traced(assertion)(tf.constant(-1.0)).numpy() == -2.0


def test_variables_are_as_before_after_an_error():
    def run(x):
        y = x
        try:
            if x > 0:
                y = x * 2.0
                raise KeyError  # noqa: TRY301
        except KeyError:
            return y
        return y

    assert traced(run)(tf.constant(3.0)).numpy() == 3.0


def test_nodes_know_the_users_line():
    from tapeviz.graphs.run.failures import line_of as node_line

    graph = traced(op_lines).get_concrete_function(tf.TensorSpec([], tf.float32)).graph

    def every(graph):
        for node in graph.nodes:
            yield node
            for region in node.regions:
                yield from every(region)

    first = op_lines.__code__.co_firstlineno
    lines = {node.name.rpartition("/")[2].rstrip("_0123456789"): node_line(node) for node in every(graph)}
    assert f"line {first + 1} of {__file__}: while x < 10.0:" in lines["Less"]
    assert f"line {first + 2} of {__file__}: if x > 3.0:" in lines["Greater"]
    assert f"line {first + 3} of {__file__}: x = x * 2.0" in lines["mul"]
    assert f"line {first + 5} of {__file__}" in lines["sub"]


def op_lines(x):
    while x < 10.0:
        if x > 3.0:
            x = x * 2.0
        else:
            x = 8.0 - x
    return x


def only_in_a_for(n):
    for i in tf.range(n):
        y = i * 2
    return y


def only_in_a_while(n):
    while n > 0:
        n -= 1
        y = n * 2
    return y


def only_its_target(n):
    for y in tf.range(n):  # noqa: B007 - it is read after the loop
        pass
    return y


@pytest.mark.parametrize("function", [only_in_a_for, only_in_a_while, only_its_target])
def test_what_only_a_loop_sets_is_not_there_after_a_loop_that_did_not_run(function):
    run = traced(function)
    assert run(tf.constant(3)).numpy() == {only_in_a_for: 4, only_in_a_while: 0, only_its_target: 2}[function]
    with pytest.raises(tf.errors.InvalidArgumentError, match="loop must iterate at least once to initialize y"):
        run(tf.constant(0))


def test_a_loop_that_did_not_run_may_leave_out_what_nobody_reads():
    def first_even(n):
        for i in tf.range(n):
            half = i // 2
            if half * 2 == i and i > 0:
                return i
        return -1

    assert [traced(first_even)(tf.constant(n)).numpy() for n in (0, 2, 5)] == [-1, -1, 2]


def test_a_leaked_tensor_is_an_error_of_both_kinds():
    kept = []
    traced(lambda x: kept.append(x + 1))(tf.constant(1))
    for kind in (TypeError, ValueError):
        with pytest.raises(kind, match="out of scope"):
            traced(lambda x: x + kept[0])(tf.constant(1))


def grown(rows):
    found, count = tf.zeros([0, 2]), tf.constant(0)
    for row in rows:
        found, count = tf.concat([found, row], 0), count + 1
    return found, count


def summed(pairs):
    total = tf.constant(0)
    for a, b in pairs:
        total += tf.abs(a - b)
    return total


def test_shapes_may_vary_in_a_loop_over_a_dataset():
    rows = tf.ones([3, 1, 2])
    found, count = traced(grown)(tf.data.Dataset.from_tensor_slices(rows))
    assert (found.shape, count.numpy()) == ([3, 2], 3)
    pairs = tf.data.Dataset.from_generator(lambda: [(1, 3)] * 4, (tf.int32, tf.int32))  # of unknown shapes
    assert traced(summed)(pairs).numpy() == 8
