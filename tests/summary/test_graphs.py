"""Graphs for TensorBoard: as its own messages, with every input there, and those of the functions that ran."""

import warnings

import pytest
from tensorboard.backend.event_processing.data_provider import MultiplexerDataProvider
from tensorboard.backend.event_processing.plugin_event_multiplexer import EventMultiplexer
from tensorboard.compat.proto.config_pb2 import RunMetadata
from tensorboard.compat.proto.graph_pb2 import GraphDef
from tensorboard.context import RequestContext
from tensorboard.plugins.base_plugin import TBContext
from tensorboard.plugins.graph.graph_util import merge_graph_defs

import tapeviz as tf
from tapeviz.compat import v1
from tests.summary.event_reader import plugin, read, tensors


def written(graph, folder):
    """Return the graph as TensorBoard reads it."""
    writer = tf.summary.create_file_writer(folder)
    with writer.as_default():
        assert tf.summary.graph(graph) is True
    writer.close()
    return read(folder).Graph()


def whole(message):
    """Return the nodes by name; all names are others, and each input is one of them."""
    nodes = {node.name: node for node in message.node}
    assert len(nodes) == len(message.node)
    inputs = {name.removeprefix("^").partition(":")[0] for node in message.node for name in node.input}
    assert inputs <= nodes.keys()
    return nodes


def test_a_traced_function(tmp_path):
    w = tf.Variable([[1.0], [2.0]], name="w")

    @tf.function
    def model(x):
        with tf.name_scope("dense"):
            return tf.nn.relu(x @ w + 3.0)

    found = written(model.get_concrete_function(tf.TensorSpec([None, 2])), tmp_path)
    nodes = whole(found)
    relu = nodes["dense/Relu"]
    assert relu.op == "Relu"
    assert list(relu.input) == ["dense/add"]
    assert [dim.size for dim in relu.attr["_output_shapes"].list.shape[0].dim] == [-1, 1]
    assert {"Placeholder", "ReadVariableOp", "MatMul", "Const"} <= {node.op for node in found.node}


def test_branches_loops_and_calls_are_inside_their_nodes(tmp_path):
    inner = tf.function(lambda x: x * x, autograph=False)

    @tf.function
    def outer(x, n):
        y = tf.cond(x > 0, lambda: inner(x), lambda: -x)
        return tf.while_loop(lambda i, _: i < n, lambda i, v: (i + 1, v * x), [0, y])[1]

    nodes = whole(written(outer.get_concrete_function(tf.constant(2.0), tf.constant(3)), tmp_path))
    loop = next(name for name, node in nodes.items() if node.op == "While")
    assert any(name.startswith(f"{loop}/") and node.op == "Mul" for name, node in nodes.items())
    assert any(node.op == "If" for node in nodes.values())


def test_a_graph_of_a_session(tmp_path):
    with v1.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [None], name="x")
        with v1.control_dependencies([v1.assert_positive(x)]):
            v1.reduce_sum(x * 2.0, name="total")
    nodes = whole(written(graph, tmp_path))
    assert {"x", "total"} <= nodes.keys()
    assert any(name.startswith("^") for node in nodes.values() for name in node.input)


def test_what_is_no_graph(tmp_path):
    with pytest.raises(TypeError, match=r"not tf\.Graph .*Received type: int"):
        tf.summary.graph(3)
    with pytest.raises(RuntimeError, match="must be called eagerly"):
        tf.function(tf.summary.graph).get_concrete_function(tf.constant(1.0))
    assert tf.summary.graph(GraphDef()) is False
    assert len(written(GraphDef(), tmp_path).node) == 0


def test_graphs_of_what_ran(tmp_path):
    @tf.function
    def ran(x):
        return tf.sin(x)

    @tf.function
    def ran_before(x):
        return tf.cos(x)

    ran_before(tf.constant(1.0))
    ran(tf.constant(1.0))
    writer = tf.summary.create_file_writer(tmp_path)
    tf.summary.trace_on()
    ran(tf.constant(2.0))
    with writer.as_default():
        tf.summary.trace_export("mine", step=3)
    writer.close()
    ((step, value),) = tensors(tmp_path, "mine")
    found = RunMetadata.FromString(value.item())
    assert step == 3
    assert plugin(tmp_path, "mine") == "graph_run_metadata_graph"
    (function,) = found.function_graphs
    assert "Sin" in {node.op for node in function.pre_optimization_graph.node}
    assert function.partition_graphs[0] == function.pre_optimization_graph
    whole(merge_graph_defs([function.pre_optimization_graph]))


def test_tracing_has_to_be_on(caplog):
    with pytest.raises(ValueError, match="Must enable trace before export"):
        tf.summary.trace_export("mine", step=0)
    tf.summary.trace_on(profiler=True)
    assert "no times are written" in caplog.text
    with tf.summary.create_noop_writer().as_default(), pytest.raises(ValueError, match="No step set"):
        tf.summary.trace_export("mine")
    tf.summary.trace_off()
    with pytest.raises(ValueError, match="Must enable trace before export"):
        tf.summary.trace_export("mine", step=0)


def test_tensorboard_shows_each_kind(tmp_path):
    function = tf.function(lambda x: tf.nn.relu(x * 2.0))
    writer = tf.summary.create_file_writer(tmp_path / "run")
    tf.summary.trace_on()
    function(tf.constant(1.0))
    with writer.as_default(step=0):
        tf.summary.scalar("loss", 0.5)
        tf.summary.histogram("w", [1.0, 2.0])
        tf.summary.image("digit", tf.zeros([1, 2, 2, 1]))
        tf.summary.text("note", "begins")
        tf.summary.graph(function.get_concrete_function(tf.constant(1.0)))
        tf.summary.trace_export("function")
    writer.close()
    runs = EventMultiplexer(tensor_size_guidance={})
    runs.AddRunsFromDirectory(str(tmp_path))
    runs.Reload()
    data, request = MultiplexerDataProvider(runs, str(tmp_path)), RequestContext()
    kinds = {
        "scalars": data.list_scalars, "histograms": data.list_tensors, "text": data.list_tensors,
        "images": data.list_blob_sequences, "graph_run_metadata_graph": data.list_blob_sequences,
    }  # fmt: skip
    found = {kind: [*listed(request, experiment_id="", plugin_name=kind)["run"]] for kind, listed in kinds.items()}
    assert found == {
        "scalars": ["loss"], "histograms": ["w"], "text": ["note"], "images": ["digit"],
        "graph_run_metadata_graph": ["function"],
    }  # fmt: skip
    with warnings.catch_warnings():  # of what TensorBoard has within itself, once it is imported
        warnings.filterwarnings("ignore", "html5lib's sanitizer is deprecated", DeprecationWarning)
        from tensorboard.plugins.graph.graphs_plugin import GraphsPlugin
    drawn = GraphsPlugin(TBContext(logdir=str(tmp_path), data_provider=data))
    for tag in (None, "function"):
        assert 'op: "Relu"' in drawn.graph_impl(request, "run", tag, False, "")[0]
