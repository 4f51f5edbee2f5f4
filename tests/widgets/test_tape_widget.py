"""The widget without a page: what it keeps in its traits, and what it answers."""

import gc
import hashlib

import numpy as np
import pytest
import traitlets

import tapeviz as tf
from tapeviz.recording import Builder, read
from tapeviz.widgets import TapeWidget
from tapeviz.widgets.loaded_widget import answer
from tools import view_names


@pytest.fixture
def recording():
    builder = Builder()
    builder.append("variables", id=0, name="w:0", trainable=1)
    return builder.recording()


class Page:
    """Stands for a page: sends messages to a widget and keeps what comes back."""

    def __init__(self, widget, monkeypatch):
        self.widget = widget
        self.sent = []
        monkeypatch.setattr(widget, "send", lambda message, buffers=(): self.sent.append((message, list(buffers))))

    def ask(self, **message):
        self.widget._handle_custom_msg(message, [])
        return self.sent[-1]


def test_the_recording_travels_when_a_page_is_ready(recording, monkeypatch):
    page = Page(TapeWidget(recording), monkeypatch)
    message, [frames] = page.ask(kind="ready", request="a 0")
    assert message == {"kind": "frames", "request": "a 0"}
    assert read(frames).variables.name == ["w:0"]


def test_a_page_may_ask_by_the_widgets_number_on_any_thread(recording):
    widget = TapeWidget(recording)
    fields, [frames] = answer({"kind": "ready", "widget": widget.get_state()["_id"]})
    assert fields == {"kind": "frames"}
    assert read(frames).variables.name == ["w:0"]
    number = widget._id
    widget.close()
    del widget
    gc.collect()
    assert answer({"kind": "ready", "widget": number}) == ({"unknown": True}, ())


def test_the_bundle_is_the_one_its_hash_says(recording, monkeypatch):
    widget = TapeWidget(recording)
    message, [source] = Page(widget, monkeypatch).ask(kind="bundle", request="a 1")
    assert message == {"kind": "bundle", "hash": widget._bundle, "request": "a 1"}
    assert hashlib.sha256(source).hexdigest().startswith(widget._bundle)


def test_no_trait_holds_bulk_data(recording):
    state = TapeWidget(recording, summary="1 op").get_state()
    assert not [key for key, value in state.items() if isinstance(value, bytes | memoryview)]
    assert len(state["_esm"]) < 3000
    assert sum(len(str(value)) for value in state.values()) < 4500


def test_other_questions_go_to_the_answerer(recording, monkeypatch):
    def answer(message):
        return {"shape": [2], "tensor": message["tensor"]}, [b"12345678"]

    page = Page(TapeWidget(recording, answer=answer), monkeypatch)
    message, buffers = page.ask(kind="values", request="a 1", tensor=4)
    assert message == {"kind": "values", "request": "a 1", "shape": [2], "tensor": 4}
    assert buffers == [b"12345678"]


def test_a_page_always_gets_an_answer(recording, monkeypatch):
    def broken(message):
        raise KeyError(message["tensor"])

    message, _ = Page(TapeWidget(recording, answer=broken), monkeypatch).ask(kind="values", request="a 2", tensor=9)
    assert message == {"kind": "values", "request": "a 2", "error": "KeyError: 9"}
    message, _ = Page(TapeWidget(recording), monkeypatch).ask(kind="check", request="a 3")
    assert "no engine" in message["error"]


def test_selecting_is_observed(recording):
    widget = TapeWidget(recording)
    seen = []
    widget.observe(lambda change: seen.append(change["new"]), "selected")
    widget.select(event=3, tensor=5)
    widget.select()
    assert seen == [{"event": 3, "tensor": 5, "step": None}, {"event": None, "tensor": None, "step": None}]


def test_two_widgets_can_be_linked(recording):
    one, other = TapeWidget(recording), TapeWidget(recording)
    traitlets.link((one, "selected"), (other, "selected"))
    one.select(event=1)
    assert other.selected["event"] == 1


def test_a_wrong_view_is_refused(recording):
    with pytest.raises(traitlets.TraitError):
        TapeWidget(recording, view="film")


def test_another_recording_can_be_shown(recording, monkeypatch):
    widget = TapeWidget(recording)
    page = Page(widget, monkeypatch)
    widget.show(Builder().recording())
    assert page.sent == [({"kind": "replaced"}, [])]
    _, [frames] = page.ask(kind="ready", request="a 4")
    assert len(read(frames).variables) == 0


def test_a_page_gets_no_whole_tensors_but_asks_for_windows(monkeypatch):
    """Of large tensors nothing travels with the frames; what the page shows of them, and a saved file, are whole."""
    large = np.arange(3_000_000, dtype="float32").reshape(1000, 3000)
    with tf.record(values="all", budget="64M") as tape:
        small = tf.constant([1.0, 2.0]) + 1.0
        kept = tf.constant(large) * 2.0
    page = Page(tape.view, monkeypatch)
    message, [frames] = page.ask(kind="ready", request="a 0")
    assert message == {"kind": "frames", "request": "a 0", "whole": False}
    assert len(frames) < 100_000
    light = read(frames)
    assert tape.number(small) in light.values.tensor
    assert tape.number(kept) not in light.values.tensor
    assert [len(light.table(name)) for name in ("events", "tensors", "stats")] == [
        len(tape.recording.table(name)) for name in ("events", "tensors", "stats")
    ]
    tape.let_go()  # the recording itself has them
    window = {"tensor": tape.number(kept), "axes": [0, 1], "index": [0, 0], "start": [999, 2998], "size": [1, 2]}
    message, [data] = page.ask(kind="window", request="a 1", stride=[1, 1], **window)
    assert message["state"] == "ok"
    assert np.frombuffer(data, "f4").tolist() == [5_999_996.0, 5_999_998.0]
    _, [everything] = page.ask(kind="recording", request="a 2")
    assert tape.number(kept) in read(everything).values.tensor


def test_small_contents_travel_at_once(monkeypatch):
    with tf.record(values="all") as tape:
        tf.constant([1.0, 2.0]) + 1.0
    message, [frames] = Page(tape.view, monkeypatch).ask(kind="ready")
    assert "whole" not in message
    assert len(read(frames).values.tensor) == len(tape.recording.values.tensor) > 0


def test_many_small_contents_do_not_travel_without_end():
    builder = Builder()
    for tensor in range(400):
        builder.append("values", tensor=tensor, offset=0, length=4096, data=bytes(16_384))
    light = builder.recording().without_contents(2**20)
    assert list(light.values.tensor) == list(range(64))
    assert light.without_contents(2**20) is light


def test_the_names_of_the_views_are_those_of_the_front_end():
    assert view_names.MODULE.read_text(encoding="utf-8") == view_names.module(), "run python -m tools.view_names"
