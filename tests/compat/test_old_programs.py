"""What programs of the years of TensorFlow 1 ask for to their last line. TensorFlow 2.21 answers the same."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz as tf2
import tapeviz.compat.v1 as tf
from tapeviz.errors import InvalidArgumentError


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.Session() as made:
        yield made


def test_the_devices_of_a_session(session):
    first = session.list_devices()[0]
    assert (first.name, first.device_type) == ("/job:localhost/replica:0/task:0/device:CPU:0", "CPU")
    assert first.memory_limit_bytes >= 0
    assert first.incarnation == session.list_devices()[0].incarnation
    assert repr(first).startswith("_DeviceAttributes(/job:localhost/replica:0/task:0/device:CPU:0, CPU, ")


def test_a_cluster_as_a_definition():
    cluster = tf.train.ClusterSpec({"worker": ["127.0.0.1:1", "127.0.0.1:2"], "ps": {3: "127.0.0.1:3"}})
    found = cluster.as_cluster_def()
    assert [(job.name, dict(job.tasks)) for job in found.job] == [
        ("ps", {3: "127.0.0.1:3"}), ("worker", {0: "127.0.0.1:1", 1: "127.0.0.1:2"}),
    ]  # fmt: skip
    assert tf.train.ClusterSpec(found) == cluster == found
    one = tf.train.ClusterSpec({"worker": ["127.0.0.1:0"]}).as_cluster_def()
    assert tf.train.Server(one).server_def.job_name == "worker"


def test_an_assertion_fails_when_it_is_run(session):
    fails = tf.Assert(tf.constant(False), ["bad", tf.constant(3)])
    assert isinstance(fails, tf.Operation)
    with pytest.raises(InvalidArgumentError, match="bad"):
        session.run(fails)
    assert session.run(tf.Assert(tf.constant(True), ["good"])) is None


def test_what_is_known_to_hold_is_an_operation_and_what_is_known_to_fail_an_error(session):
    holds = tf.assert_equal(tf.constant(1), tf.constant(1))
    assert isinstance(holds, tf.Operation)
    with tf.control_dependencies([holds, tf.assert_positive(2), tf.assert_less(1, 2)]):
        assert session.run(tf.identity(tf.constant(5))) == 5
    with pytest.raises(InvalidArgumentError, match="did not hold"):
        tf.assert_equal(tf.constant(1), tf.constant(2))


def test_an_assertion_about_a_placeholder(session):
    x = tf.placeholder(tf.int32, [])
    with tf.control_dependencies([tf.Assert(x > 0, [x])]):
        kept = tf.identity(x)
    assert session.run(kept, {x: 2}) == 2
    with pytest.raises(InvalidArgumentError):
        session.run(kept, {x: -2})


def test_positions_of_extremes_by_their_old_names(session):
    rows = [[1.0, 3.0, 2.0]]
    assert session.run(tf.arg_max(rows, 1)).tolist() == [1]
    assert session.run(tf.arg_min(rows, dimension=1)).tolist() == [0]
    found = session.run(tf.arg_max(rows, 1, output_type=tf.int32))
    assert (found.tolist(), found.dtype) == ([1], np.int32)
    assert session.run(tf.argmax(rows, dimension=1)).tolist() == [1]


def test_other_old_names(session):
    given = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert session.run(tf.div_no_nan(given, 0.0)).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert session.run(tf.diag([1.0, 2.0])).tolist() == [[1.0, 0.0], [0.0, 2.0]]
    assert session.run(tf.diag_part(given)).tolist() == [1.0, 4.0]
    assert session.run(tf.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])).tolist() == [0.0, 0.0, 1.0]
    assert session.run(tf.batch_gather(given, [[1], [0]])).tolist() == [[2.0], [3.0]]
    assert session.run(tf.reverse_v2(given, [1])).tolist() == [[2.0, 1.0], [4.0, 3.0]]
    assert session.run(tf.verify_tensor_all_finite(given, "not finite")).tolist() == [[1.0, 2.0], [3.0, 4.0]]
    loss = tf.nn.softmax_cross_entropy_with_logits_v2(labels=[[0.0, 1.0]], logits=[[0.0, 0.0]])
    assert session.run(loss)[0] == pytest.approx(np.log(2.0))


class Net(tf2.keras.Model):
    """One layer."""

    def __init__(self):
        super().__init__()
        self.dense = tf2.keras.layers.Dense(1)

    def call(self, x):
        """Apply it."""
        return self.dense(x)


@pytest.mark.parametrize("make", [
    lambda: tf.train.AdamOptimizer(0.1), lambda: tf.train.MomentumOptimizer(0.1, 0.9),
    lambda: tf.train.AdagradOptimizer(0.1), lambda: tf.train.RMSPropOptimizer(0.1),
])  # fmt: skip
def test_an_old_optimizer_written_eagerly_goes_on_in_a_graph(tmp_path, make):
    net, optimizer = Net(), make()
    with tf2.GradientTape() as tape:
        loss = tf2.reduce_sum(net(tf2.ones([1, 2])) ** 2)
    variables = net.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
    path = tf2.train.Checkpoint(model=net, optimizer=optimizer).save(tmp_path / "saved")
    kept = [variable.numpy().tolist() for variable in (*variables, *optimizer.variables())]
    with tf2.Graph().as_default():
        net, optimizer = Net(), make()
        x = tf.placeholder(tf.float32, [None, 2])
        step = optimizer.minimize(tf2.reduce_sum(net(x) ** 2))
        status = tf2.train.Checkpoint(model=net, optimizer=optimizer).restore(path)
        with tf.Session() as session:
            status.initialize_or_restore(session)
            found = session.run([*net.trainable_variables, *optimizer.variables()])
            assert sorted(str(one.tolist()) for one in found) == sorted(map(str, kept))
            session.run(step, {x: np.ones((1, 2))})


def test_slots_made_after_reading_get_their_values(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.get_variable("w", initializer=[1.0, 2.0])
        optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
        step = optimizer.minimize(tf.reduce_sum(w**2))
        session.run(tf.global_variables_initializer())
        session.run(step)
        path = tf.train.Checkpoint(w=w, optimizer=optimizer).save(tmp_path / "saved", session)
    w, optimizer = tf2.Variable([0.0, 0.0]), tf.train.MomentumOptimizer(0.1, 0.9)
    tf2.train.Checkpoint(w=w, optimizer=optimizer).restore(path)
    assert w.numpy().tolist() == pytest.approx([0.8, 1.6])
    optimizer.apply_gradients([(tf2.constant([0.0, 0.0]), w)])
    assert optimizer.get_slot(w, "momentum").numpy().tolist() == pytest.approx([1.8, 3.6])


def test_weights_of_a_model_whose_variables_are_its_attributes(tmp_path):
    class Linear(tf2.keras.Model):
        def __init__(self):
            super().__init__()
            self.slope, self.offset = tf2.Variable(5.0), tf2.Variable(10.0)

        def call(self, x):
            return x * self.slope + self.offset

    model = Linear()
    model.save_weights(tmp_path / "weights")
    model.slope.assign(0.0)
    model.load_weights(tmp_path / "weights")
    assert model.slope.numpy() == 5.0


def sized(*sizes):
    return tf.placeholder(tf.float32, sizes)


NEVER_FIT = {
    "add": lambda: sized(None, 3) + sized(None, 4),
    "maximum": lambda: tf.maximum(sized(None, 3), sized(None, 2)),
    "where": lambda: tf.where_v2(sized(None, 3) > 0, sized(None, 3), sized(None, 4)),
    "matmul": lambda: tf.matmul(sized(None, 3), sized(4, None)),
    "matmul turned": lambda: tf.matmul(sized(3, None), sized(None, 4), transpose_a=True, transpose_b=True),
    "concat": lambda: tf.concat([sized(2, 3), sized(None, 4)], 0),
    "concat of columns": lambda: tf.concat([sized(2, None), sized(3, 4)], 1),
    "concat of ranks": lambda: tf.concat([sized(2, None), sized(3)], 0),
    "stack": lambda: tf.stack([sized(2, 3), sized(None, 4)]),
    "add_n": lambda: tf.add_n([sized(None, 3), sized(None, 4)]),
}
MAY_FIT = {
    "add": lambda: sized(None, 3) + sized(4, 1),
    "matmul": lambda: tf.matmul(sized(None, None), sized(4, None)),
    "concat": lambda: tf.concat([sized(None, 3), sized(None, 4)], 1),
    "stack": lambda: tf.stack([sized(2, None), sized(None, 4)]),
}


@pytest.mark.parametrize("form", NEVER_FIT)
def test_sizes_that_can_never_fit_are_refused_when_the_graph_is_built(form):
    with tf.Graph().as_default(), pytest.raises(ValueError, match=r"\[Op:"):
        NEVER_FIT[form]()


@pytest.mark.parametrize("form", MAY_FIT)
def test_sizes_that_may_fit_are_not(form):
    with tf.Graph().as_default():
        assert MAY_FIT[form]().shape.rank >= 2
