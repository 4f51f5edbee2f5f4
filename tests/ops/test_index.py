"""Ops are declared when they are first used: the index knows where, whoever asks, in whatever order."""

import subprocess
import sys

import pytest

from tapeviz.engine.declaration import registry
from tapeviz.engine.registry import Registry
from tapeviz.ops import index
from tests.structure.sources import ROOT, modules

HOMES = sorted({*index.OPS.values(), *index.OPERATORS.values(), *index.FUNCTIONS.values()})
# Some of what a program that adds two tensors has no use for.
UNUSED = ("tapeviz.ops.nn", "tapeviz.ops.array", "tapeviz.ops.random", "tapeviz.ops.strings", "secrets")


def _python(code):
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=120).stdout


def test_the_index_is_that_of_the_declarations(tmp_path):
    made = tmp_path / "index.py"
    subprocess.run([sys.executable, "-m", "tools.op_index", str(made)], cwd=ROOT, check=True, timeout=120)
    stored = ROOT / "tapeviz" / "ops" / "index.py"
    assert made.read_text() == stored.read_text(), "python -m tools.op_index"


def test_an_addition_loads_little():
    loaded = _python("import sys, tapeviz as tf; tf.constant([1.0]) + tf.constant([2.0]); print(*sys.modules)").split()
    assert "tapeviz.ops.math.arithmetic" in loaded
    assert [name for name in UNUSED if name in loaded] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(name for name in modules() if name.startswith("tapeviz.ops.")))
def test_each_file_can_be_the_first(name):
    _python(f"import {name}")


def test_whoever_goes_over_the_registry_meets_all():
    names = _python("import tapeviz.ops; from tapeviz.engine.declaration import registry as r; print(*r)").split()
    assert sorted(names) == sorted(index.OPS)


THREADS = """
import sys, threading
import tapeviz.ops
from tapeviz.engine.declaration import registry
from tapeviz.ops.index import OPS
sys.setswitchinterval(1e-5)
failures, start = [], threading.Barrier(8)
def ask(names):
    start.wait()
    for name in names:
        try:
            assert registry[name].name == name
        except BaseException as error:
            failures.append((name, error))
names = sorted(OPS)
threads = [threading.Thread(target=ask, args=(names[k * 30:] + names[:k * 30],)) for k in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(failures), failures[:3])
"""


def test_threads_may_ask_at_the_same_time():
    assert _python(THREADS).startswith("0 ")


@pytest.fixture
def letters():
    """Give a registry with two names to be declared and a log of what was loaded."""
    found, loaded = Registry(), []

    def load(home):
        loaded.append(home)
        if home != "nowhere":
            found[home] = home.upper()

    found.offer({"a": "a", "b": "b", "gone": "nowhere"}, load)
    return found, loaded


def test_a_name_is_declared_when_it_is_asked_for(letters):
    found, loaded = letters
    assert "a" in found
    assert loaded == []
    assert (found["a"], found.get("a"), found["a"]) == ("A", "A", "A")
    assert loaded == ["a"]


def test_a_name_that_nobody_declares_is_missing(letters):
    found, loaded = letters
    assert found.get("gone", 7) == 7
    assert found.get("other") is None
    with pytest.raises(KeyError):
        found["other"]
    assert loaded == ["nowhere"]


def test_to_go_over_them_declares_the_rest(letters):
    found, loaded = letters
    assert found["b"] == "B"
    assert len(found) == 2
    assert sorted(found) == sorted(found.keys()) == ["a", "b"]
    assert dict(found.items()) == {"a": "A", "b": "B"}
    assert sorted(found.values()) == ["A", "B"]
    assert (loaded.count("a"), loaded.count("b")) == (1, 1)


def test_a_name_of_an_op_is_taken_before_the_op_is_declared():
    assert registry.is_taken("add")
    assert not registry.is_taken("no_such_op")
