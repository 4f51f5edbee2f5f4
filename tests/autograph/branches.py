"""Programs with ``if``, early returns and expressions that choose."""

# ruff: noqa: RET505, SIM102, SIM108, PLR5501

import tapeviz as tf
from tests.autograph.table import row

SIGNS = ((2.0,), (-3.0,), (0.0,))


@row(*SIGNS)
def if_else(x):
    if x > 0:
        y = x * x
    else:
        y = -x
    return y


@row(*SIGNS)
def if_alone(x):
    y = x
    if x > 0:
        y = y * 3.0
    return y


@row((0.5,), (1.5,), (2.5,), (9.0,))
def elif_chain(x):
    if x < 1.0:
        y = x
    elif x < 2.0:
        y = x * 2.0
    elif x < 3.0:
        y = x * 3.0
    else:
        y = x * 4.0
    return y


@row((2.0, 1.0), (2.0, -1.0), (-2.0, 1.0), (-2.0, -1.0))
def if_in_if(x, y):
    if x > 0:
        if y > 0:
            z = x * y
        else:
            z = x - y
    else:
        if y > 0:
            z = y - x
        else:
            z = x + y
    return z


@row(*SIGNS)
def return_in_branch(x):
    if x > 0:
        return x * 2.0
    return x * x


@row(*SIGNS)
def return_in_both(x):
    if x > 0:
        return x * 2.0
    else:
        return -x


@row((5.0,), (0.5,), (-5.0,))
def return_two_deep(x):
    if x > 0:
        if x > 1.0:
            return x * 10.0
        x = x + 0.5
    return x * x


@row((5.0,), (0.5,), (-5.0,))
def return_two_deep_constant_after(x):
    y = x * 2.0
    if x > 0:
        if x > 1.0:
            return x * x
    return y


@row((5.0,), (0.5,), (-5.0,), (-0.5,))
def returns_everywhere(x):
    if x > 1.0:
        return x
    if x < -1.0:
        return -x
    y = x * x
    if y > 0.5:
        return y
    return y * x


@row(*SIGNS)
def return_of_a_tuple(x):
    if x > 0:
        return x, x + 1.0
    return -x, x


@row(*SIGNS)
def unset_on_one_side_and_not_needed(x):
    if x > 0:
        part = x * 2.0
        y = part + 1.0
    else:
        y = x
    return y


@row(*SIGNS)
def several_variables(x):
    a, b = x, 1.0 + x
    if x > 0:
        a, b = b * 2.0, a
    return a - 3.0 * b


@row((2.0, True), (2.0, False), (-2.0, True), (-2.0, False), python=(1,))
def python_and_tensor_condition(x, flag):
    if flag:
        if x > 0:
            x = x * 2.0
    elif x > 0:
        x = x * 3.0
    return x


@row((2.0, None), (-2.0, 3.0), (2.0, 3.0), python=(1,))
def none_as_default(x, y):
    if y is None:
        y = x
    if x > 0 and y is not None:
        return x * y
    return x


@row((2.0,), (7.0,), (-1.0,))
def chained_comparison(x):
    if 0 < x < 5:
        return x * 2.0
    return x


@row((2.0,), (7.0,), (-1.0,), (3.5,))
def long_chain_with_calls(x):
    return x * 2.0 if 0 < tf.abs(x) * 1.0 < x + 1.0 < 5 else x


@row((2.0, 3.0), (2.0, -3.0), (-2.0, 3.0), (-2.0, -3.0))
def and_or_not(x, y):
    if x > 0 and y > 0:
        return x * y
    if not (x > 0 or y > 0):
        return x + y
    return x - y


@row((2.0,), (-2.0,), (30.0,))
def and_guards_what_follows(x):
    if (x > 0 and tf.sqrt(x) > 1.5) or x > 20.0:
        x = x * 2.0
    return x


@row(*SIGNS)
def conditional_expression(x):
    return x * 2.0 if x > 0 else x * x


@row((0.5,), (1.5,), (2.5,))
def conditional_expression_two_deep(x):
    return x if x < 1.0 else (x * 2.0 if x < 2.0 else x * 3.0)


@row((2.0,), (3.0,), (-2.0,))
def equality(x):
    if x == 2.0:
        return x * 5.0
    if x != 3.0:
        return x
    return x * x


@row((2.0, 3), (-2.0, 3), (2.0, 4))
def conditions_of_two_dtypes(x, n):
    if n % 2 == 0:
        y = x
    else:
        y = x * 2.0
    if x > 0:
        y = y + 1.0
    return y


@row(*SIGNS)
def walrus_in_condition(x):
    if (y := x * 2.0) > 1.0:
        return y * x
    return y + 1.0


@row(*SIGNS)
def augmented_assignments(x):
    y = x
    if x > 0:
        y += 1.0
        y *= x
    else:
        y -= 2.0
        y /= 4.0
    return y


@row((2.0,), (-2.0,))
def match_on_python_with_tensors_inside(x):
    for kind in ("double", "square"):
        match kind:
            case "double":
                if x > 0:
                    x = x * 2.0
            case "square":
                x = x * x
    return x


@row((2.0,), (-2.0,))
def try_with_branches_inside(x):
    try:
        if x > 0:
            y = x * 2.0
        else:
            y = x
    finally:
        x = x + 1.0
    return y * x


@row((2.0,), (-2.0,))
def return_inside_with(x):
    with tf.name_scope("inner"):
        if x > 0:
            return x * 4.0
        y = x - 1.0
    return y * y


@row((2.0,), (-2.0,))
def return_inside_try(x):
    try:
        if x > 0:
            return x * x
        x = x * 3.0
    except ValueError:
        x = x * 100.0
    else:
        x = x + 1.0
    return x


@row((2.0,), (-2.0,))
def asserted(x):
    assert x < 10.0, "too large"
    assert x > -10.0
    if x > 0:
        assert x < 5.0
        x = x * 2.0
    return x


@row((2.0,), (-2.0,))
def numbers_in_branches(x):
    n = 1
    if x > 0:
        n = 2
    return x * float(n)


@row((2.4,), (-3.6,), differentiable=False)
def conversions(x):
    n = int(x)
    if bool(x > 0):
        n = n + 1
    return float(n) * 2.0


@row((2.0, 5.0), (5.0, 2.0))
def largest_and_smallest(x, y):
    return max(x, y) - 2.0 * min(x, y, 3.0)
