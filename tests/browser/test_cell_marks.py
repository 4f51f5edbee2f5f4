"""Marks beside the lines of a recorded cell, tips at its names, and the commands, in a real JupyterLab."""

import pytest
from playwright.sync_api import expect

from tests.browser.legibility import text_faults
from tests.browser.test_lab_extension import LOAD, chosen, lab_page, panel, run, toolbar

pytestmark = pytest.mark.browser
__all__ = ["lab_page"]  # a fixture

CELL = """%%tape
w, v = tf.Variable([[0.5], [-0.3]]), tf.Variable(1.0)
with tf.GradientTape() as g:
    h = tf.tanh(x @ w)
    z = tf.math.log(h - h)
    loss = tf.reduce_sum(h * h) + tf.reduce_sum(z)
g.gradient(loss, [w, v])"""
LINES = CELL.split("\n")


def marks(notebook, cell=1):
    return notebook.cell(cell).locator(".tapeviz-mark")


def mark(notebook, sign, cell=1):
    return notebook.cell(cell).locator(f".tapeviz-mark[data-sign={sign}]")


def beside(notebook, sign, cell=1):
    """Return the text of the line that a mark stands beside."""
    top = mark(notebook, sign, cell).bounding_box()["y"] + 4
    lines = notebook.cell(cell).locator(".cm-line").all()
    boxes = [(line, line.bounding_box()) for line in lines]
    return next(line.inner_text() for line, box in boxes if box["y"] <= top < box["y"] + box["height"])


def write(notebook, cell, text):
    source = "([cell, text]) => jupyterapp.shell.currentWidget.content.widgets[cell].model.sharedModel.setSource(text)"
    notebook.page.evaluate(source, [cell, text])


def source(notebook, cell):
    get = "(cell) => jupyterapp.shell.currentWidget.content.widgets[cell].model.sharedModel.getSource()"
    return notebook.page.evaluate(get, cell)


def activate(notebook, cell):
    notebook.page.evaluate("(cell) => { jupyterapp.shell.currentWidget.content.activeCellIndex = cell; }", cell)
    notebook.page.locator(".jp-Notebook").first.focus()


@pytest.fixture
def recorded(lab_page):
    lab_page.open_cells(LOAD, CELL).run_all()
    lab_page.shell(1)
    expect(mark(lab_page, "nan")).to_be_visible()
    return lab_page


def test_each_line_that_ran_is_marked_where_it_stands(recorded):
    assert beside(recorded, "nan") == LINES[4]
    assert beside(recorded, "none") == LINES[6]
    assert beside(recorded, "slowest") in LINES
    expect(marks(recorded)).to_have_count(5)
    label = mark(recorded, "nan").get_attribute("aria-label")
    assert label.startswith("NaN or infinity here; log made -inf at [0, 0] from 0")
    assert mark(recorded, "nan").get_attribute("title").split("\n")[-1] == "Run [2]"
    expect(marks(recorded, 0)).to_have_count(0)


def test_it_counts_as_the_code_view_does(recorded):
    shell = recorded.shell(1)
    shell.get_by_role("tab", name="Code").click()
    shell.get_by_role("button", name="Text").click()
    said = mark(recorded, "nan").get_attribute("aria-label")
    ops = said.split("2 ops forward in ")[1].split("; Run")[0]
    forward, backward, made = ops.split(" · ")
    expect(shell).to_contain_text(forward)
    expect(shell).to_contain_text(backward.removeprefix("2 backward in "))
    expect(shell).to_contain_text(made.removesuffix(" made"))


def test_a_click_selects_the_op_in_the_view_below_the_cell(recorded):
    mark(recorded, "nan").click()
    expect(recorded.shell(1).get_by_role("complementary")).to_contain_text("log")
    assert recorded.ask_kernel("_tape.view.selected['event']") == recorded.ask_kernel(
        "next(int(e.id) for e in _tape.events if e.op >= 0 and _tape.ops.name[e.op] == 'log')"
    )


def test_without_a_view_below_the_cell_the_panel_opens(lab_page):
    lab_page.open_cells(LOAD, CELL.replace("%%tape", '%%tape -q -n "quiet"')).run_all()
    mark(lab_page, "nan").click()
    expect(panel(lab_page).locator("section.tapeviz h2")).to_have_text("quiet")
    expect(panel(lab_page).get_by_role("complementary")).to_contain_text("log")


def test_marks_move_with_their_lines_and_go_with_them(recorded):
    write(recorded, 1, CELL.replace(LINES[1], f"# a comment\n{LINES[1]}"))
    expect(marks(recorded)).to_have_count(5)
    assert beside(recorded, "nan") == LINES[4]
    assert "the cell was edited since" in mark(recorded, "nan").get_attribute("title")
    write(recorded, 1, CELL.replace("tf.math.log(h - h)", "tf.math.log(h)"))
    expect(mark(recorded, "nan")).to_have_count(0)
    expect(mark(recorded, "none")).to_have_count(1)
    write(recorded, 1, CELL)
    expect(mark(recorded, "nan")).to_have_count(1)
    write(recorded, 1, "print(1)")
    expect(marks(recorded)).to_have_count(0)


def test_they_go_when_the_cell_runs_without_being_recorded(recorded):
    write(recorded, 1, CELL.replace("%%tape\n", ""))
    expect(mark(recorded, "nan")).to_have_count(1)
    run(recorded, 1)
    expect(marks(recorded)).to_have_count(0)


def test_a_function_of_another_cell_is_marked_there(lab_page):
    lab_page.open_cells(LOAD, "def risky(t):\n    return tf.math.log(t - t)", "%%tape\nrisky(x)").run_all()
    expect(mark(lab_page, "nan", 1)).to_have_count(1)
    assert beside(lab_page, "nan", 1) == "    return tf.math.log(t - t)"


def test_a_restart_takes_them_away(recorded):
    recorded.page.evaluate("async () => { await jupyterapp.shell.currentWidget.sessionContext.restartKernel(); }")
    expect(marks(recorded)).to_have_count(0)


def test_a_page_that_is_loaded_again_has_them_again(recorded):
    recorded.save()
    recorded.page.reload()
    expect(mark(recorded, "nan")).to_be_visible(timeout=20_000)
    assert beside(recorded, "nan") == LINES[4]


def test_a_name_under_the_pointer_says_what_it_was(recorded):
    line = recorded.cell(1).locator(".cm-line").nth(3).bounding_box()
    letter = recorded.page.evaluate(
        "(cell) => jupyterapp.shell.currentWidget.content.widgets[cell].editor.editor.defaultCharacterWidth", 1
    )
    recorded.page.mouse.move(line["x"] + 6 + 4.5 * letter, line["y"] + 9)
    tip = recorded.page.locator(".tapeviz-tip")
    expect(tip).to_contain_text("h (1, 1) float32")
    expect(tip).to_contain_text("gradient: |g| NaN, 1 NaN")
    expect(tip).to_contain_text("made by tanh in cell 2, line 4")


def test_the_keyboard_goes_from_finding_to_finding_and_asks_for_a_name(recorded):
    activate(recorded, 0)
    keyboard = recorded.page.keyboard
    keyboard.press("Alt+Shift+N")
    at = "jupyterapp.shell.currentWidget.content.activeCell.editor.getCursorPosition().line"
    assert recorded.page.evaluate(at) == 4
    keyboard.press("Alt+Shift+N")
    assert recorded.page.evaluate(at) == 6
    keyboard.press("Alt+Shift+P")
    assert recorded.page.evaluate(at) == 4
    for _ in range(4):
        keyboard.press("ArrowRight")
    keyboard.press("Alt+Shift+I")
    tip = recorded.page.locator(".tapeviz-tip")
    expect(tip).to_contain_text("z (1, 1) float32")
    keyboard.press("Escape")
    expect(tip).to_have_count(0)


def test_the_palette_has_the_commands_and_they_record_this_cell(lab_page):
    lab_page.open_cells(LOAD, "y = x + 1.0")
    run(lab_page, 0)
    activate(lab_page, 1)
    lab_page.page.evaluate("jupyterapp.commands.execute('apputils:activate-command-palette')")
    lab_page.page.keyboard.type("tapeviz record this")
    entry = lab_page.page.locator(".lm-CommandPalette-item", has_text="Record This Cell")
    expect(entry).to_contain_text("Alt+Shift+R")
    entry.click()
    lab_page.shell(1)
    assert source(lab_page, 1) == "%%tape\ny = x + 1.0"
    expect(marks(lab_page)).to_have_count(1)


def test_shortcuts_step_and_switch_the_mode(lab_page):
    lab_page.open_cells(LOAD, "%%tape\ny = x + 1.0")
    run(lab_page, 0)
    expect(chosen(toolbar(lab_page), "mode")).to_have_value("eager")
    activate(lab_page, 1)
    lab_page.page.keyboard.press("Alt+Shift+M")
    expect(chosen(toolbar(lab_page), "mode")).to_have_value("graph")
    lab_page.page.keyboard.press("Alt+Shift+M")
    expect(chosen(toolbar(lab_page), "mode")).to_have_value("eager")
    lab_page.page.keyboard.press("Alt+Shift+S")
    expect(lab_page.shell(1).get_by_role("tab", name="Step")).to_have_attribute("aria-selected", "true")
    assert source(lab_page, 1) == "%%step\ny = x + 1.0"


def test_a_setting_turns_marks_off(recorded):
    store = "async (raw) => { await jupyterapp.serviceManager.settings.save('tapeviz:plugin', raw); }"
    recorded.page.evaluate(store, '{"gutter": false}')
    try:
        recorded.save()
        recorded.page.reload()
        # When the panel knows the findings, the marks would be there.
        expect(toolbar(recorded).get_by_role("button", name="tape")).to_be_visible(timeout=20_000)
        panel(recorded).locator(".tapeviz-history summary").click(timeout=20_000)
        expect(panel(recorded).locator(".tapeviz-history li")).to_contain_text("▲ 1")
        expect(marks(recorded)).to_have_count(0)
    finally:
        recorded.page.evaluate(store, "{}")


@pytest.mark.parametrize("notebook", ["light", "dark"], indirect=True)
def test_the_tip_is_legible(recorded):
    activate(recorded, 1)
    recorded.page.keyboard.press("Enter")
    recorded.page.keyboard.press("Alt+Shift+N")
    for _ in range(4):
        recorded.page.keyboard.press("ArrowRight")
    recorded.page.keyboard.press("Alt+Shift+I")
    tip = recorded.page.locator(".tapeviz-tip")
    expect(tip).to_be_visible()
    assert text_faults(tip) == []
