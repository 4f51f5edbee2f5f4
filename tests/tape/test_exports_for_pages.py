"""What a page's export menu asks the kernel for: files as `tape.save` writes them."""

import json

import pytest

import tapeviz as tf


@pytest.fixture(scope="module")
def tape():
    with tf.record(name="a step") as recorded:
        tf.constant(2.0) * 3.0
    return recorded


@pytest.mark.parametrize("suffix", [".tape", ".html", ".json"])
def test_a_file_is_what_saving_writes(tape, tmp_path, suffix):
    said, (data,) = tape.answer({"kind": "export", "suffix": suffix, "view": "timeline"})
    assert said == {"state": "ok"}
    assert data == tape.save(tmp_path / f"run{suffix}", *(["timeline"] if suffix == ".html" else [])).read_bytes()


def test_the_trace_is_one_that_perfetto_reads(tape):
    _, (data,) = tape.answer({"kind": "export", "suffix": ".json"})
    assert {"multiply"} <= {event["name"] for event in json.loads(data)["traceEvents"]}


def test_another_file_is_refused_in_words(tape):
    said, data = tape.answer({"kind": "export", "suffix": ".exe"})
    assert said["state"] == "error"
    assert ".html (a page)" in said["text"]
    assert data == ()
