"""A notebook with ten tapes, saved in JupyterLab with its widgets' state: small, and readable without a kernel."""

import json
import subprocess
import sys

import nbformat
import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

TAPES = 10
MOST = 1_000_000

SETUP = """
%load_ext tapeviz
import numpy as np, tapeviz as tf
x = tf.constant(np.random.default_rng(0).normal(size=(32, 64)).astype("float32"))
w1 = tf.Variable(np.random.default_rng(1).normal(size=(64, 32)).astype("float32"), name="w1")
w2 = tf.Variable(np.random.default_rng(2).normal(size=(32, 10)).astype("float32"), name="w2")"""
STEP = """%%tape -n "step {number}" --wrt w1,w2
hidden = tf.nn.relu(x @ w1)
for _ in range(4):
    hidden = tf.nn.softmax(hidden * 1.5 + 0.1)
loss = tf.reduce_mean((hidden @ w2) ** 2)
loss;"""
WIDGETS = "application/vnd.jupyter.widget-state+json"


@pytest.fixture
def saved(notebook):
    """The path of a notebook with ten tapes, run and saved with the state of its widgets; and its page."""
    notebook.open_cells(SETUP, *(STEP.format(number=n) for n in range(TAPES))).run_all()
    assert notebook.raised() == []
    for number in range(1, TAPES + 1):
        notebook.shell(number)
    notebook.page.evaluate("jupyterapp.commands.execute('@jupyter-widgets/jupyterlab-manager:saveWidgetState')")
    return notebook.save(), notebook


def test_ten_tapes_are_small_and_stay_readable(saved, tmp_path):
    path, notebook = saved
    whole = nbformat.read(path, as_version=4)
    state = whole.metadata.widgets[WIDGETS]["state"]
    views = [model for model in state.values() if model["model_module"] == "anywidget"]
    assert len(views) == TAPES
    assert not any("buffers" in model for model in state.values())
    bare = nbformat.from_dict({**whole, "cells": [], "metadata": {}})
    added = path.stat().st_size - len(json.dumps(bare))
    assert added < MOST, f"{added:,} bytes"
    _look_at_what_stands_in(notebook)
    notebook.assert_quiet()
    _look_at_the_converted(_converted(path, tmp_path), notebook.page.context.browser)


def _look_at_what_stands_in(notebook):
    """Hidden while the views are there; back when the kernel and with it the views are gone."""
    stand_in = notebook.output(3).locator(".tapeviz-static")
    expect(stand_in).to_be_hidden()
    row = notebook.output(3).locator(".jp-OutputArea-child").nth(1)
    assert row.bounding_box() is None
    notebook.shut_down()
    notebook.page.reload()
    expect(stand_in).to_be_visible(timeout=60_000)
    notebook.page.wait_for_timeout(1000)
    expect(notebook.page.locator("section.tapeviz")).to_have_count(0)
    expect(stand_in).to_be_visible()
    expect(stand_in.locator("img").first).to_be_visible()


def _converted(path, folder):
    command = [sys.executable, "-m", "nbconvert", "--to", "html", "--output-dir", str(folder), str(path)]
    subprocess.run(command, check=True, capture_output=True)
    return folder / f"{path.stem}.html"


def _look_at_the_converted(path, browser):
    """nbconvert's page with the network off, as somebody gets it by mail."""
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto(path.as_uri(), wait_until="domcontentloaded")
    summaries = page.locator(".tapeviz-static")
    assert summaries.count() == TAPES
    for number in range(TAPES):
        summary = summaries.nth(number)
        expect(summary).to_contain_text(f"step {number}")
        pictures = summary.locator("img")
        assert [alt.split(":")[0] for alt in pictures.evaluate_all("all => all.map((one) => one.alt)")] == [
            f"Timeline of step {number}", "Gradient of loss"
        ]  # fmt: skip
        assert pictures.evaluate_all("all => all.every((one) => one.naturalWidth > 500)")
    assert "softmax" in summaries.first.locator("table").inner_text()
    context.close()
