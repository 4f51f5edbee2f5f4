"""What type checkers know of programs with tapeviz. Not run: mypy and pyright read it, in `test_surface.py`.

`assert_type` says what something is. A line with `type: ignore` is a mistake that a checker finds; where it finds none,
it complains of the comment.
"""

from typing import Any, assert_type

import numpy as np

import tapeviz as tf
import tapeviz.compat.v1 as tf1
from tapeviz.analysis.nonfinite.origins import NonFinites
from tapeviz.analysis.query.query import Selection
from tapeviz.analysis.verdicts import Verdicts
from tapeviz.analysis.why.explanation import Answer, Answers
from tapeviz.engine.tape import Gradient
from tapeviz.engine.tensor import EagerTensor
from tapeviz.functions.retraces import Retraces
from tapeviz.keras.callbacks.history import History
from tapeviz.losses import MeanSquaredError
from tapeviz.nn.experimental import stateless_dropout
from tapeviz.recording.tables import TableView
from tapeviz.tape.diff import Diff
from tapeviz.tape.tape import Plots

# Tensors.
x = tf.constant([1.0, 2.0])
assert_type(x, EagerTensor)
assert_type(x + 1, tf.Tensor)
assert_type(2.0 * x, tf.Tensor)
assert_type(-x @ x, tf.Tensor)
assert_type(x > 1.0, tf.Tensor)
assert_type(x[0], tf.Tensor)
assert_type(list(x), list[tf.Tensor])
assert_type(x.shape, tf.TensorShape)
assert_type(x.dtype, tf.DType)
assert_type(tf.float32, tf.DType)
assert_type(tf.dtypes.bool, tf.DType)
assert_type(float(x[0]), float)
assert_type(tf.newaxis, None)
tf.constnat(1.0)  # type: ignore
x.reshape([2, 1])  # type: ignore

# The functions of ops, and those made of them.
assert_type(tf.exp(x), tf.Tensor)
assert_type(tf.math.exp([1.0, 2.0], name="e"), tf.Tensor)
assert_type(tf.add(np.ones(2), 1), tf.Tensor)
assert_type(tf.nn.relu(x), tf.Tensor)
assert_type(tf.reduce_sum(x, axis=0, keepdims=True), tf.Tensor)
assert_type(tf.linalg.matmul(x, x, transpose_a=True), tf.Tensor)
assert_type(tf.random.normal([2, 3], dtype=tf.float64), tf.Tensor)
assert_type(tf.cast(x, tf.int32), tf.Tensor)
assert_type(tf.split(x, 2), list[tf.Tensor])
assert_type(tf.nn.moments(x, [0]), tuple[tf.Tensor, tf.Tensor])
assert_type(tf.clip_by_global_norm([x], 1.0), tuple[list[Gradient], tf.Tensor])
assert_type(stateless_dropout(x, 0.5, [1, 2]), tf.Tensor)
tf.exp()  # type: ignore
tf.exp(None)  # type: ignore
tf.exp(x, nmae="e")  # type: ignore
tf.exp(x, name=1)  # type: ignore
tf.reduce_sum(x, keepdims="yes")  # type: ignore
tf.cast(x, 3)  # type: ignore
tf.nn.experimental.stateless_dropuot(x, 0.5, [1, 2])  # type: ignore

# Variables.
v = tf.Variable([1.0, 2.0], name="v")
assert_type(v, tf.Variable)
assert_type(v * v, tf.Tensor)
assert_type(v.shape, tf.TensorShape)
assert_type(tf.reduce_sum(v), tf.Tensor)
tf.Variable([1.0], trainabel=False)  # type: ignore

# Gradients, in the structure of their sources.
with tf.GradientTape(persistent=True) as tape:
    loss = tf.reduce_sum(v * v)
assert_type(tape, tf.GradientTape)
assert_type(tape.gradient(loss, v), Gradient)
assert_type(tape.gradient(loss, [v, v]), list[Gradient])
assert_type(tape.gradient(loss, (v, x)), tuple[Gradient, ...])
assert_type(tape.gradient(loss, {"v": v}), dict[str, Gradient])
assert_type(tape.gradient(loss, [[v], {"v": v}]), Any)
assert_type(tape.watched_variables(), tuple[tf.Variable, ...])
tape.gradient(loss, v).numpy()  # type: ignore
tape.gradeint(loss, v)  # type: ignore
tf.GradientTape(persistant=True)  # type: ignore


# Traced functions keep the signatures of what they trace.
@tf.function
def scaled(tensor: tf.Tensor, times: int = 2) -> tf.Tensor:
    return tensor * times


@tf.function(jit_compile=True)
def both(tensor: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    return tensor, tensor


class Scale(tf.Module):
    @tf.function
    def apply(self, tensor: tf.Tensor) -> tf.Tensor:
        return tensor


assert_type(scaled(x, times=3), tf.Tensor)
assert_type(both(x), tuple[tf.Tensor, tf.Tensor])
assert_type(Scale().apply(x), tf.Tensor)
assert_type(tf.retraces(scaled), Retraces)
scaled("x")  # type: ignore
scaled(x, tiems=3)  # type: ignore
both(x, x)  # type: ignore
Scale().apply(x, x)  # type: ignore
tf.function(scaled, jit_compiel=True)  # type: ignore

# Layers, models, data.
dense = tf.keras.layers.Dense(3, activation="relu")
assert_type(dense, tf.keras.layers.Dense)
assert_type(dense.units, int)
model = tf.keras.Sequential([dense])
model.compile(optimizer=tf.keras.optimizers.Adam(1e-3), loss=MeanSquaredError())
assert_type(model.fit(x, x, epochs=2, verbose=0), History)
assert_type(tf.data.Dataset.range(3).map(lambda n: n).batch(2), tf.data.Dataset)
assert_type(tf.losses.MeanSquaredError(), MeanSquaredError)
tf.keras.layers.Dnese(3)  # type: ignore
tf.keras.layers.Dense(unitz=3)  # type: ignore
model.fit(x, x, epcohs=2)  # type: ignore
tf.data.Dataset.range(3).btach(2)  # type: ignore

# Recordings, and what they are asked.
with tf.record(values="all", budget="64M") as run:
    tf.exp(x)
assert_type(run, tf.Tape)
assert_type(run.ops, TableView)
assert_type(run.query("op:exp"), Selection)
assert_type(run.why(loss, v), Answer | Answers)
assert_type(run.verdicts(), Verdicts)
assert_type(run.nonfinite(), NonFinites)
assert_type(run.plot, Plots)
assert_type(tf.diff(run, run), Diff)
assert_type(tf.load("run.tape"), tf.Tape)
tf.record(vaules="all")  # type: ignore
tf.recrod()  # type: ignore
run.verdcits()  # type: ignore

# TensorFlow 1's namespace: arguments have their old names too.
assert_type(tf1.Session(), tf1.Session)
assert_type(tf1.nn.relu(x), tf.Tensor)
tf1.reduce_sum(x, reduction_indices=0)
tf1.plcaeholder(tf.float32)  # type: ignore
