"""``train.Saver``: values of variables in files, from graphs and from eager programs, and back."""

import gc
import json
import re

import numpy as np
import pytest
from safetensors.numpy import load_file

import tapeviz
import tapeviz.compat.v1 as tf
import tapeviz.contrib.eager as tfe
from tapeviz.compat.v1.graph import v2_behavior
from tapeviz.errors import DataLossError, FailedPreconditionError, InvalidArgumentError, NotFoundError


def test_saved_and_restored(tmp_path):
    weight, count = tf.Variable([1.0, 2.0], name="layer/weight"), tf.Variable(3, name="count", dtype=tf.int64)
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(weight.assign([5.0, 6.0]))
        prefix = saver.save(session, str(tmp_path / "model"), global_step=count)
    assert prefix == str(tmp_path / "model-3")
    files = sorted(re.sub(r"\.\w{8}\.", ".*.", path.name) for path in tmp_path.iterdir())
    assert files == ["checkpoint", "model-3.*.safetensors", "model-3.index"]
    assert tf.train.latest_checkpoint(tmp_path) == prefix
    assert tf.train.checkpoint_exists(prefix)
    with tf.Session() as session:
        with pytest.raises(FailedPreconditionError):
            session.run(weight)
        saver.restore(session, prefix)  # initializes, too
        assert session.run(weight).tolist() == [5.0, 6.0]
        assert session.run(count) == 3
    assert tf.train.list_variables(tmp_path) == [("count", []), ("layer/weight", [2])]
    assert tf.train.load_variable(prefix, "layer/weight").tolist() == [5.0, 6.0]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64", "complex64", "bool", "int8", "uint16", "string"])
def test_every_dtype_comes_back_to_the_bit(tmp_path, dtype):
    given = ["a\0b", "ü", ""] if dtype == "string" else [0, 1, 1]
    weight = tf.Variable(tf.constant(given, tf.string) if dtype == "string" else tf.cast(given, dtype), name="w")
    empty = tf.Variable(tf.zeros([0, 2]), name="empty")
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        before = session.run(weight)
        saver.save(session, str(tmp_path / "m"))
    with tf.Session() as session:
        saver.restore(session, str(tmp_path / "m"))
        after = session.run(weight)
        assert session.run(empty).shape == (0, 2)
    assert after.dtype == before.dtype
    assert after.tolist() == before.tolist()


def test_names_of_ones_own_and_parts_of_a_file(tmp_path):
    first, second = tf.Variable(1.0, name="first"), tf.Variable(2.0, name="second")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        prefix = tf.train.Saver({"one": first, "two": second}).save(session, tmp_path / "m")
        session.run([first.assign(0.0), second.assign(0.0)])
        tf.train.Saver({"one": second}).restore(session, prefix)
        assert session.run([first, second]) == [0.0, 1.0]
        tf.train.Saver([first]).save(session, str(tmp_path / "n"))
        assert tf.train.list_variables(str(tmp_path / "n")) == [("first", [])]


def test_old_files_go(tmp_path):
    weight = tf.Variable(1.0)
    saver = tf.train.Saver(max_to_keep=2)
    with tf.Session() as session:
        session.run(weight.initializer)
        written = [saver.save(session, str(tmp_path / "m"), global_step=step) for step in range(4)]
    assert saver.last_checkpoints == written[2:]
    assert sorted(path.name[:3] for path in tmp_path.glob("m-*")) == ["m-2", "m-2", "m-3", "m-3"]
    state = tf.train.get_checkpoint_state(tmp_path)
    assert state.model_checkpoint_path == written[3]
    assert state.all_model_checkpoint_paths == written[2:]
    assert tf.train.latest_checkpoint(tmp_path / "none") is None
    (tmp_path / "m-3.index").unlink()
    assert tf.train.latest_checkpoint(tmp_path) is None


def test_what_cannot_be_saved_or_restored(tmp_path):
    with pytest.raises(ValueError, match=r"^No variables to save$"):
        tf.train.Saver()
    weight = tf.Variable([1.0], name="weight")
    saver = tf.train.Saver()
    with pytest.raises(TypeError, match="Not a variable: 3"):
        tf.train.Saver({"weight": weight, "three": 3})
    with pytest.raises(TypeError, match="Not a variable"):
        tf.train.Saver([tf.constant(1.0)])
    with tf.Session() as session:
        session.run(weight.initializer)
        with pytest.raises(ValueError, match=r"Parent directory of .* doesn't exist, can't save"):
            saver.save(session, str(tmp_path / "none" / "m"))
        prefix = saver.save(session, str(tmp_path / "m"))
        with pytest.raises(TypeError, match="'sess' must be a Session; 3"):
            saver.save(3, str(tmp_path / "m"))
        with pytest.raises(ValueError, match="The passed save_path is not a valid checkpoint"):
            saver.restore(session, str(tmp_path / "none"))
        with pytest.raises(ValueError, match="Can't load save_path when it is None"):
            saver.restore(session, None)
        with pytest.raises(NotFoundError, match=r"Key other not found in checkpoint. It has: weight"):
            tf.train.Saver({"other": weight}).restore(session, prefix)
        wide = tf.Variable([1.0, 2.0], name="wide")
        whole = tf.Variable([1], name="whole")
        for variable in (wide, whole):
            with pytest.raises(InvalidArgumentError, match="a mismatch between the current graph and the graph"):
                tf.train.Saver({"weight": variable}).restore(session, prefix)
        with pytest.raises(NotFoundError, match="Key nothing not found"):
            tf.train.load_variable(prefix, "nothing")


def test_files_hold_arrays_and_no_pickles(tmp_path):
    weight = tf.Variable(tf.constant(["a", "b"]), name="words")
    with tf.Session() as session:
        session.run(weight.initializer)
        prefix = tf.train.Saver().save(session, str(tmp_path / "m"))
    assert json.loads((tmp_path / "m.index").read_bytes())["index"]["tensors"]["words"]["dtype"] == "string"
    (data,) = tmp_path.glob("m.*.safetensors")
    assert load_file(data)["words"].dtype == np.uint8
    assert prefix == str(tmp_path / "m")
    assert not list(tmp_path.glob("*partial*"))


def test_eager_programs_and_graphs_exchange_files(tmp_path, monkeypatch):
    weight = tf.Variable([1.0, 2.0], name="weight")
    with tf.Session() as session:
        session.run(weight.initializer)
        prefix = tf.train.Saver().save(session, str(tmp_path / "from_graph"))
    monkeypatch.setattr(v2_behavior.Start, "graph_met", False)
    tf.enable_eager_execution()
    eager = tf.Variable([0.0, 0.0], name="weight")
    saver = tf.train.Saver([eager])
    saver.restore(None, prefix)
    assert eager.numpy().tolist() == [1.0, 2.0]
    eager.assign([7.0, 8.0])
    back = saver.save(None, str(tmp_path / "from_eager"), global_step=tapeviz.Variable(4))
    assert back.endswith("from_eager-4")
    with pytest.raises(RuntimeError, match="When eager execution is enabled, `var_list` must specify a list or dict"):
        tf.train.Saver()
    with tf.Graph().as_default(), tf.Session() as session:
        again = tf.Variable([0.0, 0.0], name="weight")
        tf.train.Saver().restore(session, back)
        assert session.run(again).tolist() == [7.0, 8.0]


def graph_of(**values):
    """A graph with variables of these names and values, and a session in which they are initialized."""
    graph = tf.Graph()
    with graph.as_default():
        made = {name: tf.get_variable(name, initializer=value) for name, value in values.items()}
        session = tf.Session()
        session.run(tf.global_variables_initializer())
    return graph, session, made


def test_a_checkpoint_of_an_eager_model_in_a_session(tmp_path):
    """By the names of variables, and by the names of attributes."""
    model = tapeviz.Module()
    model.weight, model.bias = tapeviz.Variable([1.0, 2.0], name="weight"), tapeviz.Variable(3.0, name="bias")
    prefix = tapeviz.train.Checkpoint(model=model).save(tmp_path / "eager")
    graph, session, made = graph_of(weight=[0.0, 0.0], bias=0.0, other=9.0)
    with graph.as_default(), session:
        tf.train.Saver([made["weight"]]).restore(session, prefix)
        assert session.run(made["weight"]).tolist() == [1.0, 2.0]
        assert session.run(made["bias"]) == 0.0
        with pytest.raises(NotFoundError, match=r"Key other not found in checkpoint. It has: .*bias, .*weight"):
            tf.train.Saver().restore(session, prefix)
        checkpoint = tf.train.Checkpoint(model={"bias": made["bias"]})
        status = checkpoint.restore(prefix).expect_partial()
        assert session.run(made["bias"]) == 0.0
        status.run_restore_ops()
        assert session.run(made["bias"]) == 3.0
        with pytest.raises(AssertionError, match="Unresolved object in checkpoint"):
            status.assert_consumed()
        whole = tf.train.Checkpoint(model={"bias": made["bias"], "weight": made["weight"]}, other=made["other"])
        session.run([made["other"].assign(7.0), made["bias"].assign(7.0)])
        whole.restore(prefix).initialize_or_restore(session)
        assert session.run([made["bias"], made["other"]]) == [3.0, 9.0]


def test_a_checkpoint_of_a_session_in_an_eager_model(tmp_path):
    graph, session, made = graph_of(weight=[1.0, 2.0], bias=3.0)
    with graph.as_default(), session:
        by_attributes = tf.train.Checkpoint(model={"weight": made["weight"], "bias": made["bias"]})
        prefix = by_attributes.save(tmp_path / "graph")
        assert prefix == by_attributes.write(tmp_path / "graph-1", session)
        by_names = tf.train.Saver().save(session, str(tmp_path / "named"))
    with pytest.raises(TypeError, match="'sess' must be a Session; None"):
        by_attributes.save(tmp_path / "none")
    model = tapeviz.Module()
    model.weight, model.bias = tapeviz.Variable([0.0, 0.0], name="weight"), tapeviz.Variable(0.0, name="bias")
    tapeviz.train.Checkpoint(model=model).restore(prefix).assert_consumed()
    assert model.weight.numpy().tolist() == [1.0, 2.0]
    assert float(model.bias) == 3.0
    model.weight.assign([0.0, 0.0])
    tapeviz.train.Checkpoint(model=model).restore(by_names).assert_consumed()
    assert model.weight.numpy().tolist() == [1.0, 2.0]
    model.third = tapeviz.Variable(0.0, name="third")
    status = tapeviz.train.Checkpoint(model=model).restore(by_names)
    with pytest.raises(AssertionError, match="Found 1 Python objects that were not bound"):
        status.assert_consumed()
    status = tapeviz.train.Checkpoint(weight=model.weight).restore(by_names)
    with pytest.raises(AssertionError, match="Unresolved names in checkpoint: bias"):
        status.assert_consumed()


def test_the_savers_of_contrib_read_the_same_files(tmp_path):
    weight = tapeviz.Variable([1.0, 2.0], name="weight")
    saver = tfe.Saver([weight])
    by_name = saver.save(str(tmp_path / "named"), global_step=tapeviz.Variable(4))
    assert by_name == str(tmp_path / "named-4")
    model = tapeviz.Module()
    model.weight = weight
    by_object = tfe.CheckpointableSaver(model).save(str(tmp_path / "object"), checkpoint_number=5)
    assert by_object == str(tmp_path / "object-5")
    graph, session, made = graph_of(weight=[0.0, 0.0])
    with graph.as_default(), session:
        for prefix in (by_name, by_object):
            session.run(made["weight"].assign([0.0, 0.0]))
            tf.train.Saver().restore(session, prefix)
            assert session.run(made["weight"]).tolist() == [1.0, 2.0]
        owner = tapeviz.Module()
        owner.weight = made["weight"]
        session.run(made["weight"].assign([5.0, 6.0]))
        from_graph = tfe.CheckpointableSaver(owner).save(tmp_path / "from_graph")
        named = tf.train.Saver().save(session, str(tmp_path / "graph_named"))
    for prefix in (from_graph, named):
        weight.assign([0.0, 0.0])
        saver.restore(prefix)
        assert weight.numpy().tolist() == [5.0, 6.0]
    tfe.CheckpointableSaver(model).restore(by_object).assert_consumed()
    assert weight.numpy().tolist() == [1.0, 2.0]
    later = tapeviz.Module()
    tfe.CheckpointableSaver(later).restore(from_graph)
    gc.collect()
    later.weight = tapeviz.Variable([0.0, 0.0])
    assert later.weight.numpy().tolist() == [5.0, 6.0]
    with pytest.raises(ValueError, match="was expecting an object with variables"):
        tfe.CheckpointableSaver(3)
    with pytest.raises(TypeError, match="Not a variable"):
        tfe.Saver([3])


def test_damage_is_named_and_restores_nothing(tmp_path):
    first, second = tf.Variable(1.0, name="first"), tf.Variable([2.0] * 9, name="second")
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        prefix = saver.save(session, str(tmp_path / "m"))
        (path,) = tmp_path.glob("m.*.safetensors")
        path.write_bytes(path.read_bytes()[:-1] + b"x")
        session.run([first.assign(7.0), second.assign([7.0] * 9)])
        with pytest.raises(DataLossError, match=r"tensor (first|second) in .*m\.\w+\.safetensors"):
            saver.restore(session, prefix)
        assert session.run(first) == 7.0


def test_the_number_of_steps_in_a_session():
    step = tf.train.get_or_create_global_step()
    with tf.Session() as session:
        session.run(step.initializer)
        session.run(step.assign_add(2))
        assert tf.train.global_step(session, step) == 2
