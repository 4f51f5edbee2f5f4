"""Variables: assigned, read before and after, written in part, twice the same, beside their own views."""

from __future__ import annotations

from tests.fuzz.generators.builder import NUMBERS, Builder
from tests.fuzz.programs import Statement


def _variable(build: Builder) -> str:
    known = [item.name for item in build.objects if item.name.startswith("w")]
    if known and build.chance(0.6):
        return build.rng.choice(known)
    shape, dtype = build.shape(), build.rng.choice(["float32", "float32", "float64", "int32", "uint8", "bool"])
    code = f"tf.Variable(tensor({build.rng.randrange(1000)}, {shape}, {dtype!r}))"
    name = build.made("w", code, thing=True)
    assert name is not None, code
    return name


def read_variable(build: Builder) -> None:
    """Add an expression of a variable."""
    name = _variable(build)
    dtype = build.scope[name].dtype.name
    forms = [f"tf.identity({name})", f"{name}.read_value()", f"tf.reshape({name}, [-1])", f"tf.transpose({name})"]
    if dtype in NUMBERS:
        forms += [f"{name} + {name}", f"{name} * 2", f"tf.stack([{name}, {name}])", f"tf.reduce_sum({name} * {name})"]
    build.let(build.rng.choice(forms))


def assign_variable(build: Builder) -> None:
    """Add an assignment; often with the value read before it and after it."""
    name = _variable(build)
    value = build.scope[name]
    shape, dtype = [int(n) for n in value.shape], value.dtype.name
    before = build.let(f"{name}.read_value()") if build.chance(0.3) else None
    if build.chance(0.15):
        build.add(f"{name}.assign({name})")
    else:
        how = build.rng.choice(["assign", "assign_add", "assign_sub"]) if dtype in NUMBERS else "assign"
        build.add(f"{name}.{how}({build.tensor_of(shape, dtype, 'usual')})")
    if build.chance(0.5):
        build.let(f"{name} + 1" if dtype in NUMBERS else f"tf.identity({name})")
    if before and dtype in NUMBERS and build.chance(0.5):
        build.let(f"{before} - {name}")


def assign_in_branch(build: Builder) -> None:
    """Add an assignment that happens or does not."""
    name = _variable(build)
    value = build.scope[name]
    shape, dtype = [int(n) for n in value.shape], value.dtype.name
    new = build.tensor_of(shape, dtype, "usual")
    condition = build.any(lambda v: v.dtype.name in NUMBERS) or build.input([3], "float32")
    inner = Statement(f"{name}.assign({new})")
    build.keep(Statement(f"if tf.reduce_sum({condition}) > 0:", (inner,)))
