"""The shortest way through everything: an op runs in JupyterLab's kernel, and a widget of ours appears in the page."""

import pytest

pytestmark = pytest.mark.browser


def test_an_op_runs_and_prints(notebook):
    notebook.open_cells("import tapeviz", "print(tapeviz.__version__)").run_all()
    assert notebook.raised() == []
    assert notebook.output(1).inner_text().strip() == notebook.ask_kernel("tapeviz.__version__")
    notebook.assert_quiet()
