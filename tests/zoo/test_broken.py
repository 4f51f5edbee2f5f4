"""One block of a real model is broken on purpose: what is found says which, in each way that a step runs."""

import re
import warnings

import numpy as np
import pytest

import tapeviz as tf
from tests.zoo.broken import BREAKS, BROKEN, break_block
from tests.zoo.ways import WAYS

# What batch normalization scales up again is not lost.
HEALED = {("resnet", "tiny_scale")}
# Where the finding names the op that loses it, in its block; the others name what is on either side.
SAYS = dict.fromkeys(("stop_gradient", "saturating", "tiny_scale", "nan"), r" in ([\w/]+/)?{}\b")
CASES = [
    (name, how, way)
    for name in BROKEN for how in BREAKS for way in WAYS
    if (name, how) not in HEALED and (how != "numpy" or way == "eager")
]  # fmt: skip


def broken(name, how, way):
    """The recording of two steps, the block's name, and whether the weights are finite afterwards."""
    tf.random.set_seed(0)
    example, block = BROKEN[name]()
    break_block(block, how)
    step = WAYS[way](example)
    with warnings.catch_warnings(action="ignore"), tf.record() as tape:
        step()
        step()
    return tape, block.name, all(np.isfinite(weight).all() for weight in example.model.get_weights())


@pytest.mark.slow
@pytest.mark.parametrize(("name", "how", "way"), CASES)
def test_the_finding_says_in_which_block_the_gradient_is_lost(name, how, way):
    tape, block, finite = broken(name, how, way)
    found = [verdict for verdict in tape.verdicts() if verdict.severity > 1]
    words = [f"{verdict.text} {verdict.evidence}" for verdict in found]
    assert any(re.search(SAYS.get(how, "{}").format(block), text) for text in words), words
    assert finite == (how != "nan")
    assert (how == "nan") == any(verdict.kind == "nonfinite" for verdict in found)
