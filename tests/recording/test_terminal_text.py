"""What a recording says reaches a terminal as text, and never as a command to it."""

import unicodedata

import pytest

import tapeviz as tf
from tapeviz.recording.terminal_text import visible

HOSTILE = "\x1b[2J\x1b]0;title\x07\x9b31m\u202e\u2066\x7f\r\x08\udc80\u2028"


KINDS = {"Cc", "Cs", "Zl", "Zp"}
TURNS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f"


def commands(text):
    """What would command a terminal, line ends apart."""
    return [letter for letter in text.replace("\n", "") if unicodedata.category(letter) in KINDS or letter in TURNS]


def test_each_control_character_is_shown():
    for code in range(0x110000):
        shown = visible(chr(code))
        assert commands(shown) == []
        assert len(shown) == 1
    assert visible("two\nlines, é 😀 ▁▂▃") == "two\nlines, é 😀 ▁▂▃"
    assert visible("\x1b[0m") == "␛[0m"


@pytest.fixture(scope="module")
def tape(tmp_path_factory):
    """A recording of somebody else, whose names and messages command the terminal."""
    space = {"tf": tf}
    source = "w = tf.Variable(2.0)  # " + HOSTILE.replace("\r", "").replace("\u2028", "").replace("\udc80", "")
    with tf.record(name=HOSTILE) as recorded:
        exec(compile(source, HOSTILE.replace("\udc80", ""), "exec"), space)
        with tf.GradientTape() as gradients, tf.name_scope("scope"):
            loss = tf.math.log(space["w"] - 2.0) * tf.constant(space["w"].numpy())
        gradients.gradient(loss, [space["w"], tf.Variable(1.0, name="v")])
    path = tmp_path_factory.mktemp("hostile") / "run.tape"
    recorded.save(path)
    return tf.load(path)


def test_no_text_of_a_tape_commands_the_terminal(tape):
    asked = [tape, tape.verdicts(), tape.nonfinite(), tape.query("op:log"), tape.recording]
    texts = [shown(one) for one in asked for shown in (str, repr)]
    texts += [repr(tape.recording.table(name)) for name in tape.recording.tables]
    texts.append(str(tf.diff(tape, tape)))
    for text in texts:
        assert commands(text) == []
    assert "␛[2J" in str(tape)
