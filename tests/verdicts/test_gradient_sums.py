"""Sums of gradients that are applied, and not set back to 0."""

import textwrap

import pytest

from tests.verdicts.cells import findings

_LOOP = """
w = tf.Variable(tf.ones([4, 1]))
total = tf.Variable(tf.zeros([4, 1]), trainable=False)
optimizer = optimizers.SGD(0.01)
for step in range(12):
    with tf.GradientTape() as tape:
        loss = mse(x @ w, y)
    gradient = tape.gradient(loss, w)
    {add}
    if step % 4 == 3:
        {apply}
"""
_ADD = "total.assign_add(gradient)"
_APPLY = "optimizer.apply_gradients([(total, w)])"
MISTAKES = {
    "by an optimizer": (_ADD, _APPLY),
    "a share of each": ("total.assign_add(gradient / 4)", _APPLY),
    "by hand": (_ADD, "w.assign_sub(0.01 * total)"),
}
FINE = {
    "set back": (_ADD, f"{_APPLY}; total.assign(tf.zeros_like(total))"),
    "momentum": ("total.assign(0.9 * total + gradient)", _APPLY),
    "Adagrad": ("total.assign_add(gradient * gradient)", "w.assign_sub(0.1 * gradient / tf.sqrt(total + 1e-7))"),
    "a record that nothing reads": (_ADD, "w.assign_sub(0.01 * gradient)"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_sum_that_never_begins_anew_is_named(name):
    add, apply = MISTAKES[name]
    found = findings(textwrap.dedent(_LOOP).format(add=add, apply=apply), "variables")
    assert [line for finding, line in found if "began anew" in finding.text] == [add]


@pytest.mark.parametrize("name", FINE)
def test_what_looks_alike_is_fine(name):
    add, apply = FINE[name]
    assert findings(textwrap.dedent(_LOOP).format(add=add, apply=apply), "variables") == []
