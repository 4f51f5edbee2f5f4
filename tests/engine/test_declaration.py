"""Declaring an op: what the form refuses, and what it makes of what it is given."""

from __future__ import annotations

import pytest

import tapeviz as tf
from tapeviz.engine import rules
from tapeviz.engine.declaration import Op, registry, ufunc
from tapeviz.engine.op_definition import function_of, op
from tapeviz.engine.samples import floats
from tapeviz.engine.types import FLOATS

FORM = {
    "doc": "Twice x.",
    "family": "elementwise",
    "forward": lambda xp, x: xp.multiply(x, 2.0),
    "infer": rules.elementwise,
    "types": FLOATS,
    "vjp": {"x": lambda F, g: F.multiply(g, 2.0)},
    "formula": "y_i = 2 x_i",
    "vjp_formula": (r"\bar x_i = 2 \bar y_i",),
    "samples": floats(),
}


@pytest.fixture
def declare():
    before = set(registry)

    def declared(**changes):
        return op("twice_for_test", **{**FORM, **changes})

    yield declared
    for name in set(registry) - before:
        del registry[name]


def test_an_op_of_ones_own_runs_and_has_a_gradient(declare):
    twice = declare()
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = twice(x)
    assert y.numpy().tolist() == [2.0, 4.0]
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 2.0]
    assert isinstance(twice, Op)
    assert repr(twice) == "<op twice_for_test(x)>"
    assert twice.differentiable == "1"
    assert "Twice x." in function_of(twice).__doc__


def test_a_name_is_declared_once(declare):
    declare()
    with pytest.raises(ValueError, match="declared twice"):
        declare()


@pytest.mark.parametrize(
    ("changes", "error", "phrase"),
    [
        ({"family": "zoo"}, ValueError, "family"),
        ({"vjp_formula": ()}, ValueError, "1 gradients and 0 formulas"),
        ({"vjp": {"z": lambda F, g: g}}, TypeError, "a gradient takes"),
        ({"vjp": {"x": lambda F, g, elsewhere: g}}, TypeError, "a gradient takes"),
        ({"vjp": {"x": lambda g: g}}, TypeError, "a gradient takes"),
        ({"forward": lambda xp, g: g, "vjp": {"g": lambda F, g: g}}, TypeError, "would hide"),
        ({"forward": lambda xp, x, *, t: x}, TypeError, "would hide"),
    ],
)
def test_a_wrong_form_is_refused(declare, changes, error, phrase):
    with pytest.raises(error, match=phrase):
        declare(**changes)


def test_a_ufunc_is_called_with_the_inputs_alone(declare):
    root = declare(forward=ufunc("sqrt"), vjp=None, vjp_formula=())
    assert root(tf.constant([4.0])).numpy().tolist() == [2.0]
    assert root.attrs == {}
