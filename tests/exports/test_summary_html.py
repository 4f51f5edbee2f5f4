"""What stays of a view where nothing runs: whole, small, without scripts, and safe whatever names are in it."""

import base64
import io
import re
from html.parser import HTMLParser

import pytest
from PIL import Image

from tapeviz.exports import summary_html, summary_text
from tapeviz.recording import Builder, read
from tests.exports.snapshots import TRACED, recording
from tests.recording.network import Network

MOST = 48_000
MOST_IN_A_PICTURE = 25_000


class Reader(HTMLParser):
    """Collects the tags and the text; fails where a tag is not closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict]] = []
        self.text = ""
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in ("img", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.fixture(scope="module")
def step():
    return recording()


@pytest.fixture(scope="module")
def page(step):
    return summary_html.summary(step, mark="tapeviz-7")


def test_it_says_what_the_text_says(page, step):
    read = Reader(page)
    assert "training step" in read.text
    assert "c: gradient of loss is None" in read.text
    assert "(cell 7, line 6)" in read.text
    assert "matmul" in read.text
    assert summary_text.summary(step) in read.text
    assert {"script", "iframe", "link"} & {tag for tag, _ in read.tags} == set()
    assert read.tags[0] == ("div", {"class": "tapeviz-static tapeviz-7", "style": "line-height: 1.5; padding: 4px 0"})


def test_it_is_small_and_its_pictures_are_palettes_with_words(page):
    assert len(page.encode()) < MOST
    pictures = [attrs for tag, attrs in Reader(page).tags if tag == "img"]
    assert [picture["alt"].split(" ")[0] for picture in pictures] == ["Timeline", "Gradient"]
    for picture in pictures:
        data = base64.b64decode(re.match("data:image/png;base64,(.*)", picture["src"])[1])
        assert len(data) < MOST_IN_A_PICTURE
        drawn = Image.open(io.BytesIO(data))
        assert drawn.mode == "P"
        assert drawn.width == round(1.25 * int(picture["width"]))


def test_names_are_no_markup():
    net = Network()
    x = net.tensor([2], "host")
    net.name(x, "<script>alert(1)</script>")
    net.name(net.op("<b>&amp;", [x], [2], 1), "</pre><img src=x onerror=alert(1)>")
    net.builder.meta("title", "</div><script>")
    read = Reader(summary_html.summary(net.builder.recording()))
    assert {"script", "b"} & {tag for tag, _ in read.tags} == set()
    assert "</div><script>" in read.text


def test_traced_functions_are_there_with_their_reasons():
    page = summary_html.summary(read(TRACED))
    read_page = Reader(page)
    assert "3 graph runs" in read_page.text
    assert "step \xa0 3 traces, 3 runs, 35 ms of tracing" in read_page.text
    assert "2. the first call created variables" in read_page.text
    assert "x: float32 (32, 64) → float32 (16, 64)Fix: give it reduce_retracing=True." in read_page.text
    assert 'Ran once, while tracing: print wrote "tracing (32, 64)"' in read_page.text
    assert [tag for tag, _ in read_page.tags].count("del") == 1


def test_an_empty_recording_has_a_summary():
    assert "0 ops" in Reader(summary_html.summary(Builder().recording())).text


def test_where_it_stopped_stands_first():
    builder = Builder()
    builder.meta("stopped", {"event": 17, "line": 6, "type": "ValueError", "text": "no <such> thing"})
    read = Reader(summary_html.summary(builder.recording()))
    assert "Stopped at op 17, line 6 · ValueError: no <such> thing" in read.text


def test_it_is_written(tmp_path, step):
    summary_html.write(step, tmp_path / "summary.html")
    assert (tmp_path / "summary.html").read_text(encoding="utf-8").startswith('<div class="tapeviz-static"')
