"""The notebooks on training show what their texts promise."""

import re

import pytest

from tests.notebooks.conftest import FOLDER

pytestmark = pytest.mark.slow


def numbers(text):
    return [float(found) for found in re.findall(r"-?\d+\.?\d*", text)]


def pictures(outputs):
    return sum("image/png" in output.get("data", {}) for output in outputs)


@pytest.fixture(scope="module")
def line(run):
    return run(FOLDER / "06_linear_regression_and_checkpoints.ipynb")


def test_the_line_is_found(line):
    losses = [float(found) for found in re.findall(r"loss at step \d+: ([\d.]+)", line.text("loop"))]
    assert losses == sorted(losses, reverse=True)
    slope, offset = numbers(line.text("loop").splitlines()[-1])
    assert slope == pytest.approx(3.0, abs=0.1)
    assert offset == pytest.approx(2.0, abs=0.1)


def test_checkpoints_go_on_refuse_and_cross_over(line):
    assert "the same line: True" in line.text("restore")
    assert "Damaged checkpoint: tensor optimizer/_velocities/1" in line.text("damage")
    assert "whole again" in line.text("damage")
    assert "eagerly again: 32.0" in line.text("session")
    assert "events.out.tfevents" in line.text("summaries")


def test_lbfgs_gets_further_than_descent(run):
    notebook = run(FOLDER / "07_lbfgs_autoencoder.ipynb")
    begin, end = (float(found) for found in re.findall(r"\d+\.\d+", notebook.text("train"))[:2])
    assert end < 0.06 * begin
    assert 0.08 < numbers(notebook.text("rebuilt"))[-1] < 0.16
    assert all(pictures(notebook.outputs(cell)) == 1 for cell in ("plot", "units", "rebuilt"))


@pytest.fixture(scope="module")
def custom(run):
    return run(FOLDER / "08_kfac_and_custom_gradients.ipynb")


def test_the_gradient_becomes_finite_and_short(custom):
    assert "exp made inf" in custom.text("ask-nan")
    assert numbers(custom.text("stable-code"))[-1] == 1.0
    assert [numbers(text)[-2:] for text in custom.text("clip").splitlines()] == [[6.0, 8.0], [0.6, 0.8]]


def test_noise_finds_the_five(custom):
    plain, noisy = custom.text("noisy-plot").strip().splitlines()[-2:]
    assert all(0.85 < found < 1.1 for found in numbers(noisy)[:5])
    assert numbers(noisy)[5] < 1.0
    assert numbers(plain)[5] > 8.0


def test_whitened_gradients_lead_further(custom):
    plain, kfac = (numbers(text) for text in custom.text("kfac-plot").strip().splitlines()[-2:])
    assert all(ours < 0.9 * theirs for ours, theirs in zip(kfac, plain, strict=True))


def test_old_code_runs_both_ways(run):
    notebook = run(FOLDER / "09_residual_network_and_old_code.ipynb")
    assert "reader/dense_1/bias:0" in notebook.text("network")
    eagerly = numbers(notebook.text("train"))
    restored, further = numbers(notebook.text("graph"))
    assert eagerly[-1] == restored
    assert min(restored, further) >= 90
    assert pictures(notebook.outputs("random-batches")) == 1
    assert "CPU, 500 x 500" in notebook.text("measure")


@pytest.fixture(scope="module")
def digits(run):
    return run(FOLDER / "05_training_digits.ipynb")


def test_the_loop_learns_eagerly_and_as_a_graph(digits):
    losses = [float(found) for found in re.findall(r"loss ([\d.]+)", digits.text("loop"))]
    assert losses == sorted(losses, reverse=True)
    assert len(losses) == 6
    eagerly, as_graph = (float(found) for found in re.findall(r"([\d.]+) ms a step", digits.text("loop")))
    assert min(eagerly, as_graph) > 0


def test_fit_draws_a_strip_and_learns_to_read(digits):
    assert "LiveTape" in digits.text("fit")
    assert "second" in digits.text("fit")
    assert numbers(digits.text("fitted"))[-1] > 95
    assert min(numbers(line)[-1] for line in digits.text("conv").strip().splitlines()) > 95


def test_the_step_that_is_nan_is_kept(digits):
    assert "the loss is NaN" in digits.text("nan")
    assert "log of a number below 0 is NaN" in digits.text("nan")
