"""What TensorFlow refuses when a graph is built is refused then, and what it says of shapes is said; answers are data.

Where more is said than TensorFlow says, or something is refused that TensorFlow leaves for the run, it is held against
the op itself for several sizes: no tensor contradicts it.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import tapeviz as tf
from tests.reference.static_shapes.language import answers, built, evaluated, expressions, traced, values_of, with_holes

ROWS = [(text, specs, said) for text, rows in answers().items() for specs, said in rows]
REFUSALS = (ValueError, tf.errors.OpError, TypeError, IndexError, NotImplementedError)
NEEDS = ("known while tracing", "unknown rank", "unknown TensorShape")
"""What tracing says of a number that it needs."""
OTHERWISE = {
    "tf.nn.softmax_cross_entropy_with_logits": "TensorFlow flattens what is of another rank: no value bears it out",
    "tf.nn.dropout": "TensorFlow takes a larger noise shape eagerly, as we do in graphs too",
    "tf.image.resize_with_crop_or_pad": "TensorFlow takes an image of unknown rank for one of three axes",
    "tf.image.crop_to_bounding_box": "likewise", "tf.image.pad_to_bounding_box": "likewise",
}  # fmt: skip
"""Functions that differ on purpose, where ranks are unknown or differ, and why."""
LACKING = (
    "tf.dynamic_stitch", "tf.linalg.eigh", "tf.debugging.assert_shapes", "tf.random.normal", "tf.nn.dropout",
)  # fmt: skip
"""Functions that still need to know ranks that TensorFlow leaves open."""
SIZES = (1, 2, 3, 4, 0, 5, 6, 8)


def test_the_answers_are_those_to_the_expressions():
    asked = {with_holes(tf, expression, set())[0] for expression in expressions()}
    assert len(asked & set(answers())) > 0.9 * len(asked)


@pytest.mark.parametrize("way", [traced, built])
def test_what_tensorflow_refuses_is_refused_when_built(way):
    lax = []
    for text, specs, said in ROWS:
        if isinstance(said, str) and not is_otherwise(text, specs):
            try:
                way(tf, text, specs)
            except ValueError:
                continue
            except REFUSALS as error:
                lax.append((text, specs, f"{type(error).__name__}: {error}"))
            else:
                lax.append((text, specs))
    assert not lax, "\n".join(map(str, lax))


@pytest.mark.slow
@pytest.mark.parametrize("way", [traced, built])
def test_what_tensorflow_says_of_shapes_is_said(way):
    wrong = []
    for text, specs, said in ROWS:
        if isinstance(said, str) or is_otherwise(text, specs):
            continue
        try:
            ours = way(tf, text, specs)
        except REFUSALS as error:
            if not any(phrase in str(error) for phrase in NEEDS) and fits_for_any_sizes(text, specs):
                wrong.append((text, specs, said, f"{type(error).__name__}: {error}"))
            continue
        if not says_as_much(ours, said) or (more(ours, said) and not holds(text, specs, ours)):
            wrong.append((text, specs, said, ours))
    assert not wrong, "\n".join(map(str, wrong))


def draws(text):
    return text.startswith("tf.random.") and "stateless" not in text


def opens_a_rank(specs):
    return any(shape is None for _, shape in specs)


UNKNOWN_RANKS = [
    (expression, specs)
    for expression in expressions()
    for text in [with_holes(tf, expression, set())[0]]
    for specs, said in answers().get(text, ())
    if not isinstance(said, str) and opens_a_rank(specs) and not draws(text) and text.partition("(")[0] not in LACKING
]


@pytest.mark.slow
def test_inputs_of_unknown_rank_give_what_they_give_eagerly():
    compared = 0
    for expression, specs in UNKNOWN_RANKS:
        text, values = with_holes(tf, expression, set())[0], values_of(tf, expression)
        signature = [tf.TensorSpec(shape, dtype) for dtype, shape in specs]
        if not all(one.shape.is_compatible_with(value.shape) for one, value in zip(signature, values, strict=True)):
            continue
        try:
            wanted = evaluated(tf, text, values)
        except tf.errors.OpError:  # a matrix of ones, which has no inverse
            continue
        # The expression is asked for as it is now: the function is called before the next one.
        function = tf.function(lambda *given: evaluated(tf, text, given), signature, autograph=False)  # noqa: B023
        for ours, theirs in zip(function(*values), wanted, strict=True):
            np.testing.assert_array_equal(ours, theirs, f"{text} {specs}")
        compared += 1
    assert compared > 100


def is_otherwise(text, specs):
    ranks = {None if shape is None else len(shape) for _, shape in specs}
    of_one_rank = len(ranks) == 1 and None not in ranks and "dropout" not in text and "labels=f" not in text
    return text.partition("(")[0] in OTHERWISE and not of_one_rank


def says_as_much(ours, said):
    """Return whether each size that is said is said by us, and none is another."""
    return len(ours) == len(said) and all(
        theirs is None or (
            mine is not None and len(mine) == len(theirs)
            and all(b is None or a == b for a, b in zip(mine, theirs, strict=True))
        )
        for mine, theirs in zip(ours, said, strict=True)
    )  # fmt: skip


def more(ours, said):
    return ours != said


def filled(specs):
    """Give values for the letters, with several sizes for those that are not known."""
    rng = np.random.default_rng(0)
    holes = sum(size is None for _, shape in specs for size in shape or [None])
    mixtures = [tuple(rng.choice(SIZES, holes)) for _ in range(60)]
    for sizes in itertools.chain([(size,) * holes for size in SIZES], mixtures if holes > 1 else ()):
        rest = iter(sizes)
        shapes = [[next(rest) if size is None else size for size in shape or []] for _, shape in specs]
        yield [value(rng, dtype, shape) for (dtype, _), shape in zip(specs, shapes, strict=True)]


def value(rng, dtype, shape):
    if dtype == "bool":
        return tf.constant(rng.integers(0, 2, shape).astype(bool))
    return tf.constant(rng.integers(0, 2, shape).astype(dtype))


def results(text, specs):
    """Give what the expression gives eagerly for values of several sizes, where it takes them."""
    for values in filled(specs):
        try:
            yield evaluated(tf, text, values)
        except REFUSALS:
            continue


def fits_for_any_sizes(text, specs):
    return next(results(text, specs), None) is not None


def holds(text, specs, ours):
    return all(
        tf.TensorShape(said).is_compatible_with(one.shape)
        for found in itertools.islice(results(text, specs), 8)
        for said, one in zip(ours, found, strict=True)
    )
