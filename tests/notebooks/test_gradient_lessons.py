"""The first six lessons give the answers that their texts explain."""

import re

import pytest

from tests.notebooks.conftest import FOLDER

pytestmark = pytest.mark.slow


def test_the_engine_on_one_page_agrees_with_tapeviz_and_learns(run):
    engine = run(FOLDER / "01_engine_on_one_page.ipynb")
    said = engine.text("compare")
    assert re.findall(r"equal: (\w+)", said) == ["True", "True"]
    ours, theirs = re.findall(r"(\[.*\])", said)
    assert ours == theirs == "['multiply', 'add', 'tanh', 'subtract', 'multiply']"
    assert int(re.search(r"(\d+)%", engine.text("learn")).group(1)) >= 95


def test_a_tape_records_what_its_lesson_says(run):
    tapes = run(FOLDER / "02_tapes.ipynb")
    assert "by w: tf.Tensor(2.0" in tapes.text("variables-and-tensors")
    assert "by x: None" in tapes.text("variables-and-tensors")
    assert "call tape.watch(x) before line 6" in tapes.text("why-x")
    assert "ran before the tape's with block" in tapes.text("why-outside")
    assert "tf.Tensor(6.0, shape=(), dtype=float32) None" in tapes.text("stop-recording")
    (error,) = [output for output in tapes.outputs("used-up") if output.output_type == "error"]
    assert "It was used at cell 8, line 6" in error.evalue
    assert re.findall(r"\b(27|18)\.0", tapes.text("nested")) == ["27", "18"]


def test_the_steps_back_are_right_by_nudging(run):
    chain = run(FOLDER / "03_chain_rule.ipynb")
    assert chain.text("nudge").count("two-sided -12.0000, the tape -12.0000") == 3
    by_hand, by_tape = re.findall(r"\[(.*)\]", chain.text("matmul-by-hand"))[1:]
    assert by_hand == by_tape
    for name in ("w", "b"):
        tape, nudging = (
            [float(number) for number in numbers.split()]
            for numbers in re.findall(rf"^{name} \w+: +\[(.*)\]", chain.text("check-gradients"), re.MULTILINE)
        )
        assert tape == pytest.approx(nudging, abs=2e-3)


def test_sigmoids_do_not_learn_and_the_cures_do(run):
    vanishing = run(FOLDER / "04_vanishing_gradients.ipynb")
    assert "gradients vanish, w1's most of all" in vanishing.text("sigmoids")
    assert "gradients explode" in vanishing.text("exploding")
    assert "No finding" in vanishing.text("residual-tape")
    assert 0.2 < float(re.search(r"about (\S+) of it", vanishing.text("measure")).group(1)) < 0.25
    sigmoid, relu, normalised = (float(found) for found in re.findall(r"-> (\S+),", vanishing.text("train")))
    assert sigmoid > 2
    assert max(relu, normalised) < 0.5


def test_each_cut_has_its_reason(run):
    cuts = run(FOLDER / "05_gradients_that_are_none.ipynb")
    for cell, said in {
        "not-watched": "the tape was not told to watch it",
        "rebound": "is now a new tensor",
        "left": "left the engine as w.numpy()",
        "integer": "steps is int32",
        "no-gradient": "round has no gradient",
        "stopped": "stop_gradient cuts it off",
        "outside": "ran before the tape's with block",
        "unconnected": "nothing that was computed from scale goes into loss",
    }.items():
        assert cuts.text(f"{cell}-cell").startswith("None"), cell
        assert said in cuts.text(f"{cell}-why"), cell
    zero, small, none = cuts.text("three-things").strip().splitlines()
    assert "[0. 0. 0.]" in zero
    assert "e-07" in small
    assert none.endswith("None")


def test_each_nan_is_found_where_it_begins(run):
    nan = run(FOLDER / "06_hunting_a_nan.ipynb")
    assert nan.text("log-zero-nan").startswith("log made -inf at [2, 1]")
    assert nan.text("overflow-nan").startswith("exp made inf at [2]")
    assert nan.text("sqrt-zero-nan").startswith("the backward step of sqrt made inf at [1]")
    assert "tf.where leaves that element out" in nan.text("masked-nan")
    for cell in ("log-zero-check", "overflow-cured", "sqrt-zero-cured", "masked-cured"):
        assert not re.search(r"nan|inf", nan.text(cell)), cell
    assert "stopped in round 6" in nan.text("stop-number")
    assert "tf.sqrt(x)" in nan.text("shrunk")
    assert "subtract has 0 digits right" in nan.text("digits-asked")
