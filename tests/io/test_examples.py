"""Records of sequences, with their context."""

from __future__ import annotations

import pytest

import tapeviz as tf


def test_sequences_of_steps_with_their_context():
    def numbers(*values):
        return tf.train.Feature(int64_list=tf.train.Int64List(value=values))

    lists = {name: tf.train.FeatureList(feature=steps) for name, steps in (
        ("pairs", [numbers(1, 2), numbers(3, 4)]), ("some", [numbers(5), numbers(), numbers(6, 7)]),
    )}  # fmt: skip
    record = tf.train.SequenceExample(
        context=tf.train.Features(feature={"size": numbers(9)}),
        feature_lists=tf.train.FeatureLists(feature_list=lists),
    ).SerializeToString()
    pairs = tf.io.FixedLenSequenceFeature([2], tf.int64)
    context, steps = tf.io.parse_single_sequence_example(
        record, {"size": tf.io.FixedLenFeature([], tf.int64)}, {"pairs": pairs, "some": tf.io.VarLenFeature(tf.int64)}
    )
    assert context["size"].numpy() == 9
    assert steps["pairs"].numpy().tolist() == [[1, 2], [3, 4]]
    assert tf.RaggedTensor.from_sparse(steps["some"]).to_list() == [[5], [], [6, 7]]
    mapped = tf.data.Dataset.from_tensors(record).map(
        lambda one: tf.io.parse_single_sequence_example(one, None, {"pairs": pairs})[1]["pairs"]
    )
    assert next(mapped.as_numpy_iterator()).tolist() == [[1, 2], [3, 4]]
    needed = tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=False)
    with pytest.raises(tf.errors.InvalidArgumentError, match="feature list is required"):
        tf.io.parse_single_sequence_example(record, None, {"none": needed})
