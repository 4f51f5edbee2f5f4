"""Steps of optimizers, on variables of sizes about which packing and pieces decide."""

from __future__ import annotations

from typing import Any

from tests.fuzz.generators.builder import EDGES, LARGE, Builder
from tests.fuzz.programs import Item, Statement
from tests.keras.optimizers.steps import CASES

_PLAIN = {name: case for name, case in CASES.items() if isinstance(case[1], dict)}
_LOSSES = ("{0} * {0}", "tf.abs({0})", "tf.exp({0} * 0.1)", "tf.square({0} - 1.0)", "{0} * {0} * {0}")


def _size(build: Builder, large: bool) -> list[int]:
    draw = build.rng.random()
    if large and draw < 0.6:
        return [build.rng.choice(LARGE)]
    if draw < 0.5:
        return build.shape()
    return [build.rng.choice(EDGES)]


def train(build: Builder) -> None:
    """Add variables, an optimizer, and its step on a loss of them."""
    large = build.chance(0.06)
    sizes = [_size(build, large) for _ in range(build.rng.randint(1, 5))]
    if build.chance(0.4):
        sizes.append(list(sizes[0]))
    dtype = build.rng.choice(["float32", "float32", "float32", "float64"])
    names: list[Any] = []
    for shape in sizes:
        code = f"tf.Variable(tensor({build.rng.randrange(1000)}, {shape}, {dtype!r}))"
        names.append(build.made("w", code, thing=True))
    kind, options = _PLAIN[build.rng.choice(sorted(_PLAIN))]
    given = ", ".join(f"{key}={value!r}" for key, value in options.items())
    optimizer = build.made("optimizer", f"tf.keras.optimizers.{kind}({given})", thing=True)
    build.objects.append(Item("_", f"{optimizer}.build([{', '.join(names)}])"))
    build.scope[optimizer].build([build.scope[name] for name in names])
    x = build.tensor_of([], dtype, "usual")
    parts = [f"tf.reduce_sum({build.rng.choice(_LOSSES).format(name)})" for name in names]
    if build.chance(0.7):
        parts.append(f"{x} * tf.reduce_mean({names[0]})")
    loss = build.fresh("loss")
    slopes = build.fresh("slopes")
    order = list(names)
    build.rng.shuffle(order)
    build.scope["inner"] = build.scope[loss] = build.scope[slopes] = None
    # What makes the gradients and what applies them are one thing to whoever shrinks a program.
    build.keep(Statement("if True:", (
        Statement("with tf.GradientTape() as inner:", (Statement(f"{loss} = {' + '.join(parts)}"),)),
        Statement(f"{slopes} = inner.gradient({loss}, [{', '.join(order)}])"),
        Statement(f"{optimizer}.apply_gradients(zip({slopes}, [{', '.join(order)}]))"),
    )))  # fmt: skip
