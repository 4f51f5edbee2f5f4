"""The difference of two tapes in JupyterLab and on a page alone: both in one view, tied, by keys and by pointer."""

import json
import re

import pytest
from playwright.sync_api import expect

from tests.browser.legibility import serious_violations, text_faults

pytestmark = pytest.mark.browser

SETUP = "import tapeviz as tf\n%load_ext tapeviz"
BEFORE = """%%tape --values all -o before -q
w = tf.Variable([[1.0, -2.0], [3.0, 0.5]], name="w")
x = tf.constant([[0.5, -1.0], [0.25, 2.0]])
with tf.GradientTape() as g:
    h = tf.tanh(x @ w)
    loss = tf.reduce_mean(h * h)
dw = g.gradient(loss, w)"""
AFTER = BEFORE.replace("-o before", "-o after").replace("    loss", "    h = h * 1.5\n    loss")
SHOW = "found = tf.diff(before, after)\nfound"


def chosen(view):
    return view.locator("[role=option][aria-selected=true]")


@pytest.fixture
def view(notebook):
    notebook.page.set_viewport_size({"width": 1280, "height": 1000})
    notebook.open_cells(SETUP, BEFORE, AFTER, SHOW).run_all()
    view = notebook.page.locator("section.tvd")
    view.wait_for()
    yield view
    notebook.assert_quiet()


def test_it_opens_at_the_first_difference_and_goes_on_by_keys(notebook, view):
    assert view.locator("h2").inner_text().endswith(notebook.ask_kernel("found.summary"))
    assert notebook.ask_kernel("found.view.row") == notebook.ask_kernel("found.first.index")
    expect(chosen(view)).to_contain_text("multiply h")
    expect(view.locator(".tvd-pane").first).to_contain_text("has no partner of multiply h")
    view.locator(".tvd-rows").focus()
    notebook.page.keyboard.press("ArrowDown")
    row = notebook.ask_kernel("found.view.row")
    cells = notebook.ask_kernel("[found[found.view.row].title, found[found.view.row].ulp]")
    expect(chosen(view)).to_contain_text(cells[0])
    elements = view.locator(".tvd-elements tbody tr")
    expect(elements.first).to_be_visible()
    wanted = f"[[str(e.a), str(e.b)] for e in found.elements(found[{row}], 12)]"
    shown = [cells.split("\t")[-3:-1] for cells in elements.all_inner_texts()]
    assert shown == notebook.ask_kernel(wanted)
    notebook.page.keyboard.press("t")
    expect(view.get_by_label("The difference in words")).to_contain_text(notebook.ask_kernel("str(found)"))


def test_both_tapes_are_tied_by_their_rows(notebook, view):
    view.locator(".tvd-rows").focus()
    notebook.page.keyboard.press("2")
    for side, letter in enumerate("ab"):
        pane = view.locator(".tvd-view").nth(side)
        pane.focus()
        before = chosen(view).get_attribute("data-at")
        notebook.page.keyboard.press("ArrowLeft")
        expect(chosen(view)).not_to_have_attribute("data-at", before)
        at = int(chosen(view).get_attribute("data-at"))
        notebook.page.wait_for_timeout(300)
        assert notebook.ask_kernel("found.view.row") == at
        assert notebook.ask_kernel(f"found[{at}].{letter}") >= 0
        expect(chosen(view)).to_have_attribute("data-at", str(at))


def test_what_is_asked_of_a_pane_is_answered_by_its_tape(notebook, view):
    assert notebook.ask_kernel("setattr(found.view, 'row', found.first.index + 1)") is None
    expect(chosen(view)).to_have_attribute("data-at", str(notebook.ask_kernel("found.first.index + 1")))
    notebook.ask_kernel("setattr(found.view, 'view', 'code')")
    for side in range(2):
        expect(view.locator(".tvd-view").nth(side)).to_contain_text("tf.reduce_mean")
    expect(view.locator(".tvd-view").first).not_to_contain_text("h * 1.5")
    expect(view.locator(".tvd-view").nth(1)).to_contain_text("h * 1.5")


def test_without_a_difference_there_is_one_line(notebook):
    again = BEFORE.replace("-o before", "-o after")
    notebook.open_cells(SETUP, BEFORE, again, SHOW).run_all()
    output = notebook.page.locator(".jp-OutputArea-output").last
    expect(output).to_have_text(re.compile(r"^\s*No difference: .* agree to the last bit\.\s*$"))
    assert notebook.page.locator("section.tvd").count() == 0
    notebook.assert_quiet()


@pytest.mark.parametrize("width", [1280, 800])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_saved_page_steps_and_is_legible(browser, notebook, tmp_path, width, scheme):
    notebook.open_cells(SETUP, BEFORE, AFTER, "found = tf.diff(before, after)").run_all()
    path = tmp_path / "change.html"
    notebook.ask_kernel(f"str(found.save({str(path)!r}))")
    said = []
    context = browser.new_context(offline=True, viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    page.on("console", lambda m: said.append(m.text) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(path.as_uri())
    view = page.locator("section.tvd")
    view.wait_for()
    assert view.get_attribute("data-scheme") == scheme
    expect(page.locator(".tapeviz-static")).to_be_hidden()
    details = json.loads(page.locator("script[data-tapeviz-diff]").text_content())["details"]
    view.get_by_role("button", name="Next").click()
    expect(chosen(view)).not_to_contain_text("multiply h")
    at = chosen(view).get_attribute("data-at")
    expect(view.locator(".tvd-said")).to_contain_text(details[at]["said"][0])
    assert text_faults(view) == []
    assert serious_violations(view) == []
    assert said == []
    context.close()
