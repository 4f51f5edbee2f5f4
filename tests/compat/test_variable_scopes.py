"""``get_variable`` and ``variable_scope``: made once, found again, refused otherwise."""

import numpy as np
import pytest

import tapeviz.compat.v1 as tf
from tapeviz.compat.v1.graph import default_graph


def test_names_of_variables_and_of_operations():
    with tf.variable_scope("a") as scope:
        first = tf.get_variable("w", [2])
        assert (first.name, scope.name, scope.original_name_scope, scope.reuse) == ("a/w:0", "a", "a/", False)
        with tf.name_scope("n"):  # not for get_variable
            made = tf.get_variable("v", [2]), tf.Variable(1.0, name="q"), tf.constant(1.0)
            assert [one.name for one in made] == ["a/v:0", "a/n/q:0", "a/n/Const:0"]
        with tf.variable_scope("b"):
            assert tf.get_variable("k", initializer=3.0).name == "a/b/k:0"
            assert tf.get_variable_scope().name == "a/b"
    with tf.variable_scope("a", reuse=True) as again:
        assert tf.get_variable("w", [2]) is first is tf.get_variable("w")
        assert (again.original_name_scope, tf.constant(1.0).name) == ("a_1/", "a_1/Const:0")
    with tf.variable_scope(scope, reuse=True) as reopened:
        assert (reopened.name, reopened.original_name_scope) == ("a", "a/")
        assert reopened.get_variable("w") is first
    assert tf.get_variable_scope().name == ""
    assert scope.global_variables() == tf.global_variables("a/")
    assert scope.trainable_variables() == tf.trainable_variables("a/")


def test_default_names_are_numbered():
    for name in ("d", "d_1"):
        with tf.variable_scope(None, default_name="d") as scope:
            assert scope.name == name
    with tf.variable_scope("d") as scope:
        assert (scope.name, scope.original_name_scope) == ("d", "d_2/")
    with tf.variable_scope(None, default_name="d") as scope:
        assert scope.name == "d_3"


def test_reuse():
    with tf.variable_scope("a"):
        first = tf.get_variable("w", [2])
        with pytest.raises(
            ValueError, match=r"^Variable a/w already exists, disallowed\. Did you mean to set reuse=True"
        ):
            tf.get_variable("w", [2])
    with tf.variable_scope("a", reuse=True):
        with pytest.raises(ValueError, match=r"^Variable a/z does not exist, or was not created with tf\.get_variable"):
            tf.get_variable("z", [2])
        with pytest.raises(ValueError, match=r"shape \(3,\) and found shape \(2,\)\.$"):
            tf.get_variable("w", [3])
        with pytest.raises(ValueError, match=r"specified dtype float64 and found dtype float32\.$"):
            tf.get_variable("w", [2], dtype=tf.float64)
        with tf.variable_scope("inner", reuse=False) as inner:
            assert inner.reuse  # what reuses goes on to
    with tf.variable_scope("a", reuse=tf.AUTO_REUSE) as scope:
        assert tf.get_variable("w", [2]) is first
        assert tf.get_variable("u", [2]) is tf.get_variable("u", [2])
        assert repr(scope.reuse) == "_ReuseMode.AUTO_REUSE"
    with tf.variable_scope("later") as scope:
        made = tf.get_variable("w", [1])
        scope.reuse_variables()
        assert tf.get_variable("w") is made
    with tf.Graph().as_default():
        assert tf.get_variable("a/w", [5]).shape == (5,)  # each graph has its own


def test_a_scope_without_a_name_is_none():
    with pytest.raises(TypeError, match="If default_name is None then name_or_scope is required"):
        tf.variable_scope(None).__enter__()
    with pytest.raises(TypeError, match="name_or_scope must be a string or VariableScope"):
        tf.variable_scope(3).__enter__()
    with pytest.raises(ValueError, match="name of a variable must be a string"):
        tf.get_variable("")


def test_what_variables_begin_with():
    cases = {
        "uniform": ({"shape": [200, 100]}, None),
        "zeros": ({"shape": [2], "dtype": tf.int32}, [0, 0]),
        "texts": ({"shape": [1], "dtype": tf.string}, [b""]),
        "truth": ({"shape": [1], "dtype": tf.bool}, [False]),
        "listed": ({"initializer": [1, 2]}, [1, 2]),
        "tensor": ({"initializer": tf.constant([1.0, 2.0])}, [1.0, 2.0]),
        "function": ({"initializer": lambda: tf.ones([2]) * 4.0}, [4.0, 4.0]),
        "ones": ({"shape": [2], "initializer": tf.ones_initializer()}, [1.0, 1.0]),
        "class": ({"shape": [2], "initializer": tf.zeros_initializer}, [0.0, 0.0]),
        "constant": ({"shape": [2], "initializer": tf.constant_initializer(7)}, [7.0, 7.0]),
        "given": ({"shape": [2], "initializer": tf.constant_initializer([7, 8])}, [7.0, 8.0]),
    }
    made = {name: tf.get_variable(name, **options) for name, (options, _) in cases.items()}
    assert made["listed"].dtype == tf.int32
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for name, (_, value) in cases.items():
            if value is not None:
                assert session.run(made[name]).tolist() == value
        drawn = session.run(made["uniform"])
    limit = np.sqrt(6 / 300)
    assert -limit <= drawn.min() < -0.99 * limit
    assert 0.99 * limit < drawn.max() <= limit


@pytest.mark.parametrize(
    ("initializer", "spread"),
    [
        (tf.random_normal_initializer(stddev=2.0), 2.0),
        (tf.truncated_normal_initializer(stddev=2.0), 2.0 * 0.8796),
        (tf.random_uniform_initializer(-1.0, 1.0), 1 / np.sqrt(3)),
        (tf.glorot_normal_initializer(), np.sqrt(2 / 500)),
        (tf.glorot_uniform_initializer(), np.sqrt(2 / 500)),
        (tf.variance_scaling_initializer(2.0), np.sqrt(2 / 300)),
        (tf.variance_scaling_initializer(2.0, "fan_out", "untruncated_normal"), np.sqrt(2 / 200)),
    ],
)
def test_random_initializers(initializer, spread):
    weight = tf.get_variable("w", [300, 200], initializer=initializer)
    with tf.Session() as session:
        session.run(weight.initializer)
        value = session.run(weight)
    assert value.dtype == np.float32
    np.testing.assert_allclose(value.std(), spread, rtol=0.02)
    np.testing.assert_allclose(value.mean(), 0.0, atol=0.02 * spread)


def test_what_cannot_be_made():
    with pytest.raises(
        ValueError, match="Variable w did not get an initializer, so its `shape` argument must be specified"
    ):
        tf.get_variable("w")
    with pytest.raises(
        ValueError, match=r"Shape of a new variable \(w\) must be fully defined, but instead was \(None, 2\)"
    ):
        tf.get_variable("w", [None, 2])
    with pytest.raises(ValueError, match=r"^If initializer is a constant, do not specify shape\.$"):
        tf.get_variable("w", [2], initializer=tf.constant([1.0, 2.0]))
    with pytest.raises(ValueError, match=r"^The initializer passed is not valid\."):
        tf.get_variable("w", initializer=tf.zeros_initializer())
    with pytest.raises(ValueError, match="must be a positive float"):
        tf.variance_scaling_initializer(-1.0)
    assert tf.global_variables() == []


def test_scopes_hand_down_what_they_say():
    penalized = []
    with tf.variable_scope(
        "a", initializer=tf.ones_initializer(), dtype=tf.float64, regularizer=tf.reduce_sum
    ) as scope:
        first = tf.get_variable("w", [2])
        with tf.variable_scope("b"):
            second = tf.get_variable("w", [3], dtype=tf.float32)
        assert scope.initializer is not None
        penalized += tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    assert (first.dtype, second.dtype) == (tf.float64, tf.float32)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(penalized) == [2.0, 3.0]
    scope.set_initializer(None)
    scope.set_regularizer(None)
    scope.set_dtype(tf.float32)
    with tf.variable_scope(scope):
        assert tf.get_variable("v", [2]).dtype == tf.float32
    asked = []

    def getter(make, name, **options):
        asked.append((name, options["shape"]))
        return make(name, **options)

    assert tf.get_variable("own", [4], custom_getter=getter).shape == (4,)
    assert asked == [("own", [4])]


def test_names_inside_a_scope_are_given_again_when_it_is_opened_again():
    def layers():
        found = []
        for _ in range(2):
            with tf.variable_scope(None, default_name="dense"):
                found.append(tf.get_variable("kernel", [2]))
        return found

    with tf.variable_scope("net") as scope:
        first = layers()
    assert [one.name for one in first] == ["net/dense/kernel:0", "net/dense_1/kernel:0"]
    with tf.variable_scope("net", reuse=True):
        assert layers() == first
    with tf.variable_scope(scope, reuse=True):
        assert layers() == first


def test_scopes_of_eager_variables_are_numbered_too():
    with default_graph.at_once():
        names = []
        for _ in range(2):
            with tf.variable_scope(None, default_name="numbered_eagerly"):
                names.append(tf.get_variable("kernel", [2]).name)
    assert names == ["numbered_eagerly/kernel:0", "numbered_eagerly_1/kernel:0"]
