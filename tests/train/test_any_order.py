"""Whatever an object is made of, and in whatever order it is made after a checkpoint was read, values arrive."""

import random

import pytest

import tapeviz as tf


def shape_of(chance, depth=3):
    """A random object: what it is made of, by name."""
    if depth == 0 or chance.random() < 0.3:
        return chance.randrange(1, 1000)
    sort = chance.choice(["module", "module", "list", "dict"])
    names = [f"a{k}" for k in range(chance.randrange(1, 4))]
    parts = [shape_of(chance, depth - 1) for _ in names]
    return sort, list(zip(names, parts, strict=True))


def made(shape, blank):
    """The object; with ``blank`` its variables are 0."""
    if isinstance(shape, int):
        return tf.Variable(0 if blank else shape)
    sort, parts = shape
    if sort == "list":
        return [made(part, blank) for _, part in parts]
    if sort == "dict":
        return {name: made(part, blank) for name, part in parts}
    owner = tf.Module()
    for name, part in parts:
        setattr(owner, name, made(part, blank))
    return owner


def later(shape, owner, name, chance, todo):
    """Make a part of ``owner`` by steps that are put to ``todo``; what is in modules is a step of its own."""
    if isinstance(shape, int) or shape[0] != "module":
        todo.append(lambda: setattr(owner, name, made(shape, blank=True)))
        return

    def make():
        setattr(owner, name, module)

    module = tf.Module()
    steps = [make]
    for part, inner in shape[1]:
        later(inner, module, part, chance, steps)
    first = chance.random() < 0.5  # whether the module is there before its parts are
    todo += steps if first else [*steps[1:], make]


def values(owner):
    return [(variable.name, int(variable)) for variable in tf.Module.variables.fget(owner)]


@pytest.mark.parametrize("seed", range(40))
def test_values_arrive(tmp_path, seed):
    chance = random.Random(seed)
    shape = ("module", [(f"part{k}", shape_of(chance)) for k in range(3)])
    whole = made(shape, blank=False)
    prefix = tf.train.Checkpoint(root=whole).write(tmp_path / "m")
    again = tf.Module()
    todo = []
    for name, part in shape[1]:
        later(part, again, name, chance, todo)
    before = chance.randrange(len(todo) + 1)
    for step in todo[:before]:
        step()
    status = tf.train.Checkpoint(root=again).read(prefix)
    for step in todo[before:]:
        step()
        status.assert_existing_objects_matched()  # each gets its value as it is made
    status.assert_consumed()
    assert values(again) == values(whole)
