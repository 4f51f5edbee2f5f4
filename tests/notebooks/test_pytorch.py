"""The notebook for PyTorch's users, in the environment that has PyTorch: `make test-adapters` runs this."""

import importlib.util

import pytest

from tests.notebooks.conftest import FOLDER

collect = importlib.util.find_spec("torch") is not None
SECONDS = 60


if collect:

    @pytest.mark.slow
    def test_it_runs_and_answers(run):
        ran = run(FOLDER / "pytorch.ipynb")
        assert ran.seconds < SECONDS
        outputs = {cell.id: str(cell.get("outputs")) for cell in ran.notebook.cells if cell.cell_type == "code"}
        assert ".detach() cuts it off" in outputs["why"]
        assert "h = h + 1" in outputs["verdicts"]
        assert "log made" in outputs["asked"]
        assert "tensor(" in outputs["gradients"]
        assert "stderr" not in "".join(outputs.values())
