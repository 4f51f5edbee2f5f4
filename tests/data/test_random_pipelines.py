"""Pipelines of random steps do to numbers what the same steps do to a list."""

import numpy as np
import pytest

import tapeviz as tf

D = tf.data.Dataset
MOST = 400


def step(rng):
    """A step, as what it does to a dataset and what it does to a list."""
    n = int(rng.integers(1, 6))
    k = int(rng.integers(0, n))
    drop = bool(rng.integers(2))
    return [
        lambda: (lambda d: d.map(lambda x: x * n + 1), lambda v: [x * n + 1 for x in v]),
        lambda: (lambda d: d.map(lambda x: x - n, num_parallel_calls=2), lambda v: [x - n for x in v]),
        lambda: (lambda d: d.filter(lambda x: x % n == k), lambda v: [x for x in v if x % n == k]),
        lambda: (lambda d: d.take(3 * n), lambda v: v[: 3 * n]),
        lambda: (lambda d: d.skip(n), lambda v: v[n:]),
        lambda: (lambda d: d.shard(n, k), lambda v: v[k::n]),
        lambda: (lambda d: d.repeat(k), lambda v: v * k),
        lambda: (lambda d: d.repeat().take(4 * n), lambda v: (v * (4 * n))[: 4 * n]),
        lambda: (lambda d: d.batch(n, drop).unbatch(), lambda v: v[: len(v) // n * n] if drop else v),
        lambda: (lambda d: d.batch(n).map(tf.reduce_sum),
                 lambda v: [sum(v[i : i + n]) for i in range(0, len(v), n)]),
        lambda: (lambda d: d.window(n, k + 1, drop_remainder=drop).flat_map(lambda w: w),
                 lambda v: [x for i in range(0, len(v), k + 1) if not drop or i + n <= len(v) for x in v[i : i + n]]),
        lambda: (lambda d: d.flat_map(lambda x: D.range(x % n).map(lambda y: x + y)),
                 lambda v: [x + y for x in v for y in range(x % n)]),
        lambda: (lambda d: d.interleave(lambda x: D.from_tensors(x).repeat(2), n, 2),
                 lambda v: [x for x in v for _ in range(2)]),
        lambda: (lambda d: d.concatenate(D.range(n)), lambda v: [*v, *range(n)]),
        lambda: (lambda d: D.range(n).concatenate(d), lambda v: [*range(n), *v]),
        lambda: (lambda d: d.enumerate(k).map(lambda i, x: i * x), lambda v: [(i + k) * x for i, x in enumerate(v)]),
        lambda: (lambda d: D.zip(d, d.skip(k)).map(lambda a, b: a + b),
                 lambda v: [a + b for a, b in zip(v, v[k:], strict=False)]),
        lambda: (lambda d: d.cache(), lambda v: v),
        lambda: (lambda d: d.prefetch(n), lambda v: v),
        lambda: (lambda d: d.shuffle(1), lambda v: v),
        lambda: (lambda d: d.take_while(lambda x: x < 9 * n), lambda v: v[: first(v, 9 * n)]),
        lambda: (lambda d: d.scan(np.int64(0), lambda s, x: (s + x, s - x)),
                 lambda v: [sum(v[:i]) - x for i, x in enumerate(v)]),
    ][rng.integers(22)]()  # fmt: skip


def first(values, limit):
    return next((place for place, x in enumerate(values) if x >= limit), len(values))


@tf.function
def all_of(dataset):
    found = tf.zeros([0], tf.int64)
    for x in dataset:
        tf.autograph.experimental.set_loop_options(shape_invariants=[(found, tf.TensorShape([None]))])
        found = tf.concat([found, [x]], 0)
    return found


@pytest.mark.parametrize("seed", range(120))
def test_as_a_list(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(0, 15))
    dataset, values = D.range(count), list(range(count))
    for _ in range(int(rng.integers(1, 7))):
        on_dataset, on_list = step(rng)
        changed = on_list(values)
        if len(changed) > MOST or any(abs(x) > 2**40 for x in changed):
            continue
        dataset, values = on_dataset(dataset), changed
    for _ in range(2):
        assert [int(x) for x in dataset.as_numpy_iterator()] == values
    assert int(dataset.cardinality()) in (len(values), tf.data.UNKNOWN_CARDINALITY)
    assert all_of(dataset).numpy().tolist() == values
    assert dataset.reduce(np.int64(0), lambda total, x: total + x).numpy() == sum(values)
    # An iterator goes on where another one was.
    place = int(rng.integers(0, len(values) + 1))
    iterator = iter(dataset)
    for _ in range(place):
        next(iterator)
    other = iter(dataset)
    other._restore_state(iterator._saved_state())
    assert [int(x) for x in other] == values[place:]
