"""The documentation site, opened from disk with the network off.

Builds a part of it: one notebook, one how-to page, one namespace. TAPEVIZ_SITE names a whole one (`make docs-test`).
"""

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import expect

import tapeviz as tf
from tests.browser.legibility import violations
from tests.exports.snapshots import recording
from tools.site import sources

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
SMALLEST = min(
    (path for pattern in sources.NOTEBOOKS for path in ROOT.glob(pattern) if path.stem not in sources.ELSEWHERE),
    key=lambda path: path.stat().st_size,
)
PARTS = (SMALLEST.relative_to(ROOT).with_suffix("").as_posix(), "docs/how-to/gradient-none")
SETTINGS = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "forced": {"forced_colors": "active"},
    "narrow": {"viewport": {"width": 480, "height": 800}},
}
# Pages of each kind there is; those of hundreds of names when the whole site is tested.
KINDS = ["index.html", "open.html", "search.html", "reference/tf.random.html", "docs/filter.html", "docs/views.html"]
KINDS += ["genindex.html", "docs/ops.html", "reference/tf.nn.html"] if "TAPEVIZ_SITE" in os.environ else []


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    if whole := os.environ.get("TAPEVIZ_SITE"):
        return Path(whole).resolve()
    folder = tmp_path_factory.mktemp("site")
    subprocess.run([sys.executable, "-m", "tools.site", folder, "--only", *PARTS], cwd=ROOT, check=True)
    return folder


@pytest.fixture
def opened(browser, site):
    """Return a function that opens a page of the site; it fails on any request beyond the site and on any complaint."""
    said: list[str] = []
    contexts = []

    def open_(name, **options):
        context = browser.new_context(offline=True, **{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        page = context.new_page()
        inside = site.as_uri()
        page.on("console", lambda m: said.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on(
            "request", lambda r: said.append(r.url[:200]) if not r.url.startswith((inside, "data:", "blob:")) else None
        )
        page.goto((site / name).as_uri())
        return page

    yield open_
    for context in contexts:
        context.close()
    assert said == []


NOTEBOOKS = ("notebooks", "notebooks/programs", "notebooks/exercises")


def notebook_pages(site: Path, *folders: str) -> list[str]:
    """Every page of these folders of the site that was a notebook or is run as one."""
    pages = [path for folder in folders for path in sorted((site / folder).glob("*.html")) if path.stem != "index"]
    return [path.relative_to(site).as_posix() for path in pages]


def checked_pages(site: Path) -> list[str]:
    """The pages that axe looks at: every page of a whole site; of a part, one of each kind."""
    if os.environ.get("TAPEVIZ_SITE"):
        pages = sorted(path.relative_to(site) for path in site.rglob("*.html"))
        return [path.as_posix() for path in pages if path.parts[0] != "_static"]
    return [*KINDS, *notebook_pages(site, *NOTEBOOKS)[:2], "docs/how-to/gradient-none.html"]


def has_tape(page: Path) -> bool:
    return 'class="tape"' in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [1280, 480])
def test_each_notebook_has_a_tape_that_answers_a_click(opened, site, width):
    # A page that a notebook saved lies beside it and is a tape itself.
    notebooks = [name for name in notebook_pages(site, *NOTEBOOKS) if (site / name).with_suffix(".ipynb").exists()]
    assert notebooks
    assert [name for name in notebooks if not has_tape(site / name)] == []
    guides = [name for name in notebook_pages(site, "docs/how-to") if has_tape(site / name)]
    assert guides
    for name in notebooks + guides:
        page = opened(name, viewport={"width": width, "height": 900})
        tape = page.locator('.tape[data-kind="tape"]').first
        tape.scroll_into_view_if_needed()
        shell = tape.locator("section.tapeviz")
        shell.wait_for()
        shell.get_by_role("tab", name="Timeline").click()
        canvas = shell.get_by_role("img", name="Timeline of the ops")
        box = canvas.bounding_box()
        title = shell.locator(".tv-inspector h3").first
        before = title.inner_text()
        # Where an op lies depends on the tape: a pass over the picture meets one.
        for across, down in product((0.5, 0.3, 0.75, 0.4, 0.6, 0.9), range(40, int(box["height"]), 20)):
            canvas.click(position={"x": box["width"] * across, "y": down})
            if title.inner_text() != before:
                break
        assert title.inner_text() != before, name
        page.context.close()


@pytest.mark.parametrize("setting", SETTINGS)
def test_axe_finds_nothing(opened, site, setting):
    found = {}
    for name in checked_pages(site):
        page = opened(name, **SETTINGS[setting])
        # All of them: what several on one page have in common is told apart.
        for tape in page.locator(".tape[data-name]").all():
            tape.scroll_into_view_if_needed()
            tape.locator("section.tapeviz").wait_for()
        found[name] = violations(page.locator("html"))
        page.context.close()
    assert {name: faults for name, faults in found.items() if faults} == {}


@pytest.mark.parametrize("width", [1280, 480])
def test_no_page_scrolls_sideways(opened, width):
    for name in KINDS:
        page = opened(name, viewport={"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        page.context.close()


def test_the_search_finds_a_function_without_a_server(opened):
    page = opened("search.html")
    page.goto(f"{page.url}?q=truncated_normal")
    expect(page.locator("#search-results")).to_contain_text("tf.random.truncated_normal")


def test_the_theme_of_the_site_is_the_theme_of_its_tapes(opened):
    page = opened("index.html", color_scheme="light")
    shell = page.locator("section.tapeviz").first
    expect(shell).to_have_attribute("data-scheme", "light")
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    expect(shell).to_have_attribute("data-scheme", "dark")


def test_without_scripts_a_page_has_the_summaries(opened):
    page = opened("docs/how-to/gradient-none.html", java_script_enabled=False)
    expect(page.locator(".tapeviz-static").first).to_be_visible()


def test_a_recording_that_is_missing_leaves_the_summary(browser, site):
    page = browser.new_page()
    page.route("**/_static/views/*", lambda route: route.abort())
    page.goto((site / "docs/how-to/gradient-none.html").as_uri())
    tape = page.locator(".tape").first
    tape.scroll_into_view_if_needed()
    expect(tape.get_by_role("alert")).to_contain_text("cannot be shown")
    expect(tape.locator(".tapeviz-static")).to_be_visible()
    page.close()


@pytest.fixture
def tapes(tmp_path):
    """Files that a person might drop: a sound one, one that was cut off, one that is no recording, an empty one."""
    whole = recording().to_bytes()
    files = {"whole": whole, "cut": whole[: len(whole) * 2 // 3], "other": b"PK\x03\x04 no recording", "empty": b""}
    for name, contents in files.items():
        (tmp_path / f"{name}.tape").write_bytes(contents)
    with tf.record(name="made just now") as tape:
        tf.exp(tf.ones([3]))
    tape.save(tmp_path / "second.tape")
    return tmp_path


def test_a_chosen_tape_is_opened_and_a_second_beside_it(opened, tapes):
    page = opened("open.html")
    page.set_input_files("#tape-file", [tapes / "whole.tape", tapes / "second.tape"])
    expect(page.get_by_role("heading", name="made just now")).to_be_visible()
    page.get_by_role("button", name="whole.tape").click()
    expect(page.get_by_role("heading", name="training step")).to_be_visible()
    expect(page.get_by_role("heading", name="made just now")).to_be_hidden()


@pytest.mark.parametrize("setting", SETTINGS)
def test_axe_finds_nothing_where_tapes_are_open(opened, tapes, setting):
    page = opened("open.html", **SETTINGS[setting])
    page.set_input_files("#tape-file", [tapes / "whole.tape", tapes / "second.tape", tapes / "other.tape"])
    expect(page.locator(".open-said")).to_contain_text("cannot be shown")
    assert violations(page.locator("html")) == []


def test_a_dropped_tape_is_opened(opened, tapes):
    page = opened("open.html")
    drop(page, tapes / "second.tape")
    expect(page.get_by_role("heading", name="made just now")).to_be_visible()


def test_a_tape_that_was_cut_off_opens_and_says_so(opened, tapes):
    page = opened("open.html")
    page.set_input_files("#tape-file", tapes / "cut.tape")
    expect(page.locator("section.tapeviz")).to_contain_text("cut off")


@pytest.mark.parametrize("name", ["other", "empty"])
def test_a_file_that_cannot_be_shown_says_so_and_leaves_what_is_open(opened, tapes, name):
    page = opened("open.html")
    page.set_input_files("#tape-file", tapes / "whole.tape")
    expect(page.get_by_role("heading", name="training step")).to_be_visible()
    drop(page, tapes / f"{name}.tape")
    expect(page.locator(".open-said")).to_contain_text(f"{name}.tape")
    expect(page.locator(".open-said")).to_contain_text("cannot be shown")
    expect(page.get_by_role("heading", name="training step")).to_be_visible()


def drop(page, path: Path) -> None:
    """Drop a file on the page, as the browser tells of it."""
    page.evaluate(
        """([name, bytes]) => {
            const data = new DataTransfer();
            data.items.add(new File([new Uint8Array(bytes)], name));
            document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
        }""",
        [path.name, list(path.read_bytes())],
    )
