"""One block of a real model is broken on purpose: the first picture of each view, untouched, says which."""

import re
import warnings

import pytest

import tapeviz as tf
from tests.browser.legibility import text_faults, violations
from tests.browser.saved_page import SavedPage
from tests.zoo.broken import BROKEN, break_block
from tests.zoo.ways import WAYS

pytestmark = pytest.mark.browser

WORDS = {
    "stop_gradient": r"▲ Lost after \w+ in ([\w/]+/)?{}, line \d+: stopped here, line\s\d+\.",
    "saturating": r"◆ Gradients vanish at \w+ in ([\w/]+/)?{}, line \d+\.",
    "nan": r"▲ Not finite from sqrt in ([\w/]+/)?{}, line \d+\.",
}
# How many dots of the picture have the colour of a fault, or of what is likely one, in light.
MARKED = """(canvas) => {
    const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const near = (i, [r, g, b]) => Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 12;
    let marked = 0;
    for (let i = 0; i < data.length; i += 4) marked += near(i, [0xb3, 0x40, 0x0a]) || near(i, [0x8a, 0x5a, 0x00]);
    return marked;
}"""


def broken(name, how, way, path):
    """A page of two steps of a model with a broken block, and the block's name."""
    tf.random.set_seed(0)
    example, block = BROKEN[name]()
    if how:
        break_block(block, how)
    step = WAYS[way](example)
    with warnings.catch_warnings(action="ignore"), tf.record() as tape:
        step()
        step()
    tape.save(path)
    return path, block.name


def flow(browser, path, **options):
    page = SavedPage(browser, path, **options)
    page.page.get_by_role("tab", name="Gradient flow").click()
    page.painted()
    return page, page.main.locator(".tv-note").inner_text(), page.main.locator("canvas").first.evaluate(MARKED)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("how", WORDS)
@pytest.mark.parametrize("name", BROKEN)
def test_the_flow_says_and_shows_in_which_block_the_gradient_is_lost(browser, tmp_path, name, how, way):
    path, block = broken(name, how, way, tmp_path / "run.html")
    for width in (1280, 800):
        page, said, marked = flow(browser, path, width=width)
        assert re.search(WORDS[how].format(block), said), said
        assert marked > 150, width
        page.close()


# What is written on canvases; what is in sight of the rest.
WRITTEN = """(() => {
    const fillText = CanvasRenderingContext2D.prototype.fillText;
    window.written = [];
    CanvasRenderingContext2D.prototype.fillText = function (text, ...where) {
        window.written.push(text);
        return fillText.call(this, text, ...where);
    };
})()"""
IN_SIGHT = """(main) => {
    const view = main.getBoundingClientRect();
    const isSeen = (box) => box.width > 0 && box.top >= view.top && box.bottom <= view.bottom + 1;
    return [...main.querySelectorAll(".tv-faultline, .tvc-lost p, .tv-note")]
        .filter((line) => isSeen(line.getBoundingClientRect()))
        .map((line) => line.innerText);
}"""
SAID = {
    "stop_gradient": r"▲? ?Gradient lost at stop_gradient in ([\w/]+/)?{}, line \d+",
    "saturating": r"◆? ?Gradients vanish at \w+ in ([\w/]+/)?{}, line \d+",
    "nan": r"▲? ?Not finite from sqrt in ([\w/]+/)?{}, line \d+",
}


@pytest.mark.parametrize(("how", "way"), [*((how, "fit") for how in SAID), ("stop_gradient", "eager")])
@pytest.mark.parametrize("name", BROKEN)
def test_each_view_says_and_shows_in_which_block_the_gradient_is_lost(browser, tmp_path, name, how, way):
    path, block = broken(name, how, way, tmp_path / "run.html")
    for width in (1280, 800):
        page = SavedPage(browser, path, width=width, script=WRITTEN)
        views = dict.fromkeys(page.views())
        for title in views:
            page.page.get_by_role("tab", name=title).click()
            page.page.evaluate("window.written = []")
            page.painted()
            views[title] = page.main.evaluate(IN_SIGHT)
            if title == "Timeline":
                page.press("f")
                page.painted()
                views[title] += page.page.evaluate("window.written")
            if title == "Graph":
                assert page.main.locator("canvas").first.evaluate(MARKED) > 150
        said = re.compile(SAID[how].format(block))
        for title in ("Tensor", "Code", "Step", *(("Graph", "Traces") if way == "fit" else ())):
            assert any(said.search(line) for line in views[title]), (title, width, views[title])
        assert any(re.search(rf"\w+ in ([\w/]+/)?{block}$", text) for text in views["Timeline"]), (
            width,
            views["Timeline"],
        )
        page.close()


@pytest.mark.parametrize("how", ["stop_gradient", "numpy"])
def test_the_turn_of_the_other_model_is_no_part_of_it(browser, tmp_path, how):
    path, block = broken("gan", how, "eager", tmp_path / "run.html")
    page, _, _ = flow(browser, path)
    said = page.in_words()
    assert block in said
    assert "adam" not in said
    page.close()


@pytest.mark.parametrize("name", BROKEN)
def test_nothing_is_marked_where_no_block_is_broken(browser, tmp_path, name):
    path, block = broken(name, "", "eager", tmp_path / "run.html")
    page, said, marked = flow(browser, path)
    assert block not in said
    assert marked == 0
    assert not re.search("[▲✕]", said), said
    for title in page.views():
        assert page.main.locator(".tv-faultline, .tvc-lost").count() == 0, title
    page.close()


@pytest.mark.parametrize(("width", "options"), [
    (1280, {}), (800, {"scheme": "dark"}), (480, {}), (480, {"scheme": "dark"}),
    (1280, {"forced": True}), (1280, {"forced": True, "scheme": "dark"}), (480, {"forced": True}),
])  # fmt: skip
def test_every_view_is_legible(browser, tmp_path, width, options):
    path, _ = broken("transformer", "stop_gradient", "fit", tmp_path / "run.html")
    page = SavedPage(browser, path, width=width, **options)
    faults = {title: [*violations(page.shell), *text_faults(page.shell)] for title in page.views()}
    assert len(faults) == 7
    assert not any(faults.values()), faults
    page.close()
