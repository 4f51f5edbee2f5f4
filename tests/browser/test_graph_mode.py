"""A cell eager, as a graph, and compared, in a real JupyterLab: by magics and by the toolbar."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.legibility import serious_violations, text_faults
from tests.browser.test_lab_extension import chosen, run, toolbar

pytestmark = pytest.mark.browser

SETUP = """\
%load_ext tapeviz
import tapeviz as tf
w = tf.Variable([[1.0], [2.0]], name="w")
x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
def doubled(n):
    while n < 100.0:
        n = n * 2.0
    return n"""
STEP = """\
with tf.GradientTape() as tape:
    h = tf.tanh(x @ w)
    loss = tf.reduce_sum(h * h)
dw = tape.gradient(loss, w)
print("now", loss)"""


@pytest.fixture
def page(notebook, request):
    notebook.page.set_viewport_size({"width": getattr(request, "param", 1280), "height": 900})
    yield notebook
    notebook.assert_quiet()


def tabs(shell):
    return shell.get_by_role("tab").all_inner_texts()


def test_eager_then_graph_then_compared(page):
    page.open_cells(SETUP, f"%%tape\n{STEP}", f"%%tape --mode graph\n{STEP}", f"%%tape --compare graph\n{STEP}")
    page.run_all()
    assert page.raised() == []
    eager, graph = page.shell(1), page.shell(2)
    assert "Graph" not in tabs(eager)
    assert tabs(graph) == ["Timeline", "Gradient flow", "Tensor", "Code", "Graph", "Traces", "Step"]
    assert "now tf.Tensor(" in page.output(1).inner_text()
    assert 'now Tensor("Sum:0", shape=(), dtype=float32)' in page.output(2).inner_text()
    expect(graph.locator("header")).to_contain_text("1 graph run")
    expect(page.output(3)).to_contain_text(re.compile(r"No difference: \d+ rows agree to the last bit\."))


def test_the_toolbar_does_the_same(page):
    page.open_cells(SETUP, f"%%tape\n{STEP}", STEP, "tf.executing_eagerly()")
    run(page, 0)
    mode = chosen(toolbar(page), "mode")
    mode.select_option("graph")
    expect(mode).to_have_value("graph")
    run(page, 1)
    assert "Graph" in tabs(page.shell(1))
    assert "Tensor(" in run(page, 2).inner_text()
    assert run(page, 3).inner_text().strip().endswith("False")
    mode.select_option("eager")
    expect(mode).to_have_value("eager")
    assert run(page, 3).inner_text().strip().endswith("True")
    run(page, 1)
    expect(page.shell(1).get_by_role("tab", name="Graph")).to_have_count(0)


@pytest.mark.parametrize("page", [1280, 600], indirect=True)
def test_the_views_of_a_traced_function_are_legible(page):
    page.open_cells(SETUP, "%%tape --view code\nanswer = tf.function(doubled)(tf.constant(3.0))").run_all()
    shell = page.shell(1)
    shell.scroll_into_view_if_needed()
    expect(shell).to_contain_text("ag.while_")
    for view in ("Code", "Graph", "Traces"):
        shell.get_by_role("tab", name=view, exact=True).click()
        page.page.wait_for_timeout(300)
        assert serious_violations(shell) == []
        assert text_faults(shell) == []
