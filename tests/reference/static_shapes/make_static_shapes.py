"""Write down what TensorFlow says of static shapes when a graph is built: which it refuses, and which it infers.

Run by hand, where TensorFlow is installed::

    python tests/reference/static_shapes/make_static_shapes.py
"""

import json
import os
import random
import sys
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
sys.path.insert(0, str(Path(__file__).parents[3]))

import tensorflow as tf

from tests.reference.static_shapes.language import ANSWERS, built, expressions, traced, with_holes

_NOT_OF_SHAPES = ("TypeError", "IndexError", "AttributeError", "NotImplementedError")
"""What TensorFlow's Python raises where it has no answer."""
_SIZES = (1, 1, 2, -1, 5)


def opened(rng: random.Random, specs: list, probability: float, but: tuple = ()) -> list:
    """Return the specs with some sizes unknown."""
    return [
        [dtype, None if shape is None else [
            None if rng.random() < probability and (place, axis) != but else size for axis, size in enumerate(shape)
        ]]
        for place, (dtype, shape) in enumerate(specs)
    ]  # fmt: skip


def changed(rng: random.Random, specs: list) -> list:
    """Return the specs with another size, one axis more or less, or a rank that is not known."""
    specs = [[dtype, list(shape)] for dtype, shape in specs]
    place = rng.randrange(len(specs))
    shape, draw = specs[place][1], rng.random()
    if draw < 0.6 and shape:
        axis = rng.randrange(len(shape))
        shape[axis] = max(0, shape[axis] + rng.choice(_SIZES))
        return opened(rng, specs, 0.4, (place, axis))
    if draw < 0.72 and shape:
        shape.pop(rng.randrange(len(shape)))
    elif draw < 0.85:
        shape.insert(rng.randrange(len(shape) + 1), rng.choice([1, 2, 3]))
    else:
        specs[place][1] = None
    return [[dtype, shape] if shape is None else opened(rng, [[dtype, shape]], 0.4)[0] for dtype, shape in specs]


def answer(expression: str, specs: list) -> object:
    """Return the shapes, or the class of the error; None where ways to build differ or the reason is another."""
    found = []
    for way in (traced, built):
        try:
            found.append(way(tf, expression, specs))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the reference
            found.append(type(error).__name__)
    return found[0] if found[0] == found[1] and found[0] not in _NOT_OF_SHAPES else None


def rows(rng: random.Random, expression: str) -> dict:
    """Return expressions with answers for several specs each."""
    made: dict = {}
    for attempt in range(3):
        kept = {place for place in range(8) if attempt and rng.random() < 0.5}
        text, specs = with_holes(tf, expression, kept)
        if not specs or isinstance(answer(text, specs), str):
            continue
        given = [specs, opened(rng, specs, 1.0), opened(rng, specs, 0.5), *(changed(rng, specs) for _ in range(8))]
        known = made.setdefault(text, [])
        for one in json.loads(json.dumps(given)):
            if all(one != other for other, _ in known) and (said := answer(text, one)) is not None:
                known.append([one, said])
    return made


if __name__ == "__main__":
    drawn = random.Random(12)
    lines = [f'"version": {json.dumps(tf.__version__)}']
    count = refused = 0
    for expression in expressions():
        for text, found in rows(drawn, expression).items():
            count, refused = count + len(found), refused + sum(isinstance(said, str) for _, said in found)
            lines.append(f"{json.dumps(text)}: {json.dumps(found, separators=(',', ':'))}")
    ANSWERS.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{count} answers from TensorFlow {tf.__version__}, {refused} of them refusals")
