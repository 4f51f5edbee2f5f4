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
assert_type(dense(x), tf.Tensor)
assert_type(tf.keras.layers.Conv2D(8, 3)(x), tf.Tensor)
assert_type(tf.keras.layers.Dropout(0.5)(x, training=True), tf.Tensor)
assert_type(tf.keras.layers.Add()([x, x]), tf.Tensor)
assert_type(tf.keras.layers.LSTM(3, return_state=True)(x), Any)
assert_type(dense.weights, list[tf.Variable])
assert_type(dense.add_weight(shape=(2,)), tf.Variable)
assert_type(model(x, training=True), tf.Tensor)
assert_type(model.layers[0](x), Any)
assert_type(model.fit(x, x, epochs=2, verbose=0), History)
assert_type(model.evaluate(x, x, return_dict=True), dict[str, Any])
assert_type(model.evaluate(x, x), Any)
assert_type(model.train_on_batch(x, x, return_dict=True), dict[str, Any])
assert_type(model.predict(x), np.ndarray)
assert_type(model.predict_on_batch(x), np.ndarray)
functional = tf.keras.Model(x, x)
assert_type(functional(x), Any)
assert_type(functional.predict(x), Any)
tf.keras.layers.Dnese(3)  # type: ignore
tf.keras.layers.Dense(unitz=3)  # type: ignore
dense(x).nmupy()  # type: ignore
dense.add_weight(shape=(2,)).asign(x)  # type: ignore
model.fit(x, x, epcohs=2)  # type: ignore
model.evaluate(x, x, retrun_dict=True)  # type: ignore
model.predict(x, batch_size="all")  # type: ignore


# Layers, models and metrics of one's own give what they say, and take what they say.
class Pair(tf.keras.layers.Layer):
    def call(self, first: tf.Tensor, second: tf.Tensor, *, swap: bool = False) -> tuple[tf.Tensor, tf.Tensor]:
        return (second, first) if swap else (first, second)


class Traced(tf.keras.Model):
    @tf.function
    def call(self, inputs: tf.Tensor) -> dict[str, tf.Tensor]:  # pyright: ignore - it wants a method in place of one
        return {"all": inputs}

    def predict(self, x: Any) -> dict[str, np.ndarray]:  # type: ignore
        return {"all": np.asarray(x)}


class Said(tf.keras.layers.Layer):
    def call(self, inputs: Any) -> Any:
        return {"all": inputs}


class Largest(tf.keras.metrics.Metric):
    def update_state(self, values: tf.Tensor, *, times: int = 1) -> None: ...
    def result(self) -> dict[str, tf.Tensor]:
        return {}


class Squared(tf.keras.losses.Loss):
    def call(self, y_true: tf.Tensor, y_pred: tf.Tensor) -> tf.Tensor:
        return (y_true - y_pred) ** 2


assert_type(Pair()(x, x, swap=True), tuple[tf.Tensor, tf.Tensor])
assert_type(Traced()(x), dict[str, tf.Tensor])
Said()(x)["all"]
assert_type(Largest()(x, times=2), dict[str, tf.Tensor])
assert_type(Squared()(x, x), tf.Tensor)
layers: list[tf.keras.layers.Layer] = [dense, Pair(), Said()]
Largest()(x, tiems=2)  # type: ignore
Largest()()  # type: ignore

# Losses, metrics, optimizers.
assert_type(tf.losses.MeanSquaredError(), MeanSquaredError)
assert_type(tf.losses.MeanSquaredError()(x, [1.0, 2.0], sample_weight=np.ones(2)), tf.Tensor)
assert_type(tf.losses.Huber()({"a": x}, {"a": x}), tf.Tensor)
assert_type(tf.metrics.Mean()(x), tf.Tensor)
assert_type(tf.metrics.AUC()(x, x, sample_weight=x), tf.Tensor)
assert_type(tf.metrics.Accuracy().result(), tf.Tensor)
assert_type(tf.metrics.Mean().total, tf.Variable)
optimizer = tf.optimizers.Adam(1e-3)
assert_type(optimizer.apply_gradients(zip(tape.gradient(loss, [v]), [v], strict=True)), tf.Variable)
assert_type(optimizer.apply_gradients([(np.ones(2), v), (None, v)]), tf.Variable)
assert_type(optimizer.minimize(lambda: v * v, [v]), tf.Variable)
assert_type(optimizer.minimize(loss, model.trainable_variables, tape=tape), tf.Variable)
tf.losses.MeanSquaredError()(x)  # type: ignore
tf.losses.MeanSquaredError()(None, x)  # type: ignore
tf.losses.MeanSquaredError()(x, x, weights=x)  # type: ignore
tf.metrics.Mean()(x, x, x)  # type: ignore
tf.metrics.AUC()(x, x, smaple_weight=x)  # type: ignore
optimizer.apply_gradients([v])  # type: ignore
optimizer.apply_gradients([(v, "v")])  # type: ignore
optimizer.minimize(lambda: v * v, v)  # type: ignore
optimizer.minimize(lambda: v * v, [v], tpae=tape)  # type: ignore

# Data.
data = tf.data.Dataset.range(3)
assert_type(data.map(lambda n: n).batch(2), tf.data.Dataset)
assert_type(data.shuffle(3).repeat().take(2).prefetch(tf.data.AUTOTUNE), tf.data.Dataset)
assert_type(data.with_options(tf.data.Options()).concatenate(data), tf.data.Dataset)
assert_type(tf.data.Dataset.zip(data, data).apply(lambda both: both.skip(1)), tf.data.Dataset)
assert_type(data.cardinality(), tf.Tensor)
assert_type(data.reduce(0, lambda total, n: total + n), tf.Tensor)
assert_type(data.reduce({"sum": 0}, lambda total, n: total), Any)
for element in data:
    assert_type(element, Any)
iterator = iter(data)
assert_type(iterator.get_next(), Any)
data.btach(2)  # type: ignore
data.batch("2")  # type: ignore
data.concatenate([1, 2])  # type: ignore
data.cardinality().nmupy()  # type: ignore

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
assert_type(tf1.reduce_sum(x, axis=0, keep_dims=True), tf.Tensor)
assert_type(tf1.reduce_sum(x, reduction_indices=0), tf.Tensor)
assert_type(tf1.math.argmax(x, dimension=0), tf.Tensor)
assert_type(tf1.concat([x, x], 0), tf.Tensor)
assert_type(tf1.concat([x, x], concat_dim=0), tf.Tensor)
assert_type(tf1.nn.conv2d(x, filter=x, strides=[1, 1, 1, 1], padding="SAME"), tf.Tensor)
assert_type(tf1.nn.moments(x, [0], keep_dims=True), tuple[tf.Tensor, tf.Tensor])
assert_type(tf1.nn.dropout(x, keep_prob=0.5), tf.Tensor)
assert_type(tf1.where(x > 0, x, -x), tf.Tensor)
assert_type(tf1.while_loop(lambda n: n < 3, lambda n: n + 1, [x]), Any)
assert_type(tf1.to_float(x, name="f"), tf.Tensor)
assert_type(tf1.div(x, 2), tf.Tensor)
assert_type(tf1.layers.dense(x, 3, activation=tf1.nn.relu, name="d"), tf.Tensor)
assert_type(tf1.losses.mean_squared_error(x, x, weights=2.0), tf.Tensor)
tf1.plcaeholder(tf.float32)  # type: ignore
tf1.reduce_sum(x, reduction_indexes=0)  # type: ignore
tf1.concat([x, x])  # type: ignore
tf1.concat([x, x], 0, concat_dim=0)  # type: ignore
tf1.nn.conv2d(x, fliter=x, strides=1, padding="SAME")  # type: ignore
tf1.nn.dropout(x, keep_porb=0.5)  # type: ignore
tf1.to_float(x, dtype=tf.float32)  # type: ignore
tf1.layers.dense(x, untis=3)  # type: ignore
tf1.losses.mean_squared_error(x, x, weigths=2.0)  # type: ignore
tf1.set_random_seed()  # type: ignore
