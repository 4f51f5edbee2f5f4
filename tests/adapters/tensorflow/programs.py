"""Programs to be run with and without a recorder: each gives the tensors and arrays that have to agree."""

from __future__ import annotations

import numpy as np
import tensorflow as tf
from tensorflow import keras

layers = keras.layers


def _train(model, x, y, loss_of=None, optimizer=None, steps=3):
    loss_of = loss_of or keras.losses.MeanSquaredError()
    optimizer = optimizer or keras.optimizers.SGD(0.01)
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = loss_of(y, model(x, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return [loss, *gradients, *model.variables]


def _seeded(seed):
    keras.utils.set_random_seed(seed)


def _mlp(width, depth, activation):
    def program():
        _seeded(depth)
        model = keras.Sequential([*(layers.Dense(width, activation) for _ in range(depth)), layers.Dense(1)])
        return _train(model, tf.random.normal((8, width)), tf.random.normal((8, 1)))

    return program


def _optimizer(make, **options):
    def program():
        _seeded(1)
        model = keras.Sequential([layers.Dense(7, "tanh"), layers.Dense(1)])
        x, y = tf.random.normal((8, 5)), tf.random.normal((8, 1))
        return _train(model, x, y, optimizer=make(**options))

    return program


def _layered(*make, shape=(4, 8, 8, 3), classes=2):
    def program():
        _seeded(2)
        model = keras.Sequential([*(one() for one in make), layers.Flatten(), layers.Dense(classes)])
        loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        return _train(model, tf.random.normal(shape), tf.constant(np.arange(shape[0]) % classes), loss_of)

    return program


def _fitted(loss="mse", **options):
    def program():
        _seeded(3)
        model = keras.Sequential([layers.Dense(6, "relu"), layers.Dropout(0.1), layers.Dense(1)])
        model.compile("adam", loss, jit_compile=False, run_eagerly=True)
        rng = np.random.default_rng(0)
        x, y = rng.normal(size=(16, 4)).astype("f4"), rng.normal(size=(16, 1)).astype("f4")
        history = model.fit(x, y, epochs=2, batch_size=8, verbose=0, **options)
        return [*model.variables, np.array(history.history["loss"]), model.predict(x, verbose=0)]

    return program


def by_hand():
    _seeded(4)
    w, b = tf.Variable(tf.random.normal((3, 1))), tf.Variable(0.0)
    x, y = tf.random.normal((8, 3)), tf.random.normal((8, 1))
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ w + b - y) ** 2)
        dw, db = tape.gradient(loss, [w, b])
        w.assign_sub(0.1 * dw)
        b.assign(b - 0.1 * db)
    return [loss, dw, db, w, b]


def second_order():
    x = tf.Variable([0.5, 1.5])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(tf.sin(x) * x**2)
        first = inner.gradient(y, x)
        penalty = tf.reduce_sum(first**2)
    return [y, first, outer.gradient(penalty, x)]


def third_order():
    x = tf.Variable(1.5)
    with tf.GradientTape() as a:
        with tf.GradientTape() as b:
            with tf.GradientTape() as c:
                y = x**4
            first = c.gradient(y, x)
        second = b.gradient(first, x)
    return [y, first, second, a.gradient(second, x)]


def jacobians():
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape(persistent=True) as tape:
        y = tf.exp(x @ x)
    return [tape.jacobian(y, x), tape.gradient(y, x)]


def persistent():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x**2
        z = tf.reduce_sum(y**3)
    return [tape.gradient(z, x), tape.gradient(z, y), tape.gradient(y, x, output_gradients=tf.constant([2.0, 3.0]))]


def unconnected_zeros():
    x, y = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        z = x * 3.0
    return tape.gradient(z, [x, y], unconnected_gradients=tf.UnconnectedGradients.ZERO)


def stopped_and_reset():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
        tape.reset()
        z = x * x * x
        with tape.stop_recording():
            unseen = z * 2.0
        z = z + tf.stop_gradient(y)
    return [y, unseen, z, tape.gradient(z, x)]


def traced():
    w = tf.Variable([1.0, 2.0])

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((w * x) ** 2)
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    return [step(tf.constant([1.0, 3.0])), step(tf.constant([2.0, 1.0])), w]


def traced_control_flow():
    @tf.function
    def collatz(n):
        steps = tf.constant(0)
        while n > 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        return steps

    return [collatz(tf.constant(27))]


def concrete_function():
    w = tf.Variable(2.0)
    made = tf.function(lambda x: tf.sin(w * x)).get_concrete_function(tf.TensorSpec((), tf.float32))
    with tf.GradientTape() as tape:
        y = made(tf.constant(3.0))
    return [y, tape.gradient(y, w)]


def conditional():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.cond(x > 1.0, lambda: x**3, lambda: x)
        z = tf.while_loop(lambda i, _: i < 3, lambda i, v: (i + 1, v * x), (0, y))[1]
    return [z, tape.gradient(z, x)]


def gradients_of_ones_own():
    @tf.custom_gradient
    def clipped(x):
        return tf.identity(x), lambda upstream: tf.clip_by_value(upstream, -0.5, 0.5)

    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(clipped(x) ** 2)
    return [y, tape.gradient(y, x)]


def recomputed():
    w = tf.Variable(tf.ones((3, 3)) * 0.1)
    block = tf.recompute_grad(lambda x: tf.tanh(x @ w))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(block(tf.ones((2, 3))))
    return [y, tape.gradient(y, w)]


def gathered():
    table = tf.Variable(tf.reshape(tf.range(12.0), (4, 3)))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(table, [0, 2, 2]) ** 2)
    gradient = tape.gradient(y, table)
    optimizer = keras.optimizers.SGD(0.1)
    optimizer.apply_gradients([(gradient, table)])
    return [y, gradient.values, gradient.indices, table]


def reshaped():
    x = tf.Variable(tf.reshape(tf.range(24.0), (2, 3, 4)))
    with tf.GradientTape() as tape:
        y = tf.transpose(x, (2, 0, 1))
        y = tf.concat([y, y[:, ::-1]], axis=1)
        a, b = tf.split(y, 2, axis=1)
        y = tf.stack([a, tf.tile(b[:, :1], (1, 2, 1))])
        y = tf.reduce_sum(tf.pad(tf.squeeze(tf.expand_dims(y, 0)), [[0, 0], [1, 1], [0, 0], [0, 0]]) ** 2)
    return [y, tape.gradient(y, x)]


def reduced():
    x = tf.Variable([[1.0, -2.0], [3.0, 0.5]])
    with tf.GradientTape() as tape:
        y = tf.reduce_max(x, 0) + tf.reduce_mean(x, 1) + tf.reduce_prod(x) + tf.math.reduce_std(x) + tf.norm(x)
        y += tf.reduce_logsumexp(x, axis=0) + tf.cumsum(x, axis=1)[0] + tf.einsum("ij,ij->j", x, x)
    return [y, tape.gradient(y, x)]


def linear_algebra():
    a = tf.Variable([[4.0, 1.0], [1.0, 3.0]])
    with tf.GradientTape() as tape:
        y = tf.linalg.det(a) + tf.linalg.trace(tf.linalg.inv(a)) + tf.reduce_sum(tf.linalg.cholesky(a))
        y += tf.reduce_sum(tf.linalg.eigh(a)[0] ** 2) + tf.reduce_sum(tf.linalg.solve(a, tf.ones((2, 1))))
    return [y, tape.gradient(y, a)]


def masked_attention():
    _seeded(5)
    q, k, v = (tf.Variable(tf.random.normal((2, 4, 8))) for _ in range(3))
    with tf.GradientTape() as tape:
        scores = tf.matmul(q, k, transpose_b=True) / tf.sqrt(8.0)
        above = tf.linalg.band_part(tf.ones((4, 4)), 0, -1) - tf.eye(4) > 0
        y = tf.reduce_mean(tf.nn.softmax(tf.where(above, -1e9, scores)) @ v)
    return [y, *tape.gradient(y, [q, k, v])]


def transformer_block():
    _seeded(6)
    inputs = keras.Input((4, 8))
    x = layers.LayerNormalization()(inputs + layers.MultiHeadAttention(2, 4)(inputs, inputs))
    model = keras.Model(inputs, layers.Dense(1)(layers.Dropout(0.1)(x)))
    return _train(model, tf.random.normal((2, 4, 8)), tf.random.normal((2, 4, 1)))


def gan():
    _seeded(7)
    make, judge = keras.Sequential([layers.Dense(4, "relu"), layers.Dense(2)]), keras.Sequential([layers.Dense(1)])
    first, second = keras.optimizers.Adam(0.01), keras.optimizers.Adam(0.01)
    cross = keras.losses.BinaryCrossentropy(from_logits=True)
    for _ in range(2):
        real, noise = tf.random.normal((4, 2)), tf.random.normal((4, 3))
        with tf.GradientTape() as a, tf.GradientTape() as b:
            fake = make(noise)
            said = judge(fake)
            g = cross(tf.ones((4, 1)), said)
            d = cross(tf.ones((4, 1)), judge(real)) + cross(tf.zeros((4, 1)), said)
        first.apply_gradients(zip(a.gradient(g, make.trainable_variables), make.trainable_variables, strict=True))
        second.apply_gradients(zip(b.gradient(d, judge.trainable_variables), judge.trainable_variables, strict=True))
    return [g, d, *make.variables, *judge.variables]


def policy_gradient():
    _seeded(8)
    model = keras.Sequential([layers.Dense(2)])
    states = tf.random.normal((6, 3))
    model(states)
    with tf.GradientTape() as tape:
        logits = model(states)
        actions = tf.random.categorical(tf.stop_gradient(logits), 1)[:, 0]
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(actions, logits))
    return [actions, loss, *tape.gradient(loss, model.trainable_variables)]


def fast_gradient_sign():
    _seeded(9)
    model, x = keras.Sequential([layers.Dense(3)]), tf.random.normal((2, 4))
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(model(x) ** 2)
    return [x + 0.1 * tf.sign(tape.gradient(loss, x))]


def mixed_precision():
    _seeded(10)
    keras.mixed_precision.set_global_policy("mixed_bfloat16")
    try:
        model = keras.Sequential([layers.Dense(4, "relu"), layers.Dense(1, dtype="float32")])
        return _train(model, tf.random.normal((4, 3)), tf.random.normal((4, 1)))
    finally:
        keras.mixed_precision.set_global_policy("float32")


def data_pipeline():
    _seeded(11)
    data = tf.data.Dataset.range(12).map(lambda i: tf.cast(i, tf.float32) / 12).shuffle(12, seed=1).batch(4)
    w = tf.Variable(1.0)
    for batch in data:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((w * batch - 2 * batch) ** 2)
        w.assign_sub(tape.gradient(loss, w))
    return [w, loss]


def random_numbers():
    _seeded(12)
    made = tf.random.Generator.from_seed(3)
    noise = layers.GaussianNoise(0.1)
    x = tf.random.uniform((3,)) + tf.random.truncated_normal((3,)) + made.normal((3,))
    return [x, noise(x, training=True), tf.random.shuffle(tf.range(5)), tf.random.stateless_uniform((2,), (1, 2))]


def numpy_between():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * 2
        lost = tf.constant(np.mean(y.numpy()) + np.sum(y) + float(y[0]))
        z = tf.reduce_sum(y) * lost
    return [lost, z, tape.gradient(z, x), np.concatenate([y, y]), np.array([1.0, 2.0]) * y, np.stack([y, x.numpy()])]


def numpy_function():
    x = tf.Variable([3.0, 1.0, 2.0])
    with tf.GradientTape() as tape:
        ranks = tf.numpy_function(lambda a: a.argsort().astype("f4"), [tf.convert_to_tensor(x)], tf.float32)
        y = tf.reduce_sum(ranks * x)
    return [ranks, y, tape.gradient(y, x)]


def scopes_and_modules():
    class Affine(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable([[2.0]], name="w")

        def __call__(self, x):
            with tf.name_scope("affine"):
                return x @ self.w

    module = Affine()
    with tf.GradientTape() as tape:
        y = module(tf.ones((1, 1)))
    return [y, *tape.gradient(y, module.trainable_variables)]


def moving_averages():
    _seeded(13)
    model = keras.Sequential([layers.Dense(4), layers.BatchNormalization(), layers.Dense(1)])
    made = _train(model, tf.random.normal((8, 3)), tf.random.normal((8, 1)))
    return [*made, model(tf.ones((2, 3)), training=False)]


def scattered_writes():
    v = tf.Variable(tf.zeros((4, 2)))
    v.scatter_nd_update([[1], [3]], [[1.0, 2.0], [3.0, 4.0]])
    v[0].assign([5.0, 6.0])
    v.assign_add(tf.ones((4, 2)))
    return [v, tf.reduce_sum(v)]


def strings_and_ragged():
    words = tf.strings.split(["a b c", "d"])
    return [
        words.row_lengths(),
        tf.strings.length(tf.constant(["abc", "de"])),
        tf.ragged.constant([[1, 2], [3]]).values,
    ]


def ragged():
    values = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(values)
        y = tf.reduce_sum(tf.RaggedTensor.from_row_lengths(values, [2, 1]) ** 2)
    return [y, tape.gradient(y, values)]


def sparse():
    matrix, w = tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]]), tf.Variable(tf.ones((2, 2)))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.sparse.sparse_dense_matmul(matrix, w))
    return [y, tape.gradient(y, w)]


def forward_mode():
    x = tf.Variable(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
        y = x * tf.sin(x)
    return [y, accumulator.jvp(y)]


def tensor_array():
    x, array = tf.Variable(2.0), tf.TensorArray(tf.float32, 3)
    with tf.GradientTape() as tape:
        for i in range(3):
            array = array.write(i, x * float(i))
        y = tf.reduce_sum(array.stack())
    return [y, tape.gradient(y, x)]


def mapped():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.map_fn(lambda v: v * v, x) + tf.scan(lambda a, v: a + v, x) + tf.vectorized_map(tf.sin, x)
    return [y, tape.gradient(y, x)]


def metrics():
    right, area = keras.metrics.Accuracy(), keras.metrics.AUC()
    right.update_state([1, 2], [1, 3])
    area.update_state([0, 1], [0.2, 0.7])
    return [right.result(), area.result()]


def python_function():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.py_function(lambda a: a * a, [x], tf.float32)
    return [y, tape.gradient(y, x)]


def mirrored():
    _seeded(14)
    with tf.distribute.MirroredStrategy(["CPU:0"]).scope():
        model = keras.Sequential([layers.Dense(1)])
        model.compile("sgd", "mse", jit_compile=False)
    model.fit(np.ones((4, 2), "f4"), np.ones((4, 1), "f4"), verbose=0)
    return model.get_weights()


def composites():
    x = tf.Variable([[1.0, 2.0, 3.0]])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as tape:
            a = x * 1.0
            p = tf.nn.softmax(a, axis=0) + tf.clip_by_value(a, 0.5, 2.5) + tf.nn.log_softmax(a)
            y = tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(np.ones((1, 3), "f4"), p))
        first = tape.gradient(y, x)
    return [p, y, first, outer.gradient(first, x)]


def hessian():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(x**3)
        first = inner.gradient(y, x)
    return [first, outer.jacobian(first, x)]


def graph_of_a_session():
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32)
        y = x * 2
        with tf.compat.v1.Session() as session:
            given = session.run(y, {x: 1.0})
    return [given, tf.constant(given) * 3.0]


OPTIMIZERS = {
    "sgd_momentum": (keras.optimizers.SGD, {"learning_rate": 0.01, "momentum": 0.9}),
    "rmsprop": (keras.optimizers.RMSprop, {}),
    "adam": (keras.optimizers.Adam, {}),
    "adamw": (keras.optimizers.AdamW, {}),
    "adagrad": (keras.optimizers.Adagrad, {}),
    "ftrl": (keras.optimizers.Ftrl, {}),
    "clipped": (keras.optimizers.Adam, {"clipnorm": 0.5}),
    "decayed": (keras.optimizers.SGD, {"learning_rate": keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5)}),
}
LAYERED = {
    "conv": [lambda: layers.Conv2D(4, 3, activation="relu"), layers.MaxPooling2D],
    "conv_norm": [
        lambda: layers.Conv2D(4, 3),
        layers.BatchNormalization,
        layers.ReLU,
        lambda: layers.AveragePooling2D(2),
    ],
    "depthwise": [lambda: layers.DepthwiseConv2D(3), lambda: layers.Conv2DTranspose(2, 3)],
    "dropout": [layers.Flatten, lambda: layers.Dense(6, "gelu"), lambda: layers.Dropout(0.3)],
}
RECURRENT = {"lstm": layers.LSTM, "gru": layers.GRU, "simple_rnn": layers.SimpleRNN}
PROGRAMS = {
    **{f"mlp_{a}_{d}": _mlp(6, d, a) for a in ("relu", "tanh", "sigmoid", "elu", "selu", "softplus") for d in (1, 3)},
    **{name: _optimizer(make, **options) for name, (make, options) in OPTIMIZERS.items()},
    **{name: _layered(*make) for name, make in LAYERED.items()},
    **{name: _layered(lambda make=make: make(4), shape=(4, 5, 3)) for name, make in RECURRENT.items()},
    "fitted": _fitted(),
    "fitted_and_validated": _fitted(validation_split=0.25),
    **{
        program.__name__: program for program in (
            by_hand, second_order, third_order, jacobians, persistent, unconnected_zeros, stopped_and_reset, traced,
            traced_control_flow, concrete_function, conditional, gradients_of_ones_own, recomputed, gathered, reshaped,
            reduced, linear_algebra, masked_attention, transformer_block, gan, policy_gradient, fast_gradient_sign,
            mixed_precision, data_pipeline, random_numbers, numpy_between, numpy_function, scopes_and_modules,
            moving_averages, scattered_writes, strings_and_ragged, ragged, sparse, forward_mode, tensor_array, mapped,
            metrics, python_function, mirrored, composites, hessian, graph_of_a_session,
        )
    },
}  # fmt: skip
