"""``tfe.Network``: layers that are tracked, and files for what was learned."""

import numpy as np
import pytest

import tapeviz as tf
import tapeviz.compat.v1 as tf1
import tapeviz.contrib.eager as tfe
from tapeviz.compat.v1.graph import default_graph, v2_behavior

DIGITS = np.random.default_rng(0).normal(size=(6, 12)).astype(np.float32)


@pytest.fixture(autouse=True)
def fresh_start(monkeypatch):
    monkeypatch.setattr(v2_behavior.Start, "options", None)
    monkeypatch.setattr(v2_behavior.Start, "graph_met", False)
    monkeypatch.setattr(default_graph._Process, "graph", None)


@pytest.fixture
def eagerly():
    with tfe.EagerVariableStore().as_default():
        yield


class Reader(tfe.Network):
    def __init__(self, name=None, width=4):
        super().__init__(name=name)
        self.hidden = self.track_layer(tf1.layers.Dense(width, activation=tf1.nn.relu))
        self.scores = self.track_layer(tf1.layers.Dense(3))

    def call(self, x):
        return self.scores(self.hidden(x))


@pytest.mark.usefixtures("eagerly")
def test_it_answers_without_a_placeholder():
    reader = Reader(name="reader")
    assert reader.variables == []
    assert reader(tf.zeros([1, 12])).numpy().tolist() == [[0.0, 0.0, 0.0]]
    assert [variable.name for variable in reader.variables] == [
        "reader/dense/kernel:0", "reader/dense/bias:0", "reader/dense_1/kernel:0", "reader/dense_1/bias:0"
    ]  # fmt: skip
    assert reader.layers == [reader.hidden, reader.scores]
    assert reader.get_layer("dense_1") is reader.get_layer(index=1) is reader.scores
    assert reader.trainable_variables == reader.variables


def test_what_is_not_there_is_refused():
    reader = Reader(name="reader")
    with pytest.raises(ValueError, match=r"^No such layer: nothing\. Existing layers are \['dense', 'dense_1'\]"):
        reader.get_layer("nothing")
    with pytest.raises(ValueError, match="Was asked to retrieve layer at index 5 but model only has 2 layers"):
        reader.get_layer(index=5)
    with pytest.raises(ValueError, match="Provide either a layer name or layer index"):
        reader.get_layer()
    with pytest.raises(TypeError, match="passed type <class 'int'>"):
        reader.track_layer(3)
    with pytest.raises(ValueError, match="before it was first called"):
        tfe.save_network_checkpoint(reader, "nowhere")


@pytest.mark.usefixtures("eagerly")
def test_it_learns():
    reader, optimizer = Reader(), tf1.train.GradientDescentOptimizer(0.5)
    answers = np.array([0, 1, 2, 0, 1, 2])

    def loss_function(model, x, y):
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=model(x)))

    first = loss_function(reader, DIGITS, answers).numpy()
    gradients = tfe.implicit_gradients(loss_function)
    for _ in range(10):
        optimizer.apply_gradients(gradients(reader, DIGITS, answers))
    half = loss_function(reader, DIGITS, answers).numpy()
    with tf.device("/cpu:0"):
        for _ in range(10):
            optimizer.minimize(lambda: loss_function(reader, DIGITS, answers))
    assert loss_function(reader, DIGITS, answers).numpy() < half < first


@pytest.mark.usefixtures("eagerly")
def test_networks_in_networks():
    class Two(tfe.Network):
        def __init__(self):
            super().__init__(name="two")
            self.left = self.track_layer(Reader(name="left"))
            self.right = self.track_layer(Reader(name="right"))

        def call(self, x):
            return self.left(x) + self.right(x)

    two = Two()
    two(DIGITS)
    assert len(two.variables) == 8
    assert {variable.name for variable in two.variables} >= {"two/left/dense/kernel:0", "two/right/dense_1/bias:0"}
    chain = tfe.Sequential([two, tf.nn.softmax], name="chain")
    np.testing.assert_allclose(tf.reduce_sum(chain(DIGITS), axis=1).numpy(), np.ones(6), rtol=1e-6)
    with pytest.raises(TypeError, match="takes only"):
        chain.add(3)


@pytest.mark.usefixtures("eagerly")
@pytest.mark.parametrize("built", [True, False])
def test_what_was_saved_comes_back_under_another_name(tmp_path, built):
    first, second = Reader(name="first"), Reader(name="second")
    scores = first(DIGITS).numpy()
    path = first.save(str(tmp_path / "reader"), global_step=7)
    assert path == str(tmp_path / "reader-7")
    if built:
        second(DIGITS)
    second.restore(path)
    np.testing.assert_array_equal(second(DIGITS).numpy(), scores)


@pytest.mark.usefixtures("eagerly")
def test_a_folder_gets_a_file_of_the_networks_name(tmp_path):
    first = Reader(name="first")
    first(DIGITS)
    assert tfe.save_network_checkpoint(first, f"{tmp_path}/") == f"{tmp_path}/first"
    with pytest.raises(ValueError, match="is not a valid checkpoint"):
        tfe.restore_network_checkpoint(Reader(), f"{tmp_path}/second")
    other = Reader(width=5)
    other(DIGITS)
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match="shape"):
        other.restore(f"{tmp_path}/first")


def test_from_eager_to_a_session_and_back(tmp_path):
    with tfe.EagerVariableStore().as_default():
        first = Reader(name="first")
        scores = first(DIGITS).numpy()
        path = first.save(str(tmp_path / "eager"))
    for late in (True, False):
        graph = tf1.Graph()
        with graph.as_default():
            built = Reader(name="built")
            x = tf1.placeholder(tf1.float32, [None, 12])
            if late:  # before there are variables: they begin with what was saved
                tfe.restore_network_checkpoint(built, path)
            y = built(x)
            with pytest.raises(ValueError, match="open the session"):
                built.save(str(tmp_path / "nowhere"))
            with tf1.Session() as session:
                session.run(tf1.global_variables_initializer())
                if not late:
                    built.restore(path)
                np.testing.assert_allclose(session.run(y, {x: DIGITS}), scores, rtol=1e-6)
                session.run(built.variables[1].assign(np.ones(4, np.float32)))
                again = session.run(y, {x: DIGITS})
                back = built.save(str(tmp_path / "session"))
    with tfe.EagerVariableStore().as_default():
        second = Reader(name="second")
        second.restore(back)
        np.testing.assert_allclose(second(DIGITS).numpy(), again, rtol=1e-6)


@pytest.mark.parametrize("called", [False, True])
@pytest.mark.parametrize("form", ["path", "folder", "folder/"])
def test_a_network_is_restored_from_its_path_and_from_its_folder(tmp_path, form, called):
    x = tf.ones([1, 2])
    with tfe.EagerVariableStore().as_default():
        first, second = (tfe.Sequential([tf1.layers.Dense(3), tf1.layers.Dense(1)]) for _ in range(2))
        expected = first(x)
        path = first.save(str(tmp_path), global_step=3)
        if called:
            second(x)
        second.restore({"path": path, "folder": str(tmp_path), "folder/": f"{tmp_path}/"}[form])
        assert second(x).numpy().tolist() == expected.numpy().tolist()


def test_a_folder_without_a_checkpoint_is_no_place_to_restore_from(tmp_path):
    with tfe.EagerVariableStore().as_default(), pytest.raises(ValueError, match="is not a valid checkpoint"):
        tfe.Sequential([tf1.layers.Dense(3)]).restore(str(tmp_path))
