"""The small script that each saved widget holds, with nobody or with somebody behind it."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

import tapeviz

pytestmark = pytest.mark.browser

LOADER = (Path(tapeviz.__file__).parent / "widgets" / "static" / "loader.js").read_text("utf-8")

# A model whose kernel answers `bundle` with a script, or, without one, never.
START = """async ([loader, script, times, standIn]) => {
    const url = (text) => URL.createObjectURL(new Blob([text], {type: "text/javascript"}));
    const {default: {render}} = await import(url(loader));
    window.asked = 0;
    window.disposes = [];
    for (let i = 0; i < times; i++) {
        const listeners = new Set();
        const model = {
            get: (name) => ({summary: "one step: 3 ops", _bundle: "abc", _stand_in: standIn})[name],
            on: (_, listener) => listeners.add(listener), off: (_, listener) => listeners.delete(listener),
            send: () => {
                window.asked += 1;
                const bytes = new DataView(new TextEncoder().encode(script).buffer);
                if (script) setTimeout(() => listeners.forEach((tell) => tell({kind: "bundle"}, [bytes])), 20);
            },
        };
        const el = document.body.appendChild(document.createElement("div"));
        window.disposes.push(await render({model, el}));
    }
}"""
SCRIPT = """export const render = ({el}) => {
    el.append("drawn");
    return () => el.replaceChildren();
}; globalThis.loads = (globalThis.loads ?? 0) + 1;"""


@pytest.fixture
def page(browser):
    context = browser.new_context()
    yield context.new_page()
    context.close()


def test_without_a_kernel_the_summary_stays(page):
    page.evaluate(START, [LOADER, "", 1])
    page.wait_for_timeout(200)
    expect(page.locator("body")).to_have_text("one step: 3 ops")


def test_three_widgets_ask_for_the_bundle_once(page):
    page.evaluate(START, [LOADER, SCRIPT, 3])
    expect(page.locator("body")).to_have_text("drawndrawndrawn")
    assert [page.evaluate("window.asked"), page.evaluate("window.loads")] == [1, 1]
    page.evaluate("window.disposes.forEach((dispose) => dispose())")
    expect(page.locator("body")).to_have_text("")


@pytest.mark.parametrize("script", [SCRIPT, ""])
def test_what_stands_in_for_the_views_is_hidden_while_they_are_there(page, script):
    page.set_content("<div class='jp-OutputArea-child'><p class='tapeviz-7'>a picture</p></div><p>other</p>")
    page.evaluate(START, [LOADER, script, 1, "tapeviz-7"])
    page.wait_for_timeout(200)
    expect(page.locator("body")).to_contain_text("drawn" if script else "a picture")
    assert page.get_by_text("a picture").is_visible() is not bool(script)
    assert page.get_by_text("one step: 3 ops").count() == 0
    page.evaluate("window.disposes.forEach((dispose) => dispose())")
    expect(page.get_by_text("a picture")).to_be_visible()


def test_it_is_small():
    assert len(json.dumps(LOADER)) < 2048
