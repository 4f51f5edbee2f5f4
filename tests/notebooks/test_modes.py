"""The notebook on trees shows a tape's views among other widgets."""

import pytest

from tests.notebooks.conftest import FOLDER

WIDGET = "application/vnd.jupyter.widget-view+json"


@pytest.mark.slow
def test_a_view_stands_beside_other_widgets(run):
    outputs = run(FOLDER / "12_trees.ipynb").outputs("widget-in-python")
    assert any(WIDGET in output.get("data", {}) for output in outputs)
