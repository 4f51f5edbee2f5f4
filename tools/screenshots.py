"""Takes the pictures under docs/images from the running product.

    python -m tools.screenshots

Opens the tour in a real JupyterLab, runs it from top to bottom, and takes each view of its first recording, light and
dark. The same machine gives the same pixels.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, sync_playwright

from tests.browser import chromium, lab_server
from tests.browser.notebook_page import NotebookPage

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
TOUR = ROOT / "notebooks" / "01_tour.ipynb"

# The views with the keys that a person presses, and what is then selected to show the view at work.
VIEWS = {"timeline": "1", "flow": "2", "tensor": "3", "code": "4"}
PICK = ("ArrowRight",) * 3


def main() -> None:
    """Take all pictures."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=list(chromium.FLAGS))
        for theme in ("light", "dark"):
            with tempfile.TemporaryDirectory() as folder, lab_server.running(Path(folder) / "lab", theme) as server:
                _take_tour(browser, server, theme)
        browser.close()


def _take_tour(browser: Browser, server: lab_server.LabServer, theme: str) -> None:
    context = browser.new_context(
        viewport={"width": 1280, "height": 960}, color_scheme=theme, reduced_motion="reduce", device_scale_factor=2
    )
    notebook = NotebookPage(context.new_page(), server).open_copy(TOUR).run_all()
    shell = notebook.page.locator("section.tapeviz").first
    shell.wait_for()
    for view, key in VIEWS.items():
        _show(notebook.page, shell, key)
        ending = "" if theme == "light" else "-dark"
        shell.screenshot(path=IMAGES / f"tour-{view}{ending}.png", animations="disabled")
    notebook.assert_quiet()
    context.close()


def _show(page: Page, shell: Locator, key: str) -> None:
    """Switch to a view and select an op, as a person does: with the keyboard."""
    shell.scroll_into_view_if_needed()
    shell.focus()
    for pressed in (key, "Escape", *PICK):
        page.keyboard.press(pressed)
    # Off the view, so that nothing is lit up by the pointer; then a moment for what is drawn in the next frames.
    page.mouse.move(0, 0)
    page.wait_for_timeout(500)


if __name__ == "__main__":
    main()
