"""Pipelines that mean the same in TensorFlow and here: expressions of ``tf``, ``np``, ``D`` and what is below."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

WHOLE = """
D.range(5)
D.range(2, 9, 3)
D.range(5, 1, -2)
D.range(0)
D.range(3, output_type=tf.float32)
D.from_tensors([1, 2])
D.from_tensors((1, {"a": 2.0, "b": "c"}))
D.from_tensor_slices([[1, 2], [3, 4]])
D.from_tensor_slices(([1, 2], [[0.5], [1.5]]))
D.from_tensor_slices({"b": [1, 2], "a": ["x", "y"]})
D.from_tensor_slices({"b": [1, 2], "a": (np.arange(2), np.ones([2, 3], np.float32))})
D.from_tensor_slices(np.arange(6, dtype=np.float64).reshape(3, 2))
D.from_tensor_slices([])
D.from_tensor_slices(point([1, 2], [3, 4]))
D.from_generator(counting, output_signature=tf.TensorSpec([], tf.int32))
D.from_generator(counting, tf.int64)
D.from_generator(counting, tf.float32, [])
D.from_generator(pairs, output_signature=(tf.TensorSpec([None], tf.int32), {"n": tf.TensorSpec([], tf.float32)}))
D.from_generator(pairs, ("int32", {"n": "float32"}), ([None], {"n": []}))
D.from_generator(upto, args=(3,), output_signature=tf.TensorSpec([], tf.int32))
D.from_generator(words, output_signature=tf.TensorSpec([], tf.string))
D.from_generator(lambda: [[1.5, 2.5]], output_signature=tf.TensorSpec([2], tf.float32))
D.range(4).map(lambda x: x * x)
D.range(4).map(lambda x: (x, x + 1))
D.range(4).map(lambda x: [x, x + 1])
D.range(3).map(lambda x: {"x": x, "y": tf.cast(x, tf.float32) / 2.0})
D.range(3).map(lambda x: "word")
D.range(3).map(lambda x: 1.5)
D.range(4).enumerate().map(lambda i, x: i * x)
D.from_tensor_slices({"a": [1, 2], "b": [3, 4]}).map(lambda d: d["a"] * d["b"])
D.from_tensor_slices(point([1, 2], [3, 4])).map(lambda p: p.x - p.y)
D.from_tensor_slices(point([1, 2], [3, 4])).map(lambda p: point(p.y, p.x))
D.range(5).map(chosen)
D.range(5).map(double_until, num_parallel_calls=2)
D.range(9).map(lambda x: x + 1, num_parallel_calls=tf.data.AUTOTUNE)
D.range(3).map(lambda x: tf.fill([x], x))
D.range(3).map(lambda x: tf.py_function(lambda v: v * 2, [x], tf.int64))
D.range(3).map(lambda x: tf.numpy_function(np.negative, [x], tf.int64))
D.range(10).filter(lambda x: x % 3 == 0)
D.range(4).enumerate().filter(lambda i, x: i > 1)
D.range(10).take_while(lambda x: x < 4)
D.range(10).batch(3)
D.range(10).batch(3, drop_remainder=True)
D.range(10).batch(20)
D.range(10).batch(20, drop_remainder=True)
D.range(12).batch(3).batch(2)
D.from_tensor_slices((np.arange(8).reshape(4, 2), ["a", "b", "c", "d"])).batch(3)
D.range(5).map(lambda x: (x, {"a": tf.cast(x, tf.float32)})).batch(2)
D.range(10).batch(4).unbatch()
D.from_tensor_slices(np.arange(12).reshape(2, 3, 2)).unbatch()
D.range(4).map(lambda x: tf.fill([x], x)).unbatch()
D.range(1, 5).map(lambda x: tf.fill([x], x)).padded_batch(2)
D.range(1, 5).map(lambda x: tf.fill([x], x)).padded_batch(3, drop_remainder=True)
D.range(1, 5).map(lambda x: tf.fill([x], x)).padded_batch(2, padded_shapes=[5])
D.range(1, 5).map(lambda x: tf.fill([x], x)).padded_batch(2, padding_values=tf.constant(-1, tf.int64))
D.range(1, 4).map(lambda x: (tf.fill([x], 1.5), tf.fill([2, x], x))).padded_batch(2, padded_shapes=([None], [3, None]))
D.range(1, 3).map(lambda x: {"a": tf.fill([x], "w"), "b": x}).padded_batch(2)
D.range(1, 4).map(lambda x: (tf.fill([x], 1), x)).padded_batch(2, ([None], []), (7, tf.constant(0, tf.int64)))
D.range(10).window(4).flat_map(lambda w: w.batch(4))
D.range(10).window(4, shift=2, stride=2, drop_remainder=True).flat_map(lambda w: w.batch(4))
D.range(7).window(3, shift=1, drop_remainder=True).flat_map(lambda w: w.batch(3))
D.range(7).window(2, shift=3).flat_map(lambda w: w)
D.range(10).window(3, 4, 2).flat_map(lambda w: w.batch(9))
D.zip(D.range(6), D.range(6, 12)).window(3).flat_map(lambda a, b: D.zip(a.batch(3), b.batch(3)))
D.range(4).flat_map(lambda x: D.range(x))
D.range(4).flat_map(lambda x: D.from_tensors(x).repeat(x))
D.range(3).flat_map(lambda x: D.range(3).map(lambda y: 10 * x + y))
D.range(3).flat_map(lambda x: D.range(2).flat_map(lambda y: D.range(2).map(lambda z: 100 * x + 10 * y + z)))
D.from_tensor_slices([[1, 2], [3, 4]]).flat_map(lambda r: D.from_tensor_slices(r))
D.range(5).interleave(lambda x: D.from_tensors(x).repeat(3), cycle_length=2, block_length=2)
D.range(5).interleave(lambda x: D.from_tensors(x).repeat(x), cycle_length=3, block_length=1)
D.range(4).interleave(lambda x: D.range(x), cycle_length=2, block_length=3)
D.range(6).interleave(lambda x: D.from_tensors(x).repeat(3), cycle_length=4, num_parallel_calls=2)
D.range(5).scan(np.int64(0), lambda s, x: (s + x, s))
D.range(4).scan((np.int64(1), 0.5), lambda s, x: ((s[0] * 2, s[1] + 1.0), (x, s[0], s[1])))
D.range(4).scan(tf.zeros([0], tf.int64), lambda s, x: (tf.concat([s, [x]], 0), tf.reduce_sum(s)))
D.range(3).repeat(2)
D.range(3).repeat(0)
D.range(3).repeat().take(7)
D.range(0).repeat().take(3)
D.range(5).take(2)
D.range(5).take(-1)
D.range(5).take(0)
D.range(5).take(9)
D.range(5).skip(2)
D.range(5).skip(-1)
D.range(5).skip(9)
D.range(3).repeat(3).skip(4).take(3)
D.range(10).shard(3, 1)
D.range(3).repeat(3).shard(2, 1)
D.range(3).concatenate(D.range(7, 9))
D.from_tensor_slices([1.0, 2.0]).batch(1).concatenate(D.from_tensor_slices([1.0, 2.0, 3.0]).batch(2))
D.zip(D.range(3), D.range(5, 10))
D.zip((D.range(3), (D.range(2), D.range(9))))
D.zip({"a": D.range(2), "b": D.range(3).map(lambda x: -x)})
D.zip(D.range(3))
D.zip((D.range(3),))
D.zip(D.range(6), D.range(6).filter(lambda x: x > 2))
D.range(3).enumerate()
D.range(3).enumerate(start=5)
D.from_tensor_slices(([1, 2], [3, 4])).enumerate()
D.from_tensor_slices([3, 1, 3, 2, 1]).unique()
D.from_tensor_slices(["b", "a", "b"]).unique()
D.range(9).group_by_window(lambda x: x % 3, lambda k, d: d.batch(2), 2)
D.range(9).group_by_window(lambda x: x % 2, lambda k, d: d.map(lambda x: x * 10 + k), window_size_func=lambda k: k + 1)
D.range(7).enumerate().group_by_window(lambda i, x: -(x % 3), lambda k, d: d.batch(4), 4)
D.from_tensor_slices(LENGTHS).map(row).bucket_by_sequence_length(length, [3, 5], [2, 2, 2])
D.from_tensor_slices(LENGTHS).map(row).bucket_by_sequence_length(length, [3, 5], [2, 3, 1])
D.from_tensor_slices(LENGTHS).map(row).bucket_by_sequence_length(length, [3, 9], [2, 2, 2], pad_to_bucket_boundary=True)
D.from_tensor_slices(LENGTHS).map(row).bucket_by_sequence_length(length, [4], [2, 2], padding_values=7)
D.from_tensor_slices([2, 2, 3, 2, 3]).map(row).bucket_by_sequence_length(length, [3], [2, 2], no_padding=True)
D.from_tensor_slices(LENGTHS).map(row).bucket_by_sequence_length(length, [3, 5], [2, 2, 2], drop_remainder=True)
D.range(6).cache().batch(4)
D.range(6).prefetch(2)
D.range(6).prefetch(0)
D.range(6).shuffle(1)
D.range(3).apply(lambda d: d.map(lambda x: x + 1).batch(2))
D.choose_from_datasets([D.range(3), D.range(10, 13)], D.from_tensor_slices(np.array([0, 1, 1, 0], np.int64)))
D.choose_from_datasets([D.range(1), D.range(10, 13)], D.from_tensor_slices(np.array([0, 0, 1], np.int64)), False)
D.choose_from_datasets([D.range(1), D.range(10, 13)], D.from_tensor_slices(np.array([0, 0, 1], np.int64)), True)
tf.data.experimental.from_list([(1, "a"), (2, "b")])
D.range(6).filter(lambda x: x > 2).apply(tf.data.experimental.assert_cardinality(3))
D.range(6).batch(2).map(lambda x: x * 2).unbatch().filter(lambda x: x > 3).batch(2).enumerate()
""".strip().splitlines()

UNENDING = """
D.range(3).repeat()
D.counter(5, 2)
D.range(3).repeat().map(lambda x: x)
D.range(3).repeat().batch(2)
D.range(3).repeat().skip(2)
D.zip(D.range(3).repeat(), D.counter())
D.range(3).concatenate(D.counter())
D.counter().window(2)
D.counter().shuffle(5)
D.counter().cache()
D.counter().enumerate()
D.counter().shard(3, 1)
D.counter().filter(lambda x: x > 3)
D.sample_from_datasets([D.range(3), D.range(4)])
D.random(seed=1)
D.range(10).shuffle(4).batch(3)
D.range(10).window(3)
D.range(10).window(3, shift=1, drop_remainder=True)
D.range(10).window(3, 2, 4)
""".strip().splitlines()
"""Of which only the spec and the cardinality are compared."""

WRONG = """
D.from_tensor_slices((np.zeros((3, 2)), np.zeros(4)))
D.from_tensor_slices(3.0)
D.from_tensor_slices([[1, 2], [3]])
D.from_tensor_slices(())
D.from_tensor_slices({"b": [1, 2], "a": ("x", "y")})
D.from_tensors([1, [2]])
D.range()
D.range(1, 2, 3, 4)
D.range(5, 1, 0)
D.range(3).batch(0)
D.range(3).batch("a")
D.range(3).shuffle(0)
D.range(3).shuffle(2.5)
D.range(3).prefetch(-5)
D.range(3).window(0)
D.range(3).shard(3, 5)
D.range(3).map(3)
D.range(3).map(lambda x, y: x)
D.range(3).map(lambda x: object())
D.range(3).filter(lambda x: x)
D.range(3).unbatch()
D.range(3).concatenate(D.from_tensors("a"))
D.range(3).concatenate(D.from_tensors((1, 2)))
D.range(3).group_by_window(lambda x: x, lambda k, d: d.batch(2))
D.range(3).group_by_window(lambda x: 0.5, lambda k, d: d.batch(2), 2)
D.range(3).group_by_window(lambda x: x, lambda k, d: k, 2)
D.range(3).bucket_by_sequence_length(lambda x: x, [3], [2])
D.zip([D.range(3)])
D.zip()
D.zip(D.range(3), 4)
D.range(3).apply(lambda d: 3)
D.range(3).apply(3)
D.range(3).scan(np.int64(0), lambda a, x: a + x)
D.range(3).reduce(np.int64(0), lambda a, x: (a, x))
D.range(3).reduce(0, lambda a, x: a + x)
D.range(3)[0]
len(D.range(3).repeat())
len(D.range(3).filter(lambda x: x > 1))
D.from_generator(counting)
D.from_generator(3, output_types=tf.int32)
D.from_generator(counting, tf.int32, output_signature=tf.TensorSpec([], tf.int32))
D.range(3).get_single_element()
tf.data.Dataset()
iter(D.range(0)).get_next()
D.choose_from_datasets([], D.range(3))
D.sample_from_datasets([D.range(3)], weights=[0.5, 0.5])
""".strip().splitlines()
"""That raise when they are made."""

FAILING = """
D.from_generator(lambda: iter([1, "a"]), output_signature=tf.TensorSpec([], tf.int32))
D.from_generator(lambda: iter([[1, 2], [1, 2, 3]]), output_signature=tf.TensorSpec([2], tf.int32))
D.from_generator(lambda: iter([(1, 2), 3]), output_signature=(tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.int32)))
D.from_generator(lambda: iter([{"a": 1}]), output_signature={"b": tf.TensorSpec([], tf.int32)})
D.from_generator(raising(ValueError), output_signature=tf.TensorSpec([], tf.int32))
D.from_generator(raising(KeyError), output_signature=tf.TensorSpec([], tf.int32))
D.from_generator(raising(NotImplementedError), output_signature=tf.TensorSpec([], tf.int32))
D.from_generator(lambda: iter([[1], [1, 2]]), output_signature=tf.TensorSpec([None], tf.int32)).batch(2)
D.range(1, 4).map(lambda x: tf.fill([x], x)).padded_batch(2, padded_shapes=[1])
D.range(3).map(lambda x: 1 // (x - 1))
D.range(10).batch(3).batch(2)
D.range(3).map(lambda x: tf.py_function(lambda: 1 / 0, [], tf.int32))
D.from_tensor_slices(LENGTHS).map(row).bucket_by_sequence_length(length, [3, 5], [2, 2, 2], pad_to_bucket_boundary=True)
D.range(3).group_by_window(lambda x: x, lambda k, d: d.batch(2), window_size_func=lambda k: k)
D.range(6).apply(tf.data.experimental.assert_cardinality(3))
D.range(2).apply(tf.data.experimental.assert_cardinality(3))
D.choose_from_datasets([D.range(3)], D.from_tensor_slices(np.array([4], np.int64)))
D.range(3).map(lambda x: tf.ensure_shape(tf.fill([x], x), [1]))
""".strip().splitlines()
"""That raise while they are gone through."""


class Point(NamedTuple):
    """An element with named parts."""

    x: Any
    y: Any


def names(tf: Any) -> dict[str, Any]:  # noqa: C901 - a name a line
    """What the expressions see, of one of the two libraries."""

    def counting():
        yield from range(3)

    def pairs():
        yield [1], {"n": 0.5}
        yield np.array([1, 2]), {"n": np.float32(1.5)}

    def upto(count):
        yield from range(count)

    def words():
        yield from ("one", b"two")

    def double_until(x):
        while x < 10:
            x = 2 * x + 1
        return x

    def chosen(x):
        return x * 2 if x > 2 else -x

    def row(count):
        return tf.fill([count], count)

    def length(values):
        return tf.shape(values)[0]

    def raising(kind):
        def generator():
            yield 1
            raise kind("on purpose")

        return generator

    return {
        "tf": tf, "np": np, "D": tf.data.Dataset, "point": Point, "counting": counting,
        "pairs": pairs, "upto": upto, "words": words, "double_until": double_until, "raising": raising,
        "chosen": chosen, "row": row, "length": length, "LENGTHS": [1, 4, 2, 6, 3, 1, 5],
    }  # fmt: skip


def said(dataset: Any) -> dict[str, Any]:
    """The spec and the cardinality, as text and number."""
    return {"spec": repr(dataset.element_spec), "cardinality": int(dataset.cardinality())}


def plain(element: Any) -> Any:
    """An element as JSON has it."""
    if hasattr(element, "_fields"):
        return {"named": [plain(part) for part in element]}
    if isinstance(element, (tuple, list)):
        return [plain(part) for part in element]
    if isinstance(element, dict):
        return {key: plain(element[key]) for key in sorted(element)}
    array = np.asarray(element)
    values = array.ravel().tolist()
    values = [value.decode() if isinstance(value, bytes) else value for value in values]
    return {"dtype": "string" if array.dtype == object or array.dtype.kind in "SU" else str(array.dtype),
            "shape": list(array.shape), "values": values}  # fmt: skip


def failure(run: Any) -> list[str] | None:
    """The class and the message of what is raised."""
    try:
        run()
    except Exception as error:  # noqa: BLE001 - whatever it is, it is compared
        return [type(error).__name__, str(error)]
    return None
