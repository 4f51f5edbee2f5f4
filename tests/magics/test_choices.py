"""``%mode`` and ``%device`` say what there is, and what is missing."""

import pytest

from tapeviz.magics import choices


def test_the_state_is_printed(notebook):
    mode, device = notebook.run("%mode").text, notebook.run("%device").text
    assert mode.startswith("mode: eager")
    assert "graph  not there yet" in mode
    assert device.startswith("device: cpu")
    assert notebook.run("%mode eager").text == mode
    assert notebook.run("%device cpu").text == device


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("%mode graph", "graph mode is not there yet"),
        ("%mode grahp", "did you mean graph?"),
        ("%device gpuu", "did you mean gpu?"),
        ("%device tpu", ""),
        ("%%mode graph\nx", "graph mode is not there yet"),
        ("%%mode\nx", "which mode? As in %%mode eager"),
        ("%%device\nx", "which device? As in %%device cpu"),
    ],
)
def test_what_is_not_there_is_said_in_one_line(notebook, line, hint):
    assert hint in notebook.refused(line)


@pytest.mark.parametrize(
    ("cuda", "cupy", "missing"),
    [
        ((False, 0), False, "missing NVIDIA's driver (no CUDA library could be loaded) and CuPy"),
        ((False, 0), True, "missing NVIDIA's driver (no CUDA library could be loaded)"),
        ((True, 0), True, "missing a device (the driver sees none)"),
        ((True, 1), False, "missing CuPy (pip install"),
        ((True, 1), True, "tapeviz cannot compute on them yet"),
    ],
)
def test_which_part_of_a_gpu_is_missing(notebook, monkeypatch, cuda, cupy, missing):
    monkeypatch.setattr(choices, "_cuda", lambda: cuda)
    monkeypatch.setattr(choices, "find_spec", lambda _name: object() if cupy else None)
    for refused in ("%device gpu", "%%device gpu\nx", "%%tape --device gpu\nx"):
        text = notebook.refused(refused)
        assert missing in text
        assert "choose cpu, or auto" in text


def test_only_auto_falls_back_and_says_so(notebook):
    ran = notebook.run("%%tape -q --device auto\nx + 1.0")
    assert ran.text.startswith("--device auto: cpu (")
    assert "auto: cpu (" in notebook.run("%device auto").text


def test_the_probe_itself_runs_here():
    assert choices.gpu_obstacle()


@pytest.mark.parametrize("magic", ["%%mode eager", "%%device cpu", "%%device auto"])
def test_one_cell_can_be_run_so(notebook, magic):
    ran = notebook.run(f"{magic}\ny = 2\ny + 1")
    assert ran.value == 3
    assert notebook["y"] == 2
    assert notebook.run(f"{magic}\ny + 1;").value is None
