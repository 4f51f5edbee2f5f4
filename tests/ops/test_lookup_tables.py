"""``tf.lookup``: tables, at once, in graphs and in datasets."""

from __future__ import annotations

import pytest

import tapeviz as tf

WORDS = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64))


def test_values_at_once_in_graphs_and_in_datasets():
    table = tf.lookup.StaticHashTable(WORDS, default_value=-1)
    words = tf.constant([["b", "x"], ["a", "b"]])
    expected = [[1, -1], [0, 1]]
    assert table.lookup(words).numpy().tolist() == expected
    assert tf.function(table.lookup)(words).numpy().tolist() == expected
    assert [row.numpy().tolist() for row in tf.data.Dataset.from_tensor_slices(words).map(table.lookup)] == expected
    assert table.size().numpy() == 2
    keys, values = table.export()
    assert (keys.numpy().tolist(), values.numpy().tolist()) == ([b"a", b"b"], [0, 1])
    with pytest.raises(TypeError, match="Dtype of argument `keys`"):
        table.lookup(tf.constant([1]))


def test_numbers_to_words():
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([3, 4], ["x", "y"]), "-")
    assert table[tf.constant([4, 5])].numpy().tolist() == [b"y", b"-"]


def test_other_words_have_buckets():
    table = tf.lookup.StaticVocabularyTable(WORDS, 3)
    found = table.lookup(tf.constant(["a", "b", *map(str, range(50))])).numpy().tolist()
    assert found[:2] == [0, 1]
    assert set(found[2:]) == {2, 3, 4}
    assert table.size().numpy() == 5
    with pytest.raises(ValueError, match="num_oov_buckets"):
        tf.lookup.StaticVocabularyTable(WORDS, 0)


def test_lines_of_a_file(tmp_path):
    (tmp_path / "words.txt").write_text("a\t10\nb\t20\n", encoding="utf-8")
    index, file = tf.lookup.TextFileIndex, str(tmp_path / "words.txt")
    columns = tf.lookup.TextFileInitializer(file, tf.string, 0, tf.int64, 1)
    assert tf.lookup.StaticHashTable(columns, 0).lookup(tf.constant(["b"])).numpy().tolist() == [20]
    lines = tf.lookup.TextFileInitializer(file, tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER)
    assert tf.lookup.StaticHashTable(lines, -1).lookup(tf.constant(["b\t20", "b"])).numpy().tolist() == [1, -1]


def test_a_table_that_changes():
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.float32, 0.0)
    table.insert(["a", "b"], [1.0, 2.0])
    table.remove(["a"])
    assert table.lookup(tf.constant(["a", "b"])).numpy().tolist() == [0.0, 2.0]


def test_as_many_values_as_keys():
    with pytest.raises(ValueError, match="keys of shape"):
        tf.lookup.KeyValueTensorInitializer(["a"], [1, 2])
