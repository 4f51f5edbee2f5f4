"""Pipelines give what TensorFlow's give: elements, specs, cardinalities, and the classes of errors."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import tapeviz as tf
from tests.data import programs

ANSWERS = json.loads(Path(__file__).with_name("answers.json").read_text())

# What dtypes that do not fit raise in every traced function here; it is an InvalidArgumentError and a ValueError.
_OTHERWISE = {
    "D.range(3).reduce(0, lambda a, x: a + x)": "ShapeError",
    # Found by the traced assertion of a function inside, whose class is lost in TensorFlow.
    "D.from_tensor_slices(LENGTHS).map(row).bucket_by_sequence_length(length, [3, 5], [2, 2, 2], "
    "pad_to_bucket_boundary=True)": "InvalidArgumentError",
}


@pytest.fixture
def names():
    return programs.names(tf)


def test_every_answer_is_of_a_program_and_every_program_has_one():
    for sort in ("whole", "unending", "wrong", "failing"):
        assert set(ANSWERS[sort]) == set(getattr(programs, sort.upper()))


def assert_same(mine, theirs):
    """The same structure, dtypes, shapes and values."""
    if isinstance(theirs, list):
        assert isinstance(mine, list)
        assert len(mine) == len(theirs)
        for one, other in zip(mine, theirs, strict=True):
            assert_same(one, other)
    elif "values" not in theirs or "dtype" not in theirs:
        assert mine.keys() == theirs.keys()
        for key in theirs:
            assert_same(mine[key], theirs[key])
    else:
        assert (mine["dtype"], mine["shape"]) == (theirs["dtype"], theirs["shape"])
        if mine["dtype"].startswith("float"):
            np.testing.assert_allclose(mine["values"], theirs["values"], rtol=1e-6)
        else:
            assert mine["values"] == theirs["values"]


@pytest.mark.parametrize("text", programs.WHOLE)
def test_elements_are_those_of_tensorflow(text, names):
    dataset = eval(text, names)
    theirs = ANSWERS["whole"][text]
    for _ in range(2):  # a dataset can be gone through again
        assert_same([programs.plain(element) for element in dataset.as_numpy_iterator()], theirs["elements"])
    assert programs.said(dataset) == {key: theirs[key] for key in ("spec", "cardinality")}
    if theirs["cardinality"] >= 0:
        assert len(dataset) == theirs["cardinality"]


@pytest.mark.parametrize("text", programs.WHOLE)
def test_elements_are_tensors_eagerly_and_in_a_traced_loop(text, names):
    dataset = eval(text, names)
    theirs = ANSWERS["whole"][text]["elements"]
    assert_same([programs.plain(tf.nest.map_structure(lambda t: t.numpy(), one)) for one in dataset], theirs)
    seen = []

    def note(*parts):
        seen.append([part.numpy() for part in parts])

    @tf.function
    def through(data):
        count = 0
        for element in data:
            count += 1
            tf.py_function(note, tf.nest.flatten(element), [])
        return count

    assert through(dataset).numpy() == len(theirs)
    flat = [tf.nest.flatten(one) for one in dataset.as_numpy_iterator()]
    assert_same([programs.plain(parts) for parts in seen], [programs.plain(parts) for parts in flat])


@pytest.mark.parametrize("text", programs.UNENDING)
def test_specs_and_cardinalities_are_those_of_tensorflow(text, names):
    assert programs.said(eval(text, names)) == ANSWERS["unending"][text]


@pytest.mark.parametrize("text", programs.WRONG)
def test_what_is_wrong_raises_as_in_tensorflow(text, names):
    kind, message = programs.failure(lambda: eval(text, names))
    assert kind == _OTHERWISE.get(text, ANSWERS["wrong"][text]), message
    assert message


@pytest.mark.parametrize("text", programs.FAILING)
def test_what_fails_on_the_way_raises_as_in_tensorflow(text, names):
    dataset = eval(text, names)
    kind, message = programs.failure(lambda: list(dataset))
    assert kind == _OTHERWISE.get(text, ANSWERS["failing"][text]), message
    assert message
