"""Rows of CSV files as datasets: values and dtypes as TensorFlow's."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.errors import InvalidArgumentError

experimental = tf.data.experimental
TEXT = 'a,b,c,d\n1,2.5,x,3000000000\n2,,y,4\n3,1e40,"q,z",5\n'


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "rows.csv"
    file.write_text(TEXT)
    return str(file)


def test_columns_get_the_narrowest_dtype_and_nothing_becomes_zero(path):
    batches = list(experimental.make_csv_dataset(path, 2, num_epochs=1, shuffle=False).as_numpy_iterator())
    assert [len(batch["a"]) for batch in batches] == [2, 1]
    assert {name: column.dtype for name, column in batches[0].items()} == {
        "a": np.int32, "b": np.float64, "c": np.dtype(object), "d": np.int64,
    }  # fmt: skip
    assert batches[0]["b"].tolist() == [2.5, 0.0]
    assert batches[1]["c"].tolist() == [b"q,z"]


def test_labels_and_chosen_columns(path):
    chosen = experimental.make_csv_dataset(
        path, 3, label_name="a", select_columns=["b", "a"], num_epochs=1, shuffle=False
    )
    features, labels = next(chosen.as_numpy_iterator())
    assert (list(features), labels.tolist()) == (["b"], [1, 2, 3])


def test_rows_without_end_in_whole_batches_in_another_order(path):
    made = experimental.make_csv_dataset(path, 2, shuffle_seed=1)
    assert made.element_spec["a"].shape == (2,)
    seen = [tuple(batch["a"].tolist()) for batch in made.take(9).as_numpy_iterator()]
    assert sorted(number for pair in seen for number in pair) == sorted([1, 2, 3] * 6)


def test_rows_as_tuples(path):
    rows = experimental.CsvDataset(path, [tf.int32, [0.0], "", tf.int64], header=True)
    assert list(rows.as_numpy_iterator())[1] == (2, 0.0, b"y", 4)
    some = experimental.CsvDataset([path, path], [tf.int32, tf.string], header=True, select_cols=[0, 2])
    assert list(some.as_numpy_iterator())[3] == (1, b"x")


def test_packed_files(tmp_path):
    (tmp_path / "rows.gz").write_bytes(gzip.compress(b"1\n2\n"))
    rows = experimental.CsvDataset(str(tmp_path / "rows.gz"), [tf.int32], "GZIP")
    assert list(rows.as_numpy_iterator()) == [(1,), (2,)]


def test_what_does_not_fit(path):
    with pytest.raises(InvalidArgumentError, match="required but missing"):
        list(experimental.CsvDataset(path, [tf.int32, tf.float64, tf.string, tf.int64], header=True))
    with pytest.raises(InvalidArgumentError, match="Expect 1 fields but have 4"):
        list(experimental.CsvDataset(path, [tf.int32], header=True))
    with pytest.raises(ValueError, match="duplicate column names"):
        experimental.make_csv_dataset(path, 2, column_names=list("aabc"))
    with pytest.raises(ValueError, match="label_name"):
        experimental.make_csv_dataset(path, 2, label_name="e")
    with pytest.raises(ValueError, match="not a column name: e"):
        experimental.make_csv_dataset(path, 2, select_columns=["e"])
