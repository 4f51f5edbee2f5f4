"""The shortest way through everything: an op runs in JupyterLab's kernel, and a widget of ours appears in the page."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

WIDGET = """
from tapeviz.recording import Builder
from tapeviz.widgets import TapeWidget
widget = TapeWidget(Builder().recording(), height=300)
widget"""


def test_an_op_runs_and_prints(notebook):
    notebook.open_cells("import tapeviz as tf", "print(tf.constant([1.0, 2.0]) + 1.0)").run_all()
    assert notebook.raised() == []
    assert notebook.output(1).inner_text().strip() == "tf.Tensor([2. 3.], shape=(2,), dtype=float32)"
    assert notebook.ask_kernel("(tf.constant([1.0, 2.0]) * 3.0).numpy().tolist()") == [3.0, 6.0]
    notebook.assert_quiet()


@pytest.mark.parametrize("notebook", ["light", "dark"], indirect=True)
def test_a_widget_appears(notebook):
    notebook.open_cells(WIDGET).run_all()
    assert notebook.shell(0).bounding_box()["height"] == pytest.approx(300, abs=2)
    notebook.assert_quiet()


def test_the_page_follows_python(notebook):
    notebook.open_cells(WIDGET).run_all()
    shell = notebook.shell(0)
    assert notebook.ask_kernel("setattr(widget, 'height', 400)") is None
    expect(shell).to_have_css("height", "400px")
    notebook.assert_quiet()
