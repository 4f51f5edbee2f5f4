"""Each model of the zoo learns, in each of the ways in which its step runs."""

import numpy as np
import pytest

import tapeviz as tf
from tests.zoo.models import LARGE, ZOO
from tests.zoo.ways import WAYS


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ZOO)
def test_a_step_changes_each_variable_and_keeps_it_finite(name, way):
    tf.random.set_seed(0)
    example = ZOO[name]()
    step = WAYS[way](example)
    example.model(example.inputs)
    variables = example.model.trainable_variables
    before = [variable.numpy() for variable in variables]
    step()
    assert all(np.isfinite(variable.numpy()).all() for variable in variables)
    moved = [not np.array_equal(a, b.numpy()) for a, b in zip(before, variables, strict=True)]
    # Keys' biases add the same to every score of a query, which softmax takes out again.
    stuck = [v.name for v, moves in zip(variables, moved, strict=True) if not moves and "key/bias" not in v.name]
    assert stuck == []


def parameters(model):
    return sum(int(np.prod(variable.shape)) for variable in model.trainable_variables)


@pytest.mark.parametrize(("name", "millions"), [("resnet18", 11.2), ("lstm", 0.86), ("transformer", 5.3)])
def test_the_large_ones_have_the_size_of_real_ones(name, millions):
    example = LARGE[name]()
    example.model(example.inputs[:1])
    assert parameters(example.model) == pytest.approx(millions * 1e6, rel=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ZOO)
def test_nothing_looks_wrong_with_them(name, way):
    tf.random.set_seed(0)
    step = WAYS[way](ZOO[name]())
    with tf.record() as tape:
        for _ in range(4):
            step()
    assert [str(verdict) for verdict in tape.verdicts() if verdict.severity > 1] == []
