"""What is done once is told as such, and not as idle time: an op's function is generated, a module is loaded."""

import importlib
import importlib.util
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest

import tapeviz as tf


@pytest.fixture
def _modules(tmp_path, monkeypatch):
    """Modules that nobody has loaded yet; one takes 20 ms, and another loads it and runs ops."""
    (tmp_path / "slow_part.py").write_text("import time\ntime.sleep(0.02)\n")
    (tmp_path / "whole.py").write_text("import slow_part\nimport tapeviz as tf\nx = tf.ones([2]) * 3.0\n")
    (tmp_path / "broken.py").write_text("import time\ntime.sleep(0.005)\nraise RuntimeError\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    yield
    for name in ("slow_part", "whole", "broken"):
        sys.modules.pop(name, None)


def imports(tape):
    """The modules loaded, without those of ops, whose first use it may have been."""
    rows = [row for row in tape.recording.setups if row.kind == "import"]
    return [row for row in rows if not row.name.startswith("tapeviz.ops.")]


@pytest.mark.usefixtures("_modules")
def test_an_import_has_its_name_its_time_and_the_users_line():
    with tf.record() as tape:
        before = tf.ones([2])
        import whole

        after = before + whole.x
        importlib.import_module("whole")  # it is there: nothing is loaded
    sites, events = tape.recording.sites, tape.recording.events
    (row,) = imports(tape)
    assert row.name == "whole"  # the part that it loads belongs to it
    assert row.dur >= 20e6
    assert sites.text[row.site].strip().startswith("import whole")
    ends = events.t0 + events.dur
    assert ends[0] <= row.t0
    last = int(events.op.tolist().index(tape.recording.ops.name.index("add")))
    assert row.t0 + row.dur <= events.t0[last]
    assert after.numpy().tolist() == [4.0, 4.0]


@pytest.mark.usefixtures("_modules")
def test_a_failed_import_ends_where_it_fails_and_the_next_one_is_told_of():
    with tf.record() as tape:
        with pytest.raises(RuntimeError):
            importlib.import_module("broken")
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module("not_there_at_all")
        importlib.import_module("slow_part")
    assert [row.name for row in imports(tape)] == ["broken", "not_there_at_all", "slow_part"]
    first, second, third = imports(tape)
    assert first.t0 + first.dur <= second.t0 <= second.t0 + second.dur <= third.t0
    assert tape.recording.sites.text[first.site].strip() == 'importlib.import_module("broken")'


@pytest.mark.usefixtures("_modules")
def test_no_import_of_another_thread_and_none_that_is_only_asked_for():
    with tf.record() as tape:
        assert importlib.util.find_spec("slow_part") is not None
        thread = threading.Thread(target=importlib.import_module, args=("slow_part",))
        thread.start()
        thread.join()
    assert imports(tape) == []


@pytest.mark.usefixtures("_modules")
@pytest.mark.parametrize("locks", [None, (), dict.fromkeys(("slow_part", "whole")), {"slow_part": "", "whole": object}])
def test_where_python_keeps_its_locks_otherwise_modules_are_loaded_and_no_import_is_told_of(monkeypatch, locks):
    bootstrap = {} if locks is None else {"_bootstrap": SimpleNamespace(_module_locks=locks)}
    monkeypatch.setattr("tapeviz.recorder.imports.importlib", SimpleNamespace(**bootstrap))
    with tf.record() as tape:
        module = importlib.import_module("whole")
        result = module.x + 1.0
    assert result.numpy().tolist() == [4.0, 4.0]
    assert "slow_part" in sys.modules
    assert imports(tape) == []


def test_the_finder_is_gone_after_the_block():
    before = list(sys.meta_path)
    with tf.record(), tf.record():
        assert len(sys.meta_path) > len(before)
    assert sys.meta_path == before


PROGRAM = """
import tapeviz as tf
x = tf.constant([0.5, 2.0])
x = tf.sin(x + x)  # the modules of the ops below
def run():
    with tf.record() as tape:
        y = tf.atan(x)
        z = y - x
    return tape.recording
for recording in (run(), run()):
    lines = recording.sites.line[recording.setups.site].tolist()
    print([tuple(row)[:2] for row in recording.setups], lines,
          [recording.ops.name[event.op] for event in recording.events if event.kind == 0],
          [event.id for event in recording.events if event.kind == 0],
          all(row.dur > 0 for row in recording.setups))
"""


def test_the_first_use_of_an_op_is_told_once_and_moves_no_numbers():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, timeout=60)
    first, second = done.stdout.splitlines()
    ops = "['atan', 'subtract']"
    assert first == f"[('first_use', 'atan'), ('first_use', 'subtract')] [7, 8] {ops} [0, 1] True"
    assert second == f"[] [] {ops} [0, 1] True"


FIRST_OP = """
import tapeviz as tf
x = tf.constant([0.5, 2.0])
with tf.record() as tape:
    y = x - x
print(*[row.name for row in tape.recording.setups])
"""


def test_loading_the_module_of_an_op_is_told_too():
    done = subprocess.run([sys.executable, "-c", FIRST_OP], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == ["tapeviz.ops.math", "tapeviz.ops.math.arithmetic", "subtract"]


def test_a_ring_keeps_the_setups_of_what_it_keeps(monkeypatch, tmp_path):
    for name in ("early", "late"):
        (tmp_path / f"{name}_part.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    x = tf.ones([2])
    with tf.record(max_ops=100, keep="last", values="none") as tape:
        importlib.import_module("early_part")
        for _ in range(1000):
            x = x + 1.0
        importlib.import_module("late_part")
        x = x + 1.0
    for name in ("early_part", "late_part"):
        sys.modules.pop(name)
    assert [row.name for row in imports(tape)] == ["late_part"]
    (row,) = imports(tape)
    events = tape.recording.events
    assert events.t0[-2] <= row.t0 <= row.t0 + row.dur <= events.t0[-1]
