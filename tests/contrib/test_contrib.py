"""``tf.contrib`` beside eager: cells, layers, summaries, hyperparameters, data, checkpoints."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz as tf
import tapeviz.compat.v1 as tf1
import tapeviz.contrib.eager as tfe
from tapeviz.summary.records import events

contrib = tf.contrib


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _lstm(x, c, h, kernel, bias):
    enter, new, forget, leave = np.split(np.concatenate([x, h], 1) @ kernel + bias, 4, 1)
    c = c * _sigmoid(forget + 1) + _sigmoid(enter) * np.tanh(new)
    return c, np.tanh(c) * _sigmoid(leave)


def _run(build, steps=4, feed=None):
    """The values of what is built in a graph, and those of its variables."""
    with tf1.Graph().as_default(), tf1.Session() as session:
        x = tf1.placeholder(tf.float32, [2, steps, 3])
        built = build(x)
        session.run(tf1.global_variables_initializer())
        values = np.linspace(-1, 1, 24).reshape(2, 4, 3).astype(np.float32) if feed is None else feed
        return session.run(built, {x: values}), session.run(tf1.trainable_variables()), values


@pytest.mark.parametrize("steps", [4, None], ids=["unrolled", "loop"])
def test_an_lstm_along_sequences_that_end(steps):
    def build(x):
        cell = tf1.nn.rnn_cell.BasicLSTMCell(5)
        return tf1.nn.dynamic_rnn(cell, x, sequence_length=[2, 4], dtype=tf.float32)

    (outputs, state), (kernel, bias), x = _run(build, steps)
    c = h = np.zeros((2, 5))
    expected = np.zeros((2, 4, 5))
    for time in range(4):
        after = _lstm(x[:, time], c, h, kernel, bias)
        runs = np.array([[time < 2], [time < 4]])
        c, h = (np.where(runs, new, old) for new, old in zip(after, (c, h), strict=True))
        expected[:, time] = np.where(runs, after[1], 0)
    np.testing.assert_allclose(outputs, expected, atol=1e-6)
    np.testing.assert_allclose([state.c, state.h], [c, h], atol=1e-6)


def test_cells_on_top_of_each_other_and_both_ways():
    def build(x):
        pair = [contrib.rnn.MultiRNNCell([contrib.rnn.GRUCell(4), contrib.rnn.BasicRNNCell(2)]) for _ in range(2)]
        both, _ = tf1.nn.bidirectional_dynamic_rnn(*pair, x, dtype=tf.float32, sequence_length=[4, 2])
        thin = contrib.rnn.DropoutWrapper(contrib.rnn.ResidualWrapper(contrib.rnn.GRUCell(3)), output_keep_prob=1.0)
        listed, last = contrib.rnn.static_rnn(thin, tf1.unstack(x, axis=1), dtype=tf.float32)
        return both, listed, last

    ((forward, back), listed, last), variables, x = _run(build)
    assert forward.shape == back.shape == (2, 4, 2)
    assert not forward[1, 2:].any()
    assert not back[1, 2:].any()
    assert forward[1, :2].all()
    assert len(variables) == 2 * 6 + 4
    np.testing.assert_allclose(listed[-1] - x[:, -1], last, atol=1e-6)


def test_a_gru_at_once_is_that_of_a_graph():
    cell = contrib.rnn.GRUCell(2)
    with tfe.EagerVariableStore().as_default():
        output, state = cell(tf.ones([1, 3]), tf.zeros([1, 2]))
    (gates, gate_bias), (kernel, bias) = [[v.numpy() for v in cell.variables][i : i + 2] for i in (0, 2)]
    both = np.ones((1, 3)) @ gates[:3] + gate_bias
    update = _sigmoid(both[:, 2:])
    expected = (1 - update) * np.tanh(np.ones((1, 3)) @ kernel[:3] + bias)
    np.testing.assert_allclose(output, expected, atol=1e-6)
    assert state is output


@pytest.mark.parametrize("option", [{"use_peepholes": True}, {"num_proj": 3}, {"state_is_tuple": False}])
def test_what_cells_do_not_have_says_so(option):
    with pytest.raises(NotImplementedError):
        contrib.rnn.LSTMCell(4, **option)


def test_stacked_cudnn_layers_return_states():
    layers = contrib.cudnn_rnn.CudnnLSTM(2, 4)
    outputs, (h, c) = layers(tf.ones([5, 3, 2]))
    assert outputs.shape == [5, 3, 4]
    np.testing.assert_array_equal(outputs[-1], h[1])
    again, _ = layers(tf.ones([5, 3, 2]), initial_state=(h, c))
    assert np.abs(again - outputs).max() > 1e-3
    with pytest.raises(NotImplementedError, match="Bidirectional"):
        contrib.cudnn_rnn.CudnnLSTM(1, 2, direction="bidirectional")


def test_layers_by_their_older_arguments():
    def build(x):
        flat = contrib.layers.flatten(x)
        full = contrib.layers.fully_connected(flat, 6, weights_regularizer=contrib.layers.l2_regularizer(0.5))
        plain = contrib.layers.linear(flat, 2, biases_initializer=None, scope="plain")
        images = tf1.reshape(x, [2, 4, 3, 1])
        normed = contrib.layers.conv2d(images, 3, [3, 3], normalizer_fn=contrib.layers.batch_norm)
        pooled = contrib.layers.max_pool2d(contrib.layers.conv2d(images, 3, 3, stride=1, scope="c"), [2, 2])
        loss = tf1.losses.get_regularization_loss()
        return full, plain, normed, pooled, loss

    (full, plain, normed, pooled, loss), variables, x = _run(build)
    weights, bias = variables[:2]
    np.testing.assert_allclose(full, np.maximum(x.reshape(2, -1) @ weights + bias, 0), atol=1e-6)
    np.testing.assert_allclose(loss, 0.25 * (weights**2).sum(), rtol=1e-5)
    assert plain.shape == (2, 2)
    assert normed.shape == (2, 4, 3, 3)
    assert normed.min() >= 0
    assert pooled.shape == (2, 2, 1, 3)
    # A kernel and a bias, a kernel alone, a kernel and an offset, a kernel and a bias.
    assert [v.ndim for v in variables] == [2, 1, 2, 4, 1, 4, 1]


def test_summaries_of_the_global_step(tmp_path):
    writer = contrib.summary.create_file_writer(str(tmp_path), flush_millis=10)
    step = tf.Variable(0, dtype=tf.int64)
    with writer.as_default(), contrib.summary.record_summaries_every_n_global_steps(2, step):
        for _ in range(4):
            contrib.summary.scalar("loss", 0.5, step=step, family="train")
            step.assign_add(1)
    writer.close()
    (file,) = tmp_path.iterdir()
    assert [(e.step, e.summary.value[0].tag) for e in events(file) if e.summary.value] == [
        (0, "train/loss"), (2, "train/loss"),
    ]  # fmt: skip


def test_summaries_of_a_graph(tmp_path):
    with tf1.Graph().as_default(), tf1.Session() as session:
        step = tf1.train.get_or_create_global_step()
        with contrib.summary.create_file_writer(str(tmp_path)).as_default() as writer:
            with contrib.summary.always_record_summaries():
                contrib.summary.scalar("loss", tf1.cast(step, tf.float32) * 2.0)
            (operation,) = contrib.summary.all_summary_ops()
            session.run(tf1.global_variables_initializer())
            contrib.summary.initialize(session=session)
            session.run([operation, contrib.summary.summary_writer_initializer_op()])
            session.run(tf1.assign_add(step, 3))
            session.run(operation)
        writer.close()
    (file,) = tmp_path.iterdir()
    assert [event.step for event in events(file) if event.summary.value] == [0, 3]


def test_hyperparameters_keep_their_types():
    config = contrib.training.HParams(rate=0.1, layers=[2, 3], name="a", deep=True)
    config.add_hparam("size", 4)
    config.rate = 1
    config.parse("size=5,layers=[7],name=b,deep=False")
    assert config.values() == {"rate": 1.0, "layers": [7], "name": "b", "deep": False, "size": 5}
    assert isinstance(config.rate, float)
    assert config.get("none", 3) == 3
    assert "size" in config
    assert contrib.training.HParams(size=1).parse_json('{"size": 2}').to_json() == '{"size": 2}'
    with pytest.raises(ValueError, match="Could not cast hyperparameter 'size'"):
        config.size = 1.5
    config.other = 5
    assert config.other == 5
    assert "other" not in config.values()
    with pytest.raises(ValueError, match="Unknown hyperparameter: nothing"):
        config.parse("nothing=1")
    with pytest.raises(ValueError, match="reserved"):
        config.add_hparam("size", 1)


def test_transformations_of_datasets():
    numbers = tf.data.Dataset.range(5)
    whole = numbers.apply(contrib.data.batch_and_drop_remainder(2))
    assert [batch.numpy().tolist() for batch in whole] == [[0, 1], [2, 3]]
    pairs = numbers.apply(contrib.data.parallel_interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(2), 1))
    assert [int(x) for x in pairs.prefetch(1)] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]


def test_lists_and_objects_of_checkpoints(tmp_path):
    def model():
        parts = tfe.Checkpointable()
        parts.layers = contrib.checkpoint.List([tf.Variable([1.0])])
        parts.named = contrib.checkpoint.Mapping(a=tf.Variable(2.0))
        return parts

    first, second = model(), model()
    first.layers[0].assign([5.0])
    first.named["a"].assign(6.0)
    tf.train.Checkpoint(model=first).restore(tf.train.Checkpoint(model=second).write(str(tmp_path / "old")))
    assert (first.layers[0].numpy().tolist(), first.named["a"].numpy()) == ([1.0], 2.0)


@pytest.mark.parametrize("steps", [True, False])
@pytest.mark.parametrize("batch", [True, False])
def test_the_loss_of_sequences_is_averaged_by_weights(steps, batch):
    with tf1.Graph().as_default(), tf1.Session() as session:
        logits, targets = tf1.zeros([2, 2, 5]), tf1.constant([[2, 3], [4, 4]])
        weights = np.array([[1.5, 1.0], [0.0, 2.0]], "float32")
        made = contrib.seq2seq.sequence_loss(
            logits, targets, weights, steps, batch, lambda labels, logits: tf1.to_float(labels) + 0 * logits[:, 0]
        )
        plain = contrib.seq2seq.sequence_loss(logits, targets, weights)
        found, even = session.run([made, plain])
    losses = weights * [[2, 3], [4, 4]]
    axes = tuple(axis for axis, averaged in ((0, batch), (1, steps)) if averaged)
    np.testing.assert_allclose(found, losses.sum(axes) / weights.sum(axes) if axes else losses, rtol=1e-6)
    np.testing.assert_allclose(even, np.log(5.0), rtol=1e-6)


def test_the_loss_of_sequences_says_what_it_takes():
    with pytest.raises(ValueError, match="Logits must be a 3-dimensional tensor"):
        contrib.seq2seq.sequence_loss(np.zeros([2, 5]), [[1]], [[1.0]])
