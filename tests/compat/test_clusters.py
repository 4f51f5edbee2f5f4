"""Configurations, clusters and servers of one process."""

import re

import pytest

import tapeviz.compat.v1 as tf
from tapeviz.errors import (
    DeadlineExceededError,
    InvalidArgumentError,
    NotFoundError,
    UnimplementedError,
    UnknownError,
)


def test_the_tasks_of_a_cluster():
    cluster = tf.train.ClusterSpec({"worker": ["a:1", "b:2"], "ps": {0: "c:3", 2: "d:4"}})
    assert cluster.jobs == ["worker", "ps"]
    assert cluster.as_dict() == {"worker": ["a:1", "b:2"], "ps": {0: "c:3", 2: "d:4"}}
    assert (cluster.num_tasks("worker"), cluster.task_indices("ps")) == (2, [0, 2])
    assert cluster.job_tasks("ps") == ["c:3", None, "d:4"]
    assert cluster.task_address("worker", 1) == "b:2"
    assert repr(tf.train.ClusterSpec({"b": ["y:1"], "a": ["x:1"]})) == "ClusterSpec({'a': ['x:1'], 'b': ['y:1']})"
    assert cluster == tf.train.ClusterSpec(cluster) == cluster.as_cluster_def()
    assert cluster
    assert not tf.train.ClusterSpec({})
    for call, words in [
        (lambda: cluster.job_tasks("none"), "No such job in cluster: 'none'"),
        (lambda: cluster.task_address("ps", 1), "No task with index 1 in job 'ps'"),
    ]:
        with pytest.raises(ValueError, match=words):
            call()
    for wrong in (3, {3: ["a:1"]}, {"a": "b:1"}, {"a": [3]}, {"a": {"0": "b:1"}}):
        with pytest.raises(TypeError):
            tf.train.ClusterSpec(wrong)


def test_sessions_of_one_server_have_their_variables_in_common():
    server = tf.train.Server.create_local_server()
    assert re.fullmatch(r"grpc://localhost:\d+", server.target)
    assert (server.server_def.job_name, server.server_def.task_index) == ("localhost", 0)
    count = tf.Variable(1.0)
    more = count.assign_add(1.0)
    with tf.Session(server.target) as first:
        first.run(count.initializer)
        assert first.run(more) == 2.0
    with tf.Session(server.target) as second:
        assert second.run(more) == 3.0
    with tf.Session("local") as alone, pytest.raises(Exception, match="uninitialized"):
        alone.run(count)
    tf.Session.reset(server.target)
    with tf.Session(server.target) as third, pytest.raises(Exception, match="uninitialized"):
        third.run(count)


def test_a_server_of_a_cluster_of_one(free_port):
    cluster = tf.train.ClusterSpec({"worker": [f"127.0.0.1:{free_port}"]})
    server = tf.train.Server(cluster, job_name="worker", task_index=0)
    assert server.target == f"grpc://127.0.0.1:{free_port}"
    assert "worker:0" in repr(server)
    with pytest.raises(UnknownError, match=f"Could not start a server as /job:worker/task:0 at 127.0.0.1:{free_port}"):
        tf.train.Server(server.server_def)
    with tf.Session(server.target, config=tf.ConfigProto(cluster_def=cluster.as_cluster_def())) as session:
        assert session.run(tf.constant(1.0)) == 1.0


def test_what_is_no_cluster(free_port):
    several = tf.train.ClusterSpec({"worker": ["127.0.0.1:1", "127.0.0.1:2"]})
    with pytest.raises(ValueError, match="`task_index` must be specified"):
        tf.train.Server(several)
    with pytest.raises(UnimplementedError, match="the tasks of a cluster must be on this machine"):
        tf.train.Server({"worker": ["far:1"]})
    config = tf.ConfigProto(operation_timeout_in_ms=100)
    with pytest.raises(
        DeadlineExceededError, match=rf"no server has answered at 127\.0\.0\.1:{free_port} within 0.1 s"
    ):
        tf.Session(f"grpc://127.0.0.1:{free_port}", config=config)
    with pytest.raises(
        NotFoundError, match=r'No session factory registered for the given session options: {target: "x"}'
    ):
        tf.Session("x")
    with pytest.raises(InvalidArgumentError, match=r"must be a tf\.train\.ClusterSpec, got 3"):
        tf.Session(config=tf.ConfigProto(cluster_def=3))


def test_configurations_have_their_fields_and_no_others():
    config = tf.ConfigProto(allow_soft_placement=True, gpu_options=tf.GPUOptions(allow_growth=True))
    assert repr(config) == "ConfigProto(allow_soft_placement=True, gpu_options=GPUOptions(allow_growth=True))"
    config.gpu_options.per_process_gpu_memory_fraction = 0.5
    config.graph_options.optimizer_options.global_jit_level = tf.OptimizerOptions.ON_1
    assert tf.ConfigProto().gpu_options.per_process_gpu_memory_fraction == 0.0
    copy = tf.ConfigProto()
    copy.CopyFrom(config)
    assert copy == config != tf.ConfigProto()
    with pytest.raises(ValueError, match='Protocol message ConfigProto has no "speed" field'):
        tf.ConfigProto(speed=3)
    with pytest.raises(AttributeError, match='Protocol message ConfigProto has no "speed" field'):
        config.speed = 3
    with tf.Session(config=config) as session:
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        assert session.run(tf.constant(1.0), options=options, run_metadata=tf.RunMetadata()) == 1.0
        assert session.list_devices()[0].name.endswith("CPU:0")
