"""A view is there while its kernel is busy with the next cell, as it is after Run All; and answers."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

LOAD = "%load_ext tapeviz\nimport time, numpy as np, tapeviz as tf"
STEP = """%%tape
x, w = tf.ones([4, 3]), tf.Variable(tf.ones([3, 2]))
with tf.GradientTape() as g:
    loss = tf.reduce_sum(tf.tanh(x @ w))
g.gradient(loss, w)"""
BUSY = "time.sleep(20)"
# When the message with the widget arrives, and when its views are drawn.
WATCH = """() => {
    window.seen = {};
    const { kernel } = jupyterapp.shell.currentWidget.sessionContext.session;
    kernel.iopubMessage.connect((_, { header, content }) => {
        const shown = header.msg_type === "display_data" && "application/vnd.jupyter.widget-view+json" in content.data;
        if (shown) window.seen.told ??= performance.now();
    });
    const drawn = (place) => place.querySelector("section.tapeviz :is(canvas, svg)")
        || [...place.querySelectorAll("*")].some((inner) => inner.shadowRoot && drawn(inner.shadowRoot));
    const look = () => {
        if (window.seen.told && drawn(document)) window.seen.painted = performance.now();
        else requestAnimationFrame(look);
    };
    look();
}"""


def milliseconds_to_the_picture(notebook, *cells):
    """Run all cells and return how long after the widget's message its views are drawn."""
    notebook.open_cells(*cells)
    notebook.page.evaluate(WATCH)
    notebook.page.evaluate("() => { window.ran = jupyterapp.commands.execute('notebook:run-all-cells'); }")
    notebook.page.wait_for_function("() => window.seen.painted", timeout=30_000)
    return notebook.page.evaluate("() => window.seen.painted - window.seen.told")


@pytest.mark.parametrize("cell", [STEP, f"{STEP.replace('%%tape', '%%tape --view flow')}"])
def test_the_first_picture_does_not_wait_for_the_next_cell(notebook, cell):
    took = milliseconds_to_the_picture(notebook, LOAD, cell, BUSY)
    prompt = notebook.cell(2).locator(".jp-InputPrompt")
    assert prompt.inner_text() == "[*]:"
    assert took < 1500
    shell = notebook.shell(1)
    shell.get_by_role("searchbox").first.fill("op:tanh")
    expect(shell.locator(".tv-matches")).to_have_text(re.compile(r"^[1-9]\d* match"))
    assert prompt.inner_text() == "[*]:"
