"""The widget in a real JupyterLab: drawn, tied to Python both ways, composed with others, readable without a kernel."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

STEP = """
import numpy as np
import tapeviz as tf
from tapeviz.widgets import TapeWidget
w = tf.Variable(np.ones((8, 4), "float32"), name="w")
with tf.record(name="a step") as tape:
    with tf.GradientTape() as g:
        loss = tf.reduce_mean(tf.tanh(tf.constant(np.ones((2, 8), "float32")) @ w))
    g.gradient(loss, w)
widget = TapeWidget(tape.recording, summary="a step: 3 ops")
"""


def test_selection_goes_both_ways(notebook):
    notebook.open_cells(STEP, "widget").run_all()
    assert notebook.raised() == []
    shell = notebook.shell(1)
    canvas = shell.locator("#tv-main canvas").first
    box = canvas.bounding_box()
    # The first op stands at the left, above the middle line.
    canvas.click(position={"x": 140, "y": box["height"] * 0.25})
    expect(shell.locator(".tv-inspector h3")).to_have_text("matmul")
    assert notebook.ask_kernel("widget.selected['event'] is not None")
    notebook.ask_kernel("widget.select()")
    expect(shell.locator(".tv-inspector h3")).to_have_text("Where the time went")
    notebook.assert_quiet()


def test_keys_pressed_in_it_stay_in_it(notebook):
    """`d d` deletes a cell in JupyterLab; in the widget it is nothing."""
    notebook.open_cells(STEP, "widget").run_all()
    notebook.shell(1).locator("#tv-main").focus()
    for key in ("ArrowRight", "d", "d", "a", "b"):
        notebook.page.keyboard.press(key)
    assert notebook.page.locator(".jp-Notebook .jp-Cell").count() == 2
    expect(notebook.shell(1).locator(".tv-inspector h3")).to_have_text("matmul")


def test_the_kernel_writes_the_files_of_the_export_menu(notebook):
    notebook.open_cells(STEP, "tape.view").run_all()
    shell = notebook.shell(1)
    for suffix, begins in (("json", b'{"displayTimeUnit"'), ("html", b"<!doctype html>")):
        shell.locator(".tv-menu summary").click()
        with notebook.page.expect_download() as download:
            shell.get_by_role("button", name=f"(.{suffix})").click()
        assert Path(download.value.path()).read_bytes().startswith(begins)
    notebook.assert_quiet()


def test_two_widgets_composed_and_linked(notebook):
    both = """
import ipywidgets, traitlets
other = TapeWidget(tape.recording, view="timeline")
traitlets.link((widget, "selected"), (other, "selected"))
ipywidgets.VBox([widget, other])"""
    notebook.open_cells(STEP, both).run_all()
    shells = notebook.output(1).locator("section.tapeviz")
    expect(shells).to_have_count(2)
    shells.nth(0).locator("#tv-main").focus()
    notebook.page.keyboard.press("ArrowRight")
    expect(shells.nth(1).locator(".tv-inspector h3")).to_have_text("matmul")
    bundles = notebook.page.evaluate("globalThis.tapevizBundles.size")
    assert bundles == 1
    notebook.assert_quiet()


def test_side_by_side_they_share_the_width(notebook):
    boxed = "import ipywidgets\nipywidgets.HBox([widget, TapeWidget(tape.recording), ipywidgets.Button()])"
    notebook.open_cells(STEP, boxed).run_all()
    shells = notebook.output(1).locator("section.tapeviz")
    expect(shells).to_have_count(2)
    widths = [shells.nth(i).bounding_box()["width"] for i in (0, 1)]
    assert widths[0] == pytest.approx(widths[1], abs=30)
    assert min(widths) > 350


def test_a_saved_notebook_holds_no_recording(notebook):
    notebook.open_cells(STEP, "widget").run_all()
    notebook.shell(1)
    saved = json.loads(notebook.save().read_text("utf-8"))
    assert len(json.dumps(saved)) < 40_000
    assert '"buffers"' not in json.dumps(saved.get("metadata", {}).get("widgets", {}))
