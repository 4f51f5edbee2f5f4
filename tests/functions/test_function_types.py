"""What a trace takes and gives, as text: TensorFlow 2.21's, and the errors of a call that does not fit."""

from __future__ import annotations

import pytest

import tapeviz as tf

SQUARE = """ConcreteFunction Input Parameters:
  a (POSITIONAL_OR_KEYWORD): TensorSpec(shape=<unknown>, dtype=tf.float32, name=None)
  b (POSITIONAL_OR_KEYWORD): Literal[2]
Output Type:
  TensorSpec(shape=<unknown>, dtype=tf.float32, name=None)
Captures:
  None"""
DOUBLE = """Input Parameters:
  a (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(), dtype=tf.int32, name=None)
Output Type:
  TensorSpec(shape=(), dtype=tf.int32, name=None)
Captures:
  None

Input Parameters:
  a (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(), dtype=tf.string, name=None)
Output Type:
  TensorSpec(shape=(), dtype=tf.string, name=None)
Captures:
  None"""


def test_a_trace_as_text():
    traced = tf.function(lambda a, b: a**b).get_concrete_function(a=tf.TensorSpec(None, tf.float32), b=2)
    assert str(traced) == SQUARE
    unknown = "TensorSpec(shape=<unknown>, dtype=tf.float32, name=None)"
    assert str(traced.function_type) == f"(a: {unknown}, b: Literal[2]) -> {unknown}"
    assert traced.inference_fn(tf.constant(3.0)).numpy() == 9.0


def test_all_traces_as_text():
    @tf.function
    def double(a):
        return a + a

    double(tf.constant(1))
    double(tf.constant("a"))
    assert double.pretty_printed_concrete_signatures() == DOUBLE
    assert str(double.function_type) == "(a)"


def test_structures_and_variables_as_text():
    weight = tf.Variable([1.0, 2.0])
    traced = tf.function(lambda x: {"y": [x * weight, None]}).get_concrete_function(tf.TensorSpec([2]))
    spec = "TensorSpec(shape=(2,), dtype=tf.float32, name=None)"
    assert str(traced.function_type) == f"(x: {spec}) -> Dict[['y', List[{spec}, Literal[None]]]]"
    assert "VariableSpec(shape=(2,), dtype=tf.float32, trainable=True)" in str(traced)


def test_a_call_that_does_not_fit():
    traced = tf.function(lambda a, b: a**b).get_concrete_function(a=tf.TensorSpec(None, tf.float32), b=2)
    assert traced(tf.constant(10.0)).numpy() == 100.0
    with pytest.raises(TypeError, match=r"failed due to `Can not cast 3 to Literal\[2\]`"):
        traced(tf.constant(10.0), b=3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="to be a float tensor but is a int32 tensor"):
        traced(tf.constant(10))


def test_a_graph_as_plain_nodes():
    graph = tf.function(lambda x: x * x).get_concrete_function(tf.TensorSpec([])).graph
    assert [(node.name, node.op, node.input) for node in graph.as_graph_def().node] == [
        ("x", "Placeholder", []), ("mul", "Mul", ["x", "x"]),
    ]  # fmt: skip


def test_a_tensor_that_left_its_graph_has_no_value():
    kept = []
    tf.function(lambda x: kept.append(x + 1))(tf.constant(1))
    assert not hasattr(kept[0], "numpy")
    with pytest.raises(AttributeError, match="'SymbolicTensor' object has no attribute 'numpy'"):
        kept[0].numpy()
