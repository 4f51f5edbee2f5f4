"""Five mistakes found in a terminal: what the summary below a cell and the questions say, and nothing else."""

import pytest

from tests.programs.mistakes import BROADCAST, MISSING, NONFINITE, RETRACED, SETUP, VANISHING


@pytest.fixture
def said(notebook):
    """Return a function that runs a cell and a question after it, and returns what each printed, on one line."""
    notebook.run(SETUP)
    return lambda *cells: [" ".join(notebook.run(cell).text.split()) for cell in cells]


def test_why_w2_is_none(said):
    for text in said(MISSING, "%why w2"):
        for part in ("w2", "None", "left the engine", "line 6", "Fix: leave out .numpy()"):
            assert part in text


def test_the_first_nan(said):
    for text in said(NONFINITE, "%nan"):
        for part in ("exp made inf at [1, 0]", "line 5: powers = tf.exp(scores @ w)", "Fix: use tf.nn.softmax"):
            assert part in text


def test_which_argument_retraces(said):
    for text in said(RETRACED, "%retraces explore"):
        for part in ("epsilon is a Python value that changed: 0.9 instead of 1.0", "line 7", "as a tensor"):
            assert part in text


def test_which_layer_vanishes(said):
    for text in said(VANISHING, "print(_tape.verdicts())"):
        for part in ("dense_1", "Fix: "):
            assert part in text


def test_the_broadcast_that_ruined_the_loss(said):
    for text in said(BROADCAST, "print(_tape.verdicts())"):
        for part in ("24", "line 9: loss = tf.reduce_mean((predicted - target) ** 2)", "Fix: "):
            assert part in text


def test_a_threshold_of_the_header_judges_the_cell(notebook):
    notebook.run(SETUP)
    header = VANISHING.strip().partition("\n")[0]
    assert header.startswith("%%tape")
    for options, found in (("", True), (" --thresholds vanishing=1e-30", False)):
        text = notebook.run(VANISHING.replace(header, header + options)).text
        assert ("dense_1" in text and "Fix: " in text) is found
