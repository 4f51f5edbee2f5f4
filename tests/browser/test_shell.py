"""The shell in a page of its own, as a saved HTML file has it: legible at every width, usable by keys alone."""

import base64
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

import tapeviz as tf
from tests.browser.legibility import serious_violations, text_faults

pytestmark = pytest.mark.browser

STATIC = Path(tf.__file__).parent / "widgets" / "static"
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>run</title><body style="margin:0">
<script type="application/octet-stream+base64" data-tapeviz>{data}</script><script>{script}</script></body></html>"""


@pytest.fixture(scope="module")
def recording():
    pixels = np.random.default_rng(0).normal(size=(32, 64)).astype("float32")
    w1, w2 = (
        tf.Variable(np.full((64, 16), 0.1, "float32"), name="w1"),
        tf.Variable(np.eye(16, 4, dtype="float32"), name="w2"),
    )
    with tf.record(name="a step") as tape:
        with tf.GradientTape() as g:
            hidden = tf.tanh(tf.constant(pixels) @ w1)
            loss = tf.reduce_mean((hidden @ w2) * 2.0)
        g.gradient(loss, [w1, w2])
    verdict = {
        "kind": "vanishing",
        "severity": 2,
        "event": 0,
        "tensor": -1,
        "site": 0,
        "text": "w1 hardly moves",
        "fix": "scale it",
    }
    return tape.recording.with_rows("verdicts", [{**verdict, "evidence": "{}"}])


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
    page.on("request", lambda r: None if r.url.startswith("file:") else page.complaints.append(r.url))
    page.goto(file.as_uri())
    page.locator("#tv-main canvas").first.wait_for()
    yield page
    assert page.complaints == []
    context.close()


def shell_of(page):
    return page.locator("section.tapeviz")


@pytest.mark.parametrize("page", [(w, s) for w in (1280, 600, 400) for s in ("light", "dark")], indirect=True)
def test_it_is_legible(page):
    shell = shell_of(page)
    page.locator("#tv-main").focus()
    for keys in ([], ["ArrowRight"], ["2"], ["3"], ["4"], ["1", "p"], ["t"], ["Escape", "?"]):
        for key in keys:
            page.keyboard.press(key)
        page.wait_for_timeout(100)  # canvases paint in the next frame
        if "?" not in keys:  # the help lies over the rest
            assert text_faults(shell) == [], keys
        assert serious_violations(shell) == [], keys
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]


def test_keys_go_through_the_ops(page):
    title = page.locator(".tv-inspector h3")
    page.locator("#tv-main").focus()
    page.keyboard.press("ArrowRight")
    expect(title).to_have_text("matmul")
    page.keyboard.press("ArrowRight")
    expect(title).to_have_text("tanh")
    page.keyboard.press("p")
    expect(title).to_have_text("∇ tanh")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".tv-tensor[aria-pressed=true]")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(title).to_have_text("Where the time went")


def test_a_finding_leads_to_its_evidence(page):
    page.locator("#tv-main").focus()
    page.keyboard.press("n")
    expect(page.locator(".tv-inspector h3")).to_have_text("matmul")
    expect(page.get_by_role("button", name="w1 hardly moves")).to_have_attribute("aria-current", "true")
    expect(page.locator(".tv-remedy")).to_contain_text("Fix: scale it")


def test_the_filter_takes_the_keyboard_and_gives_it_back(page):
    page.locator("#tv-main").focus()
    page.keyboard.press("/")
    page.keyboard.type("op:matmul")
    expect(page.locator(".tv-matches")).to_contain_text("match")
    page.keyboard.press("Escape")
    expect(page.locator(".tv-filter")).to_have_value("")
    page.keyboard.press("t")
    expect(page.locator(".tv-text")).to_contain_text("Timeline:")


def test_what_is_typed_in_the_filter_stays_in_it(page):
    """Letters and figures that elsewhere switch views, go to findings or open the help."""
    tab = page.get_by_role("tab", selected=True)
    page.locator("#tv-main").focus()
    page.keyboard.press("/")
    page.keyboard.type("1n2t/3?c4")
    expect(page.locator(".tv-filter")).to_have_value("1n2t/3?c4")
    expect(tab).to_have_text("Timeline")
    expect(page.locator(".tv-text, .tv-help")).to_have_count(0)
    expect(page.locator(".tv-inspector h3")).to_have_text("Where the time went")


def test_the_filter_forgives_while_one_types(page):
    box, said = page.locator(".tv-filter"), page.locator(".tv-matches")
    for text, answer in {
        "op:": "op: needs a value, as in op:matmul",
        "op:mat": "4 matches",
        "op:matmul |g|<": "4 matches · |g| is compared with a number, as in |g|<1e-6; got ''",
        "op:matmlu": "0 matches · no op is called 'matmlu'; did you mean 'matmul'?",
    }.items():
        box.fill(text)
        expect(said).to_have_text(answer)
        expect(box).to_have_attribute("aria-invalid", "false")
    box.fill("opp:matmul op:tanh")
    expect(box).to_have_attribute("aria-invalid", "true")
    expect(said).to_have_text("2 matches · unknown key 'opp' in opp:matmul; did you mean 'op'?")


def test_enter_goes_from_match_to_match_in_every_view(page):
    said, title = page.locator(".tv-matches"), page.locator(".tv-inspector h3")
    page.locator("#tv-main").focus()
    page.keyboard.press("/")
    page.keyboard.type("op:mat")
    for keys, at, name in (
        ("Enter", "1 of 4", "matmul"),
        ("Enter", "2 of 4", "matmul"),
        ("Enter", "3 of 4", "∇ matmul"),
        ("Shift+Enter", "2 of 4", "matmul"),
        ("Shift+Enter", "1 of 4", "matmul"),
        ("Shift+Enter", "4 of 4", "∇ matmul"),
    ):
        page.keyboard.press(keys)
        expect(said).to_have_text(at)
        expect(title).to_have_text(name)
    for view in ("Gradient flow", "Tensor", "Code"):
        page.get_by_role("tab", name=view).click()
        page.get_by_role("button", name="Next match").click()
        expect(said).to_contain_text(" of 4")


def test_enter_goes_to_the_inspector_and_escape_back(page):
    side, main = page.locator(".tv-inspector"), page.locator("#tv-main")
    page.get_by_role("button", name="Inspector").click()
    expect(side).to_be_hidden()
    main.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(side).to_be_focused()
    page.keyboard.press("Escape")
    expect(main).to_be_focused()
    expect(side.locator("h3")).to_have_text("matmul")


def test_the_side_panel_goes_with_the_view(page):
    title = page.locator(".tv-inspector h3")
    for view, heading in (
        ("Gradient flow", "Smallest gradients"),
        ("Tensor", "Largest tensors"),
        ("Code", "Which lines took the time"),
        ("Timeline", "Where the time went"),
    ):
        page.get_by_role("tab", name=view).click()
        expect(title).to_have_text(heading)


def test_the_list_of_tensors_obeys_the_filter(page):
    page.get_by_role("tab", name="Tensor").click()
    rows = page.locator(".tvt-overview tbody tr")
    before = rows.count()
    page.locator(".tv-filter").fill("name:w2")
    expect(page.locator(".tvt-overview tbody")).to_contain_text("w2")
    assert 0 < rows.count() < before
    page.locator(".tv-filter").fill("op:zzz")
    expect(page.locator(".tvt-overview")).to_contain_text("None of the named tensors matches")


@pytest.mark.parametrize("page", [(1280, "light"), (480, "dark")], indirect=True)
def test_what_is_exported_is_a_file_and_what_cannot_be_says_why(page):
    for suffix, begins in (("png", b"\x89PNG"), ("svg", b"<svg "), ("tape", b"")):
        page.locator(".tv-menu summary").click()
        with page.expect_download() as download:
            page.get_by_role("button", name=f"(.{suffix})").click()
        data = Path(download.value.path()).read_bytes()
        assert len(data) > 1000
        assert data.startswith(begins)
    page.locator(".tv-menu summary").click()
    for suffix, why in (("html", "This page is that"), ("json", "Needs the kernel")):
        entry = page.get_by_role("button", name=f"(.{suffix})")
        expect(entry).to_be_disabled()
        expect(entry).to_contain_text(why)
    assert text_faults(page.locator(".tv-menu-panel")) == []


def test_paper_has_the_summary(page):
    page.emulate_media(media="print")
    expect(page.locator("#tv-main")).to_be_hidden()
    expect(page.locator(".tv-print")).to_contain_text("w1 hardly moves. To do: scale it")
    page.emulate_media(media="screen")
    expect(page.locator("#tv-main")).to_be_visible()
    expect(page.locator(".tv-print")).to_be_hidden()


def test_tab_leaves_the_shell(page):
    """Focus is never trapped: from the last thing in the shell, Tab goes on to the page."""
    page.evaluate("document.body.append(Object.assign(document.createElement('button'), {textContent: 'after'}))")
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "after":
            break
    expect(page.get_by_role("button", name="after")).to_be_focused()


def test_removing_it_leaves_nothing(page):
    page.evaluate("""async () => {
        const root = document.body.appendChild(document.createElement("div"));
        const block = document.querySelector("script[data-tapeviz]").textContent;
        const bytes = Uint8Array.from(atob(block.trim()), (letter) => letter.charCodeAt(0));
        const dispose = await window.tapeviz.mount(root, bytes);
        dispose();
        window.left = root.shadowRoot.querySelectorAll("section").length;
    }""")
    assert page.evaluate("window.left") == 0


def test_a_finding_that_is_no_problem_is_dismissed_counted_and_comes_back(page):
    finding = page.get_by_role("button", name="w1 hardly moves")
    page.get_by_role("button", name="Not a problem here").first.click()
    said = page.locator(".tv-verdicts [role=status]")
    expect(finding).to_be_hidden()
    expect(said).to_contain_text("1 expected")
    expect(said.locator("code")).to_contain_text("# tapeviz: expected ")
    said.get_by_role("button", name="Show again").click()
    expect(finding).to_be_visible()
    expect(said).to_be_hidden()
