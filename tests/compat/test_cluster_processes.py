"""Sessions over two processes: this one, and one that only serves."""

import json
import socket
import subprocess
import sys
from multiprocessing.connection import Client, Pipe

import ml_dtypes
import numpy as np
import pytest

import tapeviz.compat.v1 as tf
from tapeviz.compat.v1.cluster import client, links, segments
from tapeviz.compat.v1.cluster.runs import TaskRun
from tapeviz.errors import (
    DeadlineExceededError,
    FailedPreconditionError,
    InvalidArgumentError,
    PermissionDeniedError,
    UnavailableError,
    UnimplementedError,
)

SERVER = """
import json, sys
import tapeviz.compat.v1 as tf
server = tf.train.Server(json.loads(sys.argv[1]), job_name="worker", task_index=1)
print(server.target, flush=True)
server.join()
"""
THERE, HERE = "/job:worker/task:1", "/job:worker/task:0"


class Cluster:
    """A server of this process and one of another, which can be killed and started again."""

    def __init__(self):
        with socket.socket() as one, socket.socket() as two:
            one.bind(("127.0.0.1", 0))
            two.bind(("127.0.0.1", 0))
            addresses = [f"127.0.0.1:{found.getsockname()[1]}" for found in (one, two)]
        self.spec = tf.train.ClusterSpec({"worker": addresses})
        self.other = self._started()
        self.server = tf.train.Server(self.spec, job_name="worker", task_index=0)
        self.target = self.server.target

    def _started(self):
        command = [sys.executable, "-c", SERVER, json.dumps(self.spec.as_dict())]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.other_target = process.stdout.readline().strip()
        assert self.other_target == f"grpc://{self.spec.task_address('worker', 1)}"
        return process

    def kill(self):
        self.other.kill()
        self.other.wait()
        self.other.stdout.close()

    def restart(self):
        self.other = self._started()


@pytest.fixture(scope="module")
def cluster():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAPEVIZ_CLUSTER_KEY", "of these tests")
        found = Cluster()
        yield found
        found.kill()


@pytest.fixture(autouse=True)
def no_values(cluster):
    """Each test begins with a server that runs and has no variables."""
    if cluster.other.poll() is not None:
        cluster.restart()
    tf.Session.reset(cluster.target)


def model(seed=3):
    """A step of training whose variables are on the other task; what it is fed, and what it gives."""
    tf.set_random_seed(seed)
    with tf.device(THERE):
        w = tf.Variable(tf.random_normal([4, 3], seed=seed), name="w")
        b = tf.Variable(tf.zeros([3]), name="b")
    x, y = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.int32, [None])
    logits = tf.layers.dense(tf.nn.relu(tf.matmul(x, w) + b), 3, kernel_initializer=tf.ones_initializer())
    loss = tf.losses.sparse_softmax_cross_entropy(labels=y, logits=logits)
    step = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, global_step=tf.train.get_or_create_global_step())
    rng = np.random.RandomState(0)
    return {x: rng.randn(16, 4), y: np.arange(16) % 3}, (w, b), loss, step


def losses_of(session, count=5):
    feeds, _, loss, step = model()
    session.run(tf.global_variables_initializer())
    return [session.run([step, loss], feeds)[1] for _ in range(count)]


def test_a_session_that_is_given_the_cluster(cluster):
    """The fourth way of the seeds to start a session, with their program."""
    x = tf.placeholder(tf.float32, shape=(8, 8))
    with tf.device(THERE):
        y = tf.matmul(x, x)
    array = np.random.RandomState(0).rand(8, 8).astype(np.float32)
    with tf.Session(config=tf.ConfigProto(cluster_def=cluster.spec)) as session:
        np.testing.assert_array_equal(session.run(y, feed_dict={x: array}), array @ array)
        assert session.run(y + 1.0, feed_dict={y: array})[0, 0] == array[0, 0] + 1


def test_what_two_processes_train_is_what_one_does(cluster):
    with tf.Graph().as_default(), tf.Session(cluster.target) as session:
        both = losses_of(session)
    with tf.Graph().as_default(), tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        alone = losses_of(session)
    assert both == alone
    assert both[-1] < both[0]


def test_variables_are_with_their_task_under_their_names(cluster, program):
    with tf.Graph().as_default(), tf.Session(cluster.target) as session:
        with tf.device(THERE):
            count = tf.Variable([1.0, 2.0], name="count")
        here = tf.Variable(5.0, name="here")
        session.run(tf.global_variables_initializer())
        assert session.run([count, here])[1] == 5.0
        assert list(cluster.server.store.values) == ["here"]
    printed = program(f"""
import tapeviz.compat.v1 as tf
with tf.device("{THERE}"):
    count = tf.Variable([0.0, 0.0], name="count")
with tf.device("{HERE}"):
    here = tf.Variable(0.0, name="here")
with tf.Session("{cluster.other_target}") as session:
    print(session.run([tf.assign_add(count, [1.0, 1.0]), here, tf.is_variable_initialized(count)]))
    unknown = tf.Variable(1.0, name="unknown")
    print(session.run(tf.report_uninitialized_variables()))
    print(session.run(unknown.initialized_value()))
""")
    assert printed.splitlines() == [
        "[array([2., 3.], dtype=float32), np.float32(5.0), np.True_]", "[b'unknown']", "1.0",
    ]  # fmt: skip


def test_a_task_that_dies_is_named_and_the_others_keep_what_they_have(cluster, tmp_path):
    feeds, (w, _), loss, step = model()
    saver = tf.train.Saver()
    with tf.Session(cluster.target) as session:
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(step, feeds)
        path = saver.save(session, str(tmp_path / "model"))
        before = session.run([loss, w], feeds)
        kept = dict(cluster.server.store.values)
        cluster.kill()
        for words in ("its process has ended", "no server has been started there again"):
            with pytest.raises(UnavailableError, match=rf"task {THERE} at .* is gone: {words}"):
                session.run(step, feeds)
        assert cluster.server.store.values == kept
        assert session.run(tf.train.get_global_step()) == 3
        cluster.restart()
        with pytest.raises(FailedPreconditionError, match=rf"(?s)value w\..*node w}}}}]]\n  on task {THERE}\n  at"):
            session.run(loss, feeds)
        saver.restore(session, path)
        after = session.run([loss, w], feeds)
        np.testing.assert_array_equal(after[1], before[1])
        assert after[0] == before[0]
        session.run(step, feeds)
        assert session.run(tf.train.get_global_step()) == 4


def test_an_error_there_names_the_task_and_the_line_here(cluster):
    x = tf.placeholder(tf.float32, [None])
    with tf.device(THERE):
        total = tf.add(x, tf.constant([1.0, 2.0]), name="total")  # this line
    with tf.Session(cluster.target) as session:
        with pytest.raises(InvalidArgumentError, match=rf"(?s)node total.*on task {THERE}\n  at .*# this line"):
            session.run(total, {x: [1.0, 2.0, 3.0]})
        np.testing.assert_array_equal(session.run(total, {x: [1.0, 2.0]}), [2.0, 4.0])


def test_a_server_that_is_not_there(cluster, free_port):
    spec = tf.train.ClusterSpec({"worker": [cluster.spec.task_address("worker", 0)], "ps": [f"127.0.0.1:{free_port}"]})
    with tf.device("/job:ps/task:0"):
        far = tf.constant(1.0) + 1.0
    config = tf.ConfigProto(cluster_def=spec, operation_timeout_in_ms=100)
    wanted = r"within 0\.1 s as task /job:ps/task:0: start it there with .*job_name='ps', task_index=0"
    with tf.Session(config=config) as session, pytest.raises(DeadlineExceededError, match=wanted):
        session.run(far)


def test_devices_of_no_task_and_of_python(cluster):
    with tf.device("/job:ps/task:3"):
        nowhere = tf.constant(1.0) + 1.0
    doubled = tf.py_func(lambda x: x * 2, [tf.constant(2.0)], tf.float32)
    with tf.device(THERE):
        python = tf.py_func(lambda x: x * 2, [tf.constant(2.0)], tf.float32)
        added = doubled + 1.0
    with tf.Session(cluster.target) as session:
        with pytest.raises(InvalidArgumentError, match=r"assigned to /job:ps/task:3 but the tasks of the cluster are"):
            session.run(nowhere)
        with pytest.raises(UnimplementedError, match="runs Python that only this process has"):
            session.run(python)
        assert session.run(added) == 5.0
    with tf.Session(cluster.other_target) as session:  # Python stays here, where all else is there
        assert session.run(added) == 5.0


def test_branches_loops_and_draws_of_another_task(cluster):
    tf.set_random_seed(1)
    with tf.device(THERE):
        w = tf.Variable(3.0, name="w")
        x = tf.placeholder_with_default(2.0, [])
        chosen = tf.cond(x > 1.0, lambda: w * 10.0, lambda: w)
        powered = tf.while_loop(lambda k, _: k < 3, lambda k, y: (k + 1, y * x), [0, w])[1]
        drawn = tf.random_uniform([2], seed=5)
        stacked = tf.reshape(drawn, tf.shape(drawn)[::-1])
    with tf.Session(cluster.target) as session:
        session.run(w.initializer)
        assert session.run([chosen, powered]) == [30.0, 24.0]
        assert session.run(chosen, {x: 0.0}) == 3.0
        first, second = session.run([drawn, stacked]), session.run([drawn, stacked])
        np.testing.assert_array_equal(first[0], first[1])
        assert not np.array_equal(first[0], second[0])
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        assert session.run(drawn).shape == (2,)


def test_tasks_that_do_not_wait_for_each_other_run_at_once(cluster):
    parts = []
    for device in (HERE, THERE):
        with tf.device(device):
            parts.append(tf.reduce_sum(tf.random_normal([3]) * 2.0))
    total = tf.add_n(parts)
    with tf.Session(cluster.target) as session:
        session.run(total)
        ((_, run),) = session._programs.values()
    assert isinstance(run, TaskRun)
    assert [sorted(part.task.number for part in parts) for parts in run.rounds] == [[0, 1], [0]]


def test_segments_that_were_dropped_are_sent_again(cluster, monkeypatch):
    monkeypatch.setattr(client, "keep_newest", lambda sent: segments.keep_newest(sent, 2))
    with tf.device(THERE):
        x = tf.placeholder(tf.float32, [])
        powers = [x * 1.0]
        for _ in range(3):
            powers.append(powers[-1] * x)
    with tf.Session(cluster.target) as session:
        for _ in range(2):
            assert [session.run(power, {x: 2.0}) for power in powers] == [2.0, 4.0, 8.0, 16.0]
        assert [len(sent) for sent in session._cluster._sent.values()] == [2]


def test_variables_in_turn_on_the_tasks_of_a_job(cluster):
    spec = {"ps": cluster.spec.job_tasks("worker"), "worker": ["127.0.0.1:1"]}
    with tf.device(tf.train.replica_device_setter(cluster=spec, worker_device="/job:worker/task:0")):
        variables = [tf.Variable(1.0) for _ in range(3)]
        total = tf.add_n(variables)
    assert [variable.device for variable in variables] == ["/job:ps/task:0", "/job:ps/task:1", "/job:ps/task:0"]
    assert total.device == "/job:worker/task:0"
    assert tf.train.replica_device_setter() is None
    assert tf.train.replica_device_setter(cluster={"worker": ["127.0.0.1:1"]}) is None
    with pytest.raises(TypeError, match="ps_strategy must be callable"):
        tf.train.replica_device_setter(ps_tasks=2, ps_strategy=3)


def test_a_server_of_another_task_than_the_cluster_says(cluster):
    spec = tf.train.ClusterSpec(
        {"worker": [cluster.spec.task_address("worker", 0)], "ps": cluster.spec.job_tasks("worker")[1:]}
    )
    with tf.device("/job:ps/task:0"):
        x = tf.constant(1.0) + 1.0
    wanted = rf"is {THERE}, not /job:ps/task:0: the cluster is not the same in all processes"
    with (
        tf.Session(config=tf.ConfigProto(cluster_def=spec)) as session,
        pytest.raises(InvalidArgumentError, match=wanted),
    ):
        session.run(x)


def test_nobody_is_heard_without_the_key(cluster, monkeypatch):
    host, _, port = cluster.spec.task_address("worker", 1).rpartition(":")
    with Client((host, int(port))) as stranger:
        assert stranger.recv_bytes().startswith(b"#CHALLENGE#")
        stranger.send({"do": "reset"})
        assert stranger.recv_bytes() == b"#FAILURE#"
        with pytest.raises((EOFError, OSError)):
            stranger.recv_bytes()
    with monkeypatch.context() as patch:
        patch.setenv("TAPEVIZ_CLUSTER_KEY", "another one")
        with pytest.raises(
            PermissionDeniedError, match="has another key: start all processes of a cluster as one user"
        ):
            tf.Session(cluster.other_target)
    with socket.create_server(("127.0.0.1", 0)) as other:
        config = tf.ConfigProto(operation_timeout_in_ms=50)
        with pytest.raises(InvalidArgumentError, match=r"is no tf\.train\.Server"):
            tf.Session(f"grpc://127.0.0.1:{other.getsockname()[1]}", config=config)


def test_the_key_of_a_user(tmp_path, monkeypatch):
    monkeypatch.delenv("TAPEVIZ_CLUSTER_KEY")
    path = tmp_path / "cluster" / "key"
    monkeypatch.setattr(links, "_key_file", lambda: path)
    assert links._key() == path.read_bytes()
    if sys.platform != "win32":
        path.chmod(0o640)
        with pytest.raises(PermissionDeniedError, match="other users can read it: chmod 600"):
            links._key()


@pytest.mark.parametrize("array", [
    np.float32(3.0), np.arange(6).reshape(2, 3).T, np.zeros((0, 3), np.int8), np.array([True, False]),
    np.array([1.5, -2.0], ml_dtypes.bfloat16), np.array([[b"\xff\x00", b""]], object), np.array([1 + 2j], np.complex64),
], ids=str)  # fmt: skip
def test_arrays_arrive_as_they_were_sent(array):
    one, two = Pipe()
    links.send(one, {"name": "value"}, [array])
    header, (found,) = links.receive(two)
    assert header == {"name": "value"}
    assert (found.dtype, found.shape) == (np.asarray(array).dtype, np.shape(array))
    np.testing.assert_array_equal(found, array)
