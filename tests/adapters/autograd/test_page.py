"""The recorder of autograd on the page about adapters, run as it stands there."""

import importlib.util
import re
import sys
from pathlib import Path

import autograd.numpy as anp
import numpy as np
import pytest
from autograd import core, grad, tracer

import tapeviz as tf
from tapeviz.recording.row_checks import with_sound_rows

PAGE = Path(__file__).parents[3] / "docs" / "adapters.md"


def module(path, code):
    path.write_text(code, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    made = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = made
    spec.loader.exec_module(made)
    return made


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The recorder, and what the program below it has done."""
    folder = tmp_path_factory.mktemp("page")
    recorder, program = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    imported = "import numpy as np\nfrom autograd_recorder import record_autograd\n"
    made = module(folder / "autograd_recorder.py", recorder)
    with np.errstate(invalid="ignore"):
        return made, module(folder / "two_points.py", imported + program)


def network(w):
    hidden = anp.tanh(anp.dot(X, w))
    return anp.mean((anp.sum(hidden, axis=1) - 1.0) ** 2 + hidden[:, 0])


X = np.linspace(-1.0, 1.0, 12).reshape(4, 3)
W = np.linspace(0.5, -0.5, 6).reshape(3, 2)


def test_the_program_says_what_the_page_says(page):
    tape = page[1].tape
    (nan,) = [one for one in tape.verdicts() if one.kind == "nonfinite"]
    assert nan.site.text.startswith("loss = ")
    assert "below 0" in nan.text
    assert "hidden" in tape.recording.names.name


def test_gradients_are_the_same_to_the_bit(page):
    plain = grad(network)(W)
    with page[0].record_autograd() as tape:
        seen = grad(network)(W)
    assert np.array_equal(plain, seen)
    asked = tape.recording.requests[0]
    stats = {row.tensor: row for row in tape.recording.stats}
    assert stats[asked.gradient].norm == pytest.approx(np.linalg.norm(plain))
    assert stats[asked.source].norm == pytest.approx(np.linalg.norm(W))


def test_what_is_added_up_is_added_up_in_the_rows(page):
    with page[0].record_autograd() as tape:
        grad(network)(W)
    gradients = tape.recording.gradients
    assert (gradients.gradient != gradients.addend).sum() == 1  # hidden is read twice
    events = tape.recording.events
    steps = events.origin >= 0
    assert steps.sum() == (events.op >= 0).sum() - steps.sum()


def test_the_rows_are_sound_and_every_file_is_written(page, tmp_path):
    with page[0].record_autograd("net") as tape:
        grad(network)(W)
    assert with_sound_rows(tape.recording.frames)[1] is None
    for name in ("net.tape", "net.html", "net.json"):
        tape.save(tmp_path / name)
    assert str(tf.load(tmp_path / "net.tape")).startswith("net")
    assert tape.query("op:matmul phase:forward").events.size == 1
    assert tape.query("op:reduce_mean").events.size == 2
    assert "reduce_sum" in str(tape.steps())


def test_a_gradient_of_a_gradient_is_recorded(page):
    def cubes(x):
        return anp.sum(x * x * x)

    def size(x):
        return anp.sum(grad(cubes)(x) ** 2)

    plain = grad(size)(np.array([1.0, 2.0]))
    with page[0].record_autograd() as tape:
        seen = grad(size)(np.array([1.0, 2.0]))
    assert np.array_equal(plain, seen)
    assert len(tape.recording.requests) == 2
    assert with_sound_rows(tape.recording.frames)[1] is None


def test_a_failing_block_leaves_autograd_as_it_was(page):
    before = core.VJPNode, core.backward_pass, tracer.find_top_boxed_args
    with pytest.raises(ValueError, match="shapes"), page[0].record_autograd():
        grad(lambda w: anp.sum(anp.dot(X, w)))(np.ones(5))
    assert (core.VJPNode, core.backward_pass, tracer.find_top_boxed_args) == before


def test_it_is_short():
    code = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[0]
    assert len([line for line in code.splitlines() if line.strip()]) <= 60
