"""What a recording leaves behind (nothing), what it refuses, and how a cell is recorded."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf
from IPython.core.interactiveshell import InteractiveShell
from tensorflow import keras
from tensorflow.python import pywrap_tfe
from tensorflow.python.eager import context, execute, record
from tensorflow.python.eager.polymorphic_function import polymorphic_function
from tensorflow.python.framework import constant_op, ops
from tensorflow.python.ops import resource_variable_ops, script_ops

import tapeviz

PATCHED = [
    (pywrap_tfe, "TFE_Py_FastPathExecute"), (execute, "execute"), (record, "record_operation"),
    (constant_op, "convert_to_eager_tensor"), (polymorphic_function.Function, "__call__"),
    (script_ops, "py_func_common"), (keras.Variable, "_initialize"),
    (resource_variable_ops.BaseResourceVariable, "__init__"), (keras.layers.Layer, "__call__"),
    (keras.layers.Layer, "__init__"), (ops.name_scope_v2, "__enter__"), (ops._EagerTensorBase, "numpy"),
    (ops._EagerTensorBase, "__array_function__"), (np, "asarray"), (np, "tanh"),
    (tf.nn, "softmax"), (ops._EagerTensorBase, "__float__"),
    *((tf.GradientTape, name) for name in ("__enter__", "__exit__", "watch", "gradient", "jacobian", "reset")),
]  # fmt: skip


def state():
    patched = [owner.__dict__.get(name) for owner, name in PATCHED]
    return patched, list(context.context().op_callbacks)


class Interrupted(BaseException):
    pass


@pytest.mark.parametrize("error", [None, ValueError("x"), KeyboardInterrupt(), Interrupted()])
def test_callback_and_patches_are_gone_after_the_block(error):
    before = state()
    w = tf.Variable([1.0, 2.0])
    try:
        with tapeviz.record(framework="tensorflow"), tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.exp(w * 2))
            tape.gradient(loss, w)
            if error is not None:
                raise error
    except (ValueError, KeyboardInterrupt, Interrupted):
        pass
    assert state() == before
    with tf.GradientTape() as tape:
        loss = w * 2
    assert tape.gradient(loss, w).numpy().tolist() == [2.0, 2.0]
    with tapeviz.record(framework="tensorflow") as recorded:
        w * 3
    assert list(recorded.ops.name) == ["multiply"]


def test_error_in_a_gradient_function_leaves_nothing():
    before = state()

    @tf.custom_gradient
    def refusing(x):
        def gradient(_upstream):
            raise Interrupted

        return tf.identity(x), gradient

    w = tf.Variable(1.0)
    with tapeviz.record(framework="tensorflow"):
        with tf.GradientTape() as tape:
            loss = refusing(w) * 2.0
        with pytest.raises(Interrupted):
            tape.gradient(loss, w)
    assert state() == before
    with tapeviz.record(framework="tensorflow") as recorded:
        with tf.GradientTape() as tape:
            loss = w * 2.0
        tape.gradient(loss, w)
    assert len(recorded.requests) == 1


def test_nothing_of_tensorflow_is_imported_for_tapeviz_itself():
    code = "import sys, tapeviz; tapeviz.record(); print('tensorflow' in sys.modules or 'keras' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert ran.stdout.strip() == "False"


def test_what_recording_costs_is_measured_without_being_recorded(tmp_path, monkeypatch):
    monkeypatch.setattr("tapeviz.adapters.tensorflow.FRAMEWORK._prices", {})
    with tapeviz.record(framework="tensorflow", values="all", save=tmp_path / "run.tape") as tape:
        tf.reduce_sum(tf.matmul(tf.ones((4, 3)), tf.ones((3, 2))))
    names = [tape.ops.name[op] for op in tape.events.op if op >= 0]
    assert names == ["fill", "fill", "matmul", "reduce_sum"]
    assert len(tapeviz.load(tmp_path / "run.tape").events) == len(tape.events)


def test_a_block_in_a_block_is_a_part_of_it():
    with tapeviz.record(framework="tensorflow") as outer:
        with tapeviz.record(framework="tensorflow", name="inner") as inner:
            tf.ones(2) * 2.0
        assert inner is outer
    assert "multiply" in outer.ops.name


@pytest.mark.parametrize("options", [{"mode": "eager"}, {"device": "cpu"}, {"values": "inputs"}])
def test_what_tensorflow_cannot_do_is_refused_with_the_reason(options):
    with pytest.raises(ValueError, match="does not go with framework='tensorflow'"):
        tapeviz.record(framework="tensorflow", **options)


def test_tape_does_not_run_again():
    with tapeviz.record(framework="tensorflow", values="all") as tape:
        tf.ones(2) * 2.0
    with pytest.raises(RuntimeError, match="tensorflow's ops do not run again"):
        tape.rerun()


@pytest.mark.parametrize("keep", ["first", "last"])
def test_what_is_beyond_the_most_ops_is_dropped_with_a_word(keep):
    w = tf.Variable([1.0, 2.0])
    with tapeviz.record(framework="tensorflow", max_ops=1_000, keep=keep) as tape:
        for _ in range(1_500):
            with tf.GradientTape() as inner:
                loss = tf.reduce_sum((w * 0.5) ** 2)
            w.assign_sub(0.1 * inner.gradient(loss, w))
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.ones(2) + tf.ones(3)
    assert ("truncated" if keep == "first" else "dropped") in tape.recording.meta_dict()
    assert len(tape.events) < 12_000
    assert "Incompatible shapes" in "".join(tape.recording.messages.text)


def test_wrt_gives_gradients_of_tensors_variables_and_layers():
    w, x, layer = tf.Variable([1.0, 1.0]), tf.constant([1.0, 2.0]), keras.layers.Dense(1)
    layer(tf.ones((1, 2)))
    with tapeviz.record(framework="tensorflow", wrt="w, x, layer") as tape:
        loss = tf.reduce_sum((w * x) ** 2) + tf.reduce_sum(layer(x[None]))
    assert tape.wrt["w"].numpy().tolist() == [2.0, 8.0]
    assert tape.wrt["layer"][0].numpy().tolist() == [[1.0], [2.0]]
    assert loss.shape == ()


def test_stop_ends_the_block_at_the_op():
    block = tapeviz.record(framework="tensorflow", stop="nan")
    with block:
        tf.math.log(tf.constant([-1.0]))
        raise AssertionError("the block went on")
    assert block.stopped.moment.op == "log"
    assert context.context().op_callbacks == []


def test_stop_in_a_backward_pass():
    w = tf.Variable(0.0)
    block = tapeviz.record(framework="tensorflow", stop="nan", values="none")
    with block:
        with tf.GradientTape() as tape:
            y = tf.sqrt(w * w)
        tape.gradient(y, w)
        raise AssertionError("the block went on")
    assert block.stopped.moment.phase == "backward"


def test_why_takes_tensors_and_variables():
    w, v = tf.Variable(1.0), tf.Variable(2.0)
    with tapeviz.record(framework="tensorflow") as tape:
        with tf.GradientTape() as inner:
            loss = tf.stop_gradient(w) * v
        inner.gradient(loss, [w, v])
    answer = tape.why(loss, w)
    assert answer.reason == "stop_gradient"
    assert answer.source == "w"
    assert tape.why(loss, v).reason is None


def test_variables_have_their_own_names():
    before = keras.Sequential([keras.layers.Dense(2, name="encoder")])
    before(tf.ones((1, 3)))
    with tapeviz.record(framework="tensorflow") as tape:
        after = keras.layers.Dense(1, name="head")
        scale = tf.Variable(2.0)
        with tf.GradientTape() as inner:
            loss = tf.reduce_sum(after(before(tf.ones((1, 3)))) * scale)
        inner.gradient(loss, [*before.trainable_variables, *after.trainable_variables, scale])
    names = set(tape.variables.name)
    assert {"head/kernel", "head/bias"} <= names
    assert sum(name.endswith("encoder/kernel") for name in names) == 1
    assert {"loss", "scale"} <= set(tape.names.name)


def test_layers_and_scopes_are_spans():
    with tapeviz.record(framework="tensorflow") as tape:
        model = keras.Sequential([keras.layers.Dense(2, name="first")], name="net")
        with tf.name_scope("loss"):
            tf.reduce_sum(model(tf.ones((1, 3))))
    text = "".join(tape.recording.strings.text)
    assert all(f'"name": "{name}"' in text for name in ("net", "first", "loss"))


def test_a_traced_function_is_recorded_op_by_op():
    traced = tf.function(lambda x: tf.sin(x * 2.0))
    traced(tf.constant(1.0))
    with tapeviz.record(framework="tensorflow") as tape:
        traced(tf.constant(1.0))
    assert {"multiply", "sin"} <= set(tape.ops.name)


def test_what_is_one_op_here_is_one_row():
    with tapeviz.record(framework="tensorflow") as tape:
        x = tf.ones((2, 3))
        tf.clip_by_value(tf.nn.softmax(x, axis=0), 0.1, 0.9)
    assert list(tape.ops.name) == ["fill", "softmax", "clip_by_value"]


def test_the_end_of_a_pipeline_is_no_failure():
    with tapeviz.record(framework="tensorflow") as tape:
        total = tf.add_n(list(tf.data.Dataset.range(3)))
    assert int(total) == 3
    assert len(tape.recording.messages) == 0


def test_a_layer_is_known_by_the_line_that_made_it():
    with tapeviz.record(framework="tensorflow") as tape:
        layer = keras.layers.Dense(1)
        layer.build((None, 2))
    spans = [text for text in tape.recording.strings.text if '"build"' in text]
    assert len(spans) == 1
    site = int(re.search(r'"made": (\d+)', spans[0])[1])
    assert "keras.layers.Dense(1)" in tape.recording.sites.text[site]


def test_fit_is_recorded_step_by_step():
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    with tapeviz.record(framework="tensorflow") as tape:
        model.fit(np.ones((8, 2), "f4"), np.ones((8, 1), "f4"), epochs=2, batch_size=4, verbose=0)
    assert len(set(tape.requests.event.tolist())) == 4
    assert "assign" in tape.ops.name


def test_fit_is_shown_while_it_runs_a_pass_a_step():
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    block = tapeviz.record(framework="tensorflow", live=True)
    with block:
        model.fit(np.ones((8, 2), "f4"), np.ones((8, 1), "f4"), epochs=2, batch_size=4, verbose=0)
    shown = block.live.payload()
    assert shown["progress"]["batch"] == 4
    assert shown["progress"]["state"] == "done"
    assert "gradient" in shown["quantities"]


def test_a_program_is_held_and_stopped_by_hand():
    block = tapeviz.record(framework="tensorflow", live=True)
    with pytest.raises(KeyboardInterrupt), block:  # noqa: PT012
        tf.ones(2) * 2.0
        block.live.controls.request("stop")
        tf.ones(2) * 3.0
        raise AssertionError("the program went on")
    assert block.live.payload()["progress"]["state"] == "stopped by hand"


def test_other_threads_are_left_alone():
    from threading import Thread

    def elsewhere():
        with tf.GradientTape() as tape:
            loss = w * tf.constant(7.0)
        found.append((tape.gradient(loss, w).numpy(), float(loss)))

    w, found = tf.Variable(2.0), []
    with tapeviz.record(framework="tensorflow") as recorded:
        thread = Thread(target=elsewhere)
        thread.start()
        thread.join()
        w * 3.0
    assert found == [(7.0, 14.0)]
    assert len(recorded.requests) == len(recorded.tapes) == 0
    assert list(recorded.ops.name) == ["multiply"]


def test_memory_stays_near_that_of_the_program():
    code = (
        "import resource, sys, tensorflow as tf, tapeviz\n"
        "weights = [tf.Variable(tf.random.normal((512, 512))) for _ in range(12)]\n"
        "x = tf.random.normal((4096, 512))\n"
        "def program():\n"
        "    for _ in range(3):\n"
        "        with tf.GradientTape() as tape:\n"
        "            h = x\n"
        "            for w in weights:\n"
        "                h = tf.nn.relu(h @ w)\n"
        "            loss = tf.reduce_mean(h)\n"
        "        tape.gradient(loss, weights)\n"
        "with tapeviz.record(framework='tensorflow', values='none'):\n"
        "    if sys.argv[1] == 'with':\n"
        "        program()\n"
        "if sys.argv[1] != 'with':\n"
        "    program()\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )

    def peak(way: str) -> int:
        """The least of two runs: what the allocator keeps differs from run to run."""
        runs = [subprocess.run([sys.executable, "-c", code, way], capture_output=True, check=True) for _ in range(2)]
        return min(int(run.stdout) for run in runs)

    assert peak("with") < 1.1 * peak("without")


def test_activations_die_as_they_do_without():
    import weakref

    w = tf.Variable([1.0, 2.0])
    with tapeviz.record(framework="tensorflow", values="none"):
        with tf.GradientTape() as tape:
            h = tf.exp(w)
            out = h * 2.0
        alive = weakref.ref(h)
        del h, out, tape
        assert alive() is None


@pytest.fixture
def shell():
    made = InteractiveShell()
    made.run_line_magic("load_ext", "tapeviz")
    yield made
    made.run_line_magic("unload_ext", "tapeviz")
    InteractiveShell.clear_instance()


def test_cell_is_seen_to_use_tensorflow(shell):
    shell.run_cell(
        "import tensorflow as tf\nw = tf.Variable([1.0, 2.0])\ndef f():\n    return tf.reduce_sum(tf.sin(w))"
    )
    assert shell.run_cell("%%tape -q --wrt w\nf()").success
    tape = shell.user_ns["_tape"]
    assert tape.recording.meta_dict()["framework"] == "tensorflow"
    assert np.allclose(tape.wrt["w"].numpy(), np.cos([1.0, 2.0]))


def test_cell_of_keras_alone_is_tensorflows(shell):
    shell.run_cell("import keras")
    assert shell.run_cell("%%tape -q\nkeras.ops.sin(keras.ops.ones(2))").success
    assert "sin" in shell.user_ns["_tape"].ops.name


@pytest.mark.parametrize("header", ["--mode graph", "--device gpu", "--compare graph", "--values inputs"])
def test_option_that_tensorflow_cannot_have_is_a_usage_error(shell, header, capsys):
    shell.run_cell("import tensorflow as tf")
    shell.run_cell(f"%%tape {header}\ntf.ones(2)")
    said = capsys.readouterr()
    assert "UsageError" in said.err + said.out
