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
    return run(FOLDER / "programs" / "checkpoints.ipynb")


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


def test_lbfgs_agrees_with_pytorch_in_eight_digits(run):
    notebook = run(FOLDER / "programs" / "lbfgs_autoencoder.ipynb")
    apart = re.findall(r"difference is (\S+) in 50 iterations, (\S+) in 100", notebook.text("plot"))
    assert len(apart) == 2
    for early, late in apart:
        assert float(early) < 1e-8
        assert float(early) <= float(late) < 1e-6
    theirs, ours = (float(found) for found in re.findall(r"(\d+\.\d{15})", notebook.text("train"))[-2:])
    assert ours == pytest.approx(theirs, rel=1e-6)
    assert ours < 0.02 * 41.4
    assert 0.03 < numbers(notebook.text("rebuilt"))[-1] < 0.08
    assert all(pictures(notebook.outputs(cell)) == 1 for cell in ("plot", "descent", "units", "rebuilt"))


@pytest.fixture(scope="module")
def custom(run):
    return run(FOLDER / "09_custom_gradients.ipynb")


def test_the_gradient_becomes_finite_and_short(custom):
    assert "exp made inf" in custom.text("ask-nan")
    assert numbers(custom.text("stable-code"))[-1] == 1.0
    assert numbers(custom.text("value-code").splitlines()[0])[-1] == 100.0
    assert [numbers(text)[-2:] for text in custom.text("clip").splitlines()] == [[6.0, 8.0], [0.6, 0.8]]


def test_finite_differences_tell_honest_gradients_from_others(custom):
    for cell in ("check-wrong", "straight-check"):
        (error,) = [output for output in custom.outputs(cell) if output.output_type == "error"]
        assert error.ename == "AssertionError"
        assert "by finite differences" in error.evalue
    assert "both are the derivative" in custom.text("check-right")


def test_a_reversed_gradient_hides_the_source(custom):
    plain, turned = (numbers(text) for text in custom.text("reversal-plot").strip().splitlines()[-2:])
    assert plain[1] > 0.5
    assert turned[1] < 0.2
    assert turned[0] > plain[0]


@pytest.fixture(scope="module")
def kfac(run):
    return run(FOLDER / "programs" / "kfac.ipynb")


def test_noise_finds_the_five(kfac):
    plain, noisy = kfac.text("noisy-plot").strip().splitlines()[-2:]
    assert all(0.85 < found < 1.1 for found in numbers(noisy)[:5])
    assert numbers(noisy)[5] < 1.0
    assert numbers(plain)[5] > 8.0


def test_whitened_gradients_lead_further(kfac):
    plain, whitened = (numbers(text) for text in kfac.text("kfac-plot").strip().splitlines()[-2:])
    assert all(ours < 0.9 * theirs for ours, theirs in zip(whitened, plain, strict=True))


def test_old_code_runs_both_ways(run):
    notebook = run(FOLDER / "programs" / "residual_network.ipynb")
    assert "reader/dense_1/bias:0" in notebook.text("network")
    eagerly = numbers(notebook.text("train"))
    restored, further = numbers(notebook.text("graph"))
    assert eagerly[-1] == restored
    assert min(restored, further) >= 90
    assert pictures(notebook.outputs("random-batches")) == 1


def test_devices_are_measured_and_compared(run):
    notebook = run(FOLDER / "programs" / "devices.ipynb")
    assert "CPU, 600 x 600" in notebook.text("measure")
    assert "No difference" in notebook.text("compare") or "first" in notebook.text("compare")


@pytest.fixture(scope="module")
def live(run):
    return run(FOLDER / "10_live_training.ipynb")


def test_a_strip_is_drawn_and_the_slow_run_learns_to_read(live):
    assert "hidden3" in live.text("fit")
    assert numbers(live.text("fit"))[-1] > 90
    assert numbers(live.text("too-fast"))[-1] < 20


def test_the_layer_nearest_to_the_loss_dies_first(live):
    shares = [float(found) for found in re.findall(r"(\d+)%", live.text("count-plot"))]
    assert shares == sorted(shares)
    assert shares[-1] == 100.0


def test_the_trigger_keeps_the_tape_of_its_step(live):
    first, *_ = live.text("triggered").splitlines()
    assert 60 <= int(re.search(r"step (\d+)", first).group(1)) < 75
    assert "\u2207" in live.text("triggered")


def test_the_step_that_is_nan_is_kept(live):
    assert "the loss is NaN" in live.text("nan")
    assert "log of a number below 0 is NaN" in live.text("nan")
