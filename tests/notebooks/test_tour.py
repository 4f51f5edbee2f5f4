"""The tour shows what its text promises."""

import re

import pytest

from tests.notebooks.conftest import FOLDER

pytestmark = pytest.mark.slow

WIDGET = "application/vnd.jupyter.widget-view+json"
RECORDED = ("one-step", "hidden-values", "missing-gradient", "a-failing-cell")


@pytest.fixture(scope="module")
def tour(run):
    return run(FOLDER / "tour.ipynb")


@pytest.mark.parametrize("cell", RECORDED)
def test_each_recorded_cell_shows_one_view_with_its_static_twins(tour, cell):
    shown = [output.data for output in tour.outputs(cell) if "data" in output]
    ((at, view),) = [(at, data) for at, data in enumerate(shown) if WIDGET in data]
    assert view["text/plain"].strip()
    assert "<img" in shown[at + 1]["text/html"]
    assert "<script" not in shown[at + 1]["text/html"]
    assert shown[at + 1]["text/plain"].strip()


def test_tensors_and_gradients_are_printed(tour):
    assert "[15. 22.]" in tour.text("first-ops")
    assert "float32 (2, 2)" in tour.text("numpy-and-back")
    assert "tf.Tensor(6.0" in tour.text("first-gradient")


def test_the_step_has_the_gradient_of_each_variable(tour):
    text = tour.text("gradients-in-python")
    assert re.findall(r"^\w\d: shape \(.*?\)", text, re.MULTILINE) == [
        "w1: shape (64, 32)", "b1: shape (32,)", "w2: shape (32, 10)", "b2: shape (10,)"
    ]  # fmt: skip
    assert "matmul" in tour.text("query-in-python")


def test_a_tape_gives_figures(tour):
    assert any("image/png" in output.get("data", {}) for output in tour.outputs("figures-in-python"))


def test_the_network_learns(tour):
    before, after, learned = (int(found) for found in re.findall(r"(\d+)%", tour.text("train")))
    assert before < 25
    assert after >= 85
    assert learned >= 93


def test_why_names_the_reason_and_the_line(tour):
    text = tour.text("ask-why")
    assert "w2" in text
    assert ".numpy()" in text
    assert "line 4" in text


def test_the_failing_cell_keeps_its_error_and_its_tape(tour):
    (error,) = [output for output in tour.outputs("a-failing-cell") if output.output_type == "error"]
    assert error.ename == "InvalidArgumentError"
    assert "size-incompatible" in error.evalue
    assert re.search(r"Stopped at op \d+, line 4: InvalidArgumentError", tour.text("a-failing-cell"))


def test_the_saved_page_is_there(tour):
    page = (tour.folder / "one_training_step.html").read_text(encoding="utf-8")
    assert "one training step" in page
    assert not re.search(r"""(src|href)=["']https?:""", page)


def test_the_list_has_each_tape(tour):
    assert len(tour.text("list-tapes").strip().splitlines()) == 1 + len(RECORDED)
