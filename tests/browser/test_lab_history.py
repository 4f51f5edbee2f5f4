"""The panel's list of tapes in a real JupyterLab: it opens any, follows the latest, and keeps notebooks apart."""

import pytest
from playwright.sync_api import expect

from tests.browser.legibility import serious_violations, text_faults
from tests.browser.test_lab_extension import LOAD, lab_page, open_another, panel, run, title_shown

pytestmark = pytest.mark.browser
__all__ = ["lab_page"]  # a fixture

FIRST = '%%tape -n "the first" -q\nx + 1.0;'
LOST = """%%tape -n "the second" -q
v = tf.Variable(1.0)
with tf.GradientTape() as g:
    loss = tf.reduce_sum(x)
g.gradient(loss, v)"""
THIRD = 'with tf.record(name="by the program"):\n    x * x'


def rows(notebook):
    return panel(notebook).locator(".tapeviz-history li")


def open_list(notebook):
    panel(notebook).locator(".tapeviz-history summary").click()
    return rows(notebook)


def test_all_tapes_are_listed_newest_first_with_their_findings(lab_page):
    lab_page.open_cells(LOAD, FIRST, LOST, THIRD).run_all()
    expect(title_shown(lab_page)).to_have_text("by the program")
    listed = open_list(lab_page)
    expect(listed).to_have_count(3)
    for at, words in enumerate(["by the program", "the second", "the first"]):
        expect(listed.nth(at)).to_contain_text(words)
    expect(listed.nth(1)).to_contain_text("◆ 1")
    expect(listed.nth(2)).to_contain_text("no finding")
    expect(listed.nth(2)).to_contain_text("cell 2 · 1 op")


def test_an_old_tape_stays_open_until_the_latest_is_followed_again(lab_page):
    lab_page.open_cells(LOAD, FIRST, LOST, THIRD)
    for number in range(3):
        run(lab_page, number)
    expect(title_shown(lab_page)).to_have_text("the second")
    open_list(lab_page).nth(1).get_by_role("button").click()
    expect(title_shown(lab_page)).to_have_text("the first")
    follow = panel(lab_page).get_by_label("Follow the latest")
    expect(follow).not_to_be_checked()
    run(lab_page, 3)
    expect(rows(lab_page)).to_have_count(3)
    expect(title_shown(lab_page)).to_have_text("the first")
    follow.check()
    expect(title_shown(lab_page)).to_have_text("by the program")


def test_it_is_gone_through_with_the_keyboard(lab_page):
    lab_page.open_cells(LOAD, FIRST, LOST).run_all()
    expect(title_shown(lab_page)).to_have_text("the second")
    panel(lab_page).locator(".tapeviz-history summary").focus()
    keyboard = lab_page.page.keyboard
    keyboard.press("Enter")
    for _ in range(3):
        keyboard.press("Tab")
    keyboard.press("Enter")
    expect(title_shown(lab_page)).to_have_text("the first")
    expect(rows(lab_page).nth(1).get_by_role("button")).to_be_focused()


def test_each_notebook_has_its_own(lab_page):
    lab_page.open_cells(LOAD, FIRST, LOST).run_all()
    expect(title_shown(lab_page)).to_have_text("the second")
    open_list(lab_page).nth(1).get_by_role("button").click()
    expect(title_shown(lab_page)).to_have_text("the first")
    first = open_another(lab_page, LOAD, THIRD)
    lab_page.run_all()
    expect(title_shown(lab_page)).to_have_text("by the program")
    expect(rows(lab_page)).to_have_count(1)
    lab_page.page.evaluate("(id) => jupyterapp.shell.activateById(id)", first)
    expect(rows(lab_page)).to_have_count(2)
    expect(title_shown(lab_page)).to_have_text("the first")


@pytest.mark.parametrize("notebook", ["light", "dark"], indirect=True)
def test_it_is_legible(lab_page):
    lab_page.open_cells(LOAD, FIRST, LOST).run_all()
    expect(title_shown(lab_page)).to_have_text("the second")
    open_list(lab_page)
    assert text_faults(panel(lab_page)) == []
    assert serious_violations(panel(lab_page)) == []
