"""Random programs: converted as original on Python values, traced as eager on tensors."""

import itertools
import linecache

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import tapeviz as tf
from tapeviz import autograph
from tests.autograph.traced_functions import traced
from tests.example_counts import exploring

_files = itertools.count()

names = st.sampled_from("abc")
values = st.one_of(names, st.integers(-3, 3).map(str))
expressions = st.one_of(
    values,
    st.tuples(values, st.sampled_from(["+", "-", "*"]), values).map(" ".join),
    st.tuples(names, names, values).map(lambda t: f"({t[0]} if {t[1]} > {t[2]} else {t[2]})"),
)
comparisons = st.tuples(names, st.sampled_from(["<", ">", "==", "!=", "<="]), values).map(" ".join)
conditions = st.one_of(
    comparisons,
    comparisons.map(lambda c: f"not {c}"),
    st.tuples(comparisons, st.sampled_from(["and", "or"]), comparisons).map(" ".join),
    st.tuples(values, names, values).map(lambda t: f"{t[0]} <= {t[1]} < {t[2]}"),
)


def indented(lines):
    return [f"    {line}" for line in lines]


@st.composite
def simple(draw, in_loop):
    kinds = ["assign", "assign", "augment", "exchange", "return"] + ["break", "continue"] * in_loop
    kind = draw(st.sampled_from(kinds))
    if kind == "assign":
        return [f"{draw(names)} = wrap({draw(expressions)})"]
    if kind == "augment":
        return [f"{draw(names)} += {draw(values)}"]
    if kind == "exchange":
        # Two names: Python 3.11.2 itself stores to one name twice in the wrong order.
        first, second = draw(st.permutations("abc"))[:2]
        return [f"{first}, {second} = wrap({draw(expressions)}), wrap({draw(expressions)})"]
    return [f"return wrap({draw(expressions)})"] if kind == "return" else [kind]


@st.composite
def blocks(draw, depth, in_loop):
    lines = []
    for _ in range(draw(st.integers(1, 3))):
        lines += draw(statements(depth, in_loop))
    return lines


@st.composite
def statements(draw, depth, in_loop):
    kind = draw(st.sampled_from(["simple", "if", "if", "for", "while", "list", "try"])) if depth else "simple"
    if kind == "simple":
        return draw(simple(in_loop))
    if kind == "if":
        lines = [f"if {draw(conditions)}:", *indented(draw(blocks(depth - 1, in_loop)))]
        if draw(st.booleans()):
            lines += ["else:", *indented(draw(blocks(depth - 1, in_loop)))]
        return lines
    if kind == "try":
        return ["try:", *indented(draw(blocks(depth - 1, in_loop))), "finally:", "    b = wrap(b - 1)"]
    if kind == "while":
        counter = f"n{depth}"
        head = [f"{counter} = wrap(0)", f"while {counter} < 3 and ({draw(conditions)}):", f"    {counter} += 1"]
    elif kind == "for":
        head = [f"for k{depth} in steps({draw(st.integers(0, 3))}):", f"    c = wrap(c + k{depth})"]
    else:
        head = [f"for k{depth} in [1, 2]:"]
    lines = [*head, *indented(draw(blocks(depth - 1, in_loop=True)))]
    if draw(st.booleans()):
        lines += ["else:", *indented(draw(blocks(depth - 1, in_loop)))]
    return lines


def made(lines, **scope):
    text = "\n".join(["def program(a, b, c):", *indented(lines), "    return wrap(a - b * c)", ""])
    file = f"<random {next(_files)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names_of = {"__name__": "__main__", **scope}
    exec(compile(text, file, "exec"), names_of)
    return names_of["program"]


def small(value):
    """Keeps numbers from growing without end."""
    return value % 97


@exploring(40, 2000)
@given(blocks(3, in_loop=False), st.lists(st.integers(-4, 4), min_size=3, max_size=3))
def test_converted_as_original(lines, arguments):
    program = made(lines, wrap=small, steps=range)
    converted, conversion = autograph.convert(program)
    assert not conversion.reason
    assert converted(*arguments) == program(*arguments)


@exploring(30, 1000)
@given(blocks(2, in_loop=False), st.lists(st.integers(-4, 4), min_size=3, max_size=3))
def test_traced_as_eager(lines, arguments):
    program = made(lines, wrap=lambda value: tf.convert_to_tensor(value) % 97, steps=tf.range)
    given_ = [tf.constant(argument) for argument in arguments]
    np.testing.assert_array_equal(traced(program)(*given_), program(*given_))
