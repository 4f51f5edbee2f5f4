"""Datasets in sessions: iterators that begin by themselves, that are initialized, and that are given datasets."""

import numpy as np
import pytest

import tapeviz
import tapeviz.compat.v1 as tf
import tapeviz.contrib.eager as tfe


@pytest.fixture
def graph():
    with tf.Graph().as_default() as made:
        yield made


def until_the_end(session, fetches):
    found = []
    while True:
        try:
            found.append(session.run(fetches))
        except tf.errors.OutOfRangeError:
            return found


@pytest.mark.usefixtures("graph")
def test_an_iterator_that_begins_by_itself():
    iterator = tf.data.Dataset.range(3).map(lambda x: tf.multiply(x, 2)).make_one_shot_iterator()
    element = iterator.get_next()
    assert (element.shape, element.dtype) == ((), tf.int64)
    doubled = element * 10
    with tf.Session() as session:
        assert session.run([element, doubled]) == [0, 0]  # one run takes one element
        assert until_the_end(session, [element, doubled]) == [[2, 20], [4, 40]]
        with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
            session.run(element)
    with tf.Session() as session:  # each session goes through it by itself
        assert until_the_end(session, element) == [0, 2, 4]
    with pytest.raises(ValueError, match="does not have an initializer"):
        _ = iterator.initializer


@pytest.mark.usefixtures("graph")
def test_an_iterator_that_is_fed():
    features, labels = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.int32, [None])
    count = tf.placeholder(tf.int64, [])
    dataset = tf.data.Dataset.from_tensor_slices({"x": features, "y": labels}).take(count).batch(2)
    assert dataset.output_types == {"x": tf.float32, "y": tf.int32}
    assert dataset.output_shapes == {"x": [None, 2], "y": [None]}
    assert dataset.output_classes["x"] is tapeviz.Tensor
    iterator = tf.data.make_initializable_iterator(dataset)
    element = iterator.get_next()
    loss = tf.reduce_sum(element["x"])
    with tf.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError, match="has not been initialized"):
            session.run(loss)
        for size in (3, 2):
            feed = {features: np.ones([size, 2]), labels: np.arange(size), count: 9}
            session.run(iterator.initializer, feed_dict=feed)
            found = until_the_end(session, [loss, element["y"]])
            assert [list(y) for _, y in found] == ([[0, 1], [2]] if size == 3 else [[0, 1]])
            assert found[0][0] == 4.0
        with pytest.raises(tf.errors.InvalidArgumentError, match="You must feed a value for placeholder"):
            session.run(iterator.initializer, feed_dict={count: 1})
    with pytest.raises(ValueError, match="Cannot capture a placeholder"):
        dataset.make_one_shot_iterator()


@pytest.mark.usefixtures("graph")
def test_an_iterator_for_datasets_of_one_structure():
    train, test = tf.data.Dataset.range(3), tf.data.Dataset.range(10, 12)
    iterator = tf.data.Iterator.from_structure(train.output_types, train.output_shapes)
    begin_training, begin_testing = iterator.make_initializer(train), iterator.make_initializer(test)
    element = iterator.get_next()
    with tf.Session() as session:
        for _ in range(2):
            session.run(begin_training)
            assert until_the_end(session, element) == [0, 1, 2]
            session.run(begin_testing)
            assert until_the_end(session, element) == [10, 11]
    with pytest.raises(TypeError, match="Expected output types"):
        iterator.make_initializer(tf.data.Dataset.from_tensors(1.0))


@pytest.mark.usefixtures("graph")
def test_training_with_a_session():
    x = np.linspace(-1, 1, 32).astype(np.float32)
    dataset = tf.data.Dataset.from_tensor_slices((x, 3 * x + 2)).shuffle(32, seed=1).repeat(60).batch(8)
    features, targets = dataset.make_one_shot_iterator().get_next()
    w, b = tf.Variable(0.0), tf.Variable(0.0)
    loss = tf.reduce_mean(tf.square(w * features + b - targets))
    step = tf.train.GradientDescentOptimizer(0.3).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        until_the_end(session, step)
        assert np.allclose(session.run([w, b]), [3.0, 2.0], atol=0.01)


@pytest.mark.usefixtures("graph")
def test_pythons_loops_are_for_eager_execution():
    dataset = tf.data.Dataset.range(2)
    with pytest.raises(RuntimeError, match="only supports Python-style iteration in eager mode"):
        iter(dataset)
    with pytest.raises(RuntimeError, match=r"as_numpy_iterator\(\) is not supported while tracing functions"):
        dataset.as_numpy_iterator()
    assert isinstance(dataset.map(lambda x: x), tf.data.Dataset)
    assert tf.keras.datasets.digits.load_data()[0][0].shape[1:] == (8, 8)


def test_lines_of_a_file_that_is_fed(tmp_path, graph):
    (tmp_path / "a.txt").write_text("1\n2\n")
    name = tf.placeholder(tf.string, [])
    iterator = tf.data.TextLineDataset(name).make_initializable_iterator()
    line = iterator.get_next()
    with tf.Session(graph=graph) as session:
        session.run(iterator.initializer, feed_dict={name: str(tmp_path / "a.txt")})
        assert until_the_end(session, line) == [b"1", b"2"]


def test_eagerly_an_iterator_is_one_of_pythons():
    tf.enable_eager_execution()
    dataset = tf.data.Dataset.range(2)
    assert [x.numpy() for x in dataset] == [0, 1]
    iterator = dataset.make_one_shot_iterator()
    assert (iterator.get_next().numpy(), next(iterator).numpy()) == (0, 1)
    with pytest.raises(tf.errors.OutOfRangeError):
        iterator.get_next()
    with pytest.raises(RuntimeError, match="not supported when eager execution is enabled"):
        dataset.make_initializable_iterator()


def test_the_first_iterator_of_eager_execution_goes_through_datasets(tmp_path):
    dataset = tapeviz.data.Dataset.range(6).shuffle(6).batch(2)
    iterator = tfe.Iterator(dataset)
    next(iterator)
    path = tapeviz.train.Checkpoint(data=iterator).save(str(tmp_path / "run"))
    rest = [x.numpy().tolist() for x in iterator]
    new = tfe.Iterator(tapeviz.data.Dataset.range(6).shuffle(6).batch(2))
    tapeviz.train.Checkpoint(data=new).restore(path).assert_consumed()
    assert [x.numpy().tolist() for x in new] == rest
    with pytest.raises(tf.errors.OutOfRangeError):
        new.get_next()
    window = tfe.Iterator(tapeviz.data.Dataset.range(2).window(2)).next()
    assert [x.numpy() for x in window] == [0, 1]
