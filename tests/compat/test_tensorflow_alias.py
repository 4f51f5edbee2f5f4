"""``import tensorflow`` that means tapeviz, each case in a process of its own, and its end."""

from __future__ import annotations

import subprocess
import sys

import pytest

import tapeviz

LIBRARY = """
def package(x):
    return type(x).__module__.partition(".")[0]
"""


def _run(code: str) -> str:
    command = [sys.executable, "-c", LIBRARY + code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr[-400:]


def test_imports_and_classes_are_of_tensorflow_until_undone():
    found = _run("""
import sys, tapeviz
alias = tapeviz.install_as_tensorflow()
import tensorflow as tf
import tensorflow.keras.layers as first
from tensorflow.keras import layers as second
from tensorflow.math import log
import keras
from keras.layers import Dense
from tensorflow.contrib.eager.python import tfe
variable, graph_tensors = tf.Variable(1.0), []
tf.function(graph_tensors.append)(variable)
print(keras is tf.keras, Dense is first.Dense, keras.__version__[0])
print(package(tf.constant(1.0)), package(variable), first is second is tapeviz.keras.layers, tf.__version__, alias)
print(tf.function(lambda x: package(x) == "tensorflow")(tf.constant(1.0)).numpy(), tfe is tf.contrib.eager)
alias.undo()
print(package(tf.constant(1.0)), [name for name in sys.modules if name.startswith(("tensorflow", "keras"))])
""")
    assert found.splitlines() == [
        "True True 3",
        "tensorflow tensorflow True 2.21.0 <tapeviz as TensorFlow, API level 2.21>",
        "True True",
        "tapeviz []",
    ]


def test_programs_of_tensorflow_1():
    found = _run("""
import tapeviz
tapeviz.install_as_tensorflow("1.15")
import tensorflow as tf
x = tf.placeholder(tf.float32)
from tensorflow.contrib.cudnn_rnn.python.layers import cudnn_rnn
from tensorflow.examples.tutorials.mnist import input_data
from tensorflow.python.client import device_lib
from tensorflow.python.ops import array_ops, nn_ops
print(cudnn_rnn is tf.contrib.cudnn_rnn, array_ops is tf.compat.v1, nn_ops.relu(1.0).shape)
print(device_lib.list_local_devices()[0].device_type, input_data.read_data_sets.__name__)
print(tf.__version__, tf.Session().run(2 * x, {x: 1.5}), tf.compat.v2.constant(1).numpy())
""")
    assert found.splitlines() == ["True True ()", "CPU read_data_sets", "1.15.0 3.0 1"]


def test_each_level_begins_as_its_tensorflow_does():
    found = _run("""
import tapeviz
alias = tapeviz.install_as_tensorflow("1.15")
import tensorflow as tf
shape = tf.placeholder(tf.float32, [None, 7]).get_shape()
print(shape[1].value, shape[1] * 2, shape[0], tf.executing_eagerly())
class Own(tf.keras.layers.Layer):
    def build(self, input_shape):
        self.kernel = self.add_variable("kernel", [input_shape[-1].value, 2])
    def call(self, x):
        return tf.matmul(x, self.kernel)
print(Own()(tf.ones([1, 3])).shape)
alias.undo()
print(type(tapeviz.zeros([2]).shape[0]).__name__)
""")
    assert found.splitlines() == ["7 14 None False", "(1, 2)", "int"]
    found = _run("""
import tapeviz
with tapeviz.install_as_tensorflow():
    import tensorflow.compat.v1 as tf
    print(tf.multiply(2.0, 3.0).numpy(), tf.executing_eagerly())
    tf.disable_v2_behavior()
    print(tf.placeholder(tf.float32).shape)
""")
    assert found.splitlines() == ["6.0 True", "<unknown>"]


def test_what_is_absent_says_what_to_do():
    with tapeviz.install_as_tensorflow():
        for module in ("tensorflow.python.framework.graph_io", "tensorflow.lite"):
            with pytest.raises(ModuleNotFoundError, match=module.rpartition(".")[0]):
                __import__(module)


def test_the_real_one_is_left_alone(monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorflow", sys)
    with pytest.raises(RuntimeError, match="framework='tensorflow'"):
        tapeviz.install_as_tensorflow()


def test_one_level_at_a_time():
    with pytest.raises(ValueError, match=r"2\.21, 1\.15"):
        tapeviz.install_as_tensorflow("3.0")
    with tapeviz.install_as_tensorflow() as alias:
        assert tapeviz.install_as_tensorflow() is alias
        with pytest.raises(RuntimeError, match="undo"):
            tapeviz.install_as_tensorflow("1.15")
    assert "tensorflow" not in sys.modules


def test_modules_of_tensorflows_own_have_what_its_first_eager_programs_take_from_them():
    found = _run("""
import os, tapeviz
tapeviz.install_as_tensorflow("1.15")
import tensorflow as tf
from tensorflow.contrib.eager.python import saver
from tensorflow.python.data import Dataset
from tensorflow.python.data.ops import dataset_ops
from tensorflow.python.eager import context, graph_callable, tape, test
from tensorflow.python.framework import sparse_tensor, test_util
from tensorflow.python.ops import resource_variable_ops
from tensorflow.python.summary.writer import writer
from tensorflow.python.training.checkpointable import util
assert saver.Saver is tf.contrib.eager.Saver
assert dataset_ops.Dataset is Dataset
assert resource_variable_ops.ResourceVariable is tf.Variable
assert writer.FileWriter is tf.summary.FileWriter
assert util.Checkpoint is tf.train.Checkpoint
assert sparse_tensor.SparseTensor is tf.SparseTensor
assert issubclass(test_util.TensorFlowTestCase, tf.test.TestCase)
assert os.path.isdir(tf.test.get_temp_dir())
class ATest(test_util.TensorFlowTestCase):
    @test_util.assert_no_garbage_created
    def test_it(self):
        x = tf.Variable(3.0)
        with tf.GradientTape() as seen, tape.stop_recording():
            y = x * x
        self.assertIsNone(seen.gradient(y, x))
        with context.graph_mode():
            self.assertFalse(tf.executing_eagerly())
        print("tested")
test.main()
""")
    assert "tested\n" in found
    assert "\nOK" in found, found


def test_layers_of_tensorflow_1_are_of_the_dtype_of_their_first_inputs():
    found = _run("""
import tapeviz
tapeviz.install_as_tensorflow("1.15")
import tensorflow as tf
tf.enable_eager_execution()
x = tf.zeros([1, 4], tf.float64)
class _Own(tf.keras.Model):
    def call(self, x):
        return tf.keras.layers.Activation("relu")(x)
assert _Own()(x).dtype is tf.float64
assert _Own().name.startswith("private__own"), _Own().name
dense = tf.keras.layers.Dense(2)
assert dense(x).dtype is tf.float64 and dense.kernel.dtype is tf.float64
assert tf.keras.layers.Dense(2, dtype="float32")(x).dtype is tf.float32
assert tf.keras.layers.BatchNormalization(fused=True)(x).dtype is tf.float64
print("all")
""")
    assert found == "all\n"


def test_scopes_of_its_own_modules_take_the_older_arguments():
    with tapeviz.install_as_tensorflow():
        from tensorflow.python.framework import ops

        with ops.name_scope(None, "Swish", [1.0]) as scope:
            assert scope == "Swish/"
        ops.reset_default_graph()
