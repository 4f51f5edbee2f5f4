"""Programs that draw numbers: ops with and without seeds of their own, stateless ones, generators, layers."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.generators import ops, shapes
from tests.fuzz.generators.builder import Builder
from tests.fuzz.generators.writer import _around
from tests.fuzz.programs import Program, Statement

__all__ = ["write_random"]

_STATELESS = [
    "tf.random.stateless_normal({shape}, {pair})", "tf.random.stateless_normal({shape}, {pair}, 1.0, 2.0, tf.float64)",
    "tf.random.stateless_uniform({shape}, {pair})", "tf.random.stateless_uniform({shape}, {pair}, -3, 9, tf.int32)",
    "tf.random.stateless_uniform({shape}, {pair}, None, None, tf.int64)",
    "tf.random.stateless_truncated_normal({shape}, {pair})", "tf.random.stateless_gamma({shape}, {pair}, 1.5)",
    "tf.random.stateless_poisson({shape}, {pair}, 2.5, tf.float32)",
    "tf.random.stateless_binomial({shape}, {pair}, 5.0, 0.4)", "tf.random.stateless_categorical({rows}, 3, {pair})",
    "tf.random.split({pair}, 2)", "tf.random.fold_in({pair}, 7)",
    "tf.nn.experimental.stateless_dropout({floats}, 0.4, {pair})",
]  # fmt: skip
_STATEFUL = [
    "tf.random.normal({shape}{seed})", "tf.random.normal({shape}, 2.0, 0.5, tf.float64{seed})",
    "tf.random.uniform({shape}{seed})", "tf.random.uniform({shape}, 0, 100, tf.int32{seed})",
    "tf.random.truncated_normal({shape}{seed})", "tf.random.gamma({shape}, {floats}{seed})",
    "tf.random.poisson({shape}, 3.0{seed})", "tf.random.categorical({rows}, 4{seed})",
    "tf.random.shuffle({floats}{seed})", "tf.nn.dropout({floats}, 0.3{seed})",
]  # fmt: skip
_DRAWN = ("normal", "uniform")
_GENERATED = [
    "{made}.normal({shape})", "{made}.uniform({shape})", "{made}.truncated_normal({shape})",
    "{made}.uniform({shape}, 0, 50, tf.int32)", "{made}.binomial({shape}, 5.0, 0.4)", "{made}.make_seeds(2)",
    "{made}.uniform_full_int({shape}, tf.uint64)",
]  # fmt: skip
_LAYERS = ["Dropout(0.4)", "Dropout(0.4, seed=3)", "GaussianNoise(0.5)", "GaussianDropout(0.3)", "AlphaDropout(0.3)"]
_MASKS = [
    "tf.nn.dropout({0}, 0.4)", "tf.nn.experimental.stateless_dropout({0}, 0.4, [3, 4])", "{1}({0}, training=True)",
]  # fmt: skip
_SHAPES = ["[2, 3]", "[4]", "[5, 2]", "[17]", "[1]", "[0, 2]", "[257]"]


def _filled(build: Builder, text: str) -> str:
    shape = build.rng.choice(_SHAPES)
    if build.chance(0.15):
        shape = f"tf.shape({build.any() or build.input([2, 3], 'float32')})"
    pair = f"[{build.rng.randrange(99)}, {build.rng.randrange(99)}]"
    if build.chance(0.3):
        pair = build.input([2], build.rng.choice(["int32", "int64"]))
    return text.format(
        shape=shape, pair=pair, seed=f", seed={build.rng.randrange(9)}" if build.chance(0.5) else "",
        rows=build.tensor_of([2, 3], "float32", "usual"), floats=build.tensor_of([3, 2], "float32", "positive"),
        made=_generator(build),
    )  # fmt: skip


def _generator(build: Builder) -> str:
    known = [item.name for item in build.objects if item.name.startswith("generator")]
    if known:
        return build.rng.choice(known)
    return build.made("generator", f"tf.random.Generator.from_seed({build.rng.randrange(99)})", thing=True) or ""


def draw_stateless(build: Builder) -> None:
    """Add numbers that depend on a seed alone."""
    build.let(_filled(build, build.rng.choice(_STATELESS)))


def draw(build: Builder) -> None:
    """Add numbers that depend on the state of the process."""
    text = build.rng.choice(_STATEFUL)
    build.let(_filled(build, text))


def draw_new(build: Builder) -> None:
    """Add numbers so many that two draws are not alike."""
    build.let(f"tf.random.{build.rng.choice(_DRAWN)}([64])", "drawn")


def generate(build: Builder) -> None:
    """Add numbers of a generator, which keeps its state in a variable."""
    build.let(_filled(build, build.rng.choice(_GENERATED)))


def call_noise(build: Builder) -> None:
    """Add a layer that draws."""
    layer = build.made("layer", f"tf.keras.layers.{build.rng.choice(_LAYERS)}", thing=True)
    build.let(f"{layer}({build.tensor_of([3, 4], 'float32', 'positive')}, training={build.chance(0.8)})")


def drop_in_both_directions(build: Builder) -> None:
    """Add a dropout with its gradient, and whether both have left out the same: ``same`` and a number."""
    x = build.input([5, 9], "float32", "positive")
    text = build.rng.choice(_MASKS)
    layer = build.made("layer", "tf.keras.layers.Dropout(0.5)", thing=True) if "{1}" in text else ""
    y, slope, same = build.fresh(), build.fresh(), build.fresh("same")
    build.scope["inner"] = build.scope[y] = build.scope[slope] = build.scope[same] = None
    build.keep(Statement("if True:", (
        Statement("with tf.GradientTape() as inner:", (
            Statement(f"inner.watch({x})"), Statement(f"{y} = {text.format(x, layer)}"),
        )),
        Statement(f"{slope} = inner.gradient({y}, {x})"),
        Statement(f"{same} = tf.reduce_all(tf.equal(tf.not_equal({y}, 0), tf.not_equal({slope}, 0)))"),
    )))  # fmt: skip


_OTHERS: list[Callable[[Builder], None]] = [ops.use_operator, ops.map_elements, ops.reduce, shapes.take_slice]
_PURE = [draw_stateless, draw_stateless, generate]
_ALL = [*_PURE, draw, draw, draw_new, call_noise, drop_in_both_directions]


def write_random(seed: int) -> tuple[Program, Builder]:
    """Return the program of this seed in the stream of those that draw; every third depends on its seeds alone."""
    build = Builder(seed)
    kinds = _PURE if seed % 3 == 0 else _ALL
    for _ in range(build.rng.choice([1, 2, 3, 5, 8])):
        build.rng.choice(kinds)(build)
        if build.chance(0.5):
            build.rng.choice(_OTHERS)(build)
    made = [name for statement in build.statements for name in sorted(statement.makes()) if name in build.values]
    told = [name for name in made if name.startswith(("same", "drawn"))]
    results = sorted({*told, *made[-3:], *build.rng.sample(made, min(2, len(made)))})
    around, sources = _around(build, results) if seed % 3 == 0 else ("", ())
    return Program(
        seed, tuple(build.objects), tuple(build.inputs), tuple(build.statements), tuple(results), around, sources,
        build.chance(0.3),
    ), build  # fmt: skip
