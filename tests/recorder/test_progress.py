"""Statistics after a block that take long say how far they are, and leave nothing behind."""

import io
import re
from types import SimpleNamespace

import pytest

import tapeviz as tf
from tapeviz.recorder.value_store import ValueStore
from tapeviz.tape import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def notebook(monkeypatch):
    """What a notebook's front end is told."""
    published = []

    def publish(data, *, transient, update):
        published.append((data, transient["display_id"], update))

    shell = SimpleNamespace(kernel=object(), display_pub=SimpleNamespace(publish=publish))
    module = SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(progress.sys.modules, "IPython.core.getipython", module)
    return published


@pytest.fixture
def long(monkeypatch):
    """Each moment counts as long."""
    monkeypatch.setattr(progress, "_DELAY", 0.0)
    monkeypatch.setattr(progress, "_OFTEN", 0.0)


def record_many():
    with tf.record() as tape:
        x = tf.constant(1.0)
        for _ in range(40_000):
            x = x + 1.0
    return tape


@pytest.mark.usefixtures("long")
def test_a_notebook_shows_a_bar_that_goes_away(notebook):
    assert len(record_many().recording.stats) > 40_000
    texts = [data["text/plain"] for data, _, _ in notebook]
    first, of_all = (int(number.replace(",", "")) for number in re.findall(r"[\d,]+", texts[0]))
    assert texts[0] == f"Statistics of tensors: {first:,} of 40,002"
    assert 16_384 <= first < 16_384 + 2 * 128  # the first part of them, to the end of what was settled at once
    assert len(texts) == 4
    assert notebook[-1][0] == {"text/html": "", "text/plain": ""}
    assert [update for _, _, update in notebook] == [False, True, True, True]
    assert len({name for _, name, _ in notebook}) == 1
    assert f'value="{first / of_all:.3f}"' in notebook[0][0]["text/html"]


@pytest.mark.usefixtures("long")
def test_a_terminal_shows_a_line_that_goes_away(monkeypatch):
    monkeypatch.setattr("sys.stderr", stream := Terminal())
    record_many()
    assert stream.getvalue().count("Statistics of tensors: ") == 3
    assert stream.getvalue().endswith("\r\x1b[K")


@pytest.mark.usefixtures("long")
def test_a_file_gets_nothing(monkeypatch):
    monkeypatch.setattr("sys.stderr", stream := io.StringIO())
    record_many()
    assert stream.getvalue() == ""


def test_what_is_soon_done_shows_nothing(notebook):
    with tf.record():
        tf.ones([3]) + 1.0
    assert notebook == []


@pytest.mark.usefixtures("long")
def test_an_interrupt_takes_it_away(notebook, monkeypatch):
    once = ValueStore.summarise_some

    def summarise_some(self):
        if len(self._rows):
            raise KeyboardInterrupt
        once(self)

    monkeypatch.setattr(ValueStore, "summarise_some", summarise_some)
    with pytest.raises(KeyboardInterrupt):
        record_many()
    assert [bool(data["text/html"]) for data, _, _ in notebook] == [True, False]
