"""Blocks of a program: name scopes, devices, and what must have run before."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from tapeviz.compat.v1.graph.default_graph import current_graph, get_default_graph
from tapeviz.compat.v1.graph.graph import Graph, entered
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.device_blocks import device as eager_device
from tapeviz.engine.device_names import DeviceName, parsed
from tapeviz.engine.operators import public
from tapeviz.engine.scopes import name_scope as eager_name_scope
from tapeviz.engine.state import local
from tapeviz.engine.symbolic import SymbolicTensor
from tapeviz.graphs.ir.graph import Node
from tapeviz.ops.control import execution_order

__all__ = ["colocate_with", "container", "control_dependencies", "device", "group", "name_scope", "no_op", "tuple"]

_SCOPE: Final = re.compile(r"^[A-Za-z0-9_.\\/>-]*$")
_ROOT_SCOPE: Final = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$")
_Tuple: Final = tuple


def _building() -> Any:
    """The graph that is built here: one of this namespace, one of a traced function, or None."""
    inside = local.state.graph
    return current_graph() if inside is None else inside


class name_scope:  # noqa: N801 - TensorFlow's name
    """Put ``name/`` before the names of what is made inside; with a number where such a scope was there before.

    Args:
        name: the scope; one that ends with a slash is taken as it is, and None or "" leaves all scopes.
        default_name: the scope where ``name`` is None.
        values: accepted as TensorFlow does: tensors in whose graph to build.

    Raises:
        TypeError: neither is given, and there are values.
        ValueError: it is no name of a scope.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     with tf.name_scope("layer") as scope:
    ...         print(scope, tf.constant(1.0, name="w").name)
    ...     with tf.name_scope("layer"):
    ...         print(tf.constant(1.0, name="w").name)
    layer/ layer/w:0
    layer_1/w:0
    """

    def __init__(self, name: str | None, default_name: str | None = None, values: Any = None) -> None:
        if not (default_name is None or isinstance(default_name, str)):
            raise TypeError(
                f"`default_name` type ({type(default_name)}) is not a string type. You likely meant to pass this into "
                "the `values` kwarg."
            )
        if name is None and default_name is None and values is not None:
            raise ValueError(f"At least one of name ({name}) and default_name ({default_name}) must be provided.")
        self.name: str | None = default_name if name is None else name
        self._values = values
        self._inside: list[Any] = []

    def __enter__(self) -> str:
        graph = _building()
        block: Any = (
            _graph_name_scope(graph, self.name) if isinstance(graph, Graph) else eager_name_scope(self.name or "")
        )
        self._inside.append(block)
        return str(block.__enter__())

    def __exit__(self, *details: object) -> None:
        self._inside.pop().__exit__(*details)


@contextmanager
def _graph_name_scope(graph: Graph, name: str | None) -> Iterator[str]:
    if name and not (_SCOPE if graph.here.scope else _ROOT_SCOPE).match(name):
        sort = "scope" if graph.here.scope else "root scope"
        pattern = (_SCOPE if graph.here.scope else _ROOT_SCOPE).pattern
        raise ValueError(f"'{name}' is not a valid {sort} name. A {sort} name has to match the following pattern: "
                         f"{pattern}")  # fmt: skip
    before, state = graph.here.scope, local.state
    within = state.graph is graph
    whole = "" if not name else name if name.endswith("/") else f"{graph.free_name(f'{before}{name}')}/"
    graph.here.scope = whole
    if within:
        state.scope = whole
    try:
        yield whole
    finally:
        graph.here.scope = before
        if within:
            state.scope = before


class device:  # noqa: N801 - TensorFlow's name
    """Ask for operations inside the block to run on a device. Names of inner blocks add to those of outer ones.

    Args:
        device_name_or_function: such as ``/gpu:0``; or a function that takes an operation and gives such a name; None
            for no wish.

    Raises:
        ValueError: it is no device name.
    """

    def __init__(self, device_name_or_function: Any) -> None:
        if isinstance(device_name_or_function, str):
            parsed(device_name_or_function)
        self._asked = device_name_or_function
        self._inside: list[Any] = []

    def __enter__(self) -> None:
        graph = _building()
        block: Any = _graph_device(graph, self._asked) if isinstance(graph, Graph) else eager_device(self._asked)
        self._inside.append(block)
        block.__enter__()

    def __exit__(self, *details: object) -> None:
        self._inside.pop().__exit__(*details)


@contextmanager
def _graph_device(graph: Graph, asked: Any) -> Iterator[None]:
    here = graph.here
    before = here.devices
    if asked is None:
        here.devices = ()
    elif callable(asked):
        here.devices = (*before, lambda node, text: _merged(text, asked(node)))
    else:
        here.devices = (*before, lambda _node, text: _merged(text, asked))
    try:
        yield
    finally:
        here.devices = before


def _merged(outer: str, inner: Any) -> str:
    """A device name in which the inner one has the say, and the outer one where that leaves something open."""
    if not inner:
        return outer
    old, new = parsed(outer) if outer else DeviceName(), parsed(str(inner))
    fields = [ours if ours is not None else theirs for ours, theirs in zip(_fields(new), _fields(old), strict=True)]
    job, replica, task, kind, index = fields
    parts = [("job", job), ("replica", replica), ("task", task)]
    text = "".join(f"/{word}:{value}" for word, value in parts if value is not None)
    return text if kind is None else f"{text}/device:{kind}:{'*' if index is None else index}"


def _fields(name: DeviceName) -> list[Any]:
    return [name.job, name.replica, name.task, name.kind, name.index]


class control_dependencies:  # noqa: N801 - TensorFlow's name
    """Have operations inside the block run after these tensors and operations. None lifts what outer blocks ask.

    Raises:
        TypeError: one of them is neither tensor, operation nor variable.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     first = tf.no_op(name="first")
    ...     with tf.control_dependencies([first]):
    ...         second = tf.constant(1.0)
    >>> second.op.control_inputs
    [<tf.Operation 'first' type=NoOp>]
    """

    def __init__(self, control_inputs: Any) -> None:
        self._asked = control_inputs
        self._inside: list[Any] = []

    def __enter__(self) -> None:
        graph = _building()
        block: Any = (
            _graph_control(graph, self._asked)
            if isinstance(graph, Graph)
            else execution_order.control_dependencies(self._asked)
        )
        self._inside.append(block)
        block.__enter__()

    def __exit__(self, *details: object) -> None:
        self._inside.pop().__exit__(*details)


@contextmanager
def _graph_control(graph: Graph, asked: Any) -> Iterator[None]:
    before = graph.controls
    graph.controls = (
        () if asked is None else (*before, *(node for node in nodes_of(graph, asked) if node not in before))
    )
    try:
        yield
    finally:
        graph.controls = before


def nodes_of(graph: Graph, items: Any) -> list[Node]:
    """The operations that tensors, operations and variables stand for, each once."""
    found: dict[int, Node] = {}
    for item in items:
        made = item.initializer if hasattr(item, "initializer") and not hasattr(item, "read_in") else item
        element = graph.as_graph_element(made)
        node = element._node if isinstance(element, SymbolicTensor) else element
        found.setdefault(node.number, node)
    return list(found.values())


def group(*inputs: Any, **kwargs: Any) -> Any:
    """One operation that runs all of these. With eager execution they have run already, and it is None.

    Raises:
        TypeError: one of them is neither tensor nor operation.
    """
    name = kwargs.pop("name", None)
    if kwargs:
        raise ValueError("Unknown keyword arguments: " + ", ".join(kwargs))
    graph = _building()
    if not isinstance(graph, Graph):
        return execution_order.group(*inputs, name=name)
    flat = [item for one in inputs for item in (one if isinstance(one, (list, _Tuple)) else [one])]
    for item in flat:
        if not hasattr(item, "graph") and not hasattr(item, "read_in"):
            raise TypeError(f"'inputs' should be zero or more (nested) Tensors. Received '{item}' with type "
                            f"'{type(item)}'.")  # fmt: skip
    with entered(graph):
        return graph.nothing(nodes_of(graph, flat), name or "group_deps")


def no_op(name: str | None = None) -> Any:
    """An operation that does nothing; None with eager execution."""
    graph = _building()
    if not isinstance(graph, Graph):
        return execution_order.no_op(name)
    with entered(graph):
        return graph.nothing((), name or "NoOp")


def tuple(tensors: Sequence[Any], name: str | None = None, control_inputs: Any = None) -> Any:
    """The tensors as ones that are there only when all of them, and ``control_inputs``, are."""
    graph = _building()
    if not isinstance(graph, Graph):
        return execution_order.tuple(tensors, control_inputs)
    with name_scope(name, "tuple"), entered(graph):
        given = [tensor if tensor is None else convert_to_tensor(tensor) for tensor in tensors]
        own = [tensor if tensor is None else graph.own(tensor) for tensor in given]
        gate = graph.nothing(
            nodes_of(graph, [*(tensor for tensor in own if tensor is not None), *(control_inputs or ())]), "group_deps"
        )
        with graph.after([gate]):
            return [None if tensor is None else graph.same(tensor, "control_dependency") for tensor in own]


def colocate_with(op: Any, ignore_existing: bool = False) -> Any:
    """Accepted as TensorFlow does: where operations run is not decided one by one here."""
    return name_scope(get_default_graph().here.scope) if isinstance(_building(), Graph) else eager_device(None)


@contextmanager
def container(container_name: str) -> Iterator[str]:
    """Accepted as TensorFlow does: variables belong to sessions, which have one container."""
    yield container_name


public["graph_name_scope"] = _graph_name_scope
public["graph_device"] = _graph_device
public["graph_control_dependencies"] = _graph_control
