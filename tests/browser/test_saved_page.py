"""The saved page: opened from disk with the network off it has all the views; with scripts off, the summary."""

import json
import re

import pytest
from playwright.sync_api import expect

from tapeviz.exports import html
from tapeviz.exports.html import within_element
from tapeviz.recording import Builder
from tests.browser.legibility import serious_violations, text_faults
from tests.exports.snapshots import recording

pytestmark = pytest.mark.browser

OPENS_IN_MS = 3000


@pytest.fixture
def opened(browser, tmp_path):
    """Return a function that opens the stored recording's page from disk; it fails on any request or complaint."""
    said: list[str] = []
    contexts = []

    def open_(made=None, **options):
        path = tmp_path / "run.html"
        html.write(made or recording(), path)
        context = browser.new_context(offline=True, **{"viewport": {"width": 1280, "height": 800}, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda m: said.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda r: said.append(r.url[:200]) if not r.url.startswith(("data:", "blob:")) else None)
        page.goto(path.as_uri())
        assert said.pop(0) == path.as_uri()
        return page

    yield open_
    for context in contexts:
        context.close()
    assert said == []


def test_it_opens_fast_and_hides_the_summary(opened):
    page = opened()
    page.locator("section.tapeviz").wait_for(timeout=OPENS_IN_MS)
    expect(page.get_by_role("heading", name="training step", level=2)).to_be_visible()
    expect(page.locator(".tapeviz-static")).to_be_hidden()
    assert page.title() == "training step · tapeviz"


def test_a_click_in_the_timeline_is_followed_by_flow_tensor_and_code(opened):
    page = opened()
    shell = page.locator("section.tapeviz")
    canvas = shell.get_by_role("img", name="Timeline of the ops")
    box = canvas.bounding_box()
    title = shell.locator(".tv-inspector h3").first
    # The first column of the forward lane is a matmul, wherever the spans and lines above it end.
    for height in range(40, 300, 20):
        page.mouse.click(box["x"] + 140, box["y"] + height)
        if title.inner_text() == "matmul":
            break
    expect(title).to_have_text("matmul")
    for key, words in (("2", "matmul"), ("3", "matmul #3"), ("4", "h = relu(x @ w1 + b1)")):
        shell.locator("#tv-main").focus()
        page.keyboard.press(key)
        expect(title).to_have_text("matmul")
        page.keyboard.press("t")
        expect(shell.locator("#tv-main")).to_contain_text(words)
        page.keyboard.press("t")


@pytest.mark.parametrize("width", [1280, 600])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_legible_in_light_and_dark(opened, width, scheme):
    page = opened(viewport={"width": width, "height": 800}, color_scheme=scheme)
    shell = page.locator("section.tapeviz")
    shell.wait_for()
    assert shell.get_attribute("data-scheme") == scheme
    assert text_faults(shell) == []
    assert serious_violations(shell) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_without_scripts_the_summary_is_there(opened, scheme):
    page = opened(java_script_enabled=False, color_scheme=scheme)
    expect(page.locator(".tapeviz-static")).to_be_visible()
    expect(page.locator(".tapeviz-static img").first).to_be_visible()
    expect(page.get_by_role("listitem").get_by_text("c: gradient of loss is None")).to_be_visible()


def test_nothing_in_a_recording_ends_its_element(opened):
    builder = Builder()
    title = "</title></script><script>window.broken = true</script><!--"
    builder.meta("title", title)
    page = opened(builder.recording())
    page.locator("section.tapeviz").wait_for()
    assert page.evaluate("window.broken") is None
    assert page.locator("section.tapeviz h2").inner_text() == title


def test_what_cannot_be_shown_says_so_above_the_summary(browser, tmp_path):
    path = tmp_path / "run.html"
    html.write(recording(), path)
    text = path.read_text(encoding="utf-8")
    path.write_text(re.sub(r"(data-tapeviz>)[A-Za-z0-9+/]{40}", r"\1AAAA", text), encoding="utf-8")
    page = browser.new_context(offline=True).new_page()
    page.goto(path.as_uri())
    expect(page.get_by_role("alert")).to_contain_text("cannot be shown")
    expect(page.locator(".tapeviz-static")).to_be_visible()
    page.context.close()


def test_scripts_stay_within_their_element(browser):
    script = 'window.said = ["</script>", "<!--", "<SCRIPT>", /<\\/script>/.source, `</Script>`]'
    page = browser.new_page()
    page.set_content(f"<script>{within_element(script)}</script>")
    assert page.evaluate("said") == ["</script>", "<!--", "<SCRIPT>", "<\\/script>", "</Script>"]
    page.close()


def test_values_are_in_the_page_when_they_were_kept():
    builder = Builder()
    builder.append("tensors", id=0, shape=builder.intern(json.dumps([2])))
    builder.append("values", tensor=0, offset=0.0, length=2.0, data=b"\0" * 8)
    assert len(html.page(builder.recording())) > len(html.page(Builder().recording()))
