"""Graphs: names, scopes, finding, collections, devices and order, as TensorFlow 1 has them."""

import re
import threading

import pytest

import tapeviz
import tapeviz.compat.v1 as tf
from tapeviz.errors import InvalidArgumentError


def names():
    return [operation.name for operation in tf.get_default_graph().get_operations()]


def test_names_are_tensorflows():
    x = tf.placeholder(tf.float32, shape=(2, None), name="x")
    y = x + 1
    z = x * 2.0 + y
    tf.matmul(x, tf.transpose(x))
    weight = tf.Variable(3.0)
    with tf.name_scope("part") as scope:
        assert scope == "part/"
        a = tf.constant(1.0, name="a")
        b = tf.constant(2.0)
        tf.add(a, b, name="total")
        _ = a + b
        tf.Variable([1.0], name="w")
        with tf.name_scope("inner"):
            tf.reduce_sum(b)
    with tf.name_scope("part"):
        tf.constant(5)
    _ = x[0]
    weight.assign(4.0)
    weight.assign_add(1.0, name="more")
    tf.global_variables_initializer()
    tf.gradients(z, x)
    assert names() == [
        "x", "add/y", "add", "mul/y", "mul", "add_1", "transpose", "MatMul", "Variable/initial_value", "Variable",
        "Variable/Assign", "Variable/read", "part/a", "part/Const", "part/total", "part/add", "part/w/initial_value",
        "part/w", "part/w/Assign", "part/w/read", "part/inner/Sum", "part_1/Const", "strided_slice", "Assign/value",
        "Assign", "more/value", "more", "init", "gradients/ones_like", "gradients/mul", "gradients/add",
    ]  # fmt: skip
    assert (y.name, y.op.name, y.op.type, str(y)) == (
        "add:0", "add", "AddV2", 'Tensor("add:0", shape=(2, None), dtype=float32)',
    )  # fmt: skip
    assert [tensor.name for tensor in y.op.inputs] == ["x:0", "add/y:0"]
    assert y.op.outputs == (y,) == y.op.values()
    assert repr(y.op) == "<tf.Operation 'add' type=AddV2>"


def test_the_name_goes_to_what_the_call_gives_and_the_rest_under_it():
    x = tf.placeholder(tf.float32, [4, 3], name="x")
    tf.nn.moments(x, [0], name="spread")
    assert tf.nn.softmax(x, name="odds").name == "odds:0"
    assert tf.exp(x, name="e").name == "e:0"
    assert tf.exp(x, name="e").name == "e_1:0"
    assert tf.exp(x).name == "Exp:0"  # the names that were not used are free
    assert tf.random_normal([2, 2], 1.0, 3.0).name == "random_normal:0"
    made = names()
    assert "spread" in made
    assert {name.partition("/")[0] for name in made} == {"x", "spread", "odds", "e", "e_1", "Exp", "random_normal"}
    assert len(made) == len(set(made))


def test_names_that_are_none():
    with pytest.raises(ValueError, match=r"`a b` is not a valid node name"):
        tf.constant(1, name="a b")
    with pytest.raises(ValueError, match=r"'a b' is not a valid root scope name"), tf.name_scope("a b"):
        pass
    assert names() == []


def test_scopes_can_be_left_and_opened_again():
    with tf.name_scope("outer") as outer:
        with tf.name_scope(None) as none:
            assert (none, tf.constant(1).name) == ("", "Const:0")
        with tf.name_scope("inner"):
            pass
    with tf.name_scope(outer) as again:
        assert (again, tf.constant(1).name) == ("outer/", "outer/Const:0")
    with tf.name_scope(None, "by_default", []) as scope:
        assert scope == "by_default/"
    with tf.get_default_graph().name_scope("outer") as scope:
        assert scope == "outer_1/"
    with pytest.raises(ValueError, match="At least one of name"):
        tf.name_scope(None, None, [])


def test_finding_by_name():
    graph = tf.get_default_graph()
    x = tf.placeholder(tf.float32, name="x")
    weight = tf.Variable(1.0, name="w")
    assert graph.get_tensor_by_name("x:0") is x
    assert graph.get_operation_by_name("x") is x.op
    assert graph.as_graph_element("x:0") is x
    assert graph.as_graph_element(x.op) is x.op
    assert graph.as_graph_element(weight).name == "w:0"
    other = tf.Graph()
    cases = [
        (graph.get_tensor_by_name, "x", ValueError, "The name 'x' refers to an Operation, not a Tensor. Tensor names"),
        (
            graph.get_tensor_by_name,
            "y",
            ValueError,
            "The name 'y' looks like an (invalid) Operation name, not a Tensor",
        ),
        (graph.get_tensor_by_name, "x:a", ValueError, "looks a like a Tensor name, but is not a valid one"),
        (graph.get_tensor_by_name, "x:1", KeyError, "The operation, 'x', exists but only has 1 outputs."),
        (graph.get_tensor_by_name, "y:0", KeyError, "The operation, 'y', does not exist in the graph."),
        (graph.get_tensor_by_name, 3, TypeError, "Tensor names are strings (or similar), not int."),
        (graph.get_operation_by_name, "x:0", ValueError, "Name 'x:0' appears to refer to a Tensor, not a Operation."),
        (graph.get_operation_by_name, "y", KeyError, "The name 'y' refers to an Operation not in the graph."),
        (graph.as_graph_element, 3, TypeError, "Can not convert a int into a Tensor or Operation."),
        (other.as_graph_element, x, ValueError, 'Tensor Tensor("x:0", dtype=float32) is not an element of this graph.'),
        (other.as_graph_element, x.op, ValueError, "is not an element of this graph."),
    ]
    for find, what, error, words in cases:
        with pytest.raises(error, match=re.escape(words)):
            find(what)


def test_tensors_are_keys_and_equal_themselves():
    x, y = tf.constant(1.0), tf.constant(1.0)
    assert {x: "x", y: "y"}[x] == "x"
    assert x in [y, x]
    assert (x == y, x != y, x == x) == (False, True, True)  # noqa: PLR0124 - what is tested
    weight = tf.Variable(1.0)
    assert {weight: 1}[weight] == 1
    assert (weight == weight, weight == x) == (True, False)  # noqa: PLR0124


def test_graphs_do_not_mix():
    x = tf.constant(1.0)
    other = tf.Graph()
    with other.as_default():
        y = tf.constant(2.0)
        with pytest.raises(ValueError, match=r"must be from the same graph as"):
            _ = x + y
        with pytest.raises(ValueError, match=r"must be from the same graph as"):
            tf.add(y, x)
    assert tf.add(y, y).graph is other  # an op goes to the graph of what it takes
    assert (y + 1.0).graph is other
    assert x.graph is tf.get_default_graph()


def test_default_graphs():
    first = tf.get_default_graph()
    assert tf.constant(1).graph is first
    tf.reset_default_graph()
    assert tf.get_default_graph() is not first
    with first.as_default() as entered:
        assert entered is first is tf.get_default_graph()
        with pytest.raises(AssertionError, match=r"Do not use tf\.reset_default_graph\(\) to clear nested graphs"):
            tf.reset_default_graph()


def test_a_finalized_graph():
    graph = tf.get_default_graph()
    x = tf.constant(1.0)
    assert not graph.finalized
    graph.finalize()
    assert graph.finalized
    for build in (lambda: tf.constant(2.0), lambda: x + 1.0, lambda: tf.Variable(1.0)):
        with pytest.raises(RuntimeError, match=r"^Graph is finalized and cannot be modified\.$"):
            build()
    with tf.Session() as session:
        assert session.run(x) == 1.0


def test_collections():
    weight = tf.Variable(1.0, name="layer/w")
    hidden = tf.Variable(1.0, name="hidden", trainable=False)
    listed = tf.Variable(1.0, name="listed", collections=["mine"], trainable=False)
    assert tf.global_variables() == tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES) == [weight, hidden]
    assert tf.trainable_variables() == [weight]
    assert tf.global_variables("layer") == [weight]
    assert tf.get_collection("mine") == [listed]
    tf.add_to_collection("losses", weight)
    tf.add_to_collections(["losses", "others"], 3)
    assert tf.get_collection("losses") == [weight, 3]
    tf.get_collection("losses").append(4)
    assert tf.get_collection("losses") == [weight, 3]
    tf.get_collection_ref("losses").append(4)
    graph = tf.get_default_graph()
    assert graph.get_collection("losses") == [weight, 3, 4]
    assert {"variables", "trainable_variables", "mine", "losses", "others"} == set(graph.get_all_collection_keys())
    graph.clear_collection("losses")
    assert tf.get_collection("losses") == []


def test_order():
    count = tf.Variable(0.0, name="count")
    more = count.assign_add(1.0)
    with tf.control_dependencies([more]):
        after = tf.identity(count.read_value())
        also = count + 0.0
        with tf.control_dependencies(None):
            free = tf.no_op(name="free")
        chained = tf.no_op(name="chained")
    assert after.op.control_inputs == [more.op]
    assert chained.control_inputs == [more.op]
    assert free.control_inputs == []
    with tf.Session() as session:
        session.run(count.initializer)
        assert session.run(after) == 1.0
        assert session.run(also) == 2.0
        session.run(chained)
        session.run(free)
        assert session.run(count) == 3.0
        both = tf.group(more, count.assign_sub(0.5), name="both")
        assert (both.name, both.type) == ("both", "NoOp")
        session.run(both)
        assert session.run(count) == 3.5
        _, second = tf.tuple([count.read_value(), count.assign_add(1.0)])
        assert session.run(second) == 4.5
    for wrong, words in [(3, "not iterable"), ([3], "Can not convert a int into a Tensor or Operation")]:
        with pytest.raises(TypeError, match=words), tf.control_dependencies(wrong):
            pass
    with pytest.raises(TypeError, match="'inputs' should be zero or more"):
        tf.group(3)


def test_order_in_a_traced_function(capsys):
    @tapeviz.function
    def stepped(x):
        with tapeviz.control_dependencies([tapeviz.print("first", output_stream="file:///dev/null")]):
            both = tapeviz.group(x, x + 1.0)
            y = tapeviz.identity(x)
        print(both, tapeviz.no_op(), len(y.op.control), len(tapeviz.tuple([x, y])))
        with tapeviz.control_dependencies([both]):
            print(tapeviz.identity(x).op.control)
            with tapeviz.control_dependencies(None):
                print(tapeviz.identity(x).op.control)
        return y

    assert stepped(tapeviz.constant(2.0)).numpy() == 2.0
    assert capsys.readouterr().out.splitlines() == [
        "<tf.Operation 'group_deps' type=NoOp> <tf.Operation 'NoOp' type=NoOp> 0 2",
        "(<tf.Operation 'group_deps' type=NoOp>,)",
        "()",
    ]


def test_devices(capsys):
    with tf.device("/gpu:0"):
        on_gpu = tf.constant(1.0, name="on_gpu") * 2.0
        with tf.device("/job:worker"):
            far = tf.constant(1.0)
        with tf.device(None):
            anywhere = tf.constant(1.0)
        with tf.device("/cpu:0"):
            on_cpu = tf.constant(3.0, name="on_cpu") * 2.0
    with tf.device(lambda operation: "/cpu:0" if operation.type == "Exp" else None):
        by_type = tf.exp(on_cpu), tf.sin(on_cpu)
    assert [tensor.device for tensor in (on_gpu, far, anywhere, on_cpu, *by_type)] == [
        "/device:GPU:0", "/job:worker/device:GPU:0", "", "/device:CPU:0", "/device:CPU:0", "",
    ]  # fmt: skip
    with pytest.raises(ValueError, match="Unknown attribute 'nonsense'"):
        tf.device("/nonsense:0")
    with tf.Session() as session:
        assert session.run(on_cpu) == 6.0
        with pytest.raises(
            InvalidArgumentError, match="on_gpu}} was explicitly assigned to /device:GPU:0 but available"
        ):
            session.run(on_gpu)
        with pytest.raises(InvalidArgumentError, match="/job:worker/device:GPU:0"):
            session.run(far)
    config = tf.ConfigProto(allow_soft_placement=True, log_device_placement=True)
    with tf.Session(config=config) as session:
        assert session.run([on_gpu, on_cpu]) == [2.0, 6.0]
        session.run([on_gpu, on_cpu])
    here = "/job:localhost/replica:0/task:0/device:CPU:0"
    logged = capsys.readouterr().err.splitlines()
    assert logged[0] == f"on_gpu: (Const): {here} (asked for /device:GPU:0)"
    assert f"on_cpu: (Const): {here}" in logged
    assert len(logged) == 6  # once, when it first runs


def test_operations_run_and_tell():
    weight = tf.Variable(1.0)
    assert weight.initializer.run(session=(session := tf.Session())) is None
    assert session.run(weight) == 1.0
    assert session.graph is tf.get_default_graph()
    assert tf.constant(1.0, name="c").op.get_attr("tensor").numpy() == 1.0
    with pytest.raises(ValueError, match="Operation 'c' has no attr named 'nothing'"):
        tf.get_default_graph().get_operation_by_name("c").get_attr("nothing")
    assert isinstance(weight.op, tf.Operation)


def test_shapes_and_dtypes_that_do_not_fit_are_found_while_building():
    with pytest.raises(TypeError, match="expected to be a float tensor but is a int32 tensor"):
        _ = tf.constant([1.0]) + tf.constant([1])
    with pytest.raises(ValueError, match=r"Incompatible shapes: \[3\] vs\. \[2\]"):
        _ = tf.constant([1.0, 2.0, 3.0]) + tf.constant([1.0, 2.0])


def test_each_thread_has_its_own_blocks_and_all_have_one_default_graph():
    graph, found = tf.Graph(), []

    def work():
        found.append(tf.get_default_graph())
        with tf.name_scope("elsewhere"):
            found.append(tf.constant(1.0, name="c").name)

    with graph.as_default(), tf.name_scope("here"):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert tf.constant(1.0, name="c").name == "here/c:0"
    assert found == [tf.get_default_graph(), "elsewhere/c:0"]
    assert graph is not found[0]


def test_methods_can_be_traced_functions():
    class Layer:
        def __init__(self):
            self.weight = tf.Variable(3.0)

        @tf.function
        def scaled(self, x):
            return x * self.weight

    layer = Layer()
    product = layer.scaled(tf.constant(2.0))
    assert product.graph is tf.get_default_graph()
    with tf.Session() as session:
        session.run(layer.weight.initializer)
        assert session.run(product) == 6.0
    assert layer.scaled.experimental_get_tracing_count() == 1
    assert tf.custom_gradient(lambda x: (x, lambda upstream: upstream))(tf.constant(1.0)).shape == ()
