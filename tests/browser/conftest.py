"""Chromium, JupyterLab and pages for the browser tests; a failed test leaves a picture and its page's complaints."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser import chromium, lab_server
from tests.browser.lab_server import LabServer
from tests.browser.notebook_page import NotebookPage

FAILURES = Path(__file__).parent / "failures"


# For this folder only: while Playwright runs, asyncio in this thread is taken, which other tests need.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    path = chromium.find()
    assert path, f"no Chromium: apt-get install {' '.join(chromium.PACKAGES)}"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(chromium.FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], LabServer]]:
    """Return a function that gives the JupyterLab of a theme, started when first asked for."""
    servers: dict[str, LabServer] = {}
    with ExitStack() as running:

        def server(theme: str) -> LabServer:
            if theme not in servers:
                folder = tmp_path_factory.mktemp(theme) / "lab"
                servers[theme] = running.enter_context(lab_server.running(folder, theme))
            return servers[theme]

        yield server


@pytest.fixture
def notebook(
    browser: Browser, lab: Callable[[str], LabServer], request: pytest.FixtureRequest
) -> Iterator[NotebookPage]:
    """Give an empty page beside a JupyterLab. `parametrize("notebook", ["dark"], indirect=True)` chooses its theme."""
    theme = getattr(request, "param", "light")
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme=theme, reduced_motion="reduce")
    page = NotebookPage(context.new_page(), lab(theme))
    yield page
    if request.node.stash.get(FAILED, False):
        FAILURES.mkdir(exist_ok=True)
        page.page.screenshot(path=FAILURES / f"{request.node.name}.png")
        (FAILURES / f"{request.node.name}.txt").write_text("\n".join([*page.strangers, *page.complaints]))
    context.close()


FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item):
    report = yield
    if report.when == "call":
        item.stash[FAILED] = report.failed
    return report
