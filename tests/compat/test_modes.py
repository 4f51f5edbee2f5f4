"""Graphs or eager execution: chosen for this namespace alone, whatever is imported first."""

from pathlib import Path

import pytest

import tapeviz
import tapeviz.compat.v1 as tf
from tapeviz.compat.v1.graph.default_graph import at_once

BESIDE = """
{first}
{second}
x = tf.constant(2.0)
print(type(x).__name__, tf.executing_eagerly(), tf.add(x, 1.0))
y = tapeviz.constant(2.0)
print(type(y).__name__, tapeviz.executing_eagerly(), tapeviz.add(y, 1.0).numpy())
print(tapeviz.square(x))
with tf.Session() as session:
    print(session.run(tapeviz.square(x) * y))
print((y * y).numpy())
"""


def test_every_name_is_there():
    for name in tf.__all__:
        assert getattr(tf, name) is not None or name == "newaxis"
    assert {"Session", "placeholder", "train", "matmul", "nn", "random_normal", "float32"} <= set(dir(tf))
    assert tapeviz.compat.v1 is tf


def test_no_file_hides_what_is_offered_under_its_name():
    import tapeviz.contrib.eager as tfe

    modules = {"app", "data", "flags", "gfile", "initializers", "layers", "logging", "losses", "metrics", "python_io"}
    modules |= {"summary", "train"}
    for package, meant in ((tf, modules), (tfe, {"metrics"})):
        beside = Path(package.__file__).parent
        files = {
            path.stem for path in [*beside.glob("*.py"), *(found.parent for found in beside.glob("*/__init__.py"))]
        }
        assert files & set(package.__all__) == meant


@pytest.mark.parametrize("order", [1, -1])
def test_tapeviz_stays_eager_beside_it(program, order):
    first, second = ["import tapeviz.compat.v1 as tf", "import tapeviz"][::order]
    assert program(BESIDE.format(first=first, second=second)).splitlines() == [
        'SymbolicTensor False Tensor("add:0", shape=(), dtype=float32)',
        "EagerTensor True 3.0",
        'Tensor("Square:0", shape=(), dtype=float32)',
        "8.0",
        "4.0",
    ]


@pytest.mark.parametrize("order", [1, -1])
def test_eager_execution_comes_first(program, order):
    first, second = ["import tapeviz.compat.v1 as tf", "import tapeviz"][::order]
    text = f"""
{first}
{second}
tapeviz.constant(1.0)
tf.enable_eager_execution()
print(tf.executing_eagerly(), (tf.constant(1.0) + 1.0).numpy())
with tf.Graph().as_default():
    print(tf.executing_eagerly(), tf.constant(1.0) + 1.0)
print(tf.constant(3).numpy())
"""
    assert program(text).splitlines() == ["True 2.0", 'False Tensor("add:0", shape=(), dtype=float32)', "3"]


def test_eager_execution_comes_too_late():
    tf.constant(1.0)
    with pytest.raises(ValueError, match=r"^tf\.enable_eager_execution must be called at program startup\.$"):
        tf.enable_eager_execution()
    assert not tf.executing_eagerly()


def test_the_first_name_of_eager_execution_is_for_this_namespace_too():
    import tapeviz.contrib.eager as tfe

    tfe.enable_eager_execution()
    assert tf.executing_eagerly()
    assert tf.constant(1.0).numpy() == 1.0
    tf.disable_eager_execution()
    assert not tf.executing_eagerly()


def test_versions_of_behaviour():
    tf.disable_v2_behavior()
    assert not tf.executing_eagerly()
    tf.enable_v2_behavior()
    assert tf.executing_eagerly()


def test_a_function_is_traced_as_ever():
    @tf.function
    def doubled(x):
        assert not tf.executing_eagerly()
        return tf.add(x, x)

    assert doubled(tapeviz.constant(2.0)).name.endswith(":0")  # called among the ops of a graph
    tf.reset_default_graph()

    @tapeviz.function
    def tripled(x):
        return tf.add(x, tf.add(x, x))

    assert tripled(tapeviz.constant(2.0)).numpy() == 6.0


def test_in_eager_mode_summaries_are_neither_merged_nor_written_by_a_file_writer(tmp_path):
    with at_once():
        for merge in (lambda: tf.summary.merge([b""]), tf.summary.merge_all):
            with pytest.raises(RuntimeError, match="not compatible with eager execution"):
                merge()
        with pytest.raises(RuntimeError, match="FileWriter is not compatible with eager execution"):
            tf.summary.FileWriter(str(tmp_path))
        with pytest.raises(RuntimeError, match=r"add_check_numerics_ops\(\) is not compatible"):
            tf.add_check_numerics_ops()


def test_in_eager_mode_functions_of_graphs_do_nothing_or_refuse():
    tf.enable_eager_execution()
    assert tf.global_variables_initializer() is None
    assert tf.group(tf.constant(1)) is None
    assert tf.no_op() is None
    assert tf.tuple([1, 2]) == [1, 2]
    with tf.control_dependencies([tf.constant(1)]), tf.name_scope("part"), tf.device("/cpu:0"):
        assert tf.Variable(1.0, name="w").name == "part/w:0"
    with pytest.raises(RuntimeError, match=r"^tf\.gradients is not supported when eager execution is enabled"):
        tf.gradients(tf.constant(1.0), tf.constant(1.0))
    assert tf.placeholder_with_default(3.0, []).numpy() == 3.0
    with tf.variable_scope("a"):
        assert tf.get_variable("w", [2]).name == "a/w:0"
    with tf.variable_scope("a", reuse=True), pytest.raises(RuntimeError, match="When eager execution is enabled"):
        tf.get_variable("w", [2])


@pytest.mark.parametrize("name", ["estimator", "nothing_of_the_kind"])
def test_what_is_not_there_says_so(name):
    with pytest.raises(AttributeError, match=f"module 'tapeviz.compat.v1' has no attribute '{name}'"):
        getattr(tf, name)
    with pytest.raises(AttributeError, match=r"the optimizers of tf\.keras\.optimizers, and those"):
        _ = tf.train.AdagradDAOptimizer
    with pytest.raises(AttributeError, match=r"module 'tapeviz\.compat\.v1\.math' has no attribute 'nothing'"):
        _ = tf.math.nothing
    with pytest.raises(AttributeError, match="has no attribute 'v3'"):
        _ = tapeviz.compat.v3
