"""The instruments themselves: they find what is wrong in a page made to be wrong, and nothing in a sound one."""

import pytest

from tests.browser.legibility import serious_violations, text_faults

pytestmark = pytest.mark.browser

SOUND = """
<html lang="en"><body><main style="width: 90px"><p>words that <b>wrap over</b> several lines</p><p>two</p>
<div style="width: 40px; overflow: auto; white-space: nowrap" tabindex="0">a long line that scrolls</div>
</main></body></html>"""
CUT = '<p style="width: 30px; overflow: hidden; white-space: nowrap">much too long</p>'
OVER = '<div><b style="position: absolute; top: 0">under</b><i style="position: absolute; top: 0">over</i></div>'
PALE = '<p style="color: #999; background: #fff">pale text</p>'


@pytest.fixture
def body(browser):
    page = browser.new_page()

    def show(html: str):
        page.set_content(html)
        return page.locator("body")

    yield show
    page.close()


def test_a_sound_page_has_no_faults(body):
    page = body(SOUND)
    assert text_faults(page) == []
    assert serious_violations(page) == []


def test_text_that_is_cut_off_is_found(body):
    assert text_faults(body(CUT)) == ["cut off: much too long"]


def test_text_over_text_is_found(body):
    assert text_faults(body(OVER)) == ["overlap: over / under"]


def test_pale_text_is_found(body):
    assert any(found.startswith("color-contrast") for found in serious_violations(body(PALE)))
