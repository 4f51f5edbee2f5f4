"""Takes the pictures under docs/images from the running product.

    python -m tools.screenshots

Opens the tour in a real JupyterLab, runs it from top to bottom, and takes each view of its first recording, light and
dark, on a wide and on a narrow page; then what is left of it when the notebook is opened again without its kernel. The
same machine gives the same pixels, but for the times in them.
"""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Locator, Page, sync_playwright

from tests.browser import chromium, lab_server
from tests.browser.notebook_page import NotebookPage

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
TOUR = ROOT / "notebooks" / "tour.ipynb"

# The views with the keys that a person presses, and what is then selected to show the view at work.
VIEWS = {"timeline": "1", "flow": "2", "tensor": "3", "code": "4"}
PICK = ("ArrowRight",) * 3
# Width and height of the page, as high as the view is there, and the ending of a picture's name.
PAGES = (((1280, 960), ""), ((600, 1800), "-narrow"))
COLORS = 128
MOST_BYTES = 250_000


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
    ending = "" if theme == "light" else "-dark"
    for (width, height), narrow in PAGES:
        notebook.page.set_viewport_size({"width": width, "height": height})
        for view, key in VIEWS.items():
            _show(notebook.page, shell, key)
            _take(shell, f"tour-{view}{narrow}{ending}")
    notebook.assert_quiet()
    _take(_left_alone(notebook), f"tour-summary{ending}")
    context.close()


def _left_alone(notebook: NotebookPage) -> Locator:
    """Open the notebook again without the kernel that ran it, and return what is left of the first view."""
    notebook.save()
    notebook.shut_down()
    notebook.page.set_viewport_size({"width": 1040, "height": 1400})
    notebook.page.reload()
    summary = notebook.page.locator(".tapeviz-static").first
    summary.wait_for(timeout=60_000)
    return summary


def _show(page: Page, shell: Locator, key: str) -> None:
    """Switch to a view and select an op, as a person does: with the keyboard."""
    shell.scroll_into_view_if_needed()
    shell.focus()
    for pressed in (key, "Escape", *PICK):
        page.keyboard.press(pressed)
    # No ring around the focus, nothing lit up by the pointer; then a moment for what is drawn in the next frames.
    shell.evaluate("(shell) => shell.getRootNode().activeElement?.blur()")
    page.mouse.move(0, 0)
    page.wait_for_timeout(500)


def _take(element: Locator, name: str) -> None:
    """Keep a picture of an element, with as many colours as a flat drawing needs."""
    drawn = Image.open(io.BytesIO(element.screenshot(animations="disabled"))).convert("RGB")
    few = drawn.quantize(COLORS, method=Image.Quantize.MEDIANCUT, kmeans=1, dither=Image.Dither.NONE)
    path = IMAGES / f"{name}.png"
    few.save(path, optimize=True)
    if path.stat().st_size > MOST_BYTES:
        raise RuntimeError(f"{path.name} has {path.stat().st_size:,} bytes, more than {MOST_BYTES:,}")


if __name__ == "__main__":
    main()
