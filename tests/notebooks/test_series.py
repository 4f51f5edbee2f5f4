"""The notebooks of the series give the answers that their texts explain."""

import re

import pytest

from tests.notebooks.conftest import FOLDER

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def modes(run):
    return run(FOLDER / "07_eager_and_graph.ipynb")


def test_a_graph_goes_on_with_what_it_took_from_python(modes):
    assert re.findall(r"weight (\S+)", modes.text("once"))[:4] == ["0.9", "0.8", "0.7", "0.6"]
    assert "length of the history: 1" in modes.text("once")
    assert "rate was 0.1 when step was traced" in modes.text("frozen")


def test_eager_and_graph_agree_and_new_signatures_are_traced(modes):
    assert "No difference" in modes.text("diff")
    assert "traced 4 times in 5 calls" in modes.text("retraces")
    assert modes.text("open").strip().endswith("1")


@pytest.fixture(scope="module")
def autograph(run):
    return run(FOLDER / "08_autograph.ipynb")


def test_one_graph_makes_as_many_rounds_as_each_number_needs(autograph):
    assert "27 takes 111 rounds" in autograph.text("on")
    assert "traced: 1 time" in autograph.text("on")
    assert autograph.text("loop-gradient").strip() == "gradient: [1. 0. 1. 1. 0.]"
    assert autograph.text("once").count("round ") == 5
    assert autograph.text("once").count("Python is in the body") == 1


def test_python_decides_while_tracing_and_tensors_in_the_graph(autograph):
    clipped, plain = autograph.text("values-answer").splitlines()
    assert (clipped.count("multiply"), clipped.count("cond")) == (3, 1)
    assert (plain.count("multiply"), plain.count("cond")) == (1, 0)


@pytest.fixture(scope="module")
def second(run):
    return run(FOLDER / "11_second_order.ipynb")


def test_nested_tapes_give_second_derivatives_inside_their_blocks_only(second):
    assert "slope 12.0  bend 12.0" in second.text("first")
    assert "bend None" in second.text("outside")
    assert "taken outside the tape" in second.text("outside-why")


def test_newton_arrives_and_a_product_is_cheaper_than_the_hessian(second):
    descent, newton = (float(found) for found in re.findall(r"ends (\S+) from", second.text("newton-plot")))
    assert newton < 1e-6
    assert descent > 0.5
    assert "the same vector: True" in second.text("product")
    whole, product = (float(found) for found in re.findall(r"(\d+\.\d+) ms", second.text("product")))
    assert whole > 5 * product


def test_the_penalty_does_not_depend_on_the_last_bias(second):
    found = dict(re.findall(r"(\S+:0)\s+gradient of the penalty: (\S+)", second.text("flow-answer")))
    assert float(found.pop("height/bias:0")) == 0.0
    assert min(float(norm) for norm in found.values()) > 0.0


@pytest.fixture(scope="module")
def trees(run):
    return run(FOLDER / "12_trees.ipynb")


def test_each_sentence_has_a_tape_of_its_own(trees):
    assert re.findall(r"(\d+) merges", trees.text("tapes")) == ["3", "5", "9"]
    assert "traced 4 times in 4 calls" in trees.text("graph-retraces")


def test_the_tree_understands_longer_sentences_and_a_bag_does_not(trees):
    assert float(re.findall(r"(\d+)% right", trees.text("train"))[-1]) >= 95
    assert all(line.startswith("-") for line in trees.text("picture").splitlines() if "the " in line)
    bag, tree = (float(found) for found in re.findall(r"(\d+)%", trees.text("bag")))
    assert bag < 80
    assert tree >= 95
