"""Each sample of each op as Python: the cell gives what the op gave."""

from __future__ import annotations

import contextlib
import io

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.tape import python_code
from tests.ops.catalogue import host, outputs, rows

NOT_ALIKE = (
    "conv2d-", "max_pool-",  # padding by the sides is given with the axes that have none
    "einsum-",  # a gradient of a diagonal has an equation that users cannot write
)  # fmt: skip
"""Ops of which a sample is no call that users can make: the cell says so when it runs."""


def same(a, b):
    a, b = a.numpy(), b.numpy()
    return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")


@pytest.mark.parametrize(("op", "inputs", "attrs"), rows(lambda op: op.family != "random"))
def test_gives_what_the_op_gave(op, inputs, attrs, monkeypatch, request):
    monkeypatch.setattr(python_code, "_LITERAL", np.inf)
    with tf.record(values="all") as tape:
        results = outputs(op, [host(array) for array in inputs], attrs)
    try:
        text = tape.as_python()
    except LookupError as error:
        assert "has a call for" in str(error)  # noqa: PT017 - an op that only gradients have
        return
    namespace = {}
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            exec(compile(text, "<cell>", "exec"), namespace)
        except (ValueError, tf.errors.OpError):
            assert request.node.callspec.id.startswith(NOT_ALIKE)
            return
    made = next(line for line in reversed(text.splitlines()) if " = " in line).partition(" = ")[0]
    for name, result in zip(made.split(", "), results, strict=True):
        assert same(namespace[name], result), text
