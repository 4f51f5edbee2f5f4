"""The checks of the exercise on gradients pass on right answers, and refuse wrong ones and cells left as they were."""

from __future__ import annotations

import re

import nbformat
import pytest

from tests.magics.conftest import bare, bare_shell  # noqa: F401 - fixtures
from tests.notebooks.conftest import FOLDER

PATH = FOLDER / "exercises" / "gradients.ipynb"
SOURCES = {cell.id: cell.source for cell in nbformat.read(PATH, as_version=4).cells if cell.cell_type == "code"}
TASKS = ("1", "2", "3", "4", "5")

BUMP = """
points = tf.constant([-1.0, 0.0, 1.0, 2.0])
heights = tf.constant([0.1, 0.6, 1.0, 0.6])


def bump_loss(centre, width):
    bump = tf.exp(-tf.square((points - centre) / width))
    return tf.reduce_mean(tf.square(bump - heights))
"""
DESCEND = """
def descend(w, steps):
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(w - 3.0))
        w.assign_sub(0.1 * tape.gradient(loss, w))
    return w
"""
LAYER = """
stddev = 0.25


def layer(h, w):
    return tf.nn.relu(h @ w)
"""
ENTROPY = """
def entropy(p):
    safe = tf.where(p > 0.0, p, 1.0)
    terms = tf.where(p > 0.0, safe * tf.math.log(safe), 0.0)
    return -tf.reduce_sum(terms)
"""
CROSS_ENTROPY = """
def cross_entropy(scores, right):
    return tf.reduce_mean(tf.reduce_logsumexp(scores, axis=1) - tf.reduce_sum(scores * tf.one_hot(right, 3), axis=1))
"""
RIGHT = {"1": BUMP, "2": DESCEND, "3": LAYER, "4": ENTROPY, "5": CROSS_ENTROPY}

LIBRARY = """
def cross_entropy(scores, right):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=right, logits=scores))
"""
OTHERS = [
    ("3", LAYER.replace("0.25", "0.1").replace("tf.nn.relu(h @ w)", "h + tf.sigmoid(h @ w)")),
    ("3", LAYER.replace("0.25", "0.18").replace("nn.relu", "tanh")),
    ("5", LIBRARY),
]

# For each task: what is changed in which answer, and what the check then says.
BY_HAND = SOURCES["answer5"]
SHIFTED = "exp(scores - tf.reduce_max(scores, axis=1, keepdims=True))"
WRONG = [
    ("1", BUMP, "points - centre", "points - centre.numpy()", r"centre.*left the engine"),
    ("1", BUMP, "/ width", "/ tf.stop_gradient(width)", r"width.*stop_gradient"),
    ("1", BUMP, "reduce_mean", "reduce_sum", r"the loss for centre"),
    ("1", BUMP, "- centre", "- (2.0 * centre - tf.stop_gradient(centre))", r"not the right ones"),
    ("2", DESCEND, "w.assign_sub(0.1 * tape.gradient(loss, w))", "w = w - 0.1", r"return the variable"),
    ("2", DESCEND, "0.1 *", "0.2 *", r"after five steps"),
    ("2", DESCEND, "assign_sub", "assign_add", r"after five steps"),
    ("3", LAYER, "nn.relu", "sigmoid", r"vanish"),
    ("3", LAYER, "0.25", "2.5", r"explode"),
    ("3", LAYER, "0.25", "0.05", r"vanish"),
    ("3", LAYER, "0.25", "0.13", r"look at stddev"),
    ("3", LAYER.replace("0.25", "0.2"), "tf.nn.relu", "3.2 * tf.sigmoid", r"times less than"),
    ("3", LAYER, "h @ w", "h", r"w1\b.*None"),
    ("4", ENTROPY, "safe * tf.math.log(safe)", "p * tf.math.log(p)", r"where"),
    ("4", ENTROPY, "return -", "return ", r"the entropy of"),
    ("4", ENTROPY, "* tf.math.log(safe)", "* tf.stop_gradient(tf.math.log(safe))", r"the gradient should be"),
    ("5", BY_HAND, "log(chosen)", "log(chosen + 1e-7)", r"exp made inf"),
    ("5", BY_HAND, "exp(scores)", SHIFTED, r"log of 0"),
    ("5", CROSS_ENTROPY, "scores, axis", "tf.clip_by_value(scores, -50.0, 50.0), axis", r"the loss should be"),
    ("5", CROSS_ENTROPY, "sum(scores", "sum(tf.stop_gradient(scores)", r"the gradient should be"),
]


@pytest.fixture
def exercise(bare):  # noqa: F811 - the fixture that is imported
    """A shell in which the notebook's first cell has run."""
    bare.run(SOURCES["setup"])
    return bare


def test_every_task_has_an_answer_and_a_check():
    assert {f"{part}{task}" for part in ("answer", "check") for task in TASKS} == set(SOURCES) - {"setup", "look1"}


def test_the_tape_of_the_first_task_shows_where_both_paths_end(exercise):
    exercise.run(SOURCES["answer1"])
    said = exercise.run(SOURCES["look1"]).text
    assert "centre" in said
    assert "left the engine" in said


@pytest.mark.parametrize(("task", "answer"), [*RIGHT.items(), *OTHERS])
def test_right_answers_pass(exercise, task, answer):
    exercise.run(answer)
    assert re.search(r"^done: ", exercise.run(SOURCES[f"check{task}"]).text, re.MULTILINE)


@pytest.mark.parametrize("task", TASKS)
def test_cells_left_as_they_were_are_refused_with_the_number_of_the_task(exercise, task):
    exercise.run(SOURCES[f"answer{task}"])
    ran = exercise.attempt(SOURCES[f"check{task}"])
    assert isinstance(ran.error, AssertionError), ran.text
    assert str(ran.error).startswith(f"Task {task}: ")


@pytest.mark.parametrize(("task", "answer", "before", "after", "said"), WRONG)
def test_wrong_answers_are_refused_with_a_hint(exercise, task, answer, before, after, said):
    assert before in answer
    exercise.run(answer.replace(before, after))
    ran = exercise.attempt(SOURCES[f"check{task}"])
    assert isinstance(ran.error, AssertionError), ran.text
    assert re.search(said, str(ran.error)), str(ran.error)
