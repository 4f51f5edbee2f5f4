"""Loading is silent, and unloading leaves the shell as it was."""

import sys

import pytest

import tapeviz

NAMES = ("tape", "tapes", "why", "nan", "mode", "device")


def state_of(shell):
    manager = shell.magics_manager
    return {
        "magics": {kind: dict(table) for kind, table in manager.magics.items()},
        "registry": set(manager.registry),
        "configurables": list(shell.configurables),
        "names": set(shell.user_ns),
        "hidden": set(shell.user_ns_hidden),
        "callbacks": {event: list(calls) for event, calls in shell.events.callbacks.items()},
        "transformers": (list(shell.ast_transformers), list(shell.input_transformers_post)),
        "displayhook": sys.displayhook,
    }


def test_importing_alone_registers_nothing(bare):
    before = state_of(bare.shell)["magics"]
    bare.run("import tapeviz")
    assert state_of(bare.shell)["magics"] == before


def test_loading_is_silent_and_adds_the_magics(bare):
    assert bare.run("%load_ext tapeviz").text == ""
    assert all(name in bare.shell.magics_manager.magics["line"] for name in NAMES)


def test_unloading_undoes_it_all(bare):
    bare.run("import tapeviz as tf\n1")
    before = state_of(bare.shell)
    bare.shell.extension_manager.load_extension("tapeviz")
    bare.shell.run_cell("%%tape -q\ntf.ones([2]) + 1.0;")
    assert "_tape" in bare.shell.user_ns
    bare.shell.extension_manager.unload_extension("tapeviz")
    assert state_of(bare.shell) == before


def test_another_magic_of_the_same_name_comes_back(bare):
    bare.shell.register_magic_function(lambda line: f"theirs: {line}", "line", "mode")
    bare.run("%load_ext tapeviz")
    assert "eager" in bare.run("%mode").text
    bare.run("%unload_ext tapeviz")
    assert bare.run("%mode x").value == "theirs: x"


def test_a_name_taken_over_later_is_left_alone(bare):
    bare.run("%load_ext tapeviz")
    bare.shell.register_magic_function(lambda line: f"theirs: {line}", "line", "mode")
    bare.run("%unload_ext tapeviz")
    assert bare.run("%mode x").value == "theirs: x"


def test_enable_is_the_same_and_harmless_twice(bare):
    bare.run("import tapeviz")
    tapeviz.enable()
    tapeviz.enable()
    assert "eager" in bare.run("%mode").text
    tapeviz.disable()
    assert "tape" not in bare.shell.magics_manager.magics["cell"]


def test_reloading_works(bare):
    bare.run("%load_ext tapeviz")
    bare.run("%reload_ext tapeviz")
    assert bare.run("import tapeviz as tf\n%tape -q tf.ones([]) + 1.0").error is None


def test_outside_ipython_enabling_says_what_works_there():
    with pytest.raises(RuntimeError, match=r"tapeviz\.record\(\)"):
        tapeviz.enable()


def test_the_help_lists_the_options(notebook):
    text = notebook.shell.object_inspect("%%tape")["docstring"]
    assert "--wrt A,B" in text
    assert "--keep-going" in text
