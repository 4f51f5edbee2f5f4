"""Five mistakes that a student finds in JupyterLab without a mouse, and without sight.

The cells are run by Shift+Enter, Tab leads into the view and to its findings, Enter or a letter to the evidence. In
words: what a screen reader is told and the views' text twins; what a terminal prints is tests/magics' matter.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.legibility import serious_violations, text_faults
from tests.browser.notebook_page import KERNEL_IS_IDLE, RUN_MS, NotebookPage
from tests.programs.mistakes import BROADCAST, MISSING, NONFINITE, RETRACED, SETUP, VANISHING

pytestmark = pytest.mark.browser

FOCUSED = """(selector) => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return Boolean(element?.matches(selector));
}"""
FOCUSED_TEXT = """() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return element?.textContent ?? "";
}"""
CHIP = ".tv-verdicts button"
VIEW = "#tv-main"
MOST_TABS = 40


@dataclass
class Student:
    """Somebody with a keyboard alone. What is looked at is only read."""

    notebook: NotebookPage

    def press(self, *keys: str) -> None:
        for key in keys:
            self.notebook.page.keyboard.press(key)

    def run(self, *cells: str) -> Locator:
        """Open a notebook of these cells, run them one by one, and go on to the last one's view."""
        page = self.notebook.open_cells(SETUP, *cells).page
        page.locator(".jp-Notebook").wait_for()
        self.press("Escape")
        for number in range(len(cells) + 1):
            # After the last one Shift+Enter would begin a new cell, and Tab would indent in it.
            self.press("Shift+Enter" if number < len(cells) else "Control+Enter")
            prompt = self.notebook.cell(number).locator(".jp-InputPrompt")
            expect(prompt).to_have_text(f"[{number + 1}]:", timeout=RUN_MS)
            page.wait_for_function(KERNEL_IS_IDLE)
        return self.notebook.shell(len(cells))

    def open_finding(self, shell: Locator, text: str) -> None:
        """Go to the chip of the finding with this text, by Tab, and press Enter."""
        chip = shell.locator(CHIP).filter(has_text=text).first
        expect(chip).to_be_visible()
        for _ in range(MOST_TABS):
            self.press("Tab")
            if self.notebook.page.evaluate(FOCUSED, CHIP) and text in self._focused_text():
                break
        self.press("Enter")
        expect(chip).to_have_attribute("aria-current", "true")

    def _focused_text(self) -> str:
        return self.notebook.page.evaluate(FOCUSED_TEXT)

    def in_words(self, shell: Locator, view: str) -> Locator:
        """Go to a view, and to its text twin."""
        self.press(view, "t")
        return shell.locator(".tv-text")

    def tab_to(self, selector: str, key: str = "Tab") -> None:
        """Press Tab until something like this has the focus."""
        for _ in range(MOST_TABS):
            if self.notebook.page.evaluate(FOCUSED, selector):
                return
            self.press(key)
        raise AssertionError(f"{MOST_TABS} times {key} do not lead to {selector}")


@pytest.fixture
def student(notebook):
    notebook.page.set_viewport_size({"width": 1280, "height": 900})
    yield Student(notebook)
    notebook.assert_quiet()


def told(shell):
    """What a screen reader is told at the moment."""
    return shell.locator(".visually-hidden[role=status]")


def remedy(shell):
    """What the inspector says about the finding that was gone to."""
    return shell.locator(".tv-remedy")


def test_why_w2_is_none(student):
    shell = student.run(MISSING)
    student.open_finding(shell, "w2: gradient of loss is None")
    for place in (remedy(shell), told(shell)):
        expect(place).to_contain_text("left the engine")
        expect(place).to_contain_text("Fix: leave out .numpy()")
    expect(remedy(shell)).to_contain_text("Line 6")
    expect(student.in_words(shell, "2")).to_contain_text("w2: ✕ left the engine here, .numpy() · line 6")


def test_the_first_nan(student):
    shell = student.run(NONFINITE)
    student.open_finding(shell, "exp made inf at [1, 0]")
    expect(shell.locator(".tv-inspector h3")).to_have_text("exp")
    for place in (remedy(shell), told(shell)):
        expect(place).to_contain_text("too large for float32")
        expect(place).to_contain_text("Fix: use tf.nn.softmax")
    expect(remedy(shell)).to_contain_text("Line 5")
    expect(student.in_words(shell, "4")).to_contain_text("powers = tf.exp(scores @ w)")
    expect(shell.locator(".tv-text")).to_contain_text(">     5")


def test_which_argument_retraces(student):
    shell = student.run(RETRACED)
    student.open_finding(shell, "explore is traced 8 times")
    for place in (remedy(shell), told(shell)):
        expect(place).to_contain_text("epsilon is a Python value that changed")
        expect(place).to_contain_text("Fix: pass epsilon as a tensor")
    student.press("6")
    expect(shell.get_by_role("tabpanel")).to_contain_text("epsilon")
    student.press("t")
    words = shell.locator(".tv-text")
    expect(words).to_contain_text("epsilon is a Python value that changed: 0.9 instead of 1.0")
    expect(words).to_contain_text("pass epsilon as a tensor")


def test_which_layer_vanishes(student):
    shell = student.run(VANISHING)
    student.open_finding(shell, "dense_1")
    for place in (remedy(shell), told(shell)):
        expect(place).to_contain_text("dense_1")
        expect(place).to_contain_text("Fix: ")
    expect(student.in_words(shell, "2")).to_contain_text("dense_1")


def test_the_broadcast_that_ruined_the_loss(student):
    shell = student.run(BROADCAST)
    student.open_finding(shell, "predicted of shape (24, 1) and target of shape (24,)")
    for place in (remedy(shell), told(shell)):
        expect(place).to_contain_text("make (24, 24)")
        expect(place).to_contain_text("Fix: give both one shape")
    expect(remedy(shell)).to_contain_text("Line 9")
    expect(student.in_words(shell, "4")).to_contain_text(">     9")


def test_tab_passes_the_findings_and_leaves_the_view(student):
    student.run(NONFINITE)
    for selector in (CHIP, ".tv-filter", VIEW):
        student.tab_to(selector)
    student.tab_to(CHIP, "Shift+Tab")


@pytest.mark.parametrize("notebook", ["light", "dark"], indirect=True)
def test_each_is_legible(student):
    cells = (MISSING, NONFINITE, RETRACED, VANISHING, BROADCAST)
    student.run(*cells)
    for width in (1280, 800):
        student.notebook.page.set_viewport_size({"width": width, "height": 900})
        for number in range(1, len(cells) + 1):
            shell = student.notebook.shell(number)
            shell.locator(VIEW).focus()
            for keys in (["n"], ["2"], ["4"], ["6"], ["t"], ["t", "1"]):
                student.press(*keys)
                student.notebook.page.wait_for_timeout(150)  # canvases paint in the next frame
                assert text_faults(shell) == [], (width, number, keys)
            assert serious_violations(shell) == [], (width, number)
