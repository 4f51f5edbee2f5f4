"""A program from a seed."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.generators import control, expressions, layers, ops, shapes, training, variables
from tests.fuzz.generators.builder import Builder
from tests.fuzz.programs import Program

__all__ = ["GENERATORS", "write"]

GENERATORS: dict[str, list[tuple[int, Callable[[Builder], None]]]] = {
    "ops": [
        (6, ops.call_op), (3, ops.use_operator), (3, ops.map_elements), (1, ops.cast), (1, ops.choose), (1, ops.reduce),
        (1, ops.multiply_matrices), (1, shapes.chain_views), (1, shapes.take_slice),
    ],
    "elements": [
        (6, ops.use_operator), (4, ops.map_elements), (2, ops.cast), (2, ops.choose), (2, ops.reduce),
        (1, shapes.chain_views),
    ],
    "expressions": [
        (6, expressions.evaluate_expression), (1, ops.use_operator), (1, ops.cast), (1, shapes.take_slice),
        (1, ops.map_elements),
    ],
    "shapes": [
        (4, shapes.take_slice), (3, shapes.chain_views), (3, shapes.join), (2, shapes.write_part),
        (2, ops.use_operator), (1, ops.map_elements), (1, ops.reduce), (1, ops.cast),
    ],
    "control": [
        (3, control.branch), (2, control.repeat_while), (3, control.repeat_for), (2, control.call_control),
        (3, ops.use_operator), (1, ops.map_elements), (1, shapes.take_slice), (1, variables.assign_in_branch),
    ],
    "variables": [
        (4, variables.assign_variable), (3, variables.read_variable), (1, variables.assign_in_branch),
        (2, ops.use_operator), (1, shapes.chain_views), (1, shapes.join), (1, control.branch), (1, control.repeat_for),
    ],
    "layers": [(4, layers.call_layer), (2, ops.map_elements), (1, ops.use_operator), (1, ops.reduce)],
    "training": [(3, ops.map_elements), (1, ops.use_operator), (1, layers.call_layer)],
}  # fmt: skip
"""What stands in a program of each subject, with weights."""

_SUBJECTS = ["ops"] * 4 + ["elements"] * 3 + ["expressions"] * 3 + ["shapes"] * 3 + ["control"] * 3 + [
    "variables", "variables", "layers", "layers", "training", "training",
]  # fmt: skip
_MOST_RESULTS = 4


def write(seed: int) -> tuple[Program, Builder]:
    """Return the program of this seed, which runs eagerly, and what has built it."""
    build = Builder(seed)
    subject = build.rng.choice(_SUBJECTS)
    chosen = [generator for weight, generator in GENERATORS[subject] for _ in range(weight)]
    for _ in range(build.rng.choice([1, 2, 3, 4, 6, 8, 12])):
        build.rng.choice(chosen)(build)
    if subject == "training":
        training.train(build)
    return _finished(build), build


def _finished(build: Builder) -> Program:
    inputs = {item.name for item in build.inputs}
    lines = [statement for statement in build.statements if not statement.text.startswith(("if", "for", "while"))]
    made = [name for name in build.values if any(name in statement.makes() for statement in lines) or name in inputs]
    changed = {name for statement in build.statements for name in statement.makes()}
    made = [name for name in made if name in changed]
    count = min(len(made), build.rng.randint(1, _MOST_RESULTS))
    results = sorted({*made[-1:], *build.rng.sample(made, count)}) if made else []
    around, sources = _around(build, results)
    return Program(
        build.seed, tuple(build.objects), tuple(build.inputs), tuple(build.statements), tuple(results), around, sources,
        build.chance(0.3),
    )  # fmt: skip


def _around(build: Builder, results: list[str]) -> tuple[str, tuple[str, ...]]:
    """Return whether the body is differentiated, and by what."""
    sources = [item.name for item in build.inputs if _differentiable(build, item.name)]
    sources += [item.name for item in build.objects if item.name.startswith(("w", "v"))]
    changed = {name for statement in build.statements for name in statement.makes()}  # by a loop: another tensor
    sources = [name for name in sources if name not in changed and build.scope[name].dtype.is_floating]
    if not results or not sources or not build.chance(0.35) or any("optimizer" in i.name for i in build.objects):
        return "", ()
    return ("tapes" if build.chance(0.2) else "tape"), tuple(sources[:5])


def _differentiable(build: Builder, name: str) -> bool:
    return name in build.values and build.values[name].dtype.is_floating
