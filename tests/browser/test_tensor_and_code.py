"""The tensor view and the code view on a real recording, in a saved page: by keys, legible, with exact numbers."""

import base64
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

import tapeviz as tf
from tests.browser.legibility import serious_violations, text_faults, violations
from tests.browser.saved_page import SavedPage

pytestmark = pytest.mark.browser

STATIC = Path(tf.__file__).parent / "widgets" / "static"
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>run</title><body style="margin:0">
<script type="application/octet-stream+base64" data-tapeviz>{data}</script><script>{script}</script></body></html>"""
PIXELS = np.random.default_rng(0).normal(size=(32, 64)).astype("float32")


@pytest.fixture(scope="module")
def recording():
    w1 = tf.Variable(np.random.default_rng(1).normal(size=(64, 16)).astype("float32"), name="w1")
    b1 = tf.Variable(np.zeros(16, "float32"), name="b1")
    with tf.record(name="a step", values="all") as tape:
        with tf.GradientTape() as g:
            hidden = tf.tanh(tf.constant(PIXELS) @ w1 + b1)
            loss = tf.reduce_mean(hidden * hidden)
        g.gradient(loss, [w1, b1])
    return tape.recording


@pytest.fixture
def page(browser, recording, tmp_path, request):
    """A saved page with the network off. Its parameter: width, colour scheme."""
    width, scheme = getattr(request, "param", (1280, "light"))
    data = base64.b64encode(recording.to_bytes()).decode()
    file = tmp_path / "run.html"
    file.write_text(PAGE.format(data=data, script=(STATIC / "standalone.js").read_text("utf-8")), "utf-8")
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme, offline=True)
    page = context.new_page()
    page.complaints = []
    page.on("console", lambda message: page.complaints.append(message.text))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.goto(file.as_uri())
    page.locator("#tv-main canvas").first.wait_for()
    page.locator("#tv-main").focus()
    yield page
    assert page.complaints == []
    context.close()


def press(page, keys):
    for key in keys.split():
        page.keyboard.press(key)
    page.wait_for_timeout(120)  # a frame or two: heat maps are painted in one


def spelled(number):
    """A float32 as the view writes it: the shortest digits that give it back."""
    return str(np.float32(number))


@pytest.mark.parametrize("page", [(w, s) for w in (1280, 600, 400) for s in ("light", "dark")], indirect=True)
def test_they_are_legible(page):
    shell = page.locator("section.tapeviz")
    for keys in ("3", "ArrowRight", "v v", "m", "4", "Escape"):
        press(page, keys)
        assert text_faults(shell) == [], keys
        assert serious_violations(shell) == [], keys
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]


AGAIN = """async () => {
    const block = document.querySelector("script[data-tapeviz]").textContent;
    const bytes = Uint8Array.from(atob(block.trim()), (letter) => letter.charCodeAt(0));
    const root = document.body.appendChild(document.createElement("div"));
    await window.tapeviz.mount(root, bytes);
}"""


def test_the_landmarks_of_two_views_on_a_page_are_told_apart(page):
    page.evaluate(AGAIN)
    shells = page.locator("section.tapeviz")
    assert shells.evaluate_all("all => all.map((one) => one.ariaLabel)") == ["tapeviz: a step", "tapeviz: a step (2)"]
    assert [fault for fault in violations(page.locator("html")) if "landmark-unique" in fault] == []


def test_an_element_is_found_by_its_index_and_said_exactly(page, recording):
    press(page, "ArrowRight 3")
    expect(page.locator(".tvt h2")).to_have_text("matmul #0")
    field = page.get_by_label("index to go to")
    field.fill("3, 5")
    field.press("Enter")
    values = np.frombuffer(recording.values.data[list(recording.values.tensor).index(_tensor(recording, 0))], "float32")
    expect(page.locator(".tvt-foot")).to_have_text(f"matmul #0[3, 5] = {spelled(values[3 * 16 + 5])}")
    page.locator(".tvt-plane").focus()
    press(page, "ArrowDown End")
    expect(page.locator(".tvt-foot")).to_have_text(f"matmul #0[4, 15] = {spelled(values[4 * 16 + 15])}")
    field.fill("32, 0")
    field.press("Enter")
    expect(field).to_have_attribute("aria-invalid", "true")


def _tensor(recording, event):
    edges = recording.edges
    return next(int(edge.tensor) for edge in edges if edge.event == event and edge.role == 1)


def test_value_and_gradient_stand_side_by_side(page):
    press(page, "ArrowRight 3 v v m")
    expect(page.locator(".tvt-pane")).to_have_count(2)
    expect(page.get_by_role("radio", name="Side by side")).to_have_attribute("aria-checked", "true")
    expect(page.locator(".tvt-numbers table")).to_have_count(2)
    expect(page.locator(".tvt-numbers").nth(1)).to_contain_text("e-")


def test_a_neighbour_is_one_press_away(page):
    press(page, "ArrowRight 3")
    chip = page.locator(".tvt-chip", has_text="w1")
    chip.focus()
    press(page, "Enter")
    expect(page.locator(".tvt h2")).to_have_text("w1")
    expect(page.locator(".tvt h2")).to_be_focused()


def test_a_line_gives_its_ops_one_after_the_other(page):
    press(page, "4")
    lines = page.locator(".tvc-live .tvc-number")
    lines.first.focus()
    press(page, "Enter")
    title = page.locator(".tv-inspector h3")
    first = title.text_content()
    expect(page.locator(".tvc-line[aria-selected]")).to_have_count(1)
    expect(page.locator(".tvc-line[aria-selected] mark").first).to_be_visible()
    press(page, "Enter")
    assert title.text_content() != first
    press(page, "ArrowDown")
    assert page.locator(".tvc-number:focus").get_attribute("aria-label").startswith("line ")


def test_the_code_begins_at_what_is_likely_a_fault(browser, tmp_path):
    setup = [f"noise{number} = tf.random.normal([4, 3])" for number in range(60)]
    fault = "loss = tf.nn.softmax_cross_entropy_with_logits(tf.one_hot([0, 1, 2, 0], 3), tf.nn.softmax(noise3))"
    program = tmp_path / "long_program.py"
    program.write_text("import tapeviz as tf\n" + "\n".join([*setup, fault]), "utf-8")
    with tf.record() as tape:
        exec(compile(program.read_text("utf-8"), program, "exec"), {})
    tape.save(tmp_path / "run.html")
    saved = SavedPage(browser, tmp_path / "run.html", width=800)
    saved.page.get_by_role("tab", name="Code").click()
    saved.painted()
    view, line = saved.main.bounding_box(), saved.main.get_by_text("softmax_cross_entropy_with_logits").bounding_box()
    assert view["y"] < line["y"] < view["y"] + view["height"] - line["height"]
    saved.close()


def test_a_selected_op_marks_its_line(page):
    press(page, "4 ArrowRight ArrowRight")
    marked = page.locator(".tvc-line[aria-selected]")
    expect(marked).to_contain_text("tf.tanh")
    press(page, "Escape")
    expect(marked).to_have_count(0)


LARGE = """
import numpy as np
import tapeviz as tf
with tf.record(name="large", budget="128M") as tape:
    counted = tf.reshape(tf.constant(np.arange(2000 * 3000, dtype="int32")), [2000, 3000])
    twice = counted * 2
view = tape.view
view.view = "tensor"
"""


def test_a_tensor_that_was_not_kept_is_paged_out_of_the_kernel(notebook):
    notebook.open_cells(LARGE, "view").run_all()
    assert notebook.raised() == []
    shell = notebook.shell(1)
    shell.locator(".tvt-overview button", has_text="twice").click()
    expect(shell.locator(".tvt-foot")).to_contain_text("1 in ")
    field = shell.get_by_label("index to go to")
    field.fill("1999, 2999")
    field.press("Enter")
    shell.get_by_role("radio", name="Numbers").click()
    last = 2 * (2000 * 3000 - 1)
    expect(shell.locator(".tvt-numbers td").last).to_have_text(str(last))
    expect(shell.locator(".tvt-foot")).to_have_text(f"twice[1999, 2999] = {last}")
    notebook.assert_quiet()
