"""``tf.print`` writes what TensorFlow's does; the texts here are TensorFlow's own."""

from __future__ import annotations

import collections
import io
import logging
import sys
from typing import Any, NamedTuple

import numpy as np
import pytest

import tapeviz as tf


class Point(NamedTuple):
    x: Any
    y: Any


c = tf.constant

TEXTS = [
    (lambda: ("a", 1, 2.5, None, True), "a 1 2.5 None True"),
    (lambda: (c([1.0, 2.5, 1e-9, 1e10]),), "[1 2.5 1e-09 1e+10]"),
    (lambda: (c(0.1), c(1 / 3.0), c(123456789.0), c(1e7)), "0.1 0.333333343 123456792 1e+07"),
    (lambda: (c(0.1, tf.float64), c(1 / 3.0, tf.float64), c(1e-5, tf.float64)), "0.1 0.33333333333333331 1e-05"),
    (lambda: (c(0.1, tf.float16), c(1000, tf.float16)), "0.0999755859 1000"),
    (lambda: (tf.range(6), tf.range(7)), "[0 1 2 3 4 5] [0 1 2 ... 4 5 6]"),
    (
        lambda: (tf.reshape(tf.range(100), [10, 10]),),
        (
            "[[0 1 2 ... 7 8 9]\n [10 11 12 ... 17 18 19]\n [20 21 22 ... 27 28 29]\n ...\n"
            " [70 71 72 ... 77 78 79]\n [80 81 82 ... 87 88 89]\n [90 91 92 ... 97 98 99]]"
        ),
    ),
    (lambda: (tf.reshape(tf.range(8), [2, 2, 2]), "x"), "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]] x"),
    (lambda: ([tf.reshape(tf.range(4), [2, 2]), 1, "a"],), "[[[0 1]\n [2 3]], 1, 'a']"),
    (lambda: ({"b": c([1, 2]), "a": c(True)},), "{'a': 1, 'b': [1 2]}"),
    (lambda: ((c(1), "two", [3.0, c("four")]),), "(1, 'two', [3.0, \"four\"])"),
    (lambda: (Point(c(1), 2),), "Point(x=1, y=2)"),
    # Python 3.12 writes this type another way; so does TensorFlow there.
    (lambda: (collections.OrderedDict(b=c(1), a=2),), repr(collections.OrderedDict(b=1, a=2))),
    (lambda: ([], {}, (), (c(1),), range(3)), "[] {} () (1,) [0, 1, 2]"),
    (lambda: (c(["a", "b"]), c("x\ny")), '["a" "b"] "x\\ny"'),
    (lambda: (c([np.nan, np.inf, -np.inf, -0.0]),), "[nan inf -inf -0]"),
    (lambda: (c([]), tf.zeros([0, 3]), tf.zeros([3, 0])), "[] [] [\n ...]"),
    (lambda: (tf.Variable([1.0, 2.0]), [tf.Variable(3)], np.array([1, 2])), "[1 2] [3] array([1, 2])"),
    (lambda: (c(1j), c([255], tf.uint8), tf.float32), "? [255] tf.float32"),
]


@pytest.mark.parametrize(("values", "text"), TEXTS, ids=[text for _, text in TEXTS])
def test_the_text_is_tensorflows(values, text, capsys):
    tf.print(*values())
    assert capsys.readouterr().err == f"{text}\n"


def test_separator_end_and_summary(capsys):
    tf.print(tf.range(10), "b", sep="-", end="!", summarize=1)
    tf.print(tf.range(8), summarize=-1)
    assert capsys.readouterr().err == "[0 ... 9]-b![0 1 2 3 4 5 6 7]\n"


def test_a_notebook_has_it_in_the_cells_output(capsys, monkeypatch):
    monkeypatch.setattr("tapeviz.ops.control.print_op.ipython_shell", object)
    tf.print("at once")
    tf.function(lambda: tf.print("later"))()
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("at once\nlater\n", "")


def test_where_it_goes(capsys, tmp_path, caplog):
    tf.print("out", output_stream=sys.stdout)
    tf.print("err", output_stream=sys.stderr)
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("out\n", "err\n")
    for word in ("one", "two"):
        tf.print(word, output_stream=f"file://{tmp_path}/log.txt")
    assert (tmp_path / "log.txt").read_text() == "one\ntwo\n"
    with caplog.at_level(logging.INFO):
        tf.print("logged", output_stream=logging.info)
    assert caplog.messages == ["logged"]
    stream = io.StringIO()
    tf.print("there", output_stream=stream)
    assert stream.getvalue() == "there\n"


@pytest.mark.parametrize(
    ("options", "error", "phrase"),
    [
        ({"foo": 1}, ValueError, "Unrecognized keyword arguments for tf.print: {'foo': 1}"),
        ({"output_stream": "bad"}, ValueError, "Unsupported output stream, logging level, or file.bad."),
        ({"end": 3}, TypeError, "Expected string for argument 'end' not 3."),
        ({"summarize": "x"}, TypeError, "Expected int for argument 'summarize' not 'x'."),
    ],
)
def test_what_it_refuses(options, error, phrase):
    with pytest.raises(error, match=phrase.replace("(", r"\(")):
        tf.print("a", **options)
