"""``train.Saver``: values of variables in files, from graphs and from eager programs, and back."""

import zipfile

import numpy as np
import pytest

import tapeviz
import tapeviz.compat.v1 as tf
from tapeviz.compat.v1 import modes
from tapeviz.errors import FailedPreconditionError, InvalidArgumentError, NotFoundError


def test_saved_and_restored(tmp_path):
    weight, count = tf.Variable([1.0, 2.0], name="layer/weight"), tf.Variable(3, name="count", dtype=tf.int64)
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(weight.assign([5.0, 6.0]))
        prefix = saver.save(session, str(tmp_path / "model"), global_step=count)
    assert prefix == str(tmp_path / "model-3")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["checkpoint", "model-3.npz"]
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
    assert sorted(path.name for path in tmp_path.glob("*.npz")) == ["m-2.npz", "m-3.npz"]
    state = tf.train.get_checkpoint_state(tmp_path)
    assert state.model_checkpoint_path == written[3]
    assert state.all_model_checkpoint_paths == written[2:]
    assert tf.train.latest_checkpoint(tmp_path / "none") is None
    (tmp_path / "m-3.npz").unlink()
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
    with zipfile.ZipFile(f"{prefix}.npz") as file:
        assert all(name.endswith(".npy") for name in file.namelist())
    with np.load(f"{prefix}.npz", allow_pickle=False) as file:
        assert {file[name].dtype.kind for name in file.files} <= set("biufc")
    assert not list(tmp_path.glob("*partial*"))


def test_eager_programs_and_graphs_exchange_files(tmp_path, monkeypatch):
    weight = tf.Variable([1.0, 2.0], name="weight")
    with tf.Session() as session:
        session.run(weight.initializer)
        prefix = tf.train.Saver().save(session, str(tmp_path / "from_graph"))
    monkeypatch.setattr(modes.Start, "graph_met", False)
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
