"""Packed updates of variables: for any list of sizes, around every threshold, eager = planned = compiled to the bit."""

import contextlib

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tapeviz as tf
from tapeviz.graphs.memory import flat_packs
from tapeviz.graphs.native import loops, tiles
from tests.example_counts import exploring
from tests.graphs.native.ways import equal_numbers
from tests.keras.optimizers.steps import CASES

WAYS = {"eager": lambda f: f, "planned": lambda f: tf.function(f, jit_compile=False),
        "compiled": lambda f: tf.function(f, jit_compile=True)}  # fmt: skip
STEPS = 5
# Of each: what a step does with one variable. Variables that do the same are packed together.
LOSSES = [lambda v: v * v, lambda v: tf.abs(v) * 0.5, lambda v: v * 3.0]


@contextlib.contextmanager
def thresholds(piece, much, members=250):
    """Pieces of so few elements, from so few on, that small variables cross every threshold."""
    with pytest.MonkeyPatch.context() as patch:
        for room, name, value in (
            (flat_packs, "_PIECE", piece), (flat_packs, "_MUCH", much),
            (tiles, "_PIECE", piece), (tiles, "_MUCH", much), (loops, "_MOST", members),
        ):  # fmt: skip
            patch.setattr(room, name, value)
        yield


def trained(way, shapes, losses, optimizer):
    """Return the variables after each step, and what they were held as meanwhile."""
    rng = np.random.default_rng(len(shapes))
    variables = [tf.Variable(rng.normal(size=shape).astype("f4")) for shape in shapes]

    def step():
        with tf.GradientTape() as tape:
            loss = sum(tf.reduce_sum(LOSSES[which](v)) for which, v in zip(losses, variables, strict=True))
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    run, found, held = WAYS[way](step), [], []
    for number in range(STEPS):
        loss = run()
        held.append([v.read_value() for v in variables])
        found.append([loss.numpy(), *(v.numpy() for v in variables)])
        if number == STEPS - 2:
            variables[0].assign(variables[0] * 0.5)
    for tensors, (_, *values) in zip(held[:-2], found, strict=False):
        assert all(equal_numbers(tensor, value) for tensor, value in zip(tensors, values, strict=True))
    return found


def check(shapes, losses, make):
    """Check that all ways train alike."""
    wanted = trained("eager", shapes, losses, make())
    for way in ("planned", "compiled"):
        found = trained(way, shapes, losses, make())
        for number, (one, other) in enumerate(zip(found, wanted, strict=True)):
            for place, pair in enumerate(zip(one, other, strict=True)):
                assert equal_numbers(*pair), f"{way}, step {number}, {'loss' if not place else shapes[place - 1]}"


def made(title):
    """Return what makes the optimizer of a title."""
    name, options = CASES[title]
    return lambda: getattr(tf.keras.optimizers, name)(
        **(options(tf.keras.optimizers) if callable(options) else options)
    )


@st.composite
def shapes_of_variables(draw, piece=8, much=16):
    """Draw shapes whose sizes, and sums of sizes, lie around the thresholds."""
    near = [base + more for base in (piece, much, 2 * much, 3 * piece, 7 * piece) for more in (-1, 0, 1)]
    sizes = draw(st.lists(st.sampled_from([1, 2, 3, *near]), min_size=2, max_size=7))
    shapes = []
    for size in sizes:
        rows = draw(st.sampled_from([each for each in (1, 2, 3, 5) if size % each == 0]))
        shapes.append((size,) if rows == 1 else (rows, size // rows))
    return shapes


@exploring(40, 4000)
@given(shapes_of_variables(), st.sampled_from(sorted(CASES)), st.data())
def test_every_optimizer_packs_variables_of_any_sizes(shapes, title, data):
    losses = data.draw(st.lists(st.integers(0, len(LOSSES) - 1), min_size=len(shapes), max_size=len(shapes)))
    with thresholds(piece=8, much=16, members=data.draw(st.sampled_from([3, 250]))):
        check(shapes, losses, made(title))


@pytest.mark.parametrize("shapes", [
    [(16,), (8,), (100,), (100,)], [(100,), (100,), (25,), (3,)], [(16,), (4, 4), (16,), (4, 4)],
])  # fmt: skip
@pytest.mark.parametrize("title", sorted(CASES))
def test_packs_that_share_a_buffer_have_pieces_of_their_own(title, shapes):
    with thresholds(piece=8, much=16):
        check(shapes, [0] * len(shapes), made(title))


@exploring(15, 1000)
@given(st.lists(st.sampled_from([(6,), (2, 3), (3, 2), (1, 6), (4,), (2, 2), (2,)]), min_size=4, max_size=9))
@example([(6,), (2, 3), (2,), (4,), (4,), (2,)])
def test_packs_of_one_total_have_parts_of_their_own(shapes):
    check(shapes, [place * 2 // len(shapes) for place in range(len(shapes))], made("Adam rate"))


SIZES = [(131072, 65536, 819200, 819200), (819200, 819200, 204800, 25088), (65535, 65537, 131071, 131072)]


@pytest.mark.parametrize("sizes", SIZES)
def test_variables_of_real_sizes(sizes):
    check([(size,) for size in sizes], [0] * len(sizes), made("Adam rate"))
