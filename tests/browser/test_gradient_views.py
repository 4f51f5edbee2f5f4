"""Gradients that are harder to follow: through a loop of a traced function, and of other gradients."""

import re

import pytest
from playwright.sync_api import expect

import tapeviz as tf
from tests.browser.legibility import serious_violations, text_faults
from tests.browser.saved_page import SavedPage

pytestmark = pytest.mark.browser


@pytest.fixture
def opened(browser, tmp_path):
    """Return a function that opens a tape's page; its log must stay empty."""
    pages = []

    def open_(tape, **options):
        tape.save(tmp_path / "run.html")
        pages.append(SavedPage(browser, tmp_path / "run.html", **options))
        return pages[-1]

    yield open_
    for page in pages:
        page.close()


def loop():
    w = tf.Variable(1.1, name="w")

    @tf.function
    def step(x):
        with tf.GradientTape() as inner:
            for _ in tf.range(4):
                x = x * w
            loss = x**2
        return inner.gradient(loss, w)

    with tf.record() as tape:
        step(tf.constant(1.0))
    return tape


def cubed():
    x = tf.Variable(2.0, name="x")
    with tf.record() as tape, tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x**3
        dy = inner.gradient(y, x)
        outer.gradient(dy, x)
    return tape


def test_a_gradient_comes_back_through_a_loop_to_the_variable(opened):
    page = opened(loop())
    page.press("2")
    expect(page.main.get_by_role("button", name="w 15.6")).to_be_visible()
    said = page.in_words()
    assert re.search(r"while .*\|g\| 2\.93 from list_from_tensor.*, w, .*, x\n", said)
    assert len(re.findall(r"multiply .*\|g\| \S inside one step", said)) == 4
    assert re.search(r"loss .*\|g\| 1 ", said)
    assert "not computed" not in said


def test_a_gradient_of_a_gradient_has_all_its_ops(opened):
    page = opened(cubed())
    page.press("2")
    expect(page.main.locator(".tv-note")).to_have_text(re.compile(r"^Gradient of dy, line \d+: [5-9] ops, 1 source"))
    assert re.search(r"x .*\|g\| 12\n", page.in_words())


def test_each_op_of_a_gradient_of_a_gradient_can_be_clicked(opened):
    tape = cubed()
    page = opened(tape)
    box = page.main.get_by_role("img", name="Timeline of the ops").bounding_box()
    head = page.shell.locator(".tv-inspector-head p")
    seen = set()
    for y in range(30, 420, 20):
        for x in range(120, int(box["width"]) - 10, 60):
            page.page.mouse.click(box["x"] + x, box["y"] + y)
            seen |= {int(number) for text in head.all_inner_texts() for number in re.findall(r"#(\d+)", text)}
    events = tape.recording.events
    assert seen >= {int(event) for event, op in zip(events.id, events.op, strict=True) if op >= 0}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 600])
def test_their_views_are_legible(opened, width, scheme):
    for tape in (loop(), cubed()):
        page = opened(tape, width=width, scheme=scheme)
        for key in ("1", "2"):
            page.press(key)
            assert text_faults(page.shell) == []
            assert serious_violations(page.shell) == []
