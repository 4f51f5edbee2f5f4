"""What makes a Keras layer one of ``tf.layers``: variables found by name in scopes, ops added to the default graph."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any, Final

from tapeviz.compat.v1.graph.default_graph import at_once, graph_of
from tapeviz.compat.v1.graph.graph import Graph, entered
from tapeviz.compat.v1.graph.graph_keys import GraphKeys
from tapeviz.compat.v1.variables.graph_variables import GraphVariable
from tapeviz.compat.v1.variables.saved_values import saved_value
from tapeviz.compat.v1.variables.variable_creation import got
from tapeviz.compat.v1.variables.variable_nodes import ASSIGN, ASSIGN_ADD, ASSIGN_SUB
from tapeviz.compat.v1.variables.variable_scope import VariableScope, get_variable_scope, variable_scope
from tapeviz.compat.v1.variables.variables import building_graph
from tapeviz.engine import nest
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.shapes import TensorShape
from tapeviz.engine.state import local
from tapeviz.keras import constraints, initializers, regularizers
from tapeviz.keras.layers.layer import Layer as KerasLayer
from tapeviz.keras.names import snake_case, unique_name
from tapeviz.keras.weights import made_outside_of_traces

__all__ = ["Layer"]

_CHANGES: Final = (ASSIGN, ASSIGN_ADD, ASSIGN_SUB)


class Layer(KerasLayer, spans=False):
    """A layer of ``tf.layers``. One's own says in ``build`` which variables it has and in ``call`` what it computes.

    The variables are made by name in the variable scope in which the layer is first called, or found there where the
    scope reuses variables; calling the layer again uses the same ones. In a graph they begin when a session runs their
    initializers. With eager execution they have their values at once.

    Args:
        trainable: whether optimizers change its variables.
        name: its name, and that of its scope; the class's in snake case by default, with a number where it is taken.
        dtype: of the variables; float32 by default.
        kwargs: what a layer of Keras takes besides.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     layer = tf.layers.Dense(3)
    ...     first, second = layer(tf.ones([1, 2])), layer(tf.zeros([4, 2]))
    ...     print(second.shape, [variable.name for variable in layer.variables])
    (4, 3) ['dense/kernel:0', 'dense/bias:0']
    """

    _stem: str
    _scope: Any
    _reuse: Any

    def __init__(
        self, *args: Any, trainable: bool = True, name: str | None = None, _scope: Any = None, _reuse: Any = None,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        stem = snake_case(type(self).__name__)
        super().__init__(*args, trainable=trainable, name=name or _free_name(stem), **kwargs)
        self.__dict__.update(_stem=name or stem, _scope=_scope, _reuse=_reuse)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        inner = next((base for base in cls.__mro__[1:] if not issubclass(base, Layer)), KerasLayer)
        if "__init__" not in cls.__dict__ and inner is not KerasLayer:
            any_class: Any = cls
            any_class.__signature__ = inspect.signature(inner)

    @property
    def scope_name(self) -> str:
        """The name of the scope of its variables.

        Raises:
            ValueError: it was not called yet.
        """
        if not isinstance(self._scope, VariableScope):
            raise ValueError(  # noqa: TRY004 - TensorFlow's
                f'No name available for layer scope because the layer "{self.name}" has not been used yet. The scope '
                "name is determined the first time the layer instance is called."
            )
        return str(self._scope.name)

    @property
    def graph(self) -> Graph | None:
        """The graph that its variables are in; None with eager execution."""
        return next((variable.graph for variable in self.variables if isinstance(variable, GraphVariable)), None)

    def apply(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The layer's value for these inputs, by the name that calling it had."""
        return self(inputs, *args, **kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The layer's value for these inputs, in the graph of the inputs or of the program; made at once if eager."""
        __tracebackhide__ = True
        graph = _building(args)
        # While a function is traced variables are made outside of it, eagerly, whatever the mode is there.
        with at_once() if graph is None else entered(graph):
            first = 0 if graph is None else len(graph.nodes)
            with self._opened():
                result = super().__call__(*args, **kwargs)
            if graph is not None:
                self._note_updates(graph, first)
            return result

    def settle(self, taken: Collection[str]) -> None:
        """Choose the scope before the first call: the name, with a number where it is taken."""
        if self._scope is None:
            numbered = (f"{self._stem}_{count}" for count in range(1, len(taken) + 2))
            free = next(name for name in (self._stem, *numbered) if name not in taken)
            self.__dict__.update(_name=free, _scope=free)

    @contextmanager
    def _opened(self) -> Iterator[None]:
        """A block in the variable scope of this layer: chosen in the first call, opened again in later ones."""
        asked = self._stem if self._scope is None and self._reuse else self._scope
        with variable_scope(asked, default_name=self._stem, reuse=self._reuse, auxiliary_name_scope=False) as scope:
            self.__dict__["_scope"] = scope
            yield

    def add_weight(
        self, name: Any = None, shape: Any = None, dtype: Any = None, initializer: Any = None, regularizer: Any = None,
        trainable: bool = True, constraint: Any = None, *_options: Any, **_accepted: Any,
    ) -> Any:  # fmt: skip
        """A variable of the scope, made or found. Arguments and errors as for a layer of Keras.

        Raises:
            ValueError: a size is not known; it is there already, or is not, and the scope's ``reuse`` says otherwise.
        """
        label = name or "variable"
        dims = () if shape is None else TensorShape(shape).dims
        if dims is None or None in dims:
            raise ValueError(f"Layer '{self.name}' cannot add the weight {label!r}: all sizes of its shape must be "
                             f"known. Received: shape={dims}")  # fmt: skip
        kind = as_dtype(self.dtype if dtype is None else dtype)
        penalty = regularizers.get(regularizer)
        with made_outside_of_traces(""):
            scope = get_variable_scope()
            whole = f"{scope.name}/{label}" if scope.name else label
            made = got(scope, label, shape=dims, dtype=kind, initializer=_beginning(whole, initializer, scope, kind),
                       regularizer=penalty, trainable=trainable and self.trainable,
                       constraint=constraints.get(constraint))  # fmt: skip
        self._keep(made, label, penalty, None)
        return made

    add_variable = add_weight

    def _note_updates(self, graph: Graph, first: int) -> None:
        """Put the assignments that a call has made into the collection of updates, for programs to run with a step."""
        own = {id(variable) for variable in self.variables}
        known = {id(node) for node in graph.get_collection(GraphKeys.UPDATE_OPS)}
        changes = [(node, node.attrs["run"].variable) for node in graph.nodes[first:] if node.op in _CHANGES]
        for node, variable in changes:
            if id(variable) in own and id(node) not in known and node is not variable.initializer:
                graph.add_to_collection(GraphKeys.UPDATE_OPS, node)

    @property
    def updates(self) -> list[Any]:
        """The operations that update its running means, which programs run with each step of training."""
        graph, own = self.graph, {id(variable) for variable in self.variables}
        noted = [] if graph is None else graph.get_collection(GraphKeys.UPDATE_OPS)
        return [node for node in noted if id(node.attrs["run"].variable) in own]


def _free_name(stem: str) -> str:
    """A name for a layer that no other has: in this scope of a graph, or in the process where it is called eagerly."""
    graph = building_graph()
    if graph is None:
        return unique_name(stem)
    taken: dict[str, int] = graph.stores.setdefault("layers", {})
    whole = f"{get_variable_scope().name}/{stem}"
    count = taken[whole] = taken.get(whole, -1) + 1
    return f"{stem}_{count}" if count else stem


def _building(args: tuple[Any, ...]) -> Graph | None:
    """The graph that a call with these arguments adds to; None where it is executed, or traced, as it is."""
    inside = local.state.graph
    if inside is not None:
        return inside if isinstance(inside, Graph) else None
    return graph_of(nest.flatten(args))


def _beginning(name: str, initializer: Any, scope: VariableScope, dtype: Any) -> Callable[..., Any]:
    """What a variable begins with: what was saved for it, what the layer or the scope says, or Glorot's draws."""
    saved = saved_value(name)
    if saved is not None:
        return lambda shape, dtype=None: saved  # noqa: ARG005 - as every initializer is called
    if initializer is None and scope.initializer is not None:
        initializer = scope.initializer
    chosen = initializers.get(initializer or ("glorot_uniform" if dtype.is_floating else "zeros"))
    return lambda shape, dtype=None: chosen(shape, dtype=dtype)
