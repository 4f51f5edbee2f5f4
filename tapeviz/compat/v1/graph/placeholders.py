"""Tensors to be fed."""

from __future__ import annotations

from typing import Any

from tapeviz.compat.v1.graph.default_graph import current_graph, get_default_graph
from tapeviz.compat.v1.graph.graph import entered
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.shapes import TensorShape
from tapeviz.graphs.ir.special_nodes import Special
from tapeviz.graphs.ir.tape_entries import follow

__all__ = ["placeholder", "placeholder_with_default"]

DEFAULT = Special("placeholder_with_default", "PlaceholderWithDefault", "A tensor that may be given at a run.")


def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Any:
    """A tensor whose value is given at each run, in ``feed_dict``.

    Args:
        dtype: type of the elements.
        shape: the shape that values must have; None for an axis of any size, or for any shape.
        name: its name.

    Raises:
        RuntimeError: eager execution is on: a function's parameter is what a placeholder was.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     x = tf.placeholder(tf.float32, shape=[None], name="x")
    ...     print(x, session.run(x * 2.0, feed_dict={x: [1, 2, 3]}))
    Tensor("x:0", shape=(None,), dtype=float32) [2. 4. 6.]
    """
    graph = current_graph()
    if graph is None:
        raise RuntimeError("tf.placeholder() is not compatible with eager execution.")
    known = TensorShape(shape)
    with entered(graph):
        return graph.input(
            None if known.rank is None else tuple(known.dims or ()), as_dtype(dtype).numpy, name or "Placeholder"
        )


def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> Any:
    """A tensor that has a value of its own in runs in which it is given none.

    Args:
        input: the value, or a tensor that gives it.
        shape: the shape that values must have, as for :func:`placeholder`.
        name: its name.

    Raises:
        ValueError: ``input`` does not have that shape.
    """
    if current_graph() is None:
        return registry["identity"].run(convert_to_tensor(input))
    graph = get_default_graph()
    known = TensorShape(shape)
    with entered(graph):
        whole = graph.journal.peek(graph._used, f"{graph.here.scope}{name or 'PlaceholderWithDefault'}")
        given = convert_to_tensor(input)
        value = given if hasattr(given, "_node") else graph.fixed(given, f"{whole}/input/")
        if not known.is_compatible_with(value.shape):
            raise ValueError(f"Shapes must be equal: input has shape {value.shape}, and shape is {known}.")
        dims = None if known.rank is None else tuple(known.dims or ())
        forms = [(dims, value._a.dtype)]
        node = graph.node(DEFAULT, (value,), {"run": _same}, forms, name or "PlaceholderWithDefault")
        follow(_Default(), (value,), node.outputs)
        return node.outputs[0]


class _Default:
    """Stands where an op does in a tape's entry: the gradient goes on to the default, also where a value was given."""

    name = "placeholder_with_default"
    contributes_to_all = False

    def step_tensors(self, _ops: Any, upstream: Any, _ins: Any, _saved: Any) -> list[Any]:
        """The gradient as it is."""
        return [upstream[0]]


def _same(arrays: Any) -> list[Any]:
    """What is given when nothing is fed."""
    return [arrays[0]]
