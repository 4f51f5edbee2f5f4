"""A view that fails says so in its place and in the page's log, offers its text twin, and leaves the others alone."""

import pytest
from playwright.sync_api import expect

import tapeviz as tf
from tests.browser.legibility import serious_violations, text_faults
from tests.browser.saved_page import SavedPage

pytestmark = pytest.mark.browser

# What only the views with wires set when they paint; what all canvases need when they are made.
NO_WIRES = """
const cap = Object.getOwnPropertyDescriptor(CanvasRenderingContext2D.prototype, "lineCap");
Object.defineProperty(CanvasRenderingContext2D.prototype, "lineCap", {
    set(value) {
        if (!window.mended) throw new RangeError("no wires");
        cap.set.call(this, value);
    },
});"""
NO_SIZES = "window.ResizeObserver = class { constructor() { throw new TypeError('no sizes'); } };"


@pytest.fixture
def opened(browser, tmp_path):
    """Return a function that opens a page of one gradient with a script run before; gives the page."""
    w = tf.Variable([[2.0, 1.0], [0.0, 3.0]], name="w")
    with tf.record() as tape, tf.GradientTape() as t:
        loss = tf.reduce_sum(tf.tanh(tf.ones([2, 2]) @ w) ** 2)
        t.gradient(loss, w)
    path = tape.save(tmp_path / "run.html")
    pages = []

    def open_(script, **options):
        pages.append(SavedPage(browser, path or tmp_path / "run.html", script=script, **options))
        return pages[-1]

    yield open_
    for page in pages:
        page.page.context.close()


def test_a_view_that_fails_while_painting_says_so(opened):
    page = opened(NO_WIRES)
    assert page.complaints == []
    page.press("2")
    alert = page.main.get_by_role("alert")
    expect(alert).to_contain_text("Gradient flow cannot be shown")
    expect(alert).to_contain_text("RangeError: no wires")
    assert len(page.complaints) == 1
    assert "tapeviz: Gradient flow failed: RangeError: no wires" in page.complaints[0]


def test_the_others_are_left_alone(opened):
    page = opened(NO_WIRES)
    page.press("2")
    expect(page.main.get_by_role("alert")).to_have_count(1)  # in the next frame
    page.press("1")
    expect(page.main.get_by_role("alert")).to_have_count(0)
    assert not page.is_blank()
    page.press("ArrowRight", "ArrowRight")
    expect(page.shell.locator(".tv-inspector h3")).not_to_have_text("Where the time went")
    page.press("4")
    expect(page.main).to_contain_text("tf.tanh")
    assert len(page.complaints) == 1


def test_its_text_twin_is_offered(opened):
    page = opened(NO_WIRES)
    page.press("2")
    page.main.get_by_role("button", name="Show it in words").click()
    expect(page.main.locator(".tv-text")).to_contain_text("tanh")
    expect(page.shell.get_by_role("button", name="Text")).to_have_attribute("aria-pressed", "true")


def test_it_can_be_tried_again(opened):
    page = opened(NO_WIRES)
    page.press("2")
    page.page.evaluate("window.mended = true")
    page.main.get_by_role("button", name="Try again").click()
    page.painted()
    expect(page.main.get_by_role("alert")).to_have_count(0)
    assert not page.is_blank()


def test_a_view_that_fails_at_once_leaves_nothing_behind(opened):
    page = opened(NO_SIZES)
    expect(page.main.get_by_role("alert")).to_contain_text("Timeline cannot be shown")
    page.press("2", "3", "4")
    expect(page.main.get_by_role("alert")).to_contain_text("Code cannot be shown")
    assert [said.split(" failed")[0] for said in page.complaints] == [
        f"tapeviz: {title}" for title in ("Timeline", "Gradient flow", "Tensor", "Code")
    ]
    page.press("t")
    expect(page.main.locator(".tv-text")).to_contain_text("tf.tanh")
    # Keys that the failed views had taken are the shell's again: an arrow goes to the next op.
    page.press("ArrowRight")
    expect(page.shell.locator(".tv-inspector h3")).not_to_have_text("Where the time went")
    assert len(page.complaints) == 4


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_what_it_says_is_legible(opened, width, scheme):
    page = opened(NO_WIRES, width=width, scheme=scheme)
    page.press("2")
    expect(page.main.get_by_role("alert")).to_be_visible()
    assert text_faults(page.shell) == []
    assert serious_violations(page.shell) == []
