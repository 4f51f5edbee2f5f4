"""Datasets and iterators in traced functions, and iterators in checkpoints."""

import gc
import json

import numpy as np
import pytest

import tapeviz as tf

D = tf.data.Dataset


def numbers(iterator):
    return [x.numpy().tolist() for x in iterator]


def test_a_dataset_as_an_argument_is_traced_by_its_spec():
    traced = []

    @tf.function
    def total(dataset):
        traced.append(dataset)
        found = tf.constant(0, tf.int64)
        for x in dataset:
            found += x
        return found

    assert [total(D.range(n)).numpy() for n in (0, 1, 5, 10)] == [0, 0, 10, 45]
    assert total(D.range(5).shuffle(3)).numpy() == 10
    assert len(traced) == 1
    assert total(D.from_tensor_slices(np.arange(3, dtype=np.int64))).numpy() == 3
    assert len(traced) == 1
    with pytest.raises(tf.errors.InvalidArgumentError):
        total(D.range(3).map(lambda x: tf.cast(x, tf.float32)))
    assert len(traced) == 2


def test_leaving_a_loop_takes_no_element_too_many():
    @tf.function
    def until(iterator, limit):
        found = tf.constant(0, tf.int64)
        for x in iterator:
            if x == 1:
                continue
            found += x
            if x >= limit:
                break
        return found

    iterator = iter(D.range(10))
    assert until(iterator, tf.constant(3, tf.int64)).numpy() == 5
    assert next(iterator).numpy() == 4
    assert until(iterator, tf.constant(6, tf.int64)).numpy() == 11
    assert until(iterator, tf.constant(100, tf.int64)).numpy() == 24
    assert next(iterator, None) is None


def test_return_in_a_loop():
    @tf.function
    def first_above(dataset, limit):
        for x in dataset:
            if x > limit:
                return x
        return tf.constant(-1, tf.int64)

    assert first_above(D.range(9), tf.constant(4, tf.int64)).numpy() == 5
    assert first_above(D.range(9), tf.constant(40, tf.int64)).numpy() == -1


def test_loops_in_loops_counted_and_zipped():
    @tf.function
    def f(a, b):
        found = tf.constant(0, tf.int64)
        for x in a:
            for y in b:
                found += x * y
        for k, x in enumerate(b):
            found += 1000 * k * x
        for x, y in zip(a, b):  # noqa: B905 - as people write it
            found += 1_000_000 * (x + y)
        return found

    a, b = D.range(4), D.range(5, 8)
    pairs = sum(x * y for x in range(4) for y in range(5, 8))
    expected = pairs + 1000 * (6 + 2 * 7) + 1_000_000 * (5 + 7 + 9)
    assert f(a, b).numpy() == expected


def test_a_dataset_made_of_tensors_of_the_graph():
    @tf.function
    def f(x, n):
        found = tf.constant(0, tf.int64)
        for a, b in D.from_tensor_slices((x, x * 2)).take(n).map(lambda a, b: (a + x[0], b)).repeat(n):
            found += a * b
        return found

    x, n = tf.constant([1, 2, 3], tf.int64), tf.constant(2)
    assert f(x, n).numpy() == 2 * ((1 + 1) * 2 + (2 + 1) * 4)
    assert f(x + 1, tf.constant(1)).numpy() == 4 * 4


def test_what_is_done_to_a_dataset_in_a_function():
    @tf.function
    def f(dataset):
        found = tf.constant(0, tf.int64)
        for batch in dataset.map(lambda x: x * 2).window(2).flat_map(lambda w: w.batch(2)).skip(1):
            found += tf.reduce_sum(batch)
        return found, dataset.reduce(np.int64(1), lambda p, x: p * (x + 1)), len(D.range(3))

    found, product, length = f(D.range(5))
    assert (found.numpy(), product.numpy(), length.numpy()) == (4 + 6 + 8, 120, 3)


def test_training_in_one_graph_is_training_step_by_step():
    x = np.random.default_rng(0).normal(size=(20, 3)).astype(np.float32)
    dataset = D.from_tensor_slices((x, x @ np.array([1.0, -2.0, 0.5], np.float32))).batch(4)

    def step(w, x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.linalg.matvec(x, w) - y) ** 2)
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    @tf.function
    def epoch(w, dataset):
        total = 0.0
        for x, y in dataset:
            total += step(w, x, y)
        return total

    one, other = tf.Variable(tf.zeros([3])), tf.Variable(tf.zeros([3]))
    for _ in range(3):
        eager = sum(float(step(one, x, y)) for x, y in dataset)
        np.testing.assert_allclose(epoch(other, dataset).numpy(), eager, rtol=1e-5)
    np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-5)


def test_gradients_through_a_loop_over_a_dataset():
    dataset = D.from_tensor_slices(np.arange(1.0, 5.0, dtype=np.float32)).batch(2)
    w = tf.Variable(3.0)

    @tf.function
    def gradient(dataset):
        with tf.GradientTape() as tape:
            loss = 0.0
            for x in dataset:
                loss += tf.reduce_sum(tf.sin(w * x))
        return tape.gradient(loss, w)

    x = np.arange(1.0, 5.0)
    np.testing.assert_allclose(gradient(dataset).numpy(), np.sum(x * np.cos(3 * x)), rtol=1e-5)


def test_next_in_a_function_ends_with_an_error():
    @tf.function
    def two(iterator):
        return next(iterator), iterator.get_next()

    iterator = iter(D.range(3))
    assert [x.numpy() for x in two(iterator)] == [0, 1]
    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        two(iterator)


def test_an_iterator_from_outside_goes_on():
    iterator = iter(D.range(5).batch(2))

    @tf.function
    def f():
        return next(iterator) * 10

    assert numbers([f(), next(iterator), f()]) == [[0, 10], [2, 3], [40]]


def test_an_error_on_the_way_keeps_its_class():
    def generator():
        yield 1
        raise ValueError("broken")

    dataset = D.from_generator(generator, output_signature=tf.TensorSpec([], tf.int32))

    @tf.function
    def f(dataset):
        found = 0
        for x in dataset:
            found += x
        return found

    for _ in range(2):
        with pytest.raises(tf.errors.InvalidArgumentError, match="broken"):
            f(dataset)


def test_a_loop_of_pythons_that_would_not_end_says_so():
    @tf.function(autograph=False)
    def f(dataset):
        for _ in dataset:
            pass

    with pytest.raises(TypeError, match="which would never end: let AutoGraph convert"):
        f(D.range(3))
    with pytest.raises(RuntimeError, match="as_numpy_iterator"):
        tf.function(lambda: D.range(3).as_numpy_iterator())()


def test_a_dataset_that_is_gone_says_so():
    @tf.function
    def f(dataset):
        found = tf.constant(0, tf.int64)
        for x in dataset:
            found += x
        return found

    dataset = D.range(3)
    assert f(dataset).numpy() == 3
    concrete = f.get_concrete_function(dataset)
    assert concrete(dataset).numpy() == 3
    handle = dataset._argument()
    del dataset
    gc.collect()
    with pytest.raises(tf.errors.FailedPreconditionError, match="no longer exists"):
        concrete.run([handle])


# Checkpoints.


def pipelines():
    yield D.range(20).batch(3)
    yield D.range(20).shuffle(20).batch(3)
    yield D.range(20).shuffle(7).repeat(3).batch(4).prefetch(2)
    yield D.range(6).map(lambda x: x * 2).shuffle(3).repeat().take(25).batch(2)
    yield D.sample_from_datasets([D.range(10), D.range(10, 20)]).batch(2)
    yield D.range(5).flat_map(lambda x: D.range(4).shuffle(4).map(lambda y: y + 10 * x)).batch(3)
    yield D.random(rerandomize_each_iteration=True).take(9).batch(2)


@pytest.mark.parametrize("place", [1, 2, 4])
@pytest.mark.parametrize("which", range(7))
def test_a_position_is_restored(which, place):
    iterator = iter(list(pipelines())[which])
    before = [next(iterator).numpy().tolist() for _ in range(place)]
    state = json.loads(json.dumps(iterator._saved_state()))
    after = numbers(iterator)
    again = iter(list(pipelines())[which])
    next(again)
    again._restore_state(state)
    assert numbers(again) == after
    assert len(before) == place


def test_epochs_after_a_restored_one_are_the_same():
    dataset = D.range(30).shuffle(30)
    numbers(dataset)
    iterator = iter(dataset)
    next(iterator)
    state = iterator._saved_state()
    rest, another = numbers(iterator), numbers(dataset)
    new = D.range(30).shuffle(30)
    again = iter(new)
    again._restore_state(state)
    assert numbers(again) == rest
    assert numbers(new) == another


def test_iterators_are_in_checkpoints(tmp_path):
    iterator = iter(D.range(20).shuffle(20).batch(3))
    step = tf.Variable(1)
    next(iterator)
    path = tf.train.Checkpoint(step=step, iterator=iterator).save(str(tmp_path / "run"))
    rest = numbers(iterator)
    new_step, new = tf.Variable(0), iter(D.range(20).shuffle(20).batch(3))
    tf.train.Checkpoint(step=new_step, iterator=new).restore(path).assert_consumed()
    assert numbers(new) == rest
    assert new_step.numpy() == 1


def test_a_shorter_dataset_is_an_error():
    iterator = iter(D.range(20))
    for _ in range(9):
        next(iterator)
    with pytest.raises(tf.errors.FailedPreconditionError, match="after 9 elements, and this dataset has 5"):
        iter(D.range(5))._restore_state(iterator._saved_state())


# Functions that call functions.


@tf.function
def total(dataset):
    found = tf.constant(0, tf.int64)
    for x in dataset:
        found += x
    return found


def test_datasets_in_structures_and_for_functions_inside():
    @tf.function
    def both(parts):
        changed = parts["b"][0].map(lambda x: x * parts["k"])
        return total(parts["a"]) + total(changed), total(D.range(5)), total(D.from_tensor_slices(parts["x"]))

    for _ in range(2):
        gc.collect()
        parts = {"a": D.range(3), "b": (D.range(4),), "k": 5, "x": tf.constant([3, 4], tf.int64)}
        assert [t.numpy() for t in both(parts)] == [3 + 30, 10, 7]


def test_a_dataset_of_a_module():
    class Holder(tf.Module):
        def __init__(self):
            super().__init__()
            self.data = D.range(4).shuffle(4)

        @tf.function
        def run(self):
            return self.data.map(lambda x: x + 1).reduce(np.int64(0), lambda a, x: a + x) + total(self.data)

    holder = Holder()
    assert [holder.run().numpy() for _ in range(2)] == [16, 16]


def test_open_sizes_and_datasets():
    @tf.function(reduce_retracing=True)
    def f(dataset, x):
        for v in dataset:
            x += tf.cast(v, tf.float32)
        return x

    for k in range(1, 5):
        assert f(D.range(k), tf.zeros([k])).numpy().tolist() == [k * (k - 1) / 2] * k
    assert f.experimental_get_tracing_count() == 2


def test_passes_leave_nothing_behind():
    import tracemalloc

    dataset = D.range(64).shuffle(64).map(lambda x: x + 1).batch(8).prefetch(1)

    def epoch():
        assert sum(1 for _ in dataset) == 8
        assert total(D.range(3)).numpy() == 3

    for _ in range(20):
        epoch()
    gc.collect()
    tracemalloc.start()
    try:
        for _ in range(50):
            epoch()
        gc.collect()
        first, _ = tracemalloc.get_traced_memory()
        for _ in range(100):
            epoch()
        gc.collect()
        second, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert second - first < 20_000
