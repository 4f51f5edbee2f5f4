"""What a saved page holds of the elements of tensors, and how it says so."""

import base64
import re

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.exports import html
from tapeviz.recording import read


def held(path):
    """The recording in a page."""
    block = re.search(r'octet-stream\+base64" data-tapeviz>([^<]*)<', path.read_text(encoding="utf-8"))
    return read(base64.b64decode(block[1]))


def recorded():
    with tf.record(values="all", budget=2**30) as tape:
        small = tf.constant(np.arange(100, dtype=np.float32)) * 2.0
        large = tf.constant(np.random.default_rng(0).normal(size=[300, 300]).astype(np.float32)) + 1.0
    return tape, small, large


def test_a_page_holds_all_elements_within_its_limit(tmp_path):
    tape, small, large = recorded()
    recording = held(tape.save(tmp_path / "run.html"))
    assert {tape.number(small), tape.number(large)} <= {*recording.values.tensor.tolist()}
    assert "left_out" not in recording.meta_dict()


def test_what_does_not_fit_is_left_out_and_named(tmp_path, monkeypatch):
    monkeypatch.setattr(html, "_CONTENTS", 300_000)
    tape, small, large = recorded()
    with pytest.warns(UserWarning, match=r"a page holds 293 KiB of elements at most: those of 2 tensors \(703 KiB\)"):
        path = tape.save(tmp_path / "run.html")
    recording = held(path)
    assert tape.number(small) in recording.values.tensor
    assert tape.number(large) not in recording.values.tensor
    assert recording.meta_dict()["left_out"] == {"tensors": 2, "bytes": 720_000, "limit": 300_000}
    assert len(recording.stats) == len(tape.recording.stats)
    assert len(tf.load(tape.save(tmp_path / "run.tape")).recording.values) == len(tape.recording.values)
