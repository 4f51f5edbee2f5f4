"""What only a real kernel shows: views and their lives, breakpoints, interrupts, and what *Run All* does."""

import re
import time

import pytest

from tests.magics import kernel
from tools import jupyter_home

pytestmark = pytest.mark.slow

SETUP = """%load_ext tapeviz
import tapeviz as tf
w = tf.Variable([[0.5], [-0.3]])
x = tf.constant([[1.0, 2.0], [3.0, 4.0]])"""
STEP = "%%tape --wrt w\nh = tf.tanh(x @ w)\nloss = tf.reduce_mean(tf.square(h - 1.0))\nloss"


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    with kernel.running(jupyter_home.prepare(tmp_path_factory.mktemp("jupyter"))) as started:
        yield started


@pytest.fixture(autouse=True)
def fresh(live):
    assert live.run("%reset -f").status == "ok"
    reply = live.run(SETUP)
    assert reply.status == "ok"
    live.run("%tapes clear")


def test_the_view_is_shown_once_and_the_value_stays(live):
    reply = live.run(STEP)
    assert reply.status == "ok"
    assert len(reply.views) == 1
    assert reply.value.startswith("<tf.Tensor: shape=()")
    view, summary = (shown["data"] for shown in reply.of("display_data"))
    assert view.keys() == {"text/plain", "application/vnd.jupyter.widget-view+json"}
    assert summary.keys() == {"text/plain", "text/html"}
    assert "<script" not in summary["text/html"]


def test_returned_it_is_shown_once_as_the_value(live):
    reply = live.run(STEP.replace("%%tape", "%%tape -r"))
    assert len(reply.views) == 1
    assert len(reply.of("display_data")) == 2  # the view and what stands in for it


@pytest.mark.parametrize("quiet", ["%%tape -q\nx + 1.0;", "%%tape -r\nx + 1.0;"])
def test_nothing_is_shown_where_nothing_was_asked_for(live, quiet):
    reply = live.run(quiet)
    assert (reply.views, reply.value, reply.text) == ([], None, "")


def test_view_and_height_reach_the_widget(live):
    live.run("%%tape --view flow --height 444\nx + 1.0;")
    assert live.ask("_tape.view.view, _tape.view.height") == "('flow', 444)"


def test_running_a_cell_again_replaces_its_view(live):
    first = live.run("%%tape\nx + 1.0;", cell="a")
    other = live.run("%%tape\nx + 1.0;", cell="b")
    edited = live.run("%%tape\nx + 2.0;", cell="a")
    assert first.closed == other.closed == []
    assert set(first.views) <= set(edited.closed)
    assert not set(other.views) & set(edited.closed)
    assert len(live.run("%tapes").text.strip().splitlines()) == 3


def test_where_no_cell_is_named_cells_of_the_same_text_keep_their_views(live):
    """As in Voila: the host says of no run which cell it is of."""
    replies = [live.run("%%tape\nx + 1.0;") for _ in range(2)]
    assert all(reply.views for reply in replies)
    assert replies[1].closed == []


def test_a_tape_whose_view_was_replaced_can_be_shown_again(live):
    live.run("%%tape -o kept\nx + 1.0;", cell="a")
    live.run("%%tape\nx + 1.0;", cell="a")
    (again,) = live.run("kept").views
    assert again not in live.run("_tape").views


def test_a_loop_shows_each_of_its_tapes(live):
    reply = live.run("for _ in range(3):\n    %tape x + 1.0", cell="a")
    assert len(reply.views) == 3
    assert reply.closed == []


def test_an_error_shows_the_partial_tape_and_stops_run_all(live):
    reply = live.run("%%tape\ny = x + 1.0\n1 / 0")
    assert (reply.status, reply.error) == ("error", "ZeroDivisionError")
    assert len(reply.views) == 1
    assert "Stopped at op 0, line 3: ZeroDivisionError" in reply.shown
    (shown,) = reply.of("error")
    trace = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(shown["traceback"]))
    assert "----> 3 1 / 0" in trace
    assert "magics" not in trace


def test_keep_going_lets_run_all_go_on(live):
    reply = live.run("%%tape --keep-going\n1 / 0")
    assert reply.status == "ok"
    assert len(reply.of("error")) == 1


def test_an_interrupt_shows_the_partial_tape_and_is_passed_on(live):
    def interrupt(message):
        if message["content"].get("text") == "now\n":
            time.sleep(0.2)
            live.manager.interrupt_kernel()

    reply = live.run("%%tape\ny = x + 1.0\nprint('now', flush=True)\nwhile True:\n    y = y * 1.0", on=interrupt)
    assert (reply.status, reply.error) == ("error", "KeyboardInterrupt")
    assert re.search(r"Stopped at op \d+, line \d: KeyboardInterrupt", reply.shown)
    assert len(reply.views) == 1
    assert live.run("x + 1.0").status == "ok"


def test_a_breakpoint_in_the_code_stops_and_changes_nothing(live):
    live.run(STEP)
    before = live.ask("_tape.wrt['w'].numpy().tobytes().hex(), loss.numpy().tobytes().hex()")
    # In a kernel `breakpoint()` asks the debugger of JupyterLab, which is tested below; this is what works without.
    stopping = STEP.replace("\nloss =", "\nfrom IPython.core.debugger import set_trace; set_trace()\nloss =")
    reply = live.run(stopping, typed=("h.numpy().sum()", "up", "down", "print(w)", "n", "c"))
    assert reply.status == "ok"
    assert "loss = tf.reduce_mean" in reply.text
    assert live.ask("_tape.wrt['w'].numpy().tobytes().hex(), loss.numpy().tobytes().hex()") == before
    assert live.ask("len(_tape.exits)") == "0"


def test_debug_afterwards_is_in_the_users_frame(live):
    live.run("%%tape -q\ndef f(z):\n    secret = 41\n    return z / 0\nf(1)")
    reply = live.run("%debug", typed=("secret + 1", "q"))
    assert "42" in reply.text


COUNT = """
import collections, gc
gc.collect()
kinds = {"Tape", "Recording", "Builder", "Packer", "Recorder", "TapeWidget", "Layout", "BaseComm", "GradientTape"}
alive = collections.Counter(type(o).__name__ for o in gc.get_objects())
print(sorted((name, count) for name, count in alive.items() if name in kinds), sum(alive.values()))"""


def test_running_a_cell_many_times_leaves_memory_flat(live):
    def run_and_count(times):
        for _ in range(times):
            live.run(STEP + ";", cell="a")
        kinds, _, objects = live.run(COUNT).text.strip().rpartition(" ")
        return kinds, int(objects)

    kinds, objects = run_and_count(12)
    kinds_after, objects_after = run_and_count(25)
    assert kinds_after == kinds
    # What IPython and matplotlib keep: the text of each cell, the widths of texts.
    assert objects_after - objects < 25 * 40


# Last, for from here on the kernel is traced.
def test_the_debugger_of_jupyterlab_stops_where_somebody_clicked(live):
    cell = "%%tape --wrt w\n\nh = tf.tanh(x @ w)\nloss = tf.reduce_sum(h)\nbreakpoint()\nloss"
    live.debug("initialize", adapterID="", linesStartAt1=True, columnsStartAt1=True, pathFormat="path")
    assert live.debug("attach")["success"]
    path = live.debug("dumpCell", code=cell)["body"]["sourcePath"]
    answer = live.debug("setBreakpoints", source={"path": path}, breakpoints=[{"line": 4}], sourceModified=False)
    assert answer["body"]["breakpoints"][0]["verified"]
    live.debug("configurationDone")
    stops = []

    def go_on(message):
        if message["msg_type"] == "debug_event" and message["content"]["event"] == "stopped":
            thread = message["content"]["body"]["threadId"]
            top = live.debug("stackTrace", threadId=thread)["body"]["stackFrames"][0]
            stops.append((top["source"]["path"], top["line"]))
            live.debug("continue", threadId=thread)

    reply = live.run(cell, on=go_on)
    live.debug("disconnect", restart=False, terminateDebuggee=False)
    assert reply.status == "ok"
    assert stops == [(path, 4), (path, 6)]
    assert live.ask("_tape.wrt['w'].shape") == "TensorShape([2, 1])"
