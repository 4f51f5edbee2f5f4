"""Answers to the questions of the step view, as a page tells of them."""

import pytest

import tapeviz as tf


def answered(tape, step, right, line=3, answer="(2,)"):
    asked = {"kind": "quiz", "step": step, "line": line, "question": "Which shape?", "answer": answer, "right": right}
    assert tape.answer(asked) == ({}, ())


@pytest.fixture
def tape():
    with tf.record() as made:
        tf.constant([1.0, 2.0]) * 2.0
    return made


def test_answers_come_in_the_order_of_the_steps_and_the_last_one_counts(tape):
    answered(tape, 7, right=False)
    answered(tape, 2, right=True, line=-1)
    answered(tape, 7, right=True, answer="(3,)")
    assert [answer.step for answer in tape.quiz] == [2, 7]
    assert tape.quiz.right == len(tape.quiz) == 2
    assert tape.quiz[1].answer == "(3,)"
    assert tape.quiz[0].line is None
    assert "2 of 2 right" in repr(tape.quiz)
    assert "right  step 7, line 3: Which shape? (3,)" in repr(tape.quiz)


def test_nothing_answered_says_how(tape):
    assert "press q in the Step view" in repr(tape.quiz)


def test_what_a_page_makes_up_is_refused(tape):
    with pytest.raises(KeyError):
        tape.answer({"kind": "quiz", "step": 1})
    with pytest.raises(ValueError, match="invalid literal"):
        tape.answer({"kind": "quiz", "step": "x", "line": 1, "question": "", "answer": "", "right": True})
    assert len(tape.quiz) == 0
