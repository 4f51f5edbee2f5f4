"""Looking changes nothing: not the gradients, not what the tape says about where values went."""

import io
import pdb  # noqa: T100
import sys

import numpy as np
import pytest

from tapeviz.recording.schema import EXITS

STEP = """
h = tf.tanh(x @ w)
{look}
loss = tf.reduce_mean(tf.square(h - 1.0))
loss"""

LOOKS = {
    "print": "print(h, w, str(h), repr(h), f'{h}')",
    "display": "display(h)",
    "numpy": "h.numpy()",
    "asarray": "import numpy as np; np.asarray(h).sum()",
    "the tape's own tables": "h.shape, h.dtype",
    "garbage": "import gc; gc.collect()",
}


def step(notebook, look="pass", header="%%tape -q --wrt w,x"):
    ran = notebook.run(f"{header}\n{STEP.format(look=look)}")
    tape = notebook["_tape"]
    return ran.value.numpy(), {name: g.numpy() for name, g in tape.wrt.items()}, tape


def assert_same(one, other):
    assert np.array_equal(one[0], other[0])
    assert all(np.array_equal(one[1][name], other[1][name]) for name in one[1])


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS.keys())
def test_looking_leaves_the_gradients_bit_equal(notebook, look):
    assert_same(step(notebook), step(notebook, look))


@pytest.mark.parametrize("name", ["print", "display", "garbage"])
def test_showing_is_no_exit(notebook, name):
    """No mathematics leaves by it; that somebody printed a value is kept, for then it was looked at."""
    _, _, tape = step(notebook, LOOKS[name])
    kinds = [EXITS[kind] for kind in tape.exits.kind.tolist()]
    assert kinds == ["shown"] * (4 if name == "print" else 0)


@pytest.mark.parametrize("stop", ["breakpoint()", "debugger.set_trace()"])
def test_a_debugger_changes_nothing(notebook, monkeypatch, stop):
    before = step(notebook)
    typed = io.StringIO("p h.numpy()\np type(w)\nup\ndown\np float(tf.reduce_sum(x))\nnext\ncontinue\n")
    out = io.StringIO()
    debugger = pdb.Pdb(stdin=typed, stdout=out, nosigint=True, readrc=False)
    debugger.use_rawinput = False
    notebook.shell.push({"debugger": debugger})
    monkeypatch.setattr(sys, "breakpointhook", lambda: debugger.set_trace(sys._getframe(1)))
    after = step(notebook, stop)
    assert_same(before, after)
    assert "10.0" in out.getvalue()
    assert "-> loss = tf.reduce_mean" in out.getvalue()
    assert len(after[2].exits) == 0


def test_post_mortem_finds_the_users_frame(notebook):
    notebook.attempt("%%tape -q\ndef f(z):\n    secret = 42\n    return z / 0\nf(1)")
    out = io.StringIO()
    debugger = pdb.Pdb(stdin=io.StringIO("p secret\nquit\n"), stdout=out, nosigint=True, readrc=False)
    debugger.use_rawinput = False
    debugger.reset()
    debugger.interaction(None, sys.last_value.__traceback__)
    assert "42" in out.getvalue()


def test_profiling_works_with_the_recorder_on(notebook):
    before = step(notebook)
    notebook.run("import cProfile, pstats\nprofile = cProfile.Profile()")
    notebook.run("def work():\n    h = tf.tanh(x @ w)\n    return tf.reduce_mean(tf.square(h - 1.0))")
    ran = notebook.run("%%tape -q --wrt w,x\nprofile.runcall(work)")
    tape = notebook["_tape"]
    assert_same(before, (ran.value.numpy(), {name: g.numpy() for name, g in tape.wrt.items()}))
    functions = {name for _, _, name in notebook.run("pstats.Stats(profile).stats").value}
    assert "work" in functions


def test_the_recorded_values_are_those_of_an_unrecorded_run(notebook):
    recorded = step(notebook)
    notebook.run(
        "with tf.GradientTape() as g:\n    g.watch(x)\n    loss = tf.reduce_mean(tf.square(tf.tanh(x @ w) - 1.0))\n"
        "plain = g.gradient(loss, {'w': w, 'x': x})"
    )
    plain = {name: g.numpy() for name, g in notebook["plain"].items()}
    assert_same(recorded, (notebook["loss"].numpy(), plain))
