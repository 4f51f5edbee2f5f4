"""Errors of branches and loops on tensors of a graph name the variable and the user's line."""

# ruff: noqa: RET503, SIM108

import linecache
import re

import pytest

import tapeviz as tf
from tests.autograph.tracing import traced


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


CASES = [
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
