"""The tour in a real JupyterLab, as its reader goes through it: with the mouse, by keys alone, in words alone."""

from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import expect

from tests.browser.legibility import serious_violations, text_faults

pytestmark = pytest.mark.browser

TOUR = Path(__file__).parents[2] / "notebooks" / "tour.ipynb"


def cell_with(text):
    """The number of the tour's cell with this in its source."""
    cells = nbformat.read(TOUR, as_version=4).cells
    return next(number for number, cell in enumerate(cells) if cell.cell_type == "code" and text in cell.source)


STEP, MISSING, WHY = cell_with("-o step"), cell_with('"a gradient is missing"'), cell_with("%why w2")
FAILING, LIST = cell_with('"shapes that do not fit"'), cell_with("%tapes")


@pytest.fixture
def tour(notebook, request):
    notebook.page.set_viewport_size({"width": getattr(request, "param", 1280), "height": 900})
    notebook.open_copy(TOUR).run_all()
    yield notebook
    notebook.assert_quiet()


def click_op(shell, x, y):
    """Click into the timeline's canvas, at fractions of its size."""
    canvas = shell.get_by_role("img", name="Timeline of the ops")
    box = canvas.bounding_box()
    canvas.click(position={"x": box["width"] * x, "y": box["height"] * y})


def show(shell, key):
    shell.locator("#tv-main").focus()
    shell.page.keyboard.press(key)
    shell.page.wait_for_timeout(250)  # a canvas is painted in the next frame


def test_it_runs_with_the_one_error_that_it_shows(tour):
    raised = tour.raised()
    assert [text for text in raised if "Matrix size-incompatible" not in text] == []
    for cell in (STEP, MISSING, FAILING):
        expect(tour.shell(cell)).to_be_visible()
    assert "w2" in tour.output(WHY).inner_text()
    assert "one training step" in tour.output(LIST).inner_text()


def test_a_click_in_the_timeline_moves_everything(tour):
    shell = tour.shell(STEP)
    shell.scroll_into_view_if_needed()
    click_op(shell, 0.16, 0.17)
    title = shell.locator(".tv-inspector h3")
    expect(title).to_have_text("matmul")
    selected = tour.ask_kernel("step.view.selected")
    event = selected["event"]
    assert tour.ask_kernel(f"step.ops.name[int(step.events.op[{event}])]") == "matmul"
    show(shell, "2")
    expect(title).to_have_text("matmul")
    show(shell, "3")
    expect(shell.get_by_role("tabpanel")).to_contain_text("made by matmul")
    show(shell, "4")
    line = tour.ask_kernel(f"int(step.sites.line[int(step.events.site[{event}])])")
    assert "x @ w1" in tour.ask_kernel(f"step.sites.text[int(step.events.site[{event}])]")
    expect(shell.locator("[aria-current=true], [aria-selected=true]").filter(has_text="x @ w1").first).to_be_visible()
    assert line >= 1


def test_python_selects_in_the_view(tour):
    shell = tour.shell(STEP)
    relu = tour.ask_kernel(
        "[int(i) for i, op in zip(step.events.id, step.events.op) if step.ops.name[op] == 'relu'][0]"
    )
    tour.ask_kernel(f"step.view.select(event={relu}) and None")
    expect(shell.locator(".tv-inspector h3")).to_have_text("relu")


def test_why_w2_is_none_by_keyboard_alone(tour):
    """From the shell: `n` to the finding, which says what, where and what to do."""
    shell = tour.shell(MISSING)
    shell.locator("#tv-main").focus()
    tour.page.keyboard.press("n")
    current = shell.get_by_role("list", name="Findings").locator("[aria-current=true]")
    expect(current).to_contain_text("w2")
    expect(current).to_contain_text("left the engine")
    show(shell, "t")
    words = shell.locator(".tv-text")
    for said in ("w2: ✕ left the engine here, .numpy() · line 4", "to fix it: leave out .numpy()"):
        expect(words).to_contain_text(said)


def test_why_w2_is_none_by_text_alone(tour):
    said = tour.output(WHY).inner_text()
    for part in ("w2", "None", "left the engine", "line", "Fix"):
        assert part in said


@pytest.mark.parametrize("notebook", ["light", "dark"], indirect=True)
@pytest.mark.parametrize("tour", [1280, 600], indirect=True)
def test_every_view_is_legible(tour):
    for cell in (STEP, MISSING, FAILING):
        shell = tour.shell(cell)
        shell.scroll_into_view_if_needed()
        for key in ("1", "2", "3", "4"):
            show(shell, key)
            assert text_faults(shell) == [], (cell, key)
            assert serious_violations(shell) == [], (cell, key)
