"""The checks of the exercise on training pass on right answers, and refuse wrong ones and cells left as they were."""

from __future__ import annotations

import re

import nbformat
import pytest

from tests.magics.conftest import bare, bare_shell  # noqa: F401 - fixtures
from tests.notebooks.conftest import FOLDER

PATH = FOLDER / "exercises" / "training.ipynb"
SOURCES = {cell.id: cell.source for cell in nbformat.read(PATH, as_version=4).cells if cell.cell_type == "code"}
TASKS = ("1", "2", "3", "4", "5")

STEP = """
def train_step(model, optimizer, pictures, answers):
    with tf.GradientTape() as tape:
        scores = model(pictures)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=answers, logits=scores))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss
"""
LOSS = """
def mended_loss(model, pictures, answers):
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=answers, logits=model(pictures))
    return tf.reduce_mean(losses)
"""
RELU = """
@tf.custom_gradient
def kind_relu(x):
    return tf.nn.relu(x), lambda dy: tf.where(x > 0.0, dy, 0.1 * dy)
"""
GRAPH = """
own_model, own_optimizer = make_model(), tf.keras.optimizers.SGD(0.1)


@tf.function(input_signature=[tf.TensorSpec([None, 64], tf.float32), tf.TensorSpec([None], tf.int64)])
def graph_step(pictures, answers):
    return train_step(own_model, own_optimizer, pictures, answers)
"""
SIGNATURE = "(input_signature=[tf.TensorSpec([None, 64], tf.float32), tf.TensorSpec([None], tf.int64)])"
STEPPED = "train_step(own_model, own_optimizer, pictures, answers)"
UNTRACED = GRAPH.partition("@")[0] + f"graph_step = lambda pictures, answers: {STEPPED}"
RIGHT = {"1": STEP, "2": LOSS, "3": "learning_rate = 0.3", "4": RELU, "5": GRAPH}

WRONG = [
    ("1", STEP.replace("tf.reduce_mean", "tf.reduce_sum"), r"The first loss is"),
    ("1", STEP.replace("    return loss", "    return loss * 2.0"), r"The first loss is"),
    ("1", STEP.replace("optimizer.apply_gradients", "list"), r"has not moved"),
    ("1", STEP.replace("zip(gradients", "zip([-1.0 * g for g in gradients]"), r"The loss goes from"),
    ("1", STEP.replace("scores = model(pictures)", "scores = model(pictures.numpy() * 0.0)"), r"has not moved"),
    ("1", STEP.replace("model.trainable_variables", "model.trainable_variables[2:]"), r"hidden/kernel:0 has not moved"),
    ("2", SOURCES["broken"].replace("colleagues_loss", "mended_loss"), r"softmax"),
    ("2", LOSS.replace("logits=model(pictures)", "logits=tf.nn.sigmoid(model(pictures))"), r"The mean of"),
    ("2", LOSS.replace("reduce_mean", "reduce_sum"), r"The loss is"),
    ("3", "learning_rate = 0.001", r"too small"),
    ("3", "learning_rate = 20.0", r"too large|gradient"),
    ("3", "learning_rate = '0.1'", r"set learning_rate to a number"),
    ("4", RELU.replace("0.1 * dy", "0.0 * dy"), r"The gradient should be"),
    ("4", RELU.replace("dy, 0.1 * dy", "1.0, 0.1"), r"where is dy"),
    ("4", RELU.replace("tf.nn.relu(x)", "tf.nn.leaky_relu(x, 0.1)"), r"Forward it should be relu"),
    ("4", RELU.replace("lambda dy: tf.where(x > 0.0, dy, 0.1 * dy)", "lambda dy: None"), r"No gradient arrives"),
    ("5", UNTRACED, r"plain Python"),
    ("5", GRAPH.replace(SIGNATURE, ""), r"traced 3 times"),
    ("5", GRAPH.replace(STEPPED, "mended_loss(own_model, pictures, answers)"), r"no smaller loss"),
]  # fmt: skip


@pytest.fixture
def exercise(bare):  # noqa: F811 - the fixture that is imported
    """A shell in which the notebook's first cell has run."""
    bare.run(SOURCES["setup"])
    return bare


def test_every_task_has_an_answer_and_a_check():
    assert {f"{part}{task}" for part in ("answer", "check") for task in TASKS} < set(SOURCES)


def test_right_answers_pass(exercise):
    for task in TASKS:
        exercise.run(RIGHT[task])
        assert exercise.run(SOURCES[f"check{task}"]).text.startswith("done")


@pytest.mark.parametrize("task", TASKS)
def test_cells_left_as_they_were_are_refused_with_the_number_of_the_task(exercise, task):
    exercise.run(SOURCES[f"answer{task}"])
    assert f"Task {task}" in str(exercise.attempt(SOURCES[f"check{task}"]).error)


@pytest.mark.parametrize(("task", "answer", "said"), WRONG)
def test_wrong_answers_are_refused_with_a_hint(exercise, task, answer, said):
    for other in TASKS:
        exercise.run(answer if other == task else RIGHT[other])
    ran = exercise.attempt(SOURCES[f"check{task}"])
    assert isinstance(ran.error, AssertionError), ran.text
    assert re.search(said, str(ran.error)), str(ran.error)
