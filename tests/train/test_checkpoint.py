"""``Checkpoint``: what is saved under which key, where values go, and what is said when something does not fit."""

import copy
import gc
import logging
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.errors import FailedPreconditionError, InvalidArgumentError, NotFoundError
from tapeviz.train.trackable import children


class Model(tf.Module):
    def __init__(self, weight=(1.0, 2.0)):
        super().__init__()
        self.weight = tf.Variable(weight)
        self.parts = [tf.Variable(3.0), {"a": tf.Variable(4), "a/b.c": tf.Variable(5.0)}]
        self.word = "no part"


class Chain(tf.Module):
    def __init__(self):
        super().__init__()
        self.parts = []

    def __call__(self, x):
        for part in self.parts:
            x = x * part
        return x


KEYS = [
    ("model/parts/0/.ATTRIBUTES/VARIABLE_VALUE", []),
    ("model/parts/1/a.Sb..c/.ATTRIBUTES/VARIABLE_VALUE", []),
    ("model/parts/1/a/.ATTRIBUTES/VARIABLE_VALUE", []),
    ("model/weight/.ATTRIBUTES/VARIABLE_VALUE", [2]),
]


def test_keys_are_tensorflows(tmp_path):
    prefix = tf.train.Checkpoint(model=Model()).write(tmp_path / "m")
    assert prefix == str(tmp_path / "m")
    assert tf.train.list_variables(prefix) == KEYS
    assert not (tmp_path / "checkpoint").exists()


def test_save_numbers_and_finds_the_latest(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = Model()
    checkpoint = tf.train.Checkpoint(model=model)
    assert [checkpoint.save("./ckpt/"), checkpoint.save("./ckpt/")] == ["./ckpt/-1", "./ckpt/-2"]
    assert (tmp_path / "ckpt" / "-2.index").exists()
    assert tf.train.latest_checkpoint("./ckpt/") == "./ckpt/-2"
    model.weight.assign([7.0, 8.0])
    assert checkpoint.save("./deep/er/ckpt") == "./deep/er/ckpt-3"
    assert int(checkpoint.save_counter) == 3
    status = checkpoint.restore(tf.train.latest_checkpoint("./ckpt"))
    assert model.weight.numpy().tolist() == [1.0, 2.0]
    assert int(checkpoint.save_counter) == 2
    status.assert_consumed().assert_existing_objects_matched().assert_nontrivial_match()


def test_a_root_is_saved_under_its_own_names(tmp_path):
    model = Model()
    prefix = tf.train.Checkpoint(model, step=tf.Variable(3)).write(tmp_path / "m")
    assert "weight/.ATTRIBUTES/VARIABLE_VALUE" in dict(tf.train.list_variables(prefix))
    again = Model((0.0, 0.0))
    tf.train.Checkpoint(root=again).read(prefix).expect_partial().assert_existing_objects_matched()
    assert again.weight.numpy().tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="Cannot create a Checkpoint with keyword argument weight: root has it, too"):
        tf.train.Checkpoint(model, weight=model.weight)


@pytest.mark.parametrize(
    "dtype", ["float16", "bfloat16", "float32", "float64", "complex64", "complex128", "bool", "int8", "uint16", "int64"]
)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 3), (2, 3)])
def test_every_dtype_and_shape_comes_back_to_the_bit(tmp_path, dtype, shape):
    rng = np.random.default_rng(0)
    array = rng.normal(size=shape) + (1j * rng.normal(size=shape) if dtype.startswith("complex") else 0.0)
    held = tf.Variable(tf.constant(array.astype(tf.as_dtype(dtype).as_numpy_dtype)))
    before = held.numpy()
    tf.train.Checkpoint(x=held).write(tmp_path / "m")
    held.assign(tf.zeros_like(held))
    tf.train.Checkpoint(x=held).read(tmp_path / "m").assert_consumed()
    assert held.numpy().dtype == before.dtype
    assert held.numpy().tobytes() == before.tobytes()


@pytest.mark.parametrize("texts", ["one", [], ["", "a\0b", "ü" * 100], [["a", "b"], ["", "\n"]]])
def test_strings_come_back(tmp_path, texts):
    held = tf.Variable(tf.constant(texts, tf.string))
    prefix = tf.train.Checkpoint(x=held).write(tmp_path / "m")
    found = tf.train.load_variable(prefix, "x/.ATTRIBUTES/VARIABLE_VALUE")
    assert found.shape == held.shape
    assert found.tolist() == (held.numpy() if texts == "one" else held.numpy().tolist())


def test_transposed_values_are_written_in_order(tmp_path):
    held = tf.Variable(tf.transpose(tf.reshape(tf.range(6.0), [2, 3])))
    prefix = tf.train.Checkpoint(x=held).write(tmp_path / "m")
    assert tf.train.load_variable(prefix, "x/.ATTRIBUTES/VARIABLE_VALUE").tolist() == held.numpy().tolist()


def test_others_can_read_the_data(tmp_path):
    from safetensors.numpy import load_file

    tf.train.Checkpoint(x=tf.Variable([1.0, 2.0])).write(tmp_path / "m")
    (path,) = tmp_path.glob("m.*.safetensors")
    assert load_file(path)["x/.ATTRIBUTES/VARIABLE_VALUE"].tolist() == [1.0, 2.0]


# What is made after the restoration.


def test_a_variable_made_later_gets_its_value_at_once(tmp_path):
    prefix = tf.train.Checkpoint(model=Model(), b=tf.Variable(6.0)).write(tmp_path / "m")
    checkpoint = tf.train.Checkpoint(model=tf.Module())
    status = checkpoint.read(prefix)
    with pytest.raises(AssertionError, match=r"Unresolved object in checkpoint \(root\).b \(Variable\): b/.ATTRIBUTES"):
        status.assert_consumed()
    status.assert_existing_objects_matched()
    checkpoint.b = tf.Variable(0.0)
    assert float(checkpoint.b) == 6.0
    checkpoint.model.weight = tf.Variable([0.0, 0.0])
    assert checkpoint.model.weight.numpy().tolist() == [1.0, 2.0]
    checkpoint.model.parts = [tf.Variable(0.0)]
    assert float(checkpoint.model.parts[0]) == 3.0
    checkpoint.model.parts.append({"a": tf.Variable(0), "a/b.c": tf.Variable(0.0)})
    checkpoint.model.parts = checkpoint.model.parts  # a list is looked at when its owner is told of it
    status.assert_consumed()
    checkpoint.b = tf.Variable(0.0)
    assert float(checkpoint.b) == 0.0  # given once


def test_parts_that_are_put_to_a_list_later(tmp_path):
    chain = Chain()
    chain.parts += [tf.Variable(2.0), tf.Variable(3.0)]
    prefix = tf.train.Checkpoint(chain=chain).write(tmp_path / "m")
    again = Chain()
    tf.train.Checkpoint(chain=again).read(prefix)
    twin = pickle.loads(pickle.dumps(copy.deepcopy(again)))
    again.parts.append(tf.Variable(1.0))
    assert float(again(1.0)) == 2.0
    again.parts.append(tf.Variable(1.0))
    assert float(again(1.0)) == 6.0
    twin.parts.append(tf.Variable(1.0))
    assert float(twin(1.0)) == 1.0


def test_what_is_removed_meanwhile_is_still_restored(tmp_path):
    prefix = tf.train.Checkpoint(b=tf.Variable(6.0)).write(tmp_path / "m")
    checkpoint = tf.train.Checkpoint()
    checkpoint.read(prefix)
    for path in tmp_path.iterdir():
        path.unlink()
    checkpoint.b = tf.Variable(0.0)
    assert float(checkpoint.b) == 6.0


def test_the_later_of_two_restorations_counts(tmp_path):
    first = tf.train.Checkpoint(b=tf.Variable(1.0)).write(tmp_path / "first")
    second = tf.train.Checkpoint(b=tf.Variable(2.0)).write(tmp_path / "second")
    checkpoint = tf.train.Checkpoint()
    checkpoint.read(first).expect_partial()
    checkpoint.read(second)
    checkpoint.b = tf.Variable(0.0)
    assert float(checkpoint.b) == 2.0


def test_in_a_function_that_makes_its_variables(tmp_path):
    class Lazy(tf.Module):
        weight = None

        @tf.function
        def scaled(self, x):
            if self.weight is None:
                self.weight = tf.Variable(tf.zeros([2]))
            return x * self.weight

    first = Lazy()
    first.scaled(tf.constant([1.0, 1.0]))
    first.weight.assign([3.0, 4.0])
    prefix = tf.train.Checkpoint(model=first).write(tmp_path / "m")
    second = Lazy()
    status = tf.train.Checkpoint(model=second).read(prefix)
    assert second.scaled(tf.constant([1.0, 2.0])).numpy().tolist() == [3.0, 8.0]
    status.assert_consumed()


def test_values_left_over_are_told(tmp_path, caplog):
    gc.collect()  # what other tests have left
    prefix = tf.train.Checkpoint(model=Model(), b=tf.Variable(6.0)).write(tmp_path / "m")
    with caplog.at_level(logging.WARNING, "tapeviz"):
        checkpoint = tf.train.Checkpoint(model=tf.Module())
        checkpoint.read(prefix).expect_partial()
        del checkpoint
        gc.collect()
        assert caplog.messages == []
        checkpoint = tf.train.Checkpoint(b=tf.Variable(0.0))
        checkpoint.read(prefix)
        gc.collect()
        assert caplog.messages == []  # they may still come
        del checkpoint
        gc.collect()
    assert caplog.messages[0].startswith("Detecting that an object or model or tf.train.Checkpoint is being deleted")
    assert caplog.messages[1] == "Value in checkpoint could not be found in the restored object: (root).model.weight"
    assert len(caplog.messages) == 5


# What does not fit.


def test_other_shapes_and_dtypes_restore_nothing(tmp_path):
    prefix = tf.train.Checkpoint(a=tf.Variable(1.0), b=tf.Variable([1.0, 2.0])).write(tmp_path / "m")
    a = tf.Variable(0.0)
    with pytest.raises(ValueError, match=r"incompatible tensor with shape \(2,\) .* shape \(3,\) and name b:0"):
        tf.train.Checkpoint(a=a, b=tf.Variable([0.0] * 3, name="b")).read(prefix)
    with pytest.raises(InvalidArgumentError, match="expected dtype int32 does not equal original dtype float32"):
        tf.train.Checkpoint(a=a, b=tf.Variable([0, 0])).read(prefix)
    assert float(a) == 0.0


def test_statuses_say_what_is_missing(tmp_path):
    prefix = tf.train.Checkpoint(model=Model()).write(tmp_path / "m")
    status = tf.train.Checkpoint(model=Model(), other=tf.Variable(0.0, name="other")).read(prefix)
    for check in (status.assert_consumed, status.assert_existing_objects_matched):
        with pytest.raises(AssertionError, match=r"Found 1 Python objects that were not bound .*'other:0'"):
            check()
    status.assert_nontrivial_match()
    status = tf.train.Checkpoint(else_=Model()).read(prefix).expect_partial()
    with pytest.raises(AssertionError, match="Nothing except the root object matched a checkpointed value"):
        status.assert_nontrivial_match()
    nothing = tf.train.Checkpoint().restore(None)
    with pytest.raises(AssertionError, match="No checkpoint specified"):
        nothing.assert_consumed()


def test_what_cannot_be_saved_or_found(tmp_path):
    for given in ({"root": 3}, {"a": 3}, {"a": lambda: 3}):
        with pytest.raises(ValueError, match=r"was expecting .* to be a trackable object"):
            tf.train.Checkpoint(**given)
    with pytest.raises(ValueError, match="Two keys of a dict"):
        children({1: tf.Variable(1.0), "1": tf.Variable(2.0)})
    checkpoint = tf.train.Checkpoint(x=tf.Variable(1.0))
    with pytest.raises(NotFoundError, match=r"(?s)Error when restoring .*none.*You may be missing the checkpoint suff"):
        checkpoint.restore(tmp_path / "none")
    with pytest.raises(NotFoundError, match="Failed to find any matching files"):
        checkpoint.read(tmp_path / "none")
    with pytest.raises(NotFoundError, match="Couldn't find 'checkpoint' file or checkpoints in given directory"):
        tf.train.load_checkpoint(tmp_path)
    with pytest.raises(NotFoundError, match="Key y not found in checkpoint"):
        tf.train.load_variable(checkpoint.write(tmp_path / "m"), "y")

    @tf.function
    def saving():
        checkpoint.save(tmp_path / "inside")

    with pytest.raises(NotImplementedError, match=r"save\(\) from a function is not supported"):
        saving()


def test_a_folder_that_cannot_be_written(tmp_path, monkeypatch):
    """The error says where and why; what was written before is there, and nothing lies about."""
    x = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(x=x)
    prefix = checkpoint.save(tmp_path / "ckpt")
    (tmp_path / "file").write_text("")
    with pytest.raises(FailedPreconditionError, match=r"Cannot write a checkpoint under .*/file/ckpt-2: .*file; "):
        checkpoint.save(tmp_path / "file" / "ckpt")
    x.assign(2.0)
    before = sorted(path.name for path in tmp_path.iterdir())

    def full(_handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(tf.errors.ResourceExhaustedError, match="No space left on device"):
        checkpoint.save(tmp_path / "ckpt")
    monkeypatch.undo()
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert int(checkpoint.save_counter) == 1
    checkpoint.restore(tf.train.latest_checkpoint(tmp_path)).assert_consumed()
    assert tf.train.latest_checkpoint(tmp_path) == prefix
    assert float(x) == 1.0


def test_writing_over_a_checkpoint_leaves_one(tmp_path):
    x = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(x=x)
    for value in (1.0, 2.0, 3.0):
        x.assign(value)
        checkpoint.write(tmp_path / "m")
    assert len(list(tmp_path.iterdir())) == 2
    x.assign(0.0)
    checkpoint.read(tmp_path / "m")
    assert float(x) == 3.0


def test_objects_that_say_themselves_what_they_are_made_of(tmp_path):
    class Counting:
        def __init__(self, place):
            self.place = place

        def _checkpoint_values(self):
            return {"place": np.int64(self.place)}

        def _restore_values(self, values):
            self.place = int(values["place"])

    class Owner:
        def __init__(self, place):
            self.inner = Counting(place)

        def _checkpoint_children(self):
            return [("counting", self.inner)]

    prefix = tf.train.Checkpoint(a=Owner(3)).write(tmp_path / "m")
    assert tf.train.list_variables(prefix) == [("a/counting/.ATTRIBUTES/place", [])]
    again = Owner(0)
    tf.train.Checkpoint(a=again).read(prefix).assert_consumed()
    assert again.inner.place == 3


def test_readers_and_options(tmp_path):
    prefix = tf.train.Checkpoint(x=tf.Variable([1.0])).write(tmp_path / "m", tf.train.CheckpointOptions())
    reader = tf.train.load_checkpoint(prefix)
    key = "x/.ATTRIBUTES/VARIABLE_VALUE"
    assert reader.get_variable_to_shape_map() == {key: [1]}
    assert reader.get_variable_to_dtype_map() == {key: tf.float32}
    assert reader.has_tensor(key)
    assert not reader.has_tensor("x")
    assert reader.debug_string() == b"x/.ATTRIBUTES/VARIABLE_VALUE (DT_FLOAT32) [1]"


FULL = """
import resource, sys
import tapeviz as tf
checkpoint = tf.train.Checkpoint(x=tf.Variable(tf.ones([1000])))
checkpoint.save(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
checkpoint.y = tf.Variable(tf.zeros([100_000]))
try:
    checkpoint.save(sys.argv[1])
except tf.errors.ResourceExhaustedError as error:
    print(error, int(checkpoint.save_counter))
"""


def test_a_disk_that_gets_full(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path / "ckpt")], capture_output=True, text=True, check=True
    )
    assert "Cannot write a checkpoint under" in done.stdout
    assert done.stdout.split()[-1] == "1"
    assert sorted(path.suffix for path in tmp_path.iterdir()) == ["", ".index", ".safetensors"]
    assert tf.train.latest_checkpoint(tmp_path) == str(tmp_path / "ckpt-1")
    tf.train.Checkpoint(x=tf.Variable(tf.zeros([1000]))).restore(tmp_path / "ckpt-1").assert_consumed()
