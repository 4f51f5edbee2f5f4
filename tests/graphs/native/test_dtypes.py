"""Programs of every dtype run eagerly, planned and compiled with the same results, to the bit."""

import numpy as np
import pytest

import tapeviz as tf
from tests.graphs.native.ways import equal_numbers

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
DTYPES = ["bool", *INTEGERS, *FLOATS, *COMPLEX, "string"]

# Each takes two tensors of shape [4, 5]. Not every dtype is taken by each: what is refused eagerly is left out.
PROGRAMS = {
    "arithmetic": lambda x, y: (x * 2 + 1, x - y, -x + y),
    "comparisons": lambda x, y: (x < y, x <= y, x > y, x >= y),
    "equality": lambda x, y: (tf.equal(x, y), tf.not_equal(x, y), tf.cast(tf.equal(x, y), tf.float32) * 2.0),
    "where": lambda x, y: tf.where(x > y, 1.0, 0.0) * 2.0 + 1.0,
    "where of two": lambda x, y: (tf.where(tf.equal(x, y), x, y), tf.not_equal(x, y)),
    "casts": lambda x, y: [tf.cast(x, name) for name in DTYPES[:-1]] + [tf.equal(x, y)],
    "sums of casts": lambda x, y: [tf.cast(x, name) + tf.cast(y, name) for name in DTYPES[1:-1]],
    "reductions": lambda x, y: (tf.reduce_sum(x + y), tf.reduce_sum(x * y, axis=0), tf.reduce_max(x, axis=1)),
    "means": lambda x, y: (tf.reduce_mean(x + y), tf.reduce_mean(x - y, axis=1)),
    "division": lambda x, y: (x // (y + 1), x % (y + 1)),
    "signs": lambda x, y: (tf.abs(x) * 2, tf.sign(x) + y, tf.nn.relu(x) + y),
    "extremes": lambda x, y: tf.maximum(x, y) + tf.minimum(x, y),
    "products": lambda x, y: tf.matmul(x, y, transpose_b=True) + 1,
    "labels": lambda x, y: (tf.one_hot(x, 5), tf.one_hot(y, 200) + 1.0),
    "argmax": lambda x, y: [tf.argmax(x + y, -1, name) for name in ("int16", "uint16", "int32", "int64")],
    "squares": lambda x, y: tf.square(x) + tf.math.squared_difference(x, y),
    "bits": lambda x, y: tf.bitwise.bitwise_and(x, y) + tf.bitwise.left_shift(x, y),
    "logic": lambda x, y: tf.logical_and(x, y) | tf.logical_not(x),
    "broadcasts": lambda x, y: x[0] + y[:, :1] * x,
    "powers": lambda x, y: tf.pow(x, tf.abs(y)) + x,
    "functions": lambda x, y: tf.exp(x) + tf.sqrt(y) + tf.tanh(x),
    "rows": lambda x, y: tf.gather(x, [0, 1]) + y[:2],
    "both": lambda x, y: (tf.concat([x, y], 0), tf.transpose(tf.stack([x, y])), tf.reshape(x, [-1])),
    "classes": lambda x, y: tf.sigmoid(x) + tf.nn.softmax(y),
    "clipping": lambda x, y: tf.clip_by_value(x, y[0, 0], y[1, 1]) + x,
    "parts": lambda x, y: tf.math.real(x) + tf.math.imag(y),
    "running sums": lambda x, y: tf.cumsum(x + y) + x,
}


def values(dtype, seed):
    """Return a tensor of a dtype."""
    rng = np.random.default_rng(seed)
    if dtype == "string":
        return tf.constant(rng.integers(0, 30, (4, 5)).astype(str))
    if dtype in COMPLEX:
        return tf.constant((rng.normal(size=(4, 5)) + 1j * rng.normal(size=(4, 5))).astype(dtype))
    if dtype in FLOATS:
        return tf.cast(rng.normal(size=(4, 5)) * 3, dtype)
    return tf.constant(rng.integers(0, 2 if dtype == "bool" else 250, (4, 5)).astype(dtype))


def is_taken(program, *tensors):
    """Tell whether the ops have such a dtype."""
    try:
        program(*tensors)
    except (tf.errors.InvalidArgumentError, tf.errors.UnimplementedError, ValueError, TypeError):
        return False
    return True


@pytest.mark.parametrize("compiles", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_runs_as_before_it_was_compiled(dtype, compiles):
    x, y = values(dtype, 0), values(dtype, 1)
    taken = {name: program for name, program in PROGRAMS.items() if is_taken(program, x, y)}
    assert len(taken) > (1 if dtype == "string" else 5)
    # All at once: compiling takes longest.
    run = tf.function(lambda x, y: {name: program(x, y) for name, program in taken.items()}, jit_compile=compiles)
    for _ in range(4):
        found = run(x, y)
        for name, program in taken.items():
            pairs = list(zip(tf.nest.flatten(found[name]), tf.nest.flatten(program(x, y)), strict=True))
            assert all(one.dtype == other.dtype and equal_numbers(one, other) for one, other in pairs), name


@pytest.mark.parametrize("dtype", INTEGERS)
def test_the_seventeenth_call_is_like_the_others(dtype):
    run = tf.function(lambda x: (x * 2 + 1, tf.where(x > 100, 1.0, 0.0), tf.cast(x, tf.float32) / 255.0))
    x = tf.constant(np.arange(250).astype(dtype))
    wanted = [tensor.numpy().tobytes() for tensor in run(x)]
    for _ in range(20):
        assert [tensor.numpy().tobytes() for tensor in run(x)] == wanted
