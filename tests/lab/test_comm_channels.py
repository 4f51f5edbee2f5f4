"""Comm channels without pages: who is told what, on which channel, and what becomes of a bad question."""

from types import SimpleNamespace

import comm
import pytest

from tapeviz.lab import PROTOCOL, TARGET, CommChannels, comm_channels


class FakeComm:
    """Stands for a comm that a page opened."""

    def __init__(self):
        self.sent = []
        self.closed = False
        self._on_close = None

    def on_close(self, callback):
        self._on_close = callback

    def send(self, data, buffers=()):
        self.sent.append((data, list(buffers)))

    def close(self):
        self.closed = True

    def leave(self):
        self._on_close({})

    def ask(self, **data):
        self.handle_msg({"content": {"data": data}})
        return self.sent[-1]


class Bridge:
    """Answers with what it was told."""

    def __init__(self):
        self.chosen = {"mode": "eager"}

    def state(self):
        return dict(self.chosen)

    def choose(self, what, word):
        if word == "grahp":
            raise ValueError("did you mean graph?")
        self.chosen[what] = word

    def answer(self, asked):
        return {"tape": asked["tape"]}, [b"bytes"]


@pytest.fixture
def manager(monkeypatch):
    manager = comm.base_comm.CommManager()
    monkeypatch.setattr(comm, "get_comm_manager", lambda: manager)
    return manager


@pytest.fixture
def channels(manager):  # noqa: ARG001 - must be there
    channels = CommChannels(Bridge())
    channels.open()
    return channels


@pytest.fixture
def page(manager, channels):  # noqa: ARG001 - must be open
    """Give a function that opens both channels of a page."""

    def open_page():
        ask, news = FakeComm(), FakeComm()
        for channel, role in ((ask, "ask"), (news, "news")):
            manager.targets[TARGET](channel, {"content": {"data": {"role": role}}})
        return SimpleNamespace(ask=ask, news=news)

    return open_page


def test_pages_that_are_here_are_told_when_it_opens(manager, monkeypatch):  # noqa: ARG001 - must be there
    published = []
    publisher = SimpleNamespace(publish=lambda data, **options: published.append((data, options)))
    monkeypatch.setattr(comm_channels, "get_ipython", lambda: SimpleNamespace(display_pub=publisher))
    CommChannels(Bridge()).open()
    assert published == [({}, {"transient": {"display_id": TARGET}, "update": True})]


def test_a_page_asks_how_things_are(page):
    state, _ = page().ask.ask(kind="state", request="1")
    assert state == {"kind": "state", "request": "1", "protocol": PROTOCOL, "mode": "eager"}


def test_a_choice_is_told_to_each_page_on_its_channel_of_news(page):
    one, other = page(), page()
    assert one.ask.ask(kind="choose", what="mode", word="graph", request="2") == (
        {"kind": "choose", "request": "2"},
        [],
    )
    for each in (one, other):
        assert [data["mode"] for data, _ in each.news.sent] == ["graph"]
    assert other.ask.sent == []


def test_a_bad_choice_is_answered_with_a_hint_and_changes_nothing(page):
    one = page()
    answer, _ = one.ask.ask(kind="choose", what="mode", word="grahp", request="3")
    assert answer["error"] == "did you mean graph?"
    assert one.news.sent == []


def test_other_questions_go_to_the_bridge(page):
    assert page().ask.ask(kind="ready", tape=4, request="4") == (
        {"kind": "ready", "tape": 4, "request": "4"},
        [b"bytes"],
    )
    answer, _ = page().ask.ask(kind="window", request="5")
    assert answer["error"] == "KeyError: 'tape'"


def test_the_thread_of_cells_sends_news_alone(page, channels):
    one = page()
    channels.broadcast()
    assert one.ask.sent == []
    assert len(one.news.sent) == 1


def test_who_left_is_told_nothing(page, channels):
    one, other = page(), page()
    one.news.leave()
    channels.broadcast()
    assert (len(one.news.sent), len(other.news.sent)) == (0, 1)


def test_many_pages_do_not_add_up(page, channels):
    pages = [page() for _ in range(40)]
    channels.broadcast()
    assert sum(bool(each.news.sent) for each in pages) == 16
    assert pages[0].ask.closed
    assert not pages[-1].ask.closed


def test_closing_hangs_up_and_lets_nobody_in(page, channels, manager):
    one = page()
    channels.close()
    assert (one.ask.closed, one.news.closed) == (True, True)
    assert TARGET not in manager.targets


def test_anothers_target_is_left_alone(channels, manager):
    theirs = lambda *_: None  # noqa: E731
    manager.register_target(TARGET, theirs)
    channels.close()
    assert manager.targets[TARGET] is theirs
