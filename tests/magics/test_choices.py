"""``%mode`` and ``%device`` say what there is, and what is missing."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.engine.strict_gpu import standing_in


def test_the_state_is_printed(notebook):
    mode, device = notebook.run("%mode").text, notebook.run("%device").text
    assert mode.startswith("mode: eager")
    assert "graph  a cell is traced into one graph, which then runs" in mode
    assert device.startswith("device: cpu")
    assert notebook.run("%mode eager").text == mode
    assert notebook.run("%device cpu").text == device


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("%mode grahp", "did you mean graph?"),
        ("%device gpuu", "did you mean gpu?"),
        ("%device tpu", ""),
        ("%%mode\nx", "which mode? As in %%mode eager"),
        ("%%device\nx", "which device? As in %%device cpu"),
    ],
)
def test_what_is_not_there_is_said_in_one_line(notebook, line, hint):
    assert hint in notebook.refused(line)


def test_what_of_a_gpu_is_missing_is_said(notebook):
    for refused in ("%device gpu", "%%device gpu\nx", "%%tape --device gpu\nx"):
        text = notebook.refused(refused)
        assert "no usable GPU here: missing" in text
        assert "choose cpu, or auto" in text


def test_only_auto_falls_back_and_says_so(notebook):
    ran = notebook.run("%%tape -q --device auto\nx + 1.0")
    assert ran.text.startswith("--device auto: cpu (no usable GPU here")
    assert "auto: cpu (" in notebook.run("%device auto").text


def test_with_a_gpu_each_magic_computes_there(notebook):
    notebook.run("import tapeviz as tf\nx = tf.constant([1.0, 2.0])")
    with standing_in():
        assert "gpu    CuPy, stand-in" in notebook.run("%device").text
        assert notebook.run("%%device gpu\n(x + 1.0).device").value.endswith("GPU:0")
        assert notebook.run("(x + 1.0).device").value.endswith("CPU:0")
        assert notebook.run("%device gpu").text.startswith("device: gpu")
        assert notebook.run("tf.constant(1.0).device").value.endswith("GPU:0")
        assert notebook.run("%%device cpu\ntf.constant(1.0).device").value.endswith("CPU:0")
        ran = notebook.run("%%tape -q -o t --device gpu\n(x * 2.0).device")
        assert ran.value.endswith("GPU:0")
        assert list(notebook["t"].recording.devices.name) == ["CPU:0", "GPU:0"]
        assert notebook.run("%device auto").text == "%device auto: gpu\n"
        assert notebook.run("%device cpu").text.startswith("device: cpu")
        assert notebook.run("tf.constant(1.0).device").value.endswith("CPU:0")


def test_a_device_chosen_on_another_thread_is_that_of_the_next_cell(notebook):
    """JupyterLab's buttons are answered on a thread of their own."""
    settings = notebook.shell.magics_manager.registry["TapeMagics"].session.settings
    notebook.run("import tapeviz as tf")
    with standing_in():
        with ThreadPoolExecutor(1) as elsewhere:
            elsewhere.submit(settings.choose, "device", "gpu").result()
        assert (settings.device, settings.device_now) == ("gpu", "gpu")
        assert notebook.run("tf.constant(1.0).device").value.endswith("GPU:0")
        assert notebook.run("%device").text.startswith("device: gpu")
        settings.choose("device", "auto")
        assert (settings.device, settings.device_now) == ("auto", "gpu")
        settings.choose("device", "cpu")
        assert notebook.run("tf.constant(1.0).device").value.endswith("CPU:0")


def test_only_modes_and_devices_can_be_chosen(notebook):
    settings = notebook.shell.magics_manager.registry["TapeMagics"].session.settings
    with pytest.raises(ValueError, match="choose from mode and device"):
        settings.choose("colour", "red")


@pytest.mark.parametrize("magic", ["%%mode eager", "%%device cpu", "%%device auto"])
def test_one_cell_can_be_run_so(notebook, magic):
    ran = notebook.run(f"{magic}\ny = 2\ny + 1")
    assert ran.value == 3
    assert notebook["y"] == 2
    assert notebook.run(f"{magic}\ny + 1;").value is None
