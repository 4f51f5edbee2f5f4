"""The extension in a real JupyterLab: it switches mode and device, and its panel shows the active notebook's tape."""

import json
import re
import subprocess
import sys

import nbformat
import pytest
from playwright.sync_api import expect

from tests.browser.legibility import serious_violations, text_faults
from tests.browser.notebook_page import KERNEL_IS_IDLE, READY_MS
from tools import jupyter_home

pytestmark = pytest.mark.browser

LOAD = "%load_ext tapeviz\nimport tapeviz as tf\nx = tf.constant([[1.0, 2.0]])"
FIRST, SECOND = '%%tape -n "the first" -q\nx + 1.0;', '%%tape -n "the second" -q\nx * x;'

# A kernel of another language, as small as they get.
WORDS = """
from ipykernel.kernelapp import IPKernelApp
from ipykernel.kernelbase import Kernel

class Words(Kernel):
    implementation, implementation_version, banner = "words", "1", ""
    language_info = {"name": "words", "mimetype": "text/plain", "file_extension": ".txt"}

    def do_execute(self, code, silent, store_history=True, user_expressions=None, allow_stdin=False, **_):
        return {"status": "ok", "execution_count": 1, "payload": [], "user_expressions": {}}

IPKernelApp.launch_instance(kernel_class=Words)
"""


@pytest.fixture
def lab_page(notebook):
    yield notebook
    notebook.assert_quiet()


def toolbar(notebook):
    return notebook.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .tapeviz-toolbar")


def panel(notebook):
    """The panel, opened if it is closed."""
    panel = notebook.page.get_by_role("region", name="tapeviz", exact=True).and_(
        notebook.page.locator(".tapeviz-panel")
    )
    if not panel.is_visible():
        toolbar(notebook).get_by_role("button", name="tape").click()
    expect(panel).to_be_visible()
    return panel


def chosen(place, what):
    return place.get_by_label(f"tapeviz {what}")


def run(notebook, number, *, wait=True):
    """Run one cell, and wait until it is done."""
    start = """(number) => {
        jupyterapp.shell.currentWidget.content.activeCellIndex = number;
        window.ran = jupyterapp.commands.execute("notebook:run-cell");
    }"""
    notebook.page.evaluate(start, number)
    if wait:
        notebook.page.evaluate("async () => { await window.ran; }")
        notebook.page.wait_for_function(KERNEL_IS_IDLE)
    return notebook.output(number)


def open_another(notebook, *cells):
    """Open a second notebook beside the first, and return the id of the first one's widget."""
    first = notebook.page.evaluate("jupyterapp.shell.currentWidget.id")
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    name = f"another-{len(list(notebook.server.folder.iterdir()))}.ipynb"
    nbformat.write(made, notebook.server.folder / name)
    notebook.page.evaluate(
        "async (path) => { await jupyterapp.commands.execute('docmanager:open', {path, kernel: {name: 'python3'}}); }",
        name,
    )
    notebook.page.wait_for_function("(id) => jupyterapp.shell.currentWidget?.id !== id", arg=first)
    notebook.page.wait_for_function(KERNEL_IS_IDLE, timeout=READY_MS)
    return first


def title_shown(notebook):
    return panel(notebook).locator("section.tapeviz h2")


def test_jupyterlab_lists_it_as_enabled_and_ok(tmp_path):
    command = [sys.executable, "-m", "jupyterlab.labextensions", "list"]
    environment = jupyter_home.prepare(tmp_path)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    listed = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)
    assert re.search(r"^\s*tapeviz v\S+ enabled OK", listed, re.MULTILINE), listed


def test_the_toolbar_chooses_and_the_magics_say_so(lab_page):
    lab_page.open_cells("%load_ext tapeviz", "%mode", "%device", "%mode eager", "%device cpu")
    bar = toolbar(lab_page)
    expect(bar).to_contain_text("not loaded")
    run(lab_page, 0)
    mode, device = chosen(bar, "mode"), chosen(bar, "device")
    expect(mode).to_have_value("eager")
    mode.select_option("graph")
    device.select_option("auto")
    expect(mode).to_have_value("graph")
    expect(device).to_have_value("auto")
    assert run(lab_page, 1).inner_text().startswith("mode: graph")
    now = "cpu" if lab_page.ask_kernel("__import__('tapeviz').engine.devices.devices.gpu is None") else "gpu"
    assert run(lab_page, 2).inner_text().startswith(f"device: {now}")
    expect(device.locator("option:checked")).to_have_text(f"auto ({now.upper()})")
    run(lab_page, 3)
    run(lab_page, 4)
    expect(mode).to_have_value("eager")
    expect(device).to_have_value("cpu")
    expect(device.locator("option:checked")).to_have_text("CPU")


def test_mode_and_device_are_there_once(lab_page):
    lab_page.open_cells(LOAD, FIRST).run_all()
    expect(title_shown(lab_page)).to_have_text("the first")
    for what in ("mode", "device"):
        expect(lab_page.page.get_by_label(f"tapeviz {what}")).to_have_count(1)


def test_what_cannot_be_chosen_says_why(lab_page):
    lab_page.open_cells(LOAD).run_all()
    device = chosen(toolbar(lab_page), "device")
    expect(device).to_be_visible()
    if lab_page.ask_kernel("tf.engine.devices.devices.gpu is None"):
        expect(device.locator("option[value=gpu]")).to_be_disabled()
        assert "GPU: no usable GPU here: missing" in device.get_attribute("title")
    assert "CPU: NumPy, in this process" in device.get_attribute("title")


def test_with_the_keyboard_alone(lab_page):
    lab_page.open_cells(LOAD, "%mode").run_all()
    mode = chosen(toolbar(lab_page), "mode")
    expect(mode).to_be_visible()
    toolbar(lab_page).get_by_role("button", name="tape").focus()
    # A toolbar is one stop of Tab; inside it the arrows lead on.
    lab_page.page.keyboard.press("ArrowRight")
    expect(mode).to_be_focused()
    lab_page.page.keyboard.press("ArrowDown")
    expect(mode).to_have_value("graph")
    expect(mode).to_be_focused()
    assert run(lab_page, 1).inner_text().startswith("mode: graph")


def test_the_panel_shows_the_latest_tape_in_the_same_views(lab_page):
    lab_page.open_cells(LOAD, FIRST, SECOND)
    expect(panel(lab_page)).to_contain_text("not loaded in this kernel")
    run(lab_page, 0)
    expect(panel(lab_page)).to_contain_text("Nothing is recorded yet")
    run(lab_page, 1)
    expect(title_shown(lab_page)).to_have_text("the first")
    views = panel(lab_page).get_by_role("tablist", name="Views").get_by_role("tab")
    expect(views.first).to_have_text("Timeline")
    panel(lab_page).get_by_role("tab", name="Code").click()
    expect(panel(lab_page).get_by_role("tabpanel")).to_contain_text("x + 1.0")
    run(lab_page, 2)
    expect(title_shown(lab_page)).to_have_text("the second")
    # The view that was chosen stays, and shows the new tape.
    expect(panel(lab_page).get_by_role("tabpanel")).to_contain_text("x * x")


def test_what_a_program_records_is_shown_as_well(lab_page):
    by_hand = 'with tf.record(name="by hand") as tape:\n    x + 1.0'
    lab_page.open_cells(LOAD, by_hand, "%tapes clear").run_all()
    expect(panel(lab_page)).to_contain_text("Nothing is recorded yet")
    run(lab_page, 1)
    expect(title_shown(lab_page)).to_have_text("by hand")


def test_of_many_tapes_in_a_loop_a_few_are_shown_and_the_last(lab_page):
    loop = """import time
for number in range(60):
    get_ipython().run_line_magic("tape", f"-q -n 'round {number}' x + 1.0")
    time.sleep(0.02)"""
    lab_page.open_cells(LOAD, FIRST, loop)
    run(lab_page, 0)
    run(lab_page, 1)
    expect(title_shown(lab_page)).to_have_text("the first")
    seen = """() => {
        window.titles = new Set();
        const shell = document.querySelector(".tapeviz-panel-body > div > div").shadowRoot;
        const note = () => window.titles.add(shell.querySelector("section.tapeviz h2")?.textContent);
        new MutationObserver(note).observe(shell, {childList: true, subtree: true});
    }"""
    lab_page.page.evaluate(seen)
    run(lab_page, 2)
    expect(title_shown(lab_page)).to_have_text("round 59")
    assert 2 <= lab_page.page.evaluate("window.titles.size") < 30


def test_it_pages_through_the_values_of_the_tape_that_it_shows(lab_page):
    lab_page.open_cells(LOAD, SECOND).run_all()
    shown = panel(lab_page)
    shown.get_by_role("tab", name="Tensor").click()
    shown.locator("#tv-main").focus()
    lab_page.page.keyboard.press("ArrowRight")
    expect(shown.get_by_role("tabpanel")).to_contain_text("made by multiply")


def test_it_follows_two_notebooks(lab_page):
    lab_page.open_cells(LOAD, FIRST).run_all()
    expect(title_shown(lab_page)).to_have_text("the first")
    first = open_another(lab_page, LOAD, SECOND)
    expect(panel(lab_page)).to_contain_text("not loaded in this kernel")
    expect(panel(lab_page).locator("header h2")).to_have_text(re.compile(r"another-\d+\.ipynb"))
    lab_page.run_all()
    expect(title_shown(lab_page)).to_have_text("the second")
    chosen(toolbar(lab_page), "mode").select_option("graph")
    expect(chosen(toolbar(lab_page), "mode")).to_have_value("graph")
    lab_page.page.evaluate("(id) => jupyterapp.shell.activateById(id)", first)
    expect(title_shown(lab_page)).to_have_text("the first")
    expect(chosen(toolbar(lab_page), "mode")).to_have_value("eager")


def test_it_follows_a_restart(lab_page):
    lab_page.open_cells(LOAD, FIRST).run_all()
    expect(title_shown(lab_page)).to_have_text("the first")
    lab_page.page.evaluate("async () => { await jupyterapp.shell.currentWidget.sessionContext.restartKernel(); }")
    expect(toolbar(lab_page)).to_contain_text("not loaded")
    expect(panel(lab_page).locator("section.tapeviz")).to_have_count(0)
    expect(panel(lab_page)).to_contain_text("The kernel was restarted: its tape is gone with it (the first)")
    panel(lab_page).get_by_role("button", name="Load tapeviz").click()
    expect(panel(lab_page)).to_contain_text("Nothing is recorded yet")
    lab_page.run_all()
    expect(title_shown(lab_page)).to_have_text("the first")
    expect(panel(lab_page)).not_to_contain_text("restarted")


def test_it_follows_unloading_and_loading_again(lab_page):
    lab_page.open_cells(LOAD, FIRST, "%unload_ext tapeviz", "%load_ext tapeviz").run_all()
    expect(panel(lab_page)).to_contain_text("Nothing is recorded yet")
    run(lab_page, 2)
    expect(panel(lab_page)).to_contain_text("not loaded in this kernel")
    run(lab_page, 3)
    expect(chosen(toolbar(lab_page), "mode")).to_have_value("eager")


def test_what_kept_it_from_being_loaded_is_said(lab_page):
    lab_page.open_cells("import sys\nsys.modules['tapeviz.magics'] = None").run_all()
    panel(lab_page).get_by_role("button", name="Load tapeviz").click()
    expect(lab_page.page.locator(".Toastify__toast")).to_contain_text("tapeviz: ModuleNotFoundError")
    expect(panel(lab_page)).to_contain_text("not loaded in this kernel")


def test_a_page_that_is_loaded_again_finds_the_tape(lab_page):
    lab_page.open_cells(LOAD, FIRST).run_all()
    chosen(toolbar(lab_page), "mode").select_option("graph")
    expect(title_shown(lab_page)).to_have_text("the first")
    lab_page.save()
    lab_page.page.reload()
    lab_page.page.wait_for_function(KERNEL_IS_IDLE, timeout=READY_MS)
    expect(chosen(toolbar(lab_page), "mode")).to_have_value("graph")
    expect(title_shown(lab_page)).to_have_text("the first")


def test_it_answers_while_a_cell_runs(lab_page):
    running = "import time\n%tape -q x + 1.0\nfor _ in range(400):\n    time.sleep(0.05)\n"
    lab_page.open_cells(LOAD, running)
    run(lab_page, 0)
    expect(chosen(toolbar(lab_page), "mode")).to_have_value("eager")
    panel(lab_page)
    run(lab_page, 1, wait=False)
    prompt = lab_page.cell(1).locator(".jp-InputPrompt")
    expect(title_shown(lab_page)).to_have_text("tape")
    chosen(toolbar(lab_page), "mode").select_option("graph")
    expect(chosen(toolbar(lab_page), "mode")).to_have_value("graph")
    expect(prompt).to_have_text("[*]:")
    lab_page.page.evaluate(
        "async () => { await jupyterapp.shell.currentWidget.sessionContext.session.kernel.interrupt(); }"
    )
    expect(prompt).not_to_have_text("[*]:")
    assert "KeyboardInterrupt" in lab_page.output(1).inner_text()


PLOTTING = """import time, matplotlib.pyplot as plt
plt.plot([1, 2])
%tape {quiet} x + 1.0
time.sleep(2)
print(plt.get_fignums())"""


@pytest.mark.parametrize("place", ["panel", "cell"])
def test_looking_leaves_the_figures_of_a_running_cell_alone(lab_page, place):
    lab_page.open_cells("%matplotlib inline\n" + LOAD, PLOTTING.format(quiet="-q" if place == "panel" else ""))
    run(lab_page, 0)
    if place == "panel":
        panel(lab_page)
    run(lab_page, 1)
    shell = panel(lab_page) if place == "panel" else lab_page.output(1)
    expect(shell.locator("section.tapeviz h2")).to_have_text("tape")
    assert "[1]" in lab_page.output(1).inner_text()
    expect(lab_page.output(1).locator(".jp-RenderedImage img")).to_have_count(1)


def test_a_kernel_without_tapeviz_is_said_to_have_none(lab_page):
    hiding = """import importlib.util as u
def find(name, *_, real=u.find_spec):
    return None if name == "tapeviz" else real(name, *_)
u.find_spec = find"""
    lab_page.open_cells(hiding)
    expect(toolbar(lab_page)).to_contain_text("not loaded")
    lab_page.run_all()
    expect(toolbar(lab_page)).to_contain_text("not installed")
    expect(panel(lab_page)).to_contain_text("tapeviz is not installed in this kernel's Python.")
    expect(panel(lab_page).locator("code")).to_have_text("%pip install tapeviz")


def test_a_kernel_of_another_language_is_said_to_be_one(lab_page):
    spec = lab_page.server.folder.parent / "data" / "kernels" / "words"
    spec.mkdir(parents=True)
    (spec / "words.py").write_text(WORDS)
    argv = [sys.executable, str(spec / "words.py"), "-f", "{connection_file}"]
    (spec / "kernel.json").write_text(json.dumps({"argv": argv, "display_name": "Words", "language": "words"}))
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("one two")])
    made.metadata.kernelspec = {"name": "words", "display_name": "Words", "language": "words"}
    nbformat.write(made, lab_page.server.folder / "words.ipynb")
    lab_page.open("words.ipynb")
    expect(toolbar(lab_page)).to_contain_text("not a Python kernel")
    expect(panel(lab_page)).to_contain_text("This kernel runs words.")


@pytest.mark.parametrize("notebook", ["light", "dark"], indirect=True)
@pytest.mark.parametrize("width", [1280, 900])
def test_it_is_legible(lab_page, width):
    lab_page.page.set_viewport_size({"width": width, "height": 900})
    lab_page.open_cells(LOAD, FIRST)

    def look():
        for place in (toolbar(lab_page), panel(lab_page)):
            if place.is_visible():
                assert text_faults(place) == []
                assert serious_violations(place) == []

    look()
    panel(lab_page)
    look()
    lab_page.run_all()
    expect(title_shown(lab_page)).to_have_text("the first")
    look()
    room = panel(lab_page).bounding_box()
    assert room["width"] >= 400
    assert room["x"] + room["width"] <= width
