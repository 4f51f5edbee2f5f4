"""The views of traced graphs in a page of its own: legible at every width, usable by keys alone, quick when large."""

import base64
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

import tapeviz as tf
from tests.browser.legibility import serious_violations, text_faults
from tests.recording.traced_function import nested, traced

pytestmark = pytest.mark.browser

SCRIPT = Path(tf.__file__).parent / "widgets" / "static" / "standalone.js"
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>run</title><body style="margin:0">
<script type="application/octet-stream+base64" data-tapeviz>{data}</script><script>{script}</script></body></html>"""
NODES = 10_000
DRAWN, OPENED = 300, 200  # ms
# Time until what was asked for is on the screen: the frame in which a canvas paints has come and gone.
TIMED = """(key) => new Promise((resolve) => {
    const main = document.querySelector("main[data-tapeviz], body > div").shadowRoot.querySelector("#tv-main");
    const from = performance.now();
    main.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, composed: true}));
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - from))));
})"""


@pytest.fixture
def opened(browser, tmp_path):
    """Return a function that opens a saved page of a recording, with the network off, at a width and colour scheme."""
    contexts = []

    def show(recording, width=1280, scheme="light", view="graph"):
        data = base64.b64encode(recording.to_bytes()).decode()
        file = tmp_path / "run.html"
        file.write_text(PAGE.format(data=data, script=SCRIPT.read_text("utf-8")), "utf-8")
        context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme, offline=True)
        contexts.append(context)
        page = context.new_page()
        page.complaints = []
        page.on("console", lambda message: page.complaints.append(message.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.goto(f"{file.as_uri()}#view={view}")
        page.locator("#tv-main > *").first.wait_for()
        page.locator("#tv-main").focus()
        return page

    yield show
    for context in contexts:
        assert [page.complaints for page in context.pages] == [[] for _ in context.pages]
        context.close()


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)
    page.wait_for_timeout(100)  # canvases paint in the next frame


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 600, 400])
def test_they_are_legible(opened, width, scheme):
    page = opened(traced().recording(), width, scheme)
    shell = page.locator("section.tapeviz")
    for keys in (
        ["5"],
        ["ArrowRight", "ArrowRight", "Enter"],
        ["]"],
        ["]", "h"],
        ["6"],
        ["ArrowDown"],
        ["4"],
        ["m"],
        ["t"],
    ):
        press(page, *keys)
        assert text_faults(shell) == [], keys
        assert serious_violations(shell) == [], keys
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_recording_without_graphs_has_no_such_views(opened):
    with tf.record() as tape:
        tf.constant(1.0) + 1.0
    page = opened(tape.recording, view="timeline")
    expect(page.get_by_role("tab")).to_have_text(["Timeline", "Gradient flow", "Tensor", "Code", "Step"])
    page = opened(traced().recording())
    expect(page.get_by_role("tab").nth(4)).to_have_text("Graph")
    expect(page.get_by_role("tab").nth(5)).to_have_text("Traces")
    expect(page.locator(".tv-about")).to_contain_text("3 graph runs")


def test_keys_go_along_edges_and_into_groups(opened):
    page = opened(traced().recording())
    title = page.locator(".tv-inspector h3")
    press(page, "ArrowRight")
    expect(title).to_have_text("placeholder")  # the last trace ran node by node: the op of the node is selected
    expect(page.locator(".tv-inspector")).to_contain_text("Node of step, trace 3")
    press(page, "ArrowRight")
    expect(title).to_have_text("matmul")
    press(page, "Escape")  # up to the scope around it, which Enter closes
    expect(title).to_have_text("Where the time went")
    press(page, "Enter", "ArrowRight")
    expect(title).not_to_have_text("add")
    press(page, "t")
    expect(page.locator(".tv-text")).to_contain_text("Graph of step, trace 3: 12 nodes.")


def test_passes_are_stepped_through(opened):
    page = opened(traced().recording())
    note = page.locator(".tv-note")
    expect(note).to_have_text("step, trace 3: 12 nodes as traced, 10 after 2 passes; run once.")
    press(page, "]")
    expect(note).to_contain_text("Prune: dropped 1 node that nothing fetched needs (1 node fewer")
    expect(page.get_by_role("group", name="Passes and runs").locator("[aria-pressed=true]")).to_have_text("prune11")
    press(page, "h")
    expect(page.get_by_role("checkbox")).to_be_checked()
    press(page, "[")
    expect(note).to_contain_text("as traced")


def test_a_trace_leads_to_its_graph_and_its_code(opened):
    page = opened(traced().recording(), view="traces")
    cards = page.locator(".tvt-card")
    expect(cards).to_have_count(3)
    expect(cards.nth(2)).to_contain_text("Trace 3: x changed")
    cards.nth(1).get_by_role("button", name="Graph").click()
    expect(page.locator(".tv-note")).to_contain_text("step, trace 2: 12 nodes")
    press(page, "6")
    expect(cards.nth(1)).to_have_attribute("aria-current", "true")
    cards.nth(0).get_by_role("button", name="Code").click()
    expect(page.get_by_label("Trace", exact=True)).to_have_value("0")
    expect(page.locator(".tvc-effect")).to_have_text('Ran once, while tracing: print wrote "tracing (32, 64)"')


def test_a_line_lights_up_in_all_columns(opened):
    page = opened(traced().recording(), view="code")
    page.get_by_role("button", name="line 4; h = x @ w + b; made 4 nodes").click()
    columns = page.locator(".tvc-column")
    for column in range(3):
        expect(columns.nth(column).locator("[data-selected]")).to_have_count(1)
    expect(columns.nth(1).locator("[data-selected] .tvc-code")).to_contain_text("h = x @ w + b")
    expect(page.locator(".tv-inspector")).to_contain_text("dense/ReadVariableOp")
    columns.nth(2).get_by_role("button", name="cond").hover()
    expect(columns.nth(0).locator("[data-lit] .tvc-code")).to_contain_text("if tf.reduce_sum(h)")


def test_what_tracing_writes_is_shown(opened):
    w = tf.Variable(np.eye(4, dtype="float32"), name="w")

    @tf.function
    def step(x, rate):
        print("tracing")
        h = tf.nn.relu(x @ w)
        if tf.reduce_sum(h) > 1.0:
            h = h * rate
        return tf.reduce_mean(h)

    with tf.record(values="stats") as tape:
        for rate in (0.5, 0.25, 0.25):
            step(tf.ones((8, 4)), rate)
    page = opened(tape.recording, view="traces")
    expect(page.locator(".tvt-card")).to_have_count(2)
    second = page.locator(".tvt-card").nth(1)
    expect(second).to_contain_text("Trace 2: rate changed")
    expect(second).to_contain_text("0.5 → 0.25")
    expect(second).to_contain_text("Run 2 times")
    second.get_by_role("button", name="Graph").click()
    expect(page.locator(".tv-note")).to_contain_text("step, trace 2")
    press(page, "/")
    page.keyboard.type("op:matmul")
    expect(page.locator(".tv-matches")).to_contain_text("nodes")
    press(page, "Escape", "t")
    expect(page.locator(".tv-text")).to_contain_text("■ MatMul")
    expect(page.locator(".tv-text")).to_contain_text("true branch, false branch")
    press(page, "t", "4")
    expect(page.locator(".tvc-effect")).to_have_count(1)
    page.get_by_role("button", name="h = tf.nn.relu(x @ w); made").click()
    for column in range(3):
        expect(page.locator(".tvc-column").nth(column).locator("[data-selected]")).not_to_have_count(0)
    expect(page.locator(".tv-inspector")).to_contain_text("of step, trace 2")


@pytest.mark.slow
def test_ten_thousand_nodes_are_drawn_and_opened_at_once(opened):
    page = opened(nested(NODES).recording(), view="timeline")
    expect(page.locator("#tv-main")).to_be_visible()
    drawn, opening = [], []
    # Other work on the machine slows single rounds down: the best of them counts.
    for _ in range(5):
        drawn.append(page.evaluate(TIMED, "5"))
        expect(page.locator(".tv-note")).to_contain_text("10 000 nodes")
        press(page, "ArrowRight", "ArrowRight")
        opening.append(page.evaluate(TIMED, "Enter"))
        press(page, "1")
    print(f"drawn in {min(drawn):.0f} ms, a scope opened in {min(opening):.0f} ms")
    assert min(drawn) <= DRAWN, drawn
    assert min(opening) <= OPENED, opening
