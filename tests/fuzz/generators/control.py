"""Control flow as Python has it, on tensors; and as TensorFlow's functions."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.generators.builder import NUMBERS, Builder
from tests.fuzz.generators.ops import call_op, map_elements, reduce, use_operator
from tests.fuzz.generators.shapes import take_slice
from tests.fuzz.programs import Statement

_INSIDE = (use_operator, use_operator, map_elements, take_slice, call_op, reduce)


def _condition(build: Builder) -> str:
    one = build.any(lambda v: v.dtype.name in NUMBERS) or build.input([2], "float32")
    test = f"tf.reduce_{build.rng.choice(['sum', 'max', 'min'])}({one}) {build.rng.choice(['>', '<', '<=', '!='])} 0"
    return f"{test} and tf.size({one}) > 1" if build.chance(0.2) else test


def _carried(build: Builder) -> str:
    """Return the name of a tensor of which the block makes a new one of the same form."""
    return build.any(lambda v: v.dtype.name in NUMBERS and v.dtype.is_floating) or build.input([2, 3], "float32")


def _step(build: Builder, name: str) -> str:
    """Return an expression of the form of ``name``, mostly with something that was made in the block."""
    value = build.values[name]
    other = build.any(lambda v: v.dtype == value.dtype and (v.shape == value.shape or v.shape.rank == 0))
    return build.rng.choice([
        f"{name} * 0.5", f"tf.tanh({name})", f"{name} + 1", f"-{name}", f"{name} - {other}", f"{other} * {name}",
        f"tf.where({name} > 0, {name}, {other})",
    ])  # fmt: skip


def _block(build: Builder, name: str, more: Callable[[Builder], str | None] = lambda _: None) -> tuple[Statement, ...]:
    """Return the lines of a block that gives ``name`` a new value."""
    with build.inside() as lines:
        for _ in range(build.rng.randint(0, 2)):
            build.rng.choice(_INSIDE)(build)
        kept = build.add(f"{name} = {_step(build, name)}")
        if not kept:
            build.add(f"{name} = {name} + 1")
        if last := more(build):
            lines.append(Statement(last, (Statement("break"),)))
    return tuple(lines)


def _bound_inputs(build: Builder) -> int:
    return len(build.inputs)


def branch(build: Builder) -> None:
    """Add an ``if`` on a tensor; both branches change the same name."""
    name, condition = _carried(build), _condition(build)
    body = _block(build, name)
    other = _block(build, name) if build.chance(0.7) else ()
    build.keep(Statement(f"if {condition}:", body, other))


def repeat_while(build: Builder) -> None:
    """Add a ``while`` on a tensor."""
    name, counter = _carried(build), build.fresh("i")
    times = build.input([], "int32", "positive") if build.chance(0.5) else str(build.rng.randint(0, 4))
    build.add(f"{counter} = tf.constant(0)")
    if counter not in build.scope:
        return
    body = (*_block(build, name, _leaving), Statement(f"{counter} += 1"))
    build.keep(Statement(f"while {counter} < {times}:", (Statement(f"{counter} += 1"), *body[:-1])))


def _leaving(build: Builder) -> str | None:
    return f"if {_condition(build)}:" if build.chance(0.2) else None


def repeat_for(build: Builder) -> None:
    """Add a ``for`` over a range of tensors, or over the rows of one."""
    name, item = _carried(build), build.fresh("k")
    if build.chance(0.5):
        rows = build.any(lambda v: v.shape.rank >= 1 and v.dtype.name in NUMBERS and v.shape[0] < 9)
        over = rows or build.input([3, 2], "float32")
        first = f"{over}[0]"
    else:
        over = f"tf.range({build.rng.choice(['3', '0', build.input([], 'int32', 'positive')])})"
        first = "tf.constant(0)"
    with build.inside():
        build.add(f"{item} = {first}")
        body = _block(build, name, _leaving)
    build.keep(Statement(f"for {item} in {over}:", body))


def call_control(build: Builder) -> None:
    """Add a call of one of TensorFlow's functions that take functions."""
    one = build.any(lambda v: v.dtype.is_floating and v.shape.rank >= 1 and 0 < v.shape[0] < 9)
    one = one or build.input([3, 2], "float32")
    scalar = f"tf.reduce_sum({one}) > 0"
    build.let(build.rng.choice([
        f"tf.cond({scalar}, lambda: {one} * 2, lambda: -{one})",
        f"tf.map_fn(lambda row: row * 2 + 1, {one})",
        f"tf.vectorized_map(lambda row: tf.reduce_sum(row) * 2, {one})",
        f"tf.scan(lambda before, row: before * 0.5 + row, {one})",
        f"tf.foldl(lambda before, row: before - row, {one})",
        f"tf.foldr(lambda before, row: before - row, {one})",
        f"tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * 0.5), (tf.constant(0), {one}))[1]",
        f"tf.switch_case(tf.cast({scalar}, tf.int32), [lambda: {one}, lambda: {one} + 1])",
        f"tf.function(lambda v: v * v + 1)({one})",
        f"tf.recompute_grad(lambda v: tf.tanh(v))({one})",
        f"tf.custom_gradient(lambda v: (tf.exp(v), lambda g: g * 2))({one})",
    ]))  # fmt: skip
