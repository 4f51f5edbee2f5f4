"""The notebook for TensorFlow's users, in the environment that has TensorFlow: `make test-adapters` runs this."""

import importlib.util

import pytest

from tests.notebooks.conftest import FOLDER

collect = importlib.util.find_spec("tensorflow") is not None
SECONDS = 60


if collect:

    @pytest.mark.slow
    def test_it_runs_and_answers(run):
        ran = run(FOLDER / "tensorflow.ipynb")
        assert ran.seconds < SECONDS
        outputs = {cell.id: str(cell.get("outputs")) for cell in ran.notebook.cells if cell.cell_type == "code"}
        assert "greater has no gradient" in outputs["why"]
        assert "wins = tf.cast(scores > 0, tf.float32)" in outputs["why"]
        assert "log made -inf" in outputs["asked"]
        assert "stretched = tf.sqrt(tf.reduce_sum(v * v))" in outputs["inside"]
        assert "20 steps" in outputs["trained"]
        assert "sequential/hidden/kernel" in outputs["trained"]
        assert "20 backward passes" in outputs["fitted"]
        assert "tf.Tensor" in outputs["gradients"]
        assert "stderr" not in "".join(shown for cell, shown in outputs.items() if cell != "setup")  # TensorFlow's log
