"""Lists and dicts that get what a checkpoint has for them after it was read. TensorFlow 2.21 gives the same values."""

from __future__ import annotations

import copy
import json
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tapeviz as tf


def variables(*values):
    return [tf.Variable(value) for value in values]


def values(parts):
    return [part.numpy() for part in (parts.values() if isinstance(parts, dict) else parts)]


@pytest.fixture
def saved(tmp_path):
    checkpoint = tf.train.Checkpoint(
        items=variables(1.0, 2.0),
        named=dict(zip("ab", variables(3.0, 4.0), strict=True)),
        nested=[variables(5.0), {"x": tf.Variable(6.0)}],
    )
    return checkpoint.save(tmp_path / "saved")


def read(path, **parts):
    checkpoint = tf.train.Checkpoint(**parts)
    checkpoint.restore(path).expect_partial()
    return checkpoint


def appended(parts):
    for variable in variables(0.0, 0.0):
        parts.append(variable)


def added_in_place(parts):
    parts += variables(0.0, 0.0)


@pytest.mark.parametrize("add", [appended, added_in_place, lambda parts: parts.extend(variables(0.0, 0.0))])
def test_what_is_appended_gets_its_value(saved, add):
    checkpoint = read(saved, items=[])
    add(checkpoint.items)
    assert values(checkpoint.items) == [1.0, 2.0]


def test_an_item_replaced_gets_its_value(saved):
    checkpoint = read(saved, items=[None, None])
    checkpoint.items[1] = tf.Variable(0.0)
    assert checkpoint.items[1].numpy() == 2.0


def set_keys(parts):
    for key in "ab":
        parts[key] = tf.Variable(0.0)


@pytest.mark.parametrize("add", [
    set_keys, lambda parts: parts.update(a=tf.Variable(0.0), b=tf.Variable(0.0)),
    lambda parts: [parts.setdefault(key, tf.Variable(0.0)) for key in "ab"],
])  # fmt: skip
def test_what_a_dict_is_given_gets_its_value(saved, add):
    checkpoint = read(saved, named={})
    add(checkpoint.named)
    assert values(checkpoint.named) == [3.0, 4.0]


def test_lists_and_dicts_in_lists_get_theirs(saved):
    checkpoint = read(saved, nested=[])
    checkpoint.nested.append([])
    checkpoint.nested[0].append(tf.Variable(0.0))
    checkpoint.nested.append({})
    checkpoint.nested[1]["x"] = tf.Variable(0.0)
    assert [checkpoint.nested[0][0].numpy(), checkpoint.nested[1]["x"].numpy()] == [5.0, 6.0]


def test_a_list_given_after_reading_waits_too(saved):
    checkpoint = read(saved)
    checkpoint.items = []
    appended(checkpoint.items)
    assert values(checkpoint.items) == [1.0, 2.0]


@pytest.mark.parametrize("make", [tf.Module, tf.keras.Model, tf.keras.layers.Layer])
def test_lists_and_dicts_of_modules_and_layers_wait(tmp_path, make):
    first, second = make(), make()
    first.parts, first.named = variables(1.0), {"x": tf.Variable(2.0)}
    path = tf.train.Checkpoint(of=first).save(tmp_path / "saved")
    second.parts, second.named = [], {}
    tf.train.Checkpoint(of=second).restore(path)
    second.parts.append(tf.Variable(0.0))
    second.named["x"] = tf.Variable(0.0)
    assert [second.parts[0].numpy(), second.named["x"].numpy()] == [1.0, 2.0]
    assert len(second.variables) == 2


def test_the_weights_of_a_layer_appended_come_when_it_makes_them(tmp_path):
    first, second = (tf.keras.Sequential([tf.keras.layers.Dense(2)]) for _ in range(2))
    first(tf.ones([1, 3]))
    path = tf.train.Checkpoint(nets=[first]).save(tmp_path / "saved")
    checkpoint = read(path, nets=[])
    checkpoint.nets.append(second)
    second(tf.ones([1, 3]))
    assert second.layers[0].kernel.numpy().tolist() == first.layers[0].kernel.numpy().tolist()


def test_a_waiting_list_is_a_list_like_any(saved):
    checkpoint = read(saved, items=[], named={})
    assert isinstance(checkpoint.items, list)
    assert isinstance(checkpoint.named, dict)
    assert (checkpoint.items, checkpoint.named) == ([], {})
    assert json.dumps([checkpoint.items, checkpoint.named]) == "[[], {}]"
    for again in (copy.deepcopy, lambda parts: pickle.loads(pickle.dumps(parts))):
        assert again(checkpoint.items) == []
        again(checkpoint.items).append(1)
        assert tf.nest.map_structure(lambda part: part + 1, again([1])) == [2]


def test_a_list_that_holds_itself_can_wait(tmp_path):
    first: list = [tf.Variable(1.0)]
    first.append(first)
    path = tf.train.Checkpoint(items=first).save(tmp_path / "saved")
    second: list = []
    second.append(second)
    assert read(path, items=second).items is not None


@settings(deadline=None, max_examples=30)
@given(st.recursive(st.none(), lambda part: st.lists(part, max_size=3) | st.dictionaries(
    st.sampled_from("abc"), part, max_size=3), max_leaves=8), st.randoms())  # fmt: skip
def test_any_structure_built_up_after_reading_is_restored(tmp_path_factory, structure, random):
    count = iter(range(1000))

    def filled(part):
        if isinstance(part, list):
            return [filled(item) for item in part]
        return {k: filled(v) for k, v in part.items()} if isinstance(part, dict) else tf.Variable(float(next(count)))

    def built(owner, name, part):
        """Put the parts in one after the other, as a program does."""
        empty = [] if isinstance(part, list) else {} if isinstance(part, dict) else tf.Variable(-1.0)
        owner.append(empty) if isinstance(owner, list) else owner.__setitem__(name, empty)
        mine = owner[-1] if isinstance(owner, list) else owner[name]
        items = list(enumerate(part) if isinstance(part, list) else part.items() if isinstance(part, dict) else ())
        if isinstance(part, dict):
            random.shuffle(items)
        for key, item in items:
            built(mine, key, item)

    whole = filled({"root": structure})
    path = tf.train.Checkpoint(whole=whole).write(tmp_path_factory.mktemp("saved") / "saved")
    checkpoint = tf.train.Checkpoint(whole={})
    status = checkpoint.read(path)
    built(checkpoint.whole, "root", structure)
    status.assert_consumed()
    flat = [{k: v.numpy() for k, v in _leaves(part).items()} for part in (whole, checkpoint.whole)]
    assert flat[0] == flat[1]


def _leaves(part, path=()):
    if isinstance(part, tf.Variable):
        return {path: part}
    items = enumerate(part) if isinstance(part, list) else part.items()
    return {key: leaf for name, item in items for key, leaf in _leaves(item, (*path, name)).items()}
