"""Bytes and text."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

import tapeviz as tf


def test_bytes_and_text_become_each_other():
    assert tf.compat.as_text(tf.compat.as_bytes("aé")) == "aé" == tf.compat.as_str_any(b"a\xc3\xa9")
    assert tf.compat.as_bytes("é", "latin-1") == b"\xe9"
    assert tf.compat.path_to_str(PurePosixPath("a/b")) == "a/b"
    with pytest.raises(TypeError, match="Expected binary or unicode string, got 3"):
        tf.compat.as_text(3)
