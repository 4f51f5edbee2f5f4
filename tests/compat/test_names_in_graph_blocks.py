"""Functions called from ``tapeviz`` itself in a graph block: ``name=`` is the operation's name, as in TensorFlow."""

import pytest

import tapeviz as tf

# What TensorFlow 2.21 calls the results.
NAMES = {
    "tf.add(a, a, name='sum')": ["sum:0"], "tf.reduce_mean(a, name='m')": ["m:0"],
    "tf.nn.softmax(a, name='sm')": ["sm:0"], "tf.matmul(a, tf.ones([3, 2]), name='mm')": ["mm:0"],
    "tf.identity(a, name='out')": ["out:0"], "tf.clip_by_value(a, 0., 1., name='clip')": ["clip:0"],
    "tf.reshape(a, [-1], name='rs')": ["rs:0"], "tf.concat([a, a], 0, name='cc')": ["cc:0"],
    "tf.split(a, 3, axis=1, name='sp')": ["sp:0", "sp:1", "sp:2"], "tf.where(a > 0, a, a, name='wh')": ["wh:0"],
    "tf.nn.relu(a, name='re')": ["re:0"], "tf.math.l2_normalize(a, 1, name='l2')": ["l2:0"],
    "tf.constant(1., name='k')": ["k:0"], "tf.zeros([2], name='ze')": ["ze:0"], "tf.range(3, name='ra')": ["ra:0"],
    "tf.tensordot(a, tf.ones([3, 2]), 1, name='td')": ["td:0"], "tf.math.divide(a, 2., name='dv')": ["dv:0"],
    "tf.clip_by_norm(a, 1., name='cn')": ["cn:0"], "tf.unstack(a, axis=1, name='us')": ["us:0", "us:1", "us:2"],
    "tf.slice(a, [0, 0], [1, 1], name='sl')": ["sl:0"], "tf.math.top_k(a, 2, name='tk')": ["tk:0", "tk:1"],
    "tf.argmax(a, 1, name='am')": ["am:0"], "tf.random.normal([2], name='rn')": ["rn:0"],
    "tf.nn.lrn(tf.ones([1, 1, 1, 2]), name='lr')": ["lr:0"], "tf.group(a, name='gr')": ["gr"],
}  # fmt: skip


@pytest.mark.parametrize("text", NAMES)
def test_the_result_has_the_name(text):
    graph = tf.Graph()
    with graph.as_default():
        a = tf.compat.v1.placeholder(tf.float32, [None, 3], name="a")
        made = tf.nest.flatten(eval(text, {"tf": tf, "a": a}))
    assert [one.name for one in made] == NAMES[text]
    if made[0].name.endswith(":0"):
        assert graph.get_tensor_by_name(made[0].name) is made[0]
        assert graph.get_operation_by_name(made[0].op.name) is made[0].op
    names = [node.name for node in graph.get_operations()]
    assert len(set(names)) == len(names)


def test_a_name_given_twice_gets_a_number_and_scopes_stand_before_it():
    graph = tf.Graph()
    with graph.as_default():
        a = tf.compat.v1.placeholder(tf.float32, [3], name="a")
        for _ in range(2):
            last = tf.clip_by_value(a, 0.0, 1.0, name="x")
        with tf.name_scope("inner"):
            other = tf.add(a, 1.0, name="x")
    assert last.name == "x_1:0"
    assert other.name == "inner/x:0"
    with tf.compat.v1.Session(graph=graph) as session:
        assert session.run("inner/x:0", {"a:0": [1.0, 2.0, 3.0]}).tolist() == [2.0, 3.0, 4.0]
        assert session.run(["x:0", "x_1:0"], {a: [-1.0, 0.5, 3.0]})[1].tolist() == [0.0, 0.5, 1.0]
