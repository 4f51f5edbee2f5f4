"""Calls of ops: those of the registry with their samples, Python's operators, casts."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from tapeviz.engine.declaration import Op, registry
from tests.fuzz.generators.builder import DTYPES, FLOATS, NUMBERS, Builder
from tests.ops.catalogue import SEED
from tools.reference_page import _public_names

_BINARY = ["+", "-", "*", "/", "//", "%", "**", "<", "<=", ">", ">=", "==", "!="]
_LOGIC = ["&", "|", "^"]
_SCALARS = ["0", "1", "2", "-1", "3", "0.5", "2.0", "-1.5", "1e-3", "True", "255"]


@cache
def _ops() -> list[tuple[str, str, list[Any]]]:
    """Return the name, how it is called, and the samples of each op that is a function of its inputs."""
    public = {value.name: path for path, value in sorted(_public_names().items()) if isinstance(value, Op)}
    found = []
    for name, op in sorted(registry.items()):
        if op.effects or op.family in ("variable", "control", "random") or not op.inputs:
            continue
        samples = [(inputs, attrs) for inputs, attrs in op.samples(np.random.default_rng(SEED)) if _printable(attrs)]
        if samples:
            found.append((name, public.get(name, f"registry[{name!r}].run"), op.samples(np.random.default_rng(SEED))))
    return found


def _printable(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_printable, value.values()))
    if isinstance(value, (list, tuple)):
        return all(map(_printable, value))
    return value is None or isinstance(value, (bool, int, float, str, np.dtype))


def _text(value: Any) -> str:
    return f"np.dtype({value.name!r})" if isinstance(value, np.dtype) else repr(value).replace("inf", "np.inf")


def call_op(build: Builder) -> None:
    """Add a call of an op, each as probable as any other, with inputs like those of one of its samples."""
    name, path, samples = build.rng.choice(_ops())
    number = build.rng.randrange(len(samples))
    inputs, attrs = samples[number]
    if not _printable(attrs):
        return
    dtype = build.rng.choice(FLOATS) if build.chance(0.7) else "float64"
    words = [_operand(build, name, number, place, array, dtype) for place, array in enumerate(inputs)]
    given = [f"{key}={_text(value)}" for key, value in attrs.items()]
    build.let(f"{path}({', '.join([*words, *given])})")


def _operand(build: Builder, op: str, number: int, place: int, array: Any, dtype: str) -> str:
    """Return an input for an op: like the one of its sample."""
    if array.dtype != np.float64:
        same = build.any(lambda v: tuple(v.shape) == array.shape and v.dtype.name == array.dtype.name)
        if same and build.chance(0.2):
            return same
        code = f"sample({op!r}, {number}, {place})"
        made = build.made("s", code) if build.chance(0.6) else None
        return made or code
    if build.chance(0.25):
        code = f"sample({op!r}, {number}, {place}, {dtype!r})"
        return build.made("s", code) or code
    return build.tensor_of(list(array.shape), dtype)


def use_operator(build: Builder) -> None:
    """Add an operator of Python on tensors that broadcast, or on a tensor and a number."""
    one = build.any() or build.input(build.shape(), build.dtype())
    value = build.values[one]
    if value.dtype.name == "bool":
        other = build.tensor_of([int(n) for n in value.shape], "bool")
        build.let(build.rng.choice([f"~{one}", f"{one} {build.rng.choice(_LOGIC)} {other}"]))
        return
    draw = build.rng.random()
    sign = build.rng.choice(_BINARY if value.dtype.name in NUMBERS else ["+", "-", "*", "/", "==", "!="])
    if draw < 0.1:
        build.let(build.rng.choice([f"-{one}", f"abs({one})"]))
    elif draw < 0.4:
        number = build.rng.choice(_SCALARS)
        build.let(f"{one} {sign} {number}" if build.chance(0.7) else f"{number} {sign} {one}")
    else:
        build.let(f"{one} {sign} {_partner(build, one)}")


def _partner(build: Builder, one: str) -> str:
    """Return a tensor with which ``one`` can be combined."""
    value = build.values[one]
    if build.chance(0.15):
        return one
    found = build.any(lambda v: v.dtype == value.dtype and _broadcast(v.shape, value.shape))
    if found and build.chance(0.6):
        return found
    shape = [1 if build.chance(0.15) else int(n) for n in value.shape]
    return build.tensor_of(shape[build.rng.randrange(len(shape) + 1) if build.chance(0.2) else 0 :], value.dtype.name)


def _broadcast(one: Any, other: Any) -> bool:
    try:
        np.broadcast_shapes(tuple(one), tuple(other))
    except ValueError:
        return False
    return True


def cast(build: Builder) -> None:
    """Add a cast to any dtype."""
    one = build.any() or build.input(build.shape(), build.dtype())
    build.let(f"tf.cast({one}, tf.{build.rng.choice(DTYPES)})")


def choose(build: Builder) -> None:
    """Add a choice by a comparison."""
    one = build.any(lambda v: v.dtype.name in NUMBERS) or build.input(build.shape(), "float32")
    other = _partner(build, one)
    condition = f"{one} {build.rng.choice(['>', '<=', '=='])} {build.rng.choice(['0', '1', other])}"
    kind = build.rng.randrange(4)
    build.let([
        f"tf.where({condition}, {one}, {other})",
        f"tf.where({condition}, {build.rng.choice(_SCALARS)}, {build.rng.choice(_SCALARS)})",
        f"tf.where({condition}, {one}, 0)",
        f"tf.clip_by_value({one}, 0, 1)",
    ][kind])  # fmt: skip


_REDUCTIONS = ["sum", "mean", "max", "min", "prod", "logsumexp"]


def reduce(build: Builder) -> None:
    """Add a reduction over some axes."""
    one = build.any(lambda v: v.dtype.name in NUMBERS) or build.input(build.shape(), "float32")
    rank = build.values[one].shape.rank
    axis = build.rng.choice([None, *range(-rank, rank), *([[0, -1]] if rank > 1 else [])])
    kind = build.rng.choice(_REDUCTIONS)
    build.let(f"tf.reduce_{kind}({one}, axis={axis}, keepdims={build.chance(0.4)})")


_ELEMENTWISE = [
    "exp", "math.log", "tanh", "sqrt", "square", "abs", "negative", "sign", "floor", "sigmoid", "sin", "cos",
    "math.log1p", "math.expm1", "math.rsqrt", "nn.relu", "nn.softplus", "nn.elu", "nn.gelu", "nn.swish", "nn.selu",
    "nn.relu6", "nn.leaky_relu", "math.reciprocal", "round", "math.is_nan", "math.is_finite", "identity",
    "stop_gradient", "zeros_like", "ones_like", "nn.softmax", "math.erf", "math.lgamma",
]  # fmt: skip


def map_elements(build: Builder) -> None:
    """Add an elementwise function."""
    one = build.any(lambda v: v.dtype.is_floating) or build.input(build.shape(), build.rng.choice(FLOATS))
    build.let(f"tf.{build.rng.choice(_ELEMENTWISE)}({one})")


_LARGEST_MATRIX = 2**22  # elements; a square one of a large size would be for no machine


def multiply_matrices(build: Builder) -> None:
    """Add a product of matrices."""
    one = build.any(lambda v: v.dtype.is_floating and v.shape.rank in (2, 3)) or build.input([3, 4], "float32")
    value = build.values[one]
    rows, columns = int(value.shape[-2]), int(value.shape[-1])
    first, second = build.chance(0.3), build.chance(0.3)
    inner = rows if first else columns
    size = build.rng.choice([1, 2, 3, inner])
    if inner * size > _LARGEST_MATRIX:
        size = 3
    other = build.tensor_of([size, inner] if second else [inner, size], value.dtype.name)
    flags = f", transpose_a={first}, transpose_b={second}" if first or second else ""
    build.let(f"tf.matmul({one}, {other}{flags})")
