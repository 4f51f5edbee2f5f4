"""A merged recording as a saved page: lanes by rank, waits in words, and every view."""

import re

import pytest

import tapeviz as tf
from tapeviz.analysis.collectives import wait_rows
from tapeviz.analysis.verdicts import with_verdicts
from tapeviz.exports import html
from tests.browser.legibility import serious_violations, text_faults
from tests.browser.saved_page import SavedPage
from tests.tape.test_merge import step
from tests.verdicts.test_ranks import merged, work

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A page on which rank 1 is slow."""
    recording = merged(*work([[10.0, 40.0]] * 6))
    path = tmp_path_factory.mktemp("ranks") / "ranks.html"
    html.write(with_verdicts(recording.with_rows("waits", wait_rows(recording))), path)
    return path


@pytest.mark.parametrize("width", [1280, 800])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_view_can_be_read(browser, path, width, scheme):
    page = SavedPage(browser, path, width=width, scheme=scheme)
    for title in page.views():
        assert text_faults(page.shell) == [], title
        assert serious_violations(page.shell) == [], title
    page.close()


def test_no_view_of_two_programs_is_blank(browser, tmp_path):
    page = SavedPage(browser, tf.merge([step("a"), step("a", bad=True)]).save(tmp_path / "two.html"))
    for title in page.views():
        assert not page.is_blank(), title
        assert len(page.in_words()) > 50, title
    page.close()


def test_the_slow_rank_and_the_ranks_stand_in_words(browser, path):
    page = SavedPage(browser, path)
    said = page.shell.inner_text()
    assert "the other ranks wait for rank 1" in said
    assert "2 ranks" in said
    assert "their offsets are taken as 0" in said or "not all say when they began" in said
    page.close()


def test_a_tip_says_for_whom_an_op_waits(browser, path):
    page = SavedPage(browser, path)
    canvas = page.main.get_by_role("img", name=re.compile("Timeline of the ops"))
    box = canvas.bounding_box()
    tips = set()
    for down in range(20, int(box["height"]), 12):
        page.page.mouse.move(box["x"] + box["width"] * 0.25, box["y"] + down)
        page.painted()
        tips |= set(page.shell.locator(".tv-tip").all_inner_texts())
    assert any("waits 30 ms for rank 1" in tip for tip in tips), tips
    page.close()
