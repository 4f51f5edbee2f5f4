"""Real models, in each way that a step runs: every view of each opens, draws something and logs no error."""

import pytest

import tapeviz as tf
from tests.browser.saved_page import SavedPage
from tests.zoo.models import ZOO
from tests.zoo.ways import WAYS

pytestmark = pytest.mark.browser

# By how much the parts of each bar are wider than it.
BEYOND = "bars => bars.map((bar) => bar.scrollWidth - bar.clientWidth)"
USUAL = ["Timeline", "Gradient flow", "Tensor", "Code"]


def recorded(name, way, path):
    """A page of two steps, the first of which traces."""
    tf.random.set_seed(0)
    step = WAYS[way](ZOO[name]())
    with tf.record() as tape:
        step()
        step()
    tape.save(path)
    return path


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ZOO)
def test_no_view_is_blank(browser, tmp_path, name, way):
    page = SavedPage(browser, recorded(name, way, tmp_path / "run.html"))
    seen = []
    for title in page.views():
        seen.append(title)
        assert not page.is_blank(), title
        assert len(page.in_words()) > 100, title
        if title in {"Graph", "Gradient flow"}:
            # Into what is closed, and out again.
            page.press("ArrowRight", "Enter", "ArrowRight", "Enter")
            assert not page.is_blank(), title
            page.press("Backspace", "f")
    assert seen == [*USUAL, *([] if way == "eager" else ["Graph", "Traces"]), "Step"]
    page.close()


@pytest.mark.parametrize("width", [1112, 1280])
def test_the_table_of_tensors_shows_all_its_columns(browser, tmp_path, width):
    page = SavedPage(browser, recorded("vision_transformer", "eager", tmp_path / "run.html"), width=width)
    page.page.get_by_role("tab", name="Tensor").click()
    page.painted()
    table = page.main.locator(".tvt-overview")
    assert table.evaluate("table => table.scrollWidth - table.clientWidth") == 0
    # The parts of a bar fill it: none is pushed out at its end.
    bars = table.locator(".tvt-health:has(*)").evaluate_all(BEYOND)
    assert bars
    assert max(bars) <= 1
    page.close()
