"""Mistakes that raise no error, each in several guises, and what looks like them and is as it should be."""

import pytest

from tests.analysis.cells import record_cell

DATA = """
rng = np.random.default_rng(0)
n = 6
x = tf.constant(rng.normal(size=(n, 4)), tf.float32)
w = tf.Variable(rng.normal(size=(4, 1)) * 0.3, dtype=tf.float32, name="w")
wide = tf.Variable(rng.normal(size=(4, 3)) * 0.3, dtype=tf.float32, name="wide")
y = tf.constant(rng.normal(size=n), tf.float32)
column = tf.constant(rng.normal(size=(n, 1)), tf.float32)
classes = tf.constant(rng.integers(0, 3, n))
ids = tf.constant([[5, 3, 0, 0], [2, 7, 9, 1], [4, 0, 0, 0]])
hidden = tf.constant(rng.normal(size=(3, 4, 2)), tf.float32)
heads = tf.constant(rng.normal(size=(2, 3, 5, 4)), tf.float32)
"""


def grave(code):
    tape, _ = record_cell(code, DATA)
    return {(verdict.kind, verdict.site.line) for verdict in tape.verdicts() if verdict.severity > 1}


BROADCASTS = [
    "loss = tf.reduce_mean((x @ w - y) ** 2)",
    "loss = tf.reduce_mean(tf.square(y - x @ w))",
    "loss = tf.reduce_sum(tf.abs(tf.sigmoid(x @ w) - y))",
    "loss = tf.reduce_mean(tf.math.squared_difference(y, x @ w))",
    "right = tf.reduce_mean(tf.cast(tf.equal(tf.cast(x @ w > 0, tf.float32), y), tf.float32))",
    "loss = tf.reduce_mean(y * tf.nn.log_softmax(x @ wide)[:, :1])",
    "loss = tf.reduce_mean(tf.maximum(0.0, 1.0 - y * (x @ w)))",
    "loss = tf.reduce_mean(tf.where(y > 0, tf.math.softplus(x @ w), 0.0))",
    "loss = tf.reduce_mean(tf.squeeze(x @ w) - column)",
    "loss = tf.sqrt(tf.reduce_mean(tf.reduce_mean((x @ w - y) ** 2, axis=1)))",
    "loss = tf.reduce_mean((x @ w - x @ wide) ** 2)",
]


@pytest.mark.parametrize("code", BROADCASTS)
def test_a_column_over_a_vector(code):
    assert grave(code) == {("broadcast", 1)}


PAIRS = [
    "loss = tf.reduce_mean((x @ w - y[:, None]) ** 2)",
    "loss = tf.reduce_mean((tf.squeeze(x @ w, -1) - y) ** 2)",
    "distances = tf.reduce_mean((y[:, None] - y) ** 2)",
    "grid = tf.reduce_sum(tf.range(3.0)[:, None] * tf.range(3.0))",
    "same = tf.reduce_sum(tf.cast(tf.equal(classes[:, None], classes), tf.float32))",
    "centred = tf.reduce_mean((x - tf.reduce_mean(x, axis=1, keepdims=True)) ** 2)",
    "shares = tf.reduce_sum(tf.exp(x) / tf.reduce_sum(tf.exp(x), axis=1, keepdims=True))",
    "rows = tf.reduce_sum(x * x, axis=1)\ncols = rows[:, None]\nz = tf.reduce_mean(cols + rows - x @ tf.transpose(x))",
    "a = tf.norm(x, axis=1, keepdims=True)\nb = tf.norm(x, axis=1)\nz = tf.reduce_mean(a + b - x @ tf.transpose(x))",
    "rows = tf.Variable(column)\ncols = tf.Variable(y)\nrating = tf.reduce_sum(rows + cols)",
    "scaled = tf.reduce_mean(x * column)",
    "mask = tf.sequence_mask([1, 3, 2], 3, dtype=tf.float32)\ntotal = tf.reduce_sum(mask)",
    "angle = tf.reduce_sum(tf.sin(tf.range(4.0)[:, None] / 10.0 ** (tf.range(4.0) / 4.0)))",
]


@pytest.mark.parametrize("code", PAIRS)
def test_pairs_that_are_meant(code):
    assert grave(code) == set()


SOFTMAXES = [
    "tf.nn.sparse_softmax_cross_entropy_with_logits(labels=classes, logits=tf.nn.softmax(x @ wide))",
    "tf.nn.softmax(tf.nn.softmax(x @ wide))",
    "tf.nn.log_softmax(tf.reshape(tf.nn.softmax(x @ wide), [6, 3]))",
    "tf.nn.sigmoid_cross_entropy_with_logits(labels=column * 0 + 1, logits=tf.sigmoid(x @ w))",
    "tf.random.categorical(tf.nn.softmax(x @ wide), 2)",
    "tf.nn.softmax(x @ w)",
    "tf.nn.softmax(x @ wide, axis=0)",
    "tf.matmul(tf.nn.softmax(tf.matmul(x, x, transpose_b=True), axis=0), x)",
    "tf.einsum('bij,bjd->bid', tf.nn.softmax(tf.einsum('bid,bjd->bij', hidden, hidden), axis=1), hidden)",
    "tf.keras.losses.sparse_categorical_crossentropy(classes, x @ wide)",
    "tf.keras.losses.binary_crossentropy(column * 0 + 1, 4 * x @ w)",
    "tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)(classes, tf.nn.softmax(x @ wide))",
]


@pytest.mark.parametrize("code", SOFTMAXES)
def test_a_softmax_too_many_or_along_the_wrong_axis(code):
    assert grave(f"z = {code}") == {("softmax", 1)}


SOUND = [
    "tf.nn.sparse_softmax_cross_entropy_with_logits(labels=classes, logits=x @ wide)",
    "tf.nn.softmax_cross_entropy_with_logits(labels=tf.nn.softmax(x @ wide * 2), logits=x @ wide)",
    "tf.random.categorical(tf.math.log(tf.nn.softmax(x @ wide)), 2)",
    "tf.nn.softmax(x @ wide)",
    "tf.nn.softmax(tf.matmul(hidden[:, :1], hidden[:, :1], transpose_b=True))",
    "tf.matmul(tf.nn.softmax(tf.matmul(x, x, transpose_b=True)), x)",
    "tf.einsum('bij,bjd->bid', tf.nn.softmax(tf.einsum('bid,bjd->bij', hidden, hidden)), hidden)",
    "tf.keras.losses.sparse_categorical_crossentropy(classes, tf.nn.softmax(x @ wide))",
    "tf.keras.losses.binary_crossentropy(column * 0 + 1, tf.sigmoid(4 * x @ w))",
    "tf.clip_by_value(x @ w, 1e-7, 1e7)",
    "tf.reduce_sum(tf.nn.softmax(tf.squeeze(x @ w, -1))[:, None] * x, axis=0)",
]


@pytest.mark.parametrize("code", SOUND)
def test_a_softmax_where_one_is_needed(code):
    assert grave(f"z = {code}") == set()


RESHAPES = [
    "z = tf.reshape(x, [4, 6])",
    "z = tf.reshape(heads, [2, 5, 3, 4])",
    "z = tf.reshape(heads, [2, 5, 12])",
    "z = tf.reshape(hidden, [2, 3, 4])",
    "z = tf.reshape(tf.reshape(heads, [2, 3, 20]), [2, 20, 3])",
    "z = tf.reshape(x, [2, 2, 6])",
]


@pytest.mark.parametrize("code", RESHAPES)
def test_a_reshape_for_a_transpose(code):
    assert grave(code) == {("reshape_for_transpose", 1)}


REGROUPED = [
    "z = tf.reshape(x, [24])",
    "z = tf.reshape(x, [2, 3, 4])",
    "z = tf.reshape(tf.transpose(heads, [0, 2, 1, 3]), [2, 5, 12])",
    "z = tf.transpose(tf.reshape(x, [6, 2, 2]), [1, 0, 2])",
    "z = tf.reshape(column, [1, 6])",
    "z = tf.reshape(tf.range(24), [4, 6])",
    "z = tf.reshape(tf.zeros([4, 6]), [6, 4])",
    "z = tf.reshape(x, [8, 3])",
    "z = tf.reshape(hidden, [3, 8])",
    "z = tf.reshape(tf.random.normal([4, 6]), [6, 4])",
]


@pytest.mark.parametrize("code", REGROUPED)
def test_a_reshape_that_merges_or_splits(code):
    assert grave(code) == set()


MASK = "mask = tf.cast(tf.not_equal(ids, 0), tf.float32)\n"
PADDED = [
    MASK + "z = tf.reduce_mean(hidden * mask[:, :, None], axis=1)",
    MASK + "z = tf.reduce_mean(tf.reduce_sum(hidden, axis=-1) * mask)",
    "mask = 0\nz = tf.reduce_mean(tf.reduce_sum(hidden, -1) * tf.sequence_mask([2, 4, 1], 4, dtype=tf.float32))",
    "mask = tf.cast(tf.math.logical_not(tf.equal(ids, 0)), tf.float32)\nz = tf.reduce_mean(hidden[..., 0] * mask)",
    "mask = tf.constant([[1.0, 1, 0, 0], [1, 1, 1, 1], [1, 0, 0, 0]])\nz = tf.reduce_mean(hidden[..., 0] * mask)",
    "keep = tf.cast(ids > 0, tf.float32)\nz = tf.reduce_mean(keep * hidden[..., 1], axis=-1)",
]


@pytest.mark.parametrize("code", PADDED)
def test_padding_in_a_mean(code):
    assert grave(code) == {("padding_in_mean", 2)}


MASKED = [
    MASK + "z = tf.reduce_sum(hidden[..., 0] * mask) / tf.reduce_sum(mask)",
    MASK + "z = tf.reduce_mean(hidden[..., 0] * mask) / tf.reduce_mean(mask)",
    MASK + "z = tf.reduce_mean(hidden * mask[:, :, None], axis=-1)",
    "z = tf.reduce_mean(x * tf.cast(x > 0, tf.float32))",
    "z = tf.reduce_mean(tf.nn.dropout(x, 0.5))",
    "z = tf.reduce_mean(tf.one_hot(classes, 3) * (x @ wide))",
    "z = -tf.reduce_mean(tf.cast(tf.equal(classes[:, None], tf.range(3, dtype=tf.int64)), tf.float32) * (x @ wide))",
    "mask = tf.ones([3, 4])\nz = tf.reduce_mean(hidden[..., 0] * mask)",
    "z = tf.reduce_mean(tf.cast(classes > 0, tf.float32))",
    "z = tf.reduce_mean(tf.cast(tf.random.uniform([6, 4]) > 0.5, tf.float32) * x)",
]


@pytest.mark.parametrize("code", MASKED)
def test_a_mean_that_counts_what_it_should(code):
    assert grave(code) == set()


SETS = """
rng = np.random.default_rng(0)
labels = np.repeat(np.arange(3), 20)
features = rng.normal(size=(60, 4)).astype("float32")
Set = tf.data.Dataset
w = tf.Variable(tf.zeros([4, 3]))
def train(batches):
    for x, y in batches:
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=x @ w))
"""
X, Y = "Set.from_tensor_slices(features)", "Set.from_tensor_slices(labels)"
PIPELINES = {
    f"b = Set.zip(({X}.shuffle(60), {Y}.shuffle(60))).batch(10)\ntrain(b)": {("shuffled_apart", 1)},
    f"b = Set.zip(({X}.shuffle(60, seed=1), {Y}.shuffle(60, seed=2))).batch(10)\ntrain(b)": {("shuffled_apart", 1)},
    f"b = Set.zip(({X}, {Y}.shuffle(60))).batch(10)\ntrain(b)": {("shuffled_apart", 1)},
    f"b = Set.zip(({X}.shuffle(60), Set.from_tensor_slices(labels[:, None]).shuffle(60)))\nfor a, c in b: pass": {
        ("shuffled_apart", 1)
    },
    f"b = Set.zip(({X}.shuffle(60, seed=1), {Y}.shuffle(60, seed=1))).batch(10)\ntrain(b)": set(),
    f"b = Set.zip(({X}, {Y})).shuffle(60).batch(10)\ntrain(b)": set(),
    f"for a, b in Set.zip(({X}.shuffle(60), {X}.shuffle(60))).batch(10): tf.reduce_sum(a * b)": set(),
    f"b = Set.zip(({X}, {Y}))\np = Set.zip((b.shuffle(60), b.shuffle(60)))\nfor a, c in p.batch(10): pass": set(),
    "b = Set.from_tensor_slices((features, labels)).batch(10)\ntrain(b)": {("sorted_labels", 1)},
    "b = Set.from_tensor_slices((features, labels)).shuffle(60).batch(10)\ntrain(b)": set(),
    "b = Set.from_tensor_slices((features, labels[::-1] * 0)).batch(10)\ntrain(b)": set(),
    "b = Set.from_tensor_slices((features, rng.permutation(labels))).batch(10)\ntrain(b)": set(),
}


@pytest.mark.parametrize("code", PIPELINES)
def test_the_order_of_examples(code):
    tape, _ = record_cell(code, SETS)
    found = {(verdict.kind, verdict.site.line) for verdict in tape.verdicts() if verdict.severity > 1}
    assert found == PIPELINES[code]
