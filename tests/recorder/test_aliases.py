"""Which memory an output uses: what the declarations say, and what recordings keep, against the arrays themselves."""

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.engine.op_definition import op as declare
from tests.ops.catalogue import host, outputs, rows
from tests.zoo.models import ZOO
from tests.zoo.ways import WAYS


def shares(output, tensor):
    return np.shares_memory(output._a, tensor._a)


@pytest.mark.parametrize(("op", "inputs", "attrs"), rows())
def test_an_op_says_whose_memory_its_outputs_use(op, inputs, attrs):
    tensors = [host(array) for array in inputs]
    results = outputs(op, tensors, attrs)
    position = op.shared_input(len(tensors))
    for output in results:
        if output._a.size <= 1 < max((tensor._a.size for tensor in tensors), default=0):
            continue  # NumPy gives a number, not a view of one
        for at, tensor in enumerate(tensors):
            assert shares(output, tensor) == (at == position), (op.name, at)


@pytest.mark.parametrize(("op", "inputs", "attrs"), rows(lambda op: bool(op.aliases)))
def test_a_recording_says_whose_memory_it_is(op, inputs, attrs):
    tensors = [host(array) for array in inputs]
    with tf.record() as tape:
        results = outputs(op, tensors, attrs)
    table = tape.recording.tensors
    storage = dict(zip(table.id.tolist(), table.storage.tolist(), strict=True))
    position = op.shared_input(len(tensors))
    for result in results:
        number = tape.number(result)
        is_view = position >= 0 and (result._a.size == 0 or shares(result, tensors[position]))
        assert storage[number] == (tape.number(tensors[position]) if is_view else number)


def storages(tape):
    table = tape.recording.tensors
    return dict(zip(table.id.tolist(), table.storage.tolist(), strict=True))


def test_views_of_views_use_the_memory_at_the_bottom():
    x = tf.reshape(tf.range(24.0), [4, 6])
    with tf.record() as tape:
        y = x + 1.0
        left, right = tf.split(tf.transpose(tf.reverse(y, [0])), 2)
        parts = [*tf.unstack(left), tf.ensure_shape(right, [3, 4]), tf.bitcast(y[1:], tf.int32)]
    found = storages(tape)
    assert {found[tape.number(part)] for part in [left, right, *parts]} == {tape.number(y)}


def test_the_parts_of_a_tensor_are_no_new_memory():
    with tf.record() as tape:
        x = tf.ones([100, 1000]) * 2.0
        kept = tf.split(x, 10)
    tensors = tape.recording.tensors
    owners = tensors.id == tensors.storage
    assert tensors.nbytes[owners & (tensors.id == tape.number(x))].tolist() == [400_000.0]
    assert not owners[np.isin(tensors.id, [tape.number(part) for part in kept])].any()


def test_a_copy_is_new_memory():
    x = tf.reshape(tf.range(6.0), [2, 3])
    with tf.record() as tape:
        copied = tf.reshape(tf.transpose(x), [6])
        number, row = x[0, 0], x[0]
        parts = tf.split(tf.range(2.0), 2)
    found = storages(tape)
    assert [found[tape.number(one)] == tape.number(one) for one in (copied, number, row)] == [True, True, False]
    assert {found[tape.number(part)] for part in parts}.isdisjoint(map(tape.number, parts))


@pytest.mark.parametrize("traced", [False, True])
def test_gradients_that_are_views_are_no_new_memory(traced):
    w = tf.Variable(tf.ones([20, 30]))

    def loss():
        return tf.reduce_sum(tf.square(tf.transpose(tf.reshape(w, [30, 20])) + 1.0))

    compute = tf.function(loss) if traced else loss
    with tf.record() as tape:
        with tf.GradientTape() as gradients:
            value = compute()
        gradient = gradients.gradient(value, w)
    found, arrays = storages(tape), tape.in_memory
    of = {number: set() for number in found.values()}
    rows = tape.recording.gradients
    for number in {*rows.gradient.tolist(), *rows.addend.tolist()}:
        of[found[number]].add(number)
        for other in rows.gradient.tolist():
            assert np.shares_memory(arrays[number], arrays[other]) == (found[number] == found[other])
    assert tape.number(gradient) in of[found[tape.number(gradient)]]
    assert max(map(len, of.values())) >= 3  # by the sum, its transpose, and that reshaped


def test_gradients_that_had_to_go_are_counted_as_well():
    x = tf.Variable(tf.ones([1000]))
    with tf.record(budget="64K") as tape:
        with tf.GradientTape() as gradients:
            y = x * 2.0
            for _ in range(40):
                y = tf.reshape(y, [10, 100])
                y = tf.reshape(y, [1000])
        gradients.gradient(y, x)
    tensors = tape.recording.tensors
    views = np.isin(tensors.id, tape.recording.gradients.gradient)
    assert (tensors.storage == tensors.id)[views].sum() <= 2


@pytest.mark.parametrize("way", ["eager", "traced"])
@pytest.mark.parametrize("name", list(ZOO))
def test_memory_that_a_recording_calls_shared_is_shared(name, way):
    step = WAYS[way](ZOO[name]())
    step()
    with tf.record() as tape:
        step()
    recording, arrays = tape.recording, tape.in_memory
    tensors = recording.tensors
    copied = set()
    for number, owner, event in zip(
        tensors.id.tolist(), tensors.storage.tolist(), tensors.producer.tolist(), strict=True
    ):
        assert owner in tensors.id
        known = owner != number and {owner, number} <= arrays.keys() and arrays[number].size > 1
        if known and not np.may_share_memory(arrays[number], arrays[owner]):
            copied.add(recording.ops.name[recording.events.op[event]])
    assert copied == set()


def test_a_declaration_that_names_no_input_is_refused():
    with pytest.raises(TypeError, match="aliases='z' is not one of its inputs"):
        declare(
            "no_such", doc="", family="shape", forward=lambda _xp, x: x, infer=lambda x: x, formula="", samples=list,
            aliases="z",
        )  # fmt: skip
