"""Recordings written before ``ops`` had traits open with the answers that they gave then."""

import json

import pytest

from tapeviz.engine.traits import TRAITS
from tapeviz.recording import read
from tests.recording.older_files import CELLS, FOLDER, answers, compared

SAID = json.loads((FOLDER / "answers.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def recordings():
    return {name: read(FOLDER / f"{name}.tape") for name in CELLS}


@pytest.mark.parametrize("name", CELLS)
def test_what_is_said_of_an_older_recording_stays(recordings, name):
    assert answers(recordings[name]) == SAID[name]


@pytest.mark.parametrize("name", ["traced", "other"])
def test_what_is_said_of_two_older_recordings_stays(recordings, name):
    assert compared(recordings["eager"], recordings[name]) == SAID[f"eager, {name}"]


def test_a_page_gets_what_was_filled_in(recordings):
    for recording in recordings.values():
        sent = read(recording.to_bytes())
        assert all("traits" in frame.tables["ops"].types for frame in sent.frames if "ops" in frame.tables)
        assert sent.ops.traits == recording.ops.traits
        assert all(set(traits.split()) <= {*TRAITS, "random"} for traits in sent.ops.traits)
        assert not read(recording.to_bytes()).problem


def test_the_domain_and_what_stands_in_are_filled_in(recordings):
    ops = recordings["nonfinite"].ops
    assert ops.domain[ops.name.index("acosh")] == "1 inf"
    ops = recordings["gradients"].ops
    assert ops.surrogate[ops.name.index("sign")] == "use tf.tanh, a smooth form of it"


def test_a_recording_of_today_stays_as_it_is(recordings):
    data = recordings["eager"].to_bytes()
    assert read(data).to_bytes() == data
