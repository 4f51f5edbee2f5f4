"""``tf.Variable`` and what programs do with all of them: initializing, assigning, finding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeviz.compat.v1.graph.default_graph import at_once, current_graph, get_default_graph
from tapeviz.compat.v1.graph.graph import Graph, entered
from tapeviz.compat.v1.graph.graph_blocks import group
from tapeviz.compat.v1.graph.graph_keys import GraphKeys
from tapeviz.compat.v1.variables.graph_variables import GraphVariable
from tapeviz.compat.v1.variables.saved_values import saved_value
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.operators import public
from tapeviz.engine.state import local
from tapeviz.engine.variable import Variable as EagerVariable
from tapeviz.engine.variable_options import constrain

__all__ = [
    "Variable", "VariableV1", "add_to_collection", "add_to_collections", "all_variables", "assign", "assign_add",
    "assign_sub", "get_collection", "get_collection_ref", "global_variables", "global_variables_initializer",
    "initialize_all_variables", "initialize_variables", "is_variable_initialized", "local_variables",
    "local_variables_initializer", "model_variables", "report_uninitialized_variables", "trainable_variables",
    "variables_initializer",
]  # fmt: skip


def building_graph() -> Graph | None:
    """The graph to which variables are added; None where they are eager: they are that also in a traced function."""
    inside = local.state.graph
    if inside is not None:
        return inside if isinstance(inside, Graph) else None
    return current_graph()


class _Either(type):
    """Makes variables of a graph or eager ones, both of which are instances."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return new_variable(*args, **kwargs)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, EagerVariable)


class Variable(metaclass=_Either):
    """A value that sessions keep between runs, each its own. With eager execution, an eager variable.

    Args:
        initial_value: what it begins with: a tensor, what converts to one, or a function that gives it.
        trainable: whether it is added to the collection of trainable variables, which optimizers change.
        collections: names of collections to add it to; that of global variables by default.
        validate_shape: whether the initial value's shape must be known, and kept by assignments.
        name: its name; a number is added where it is taken.
        dtype: the dtype to convert the initial value to.
        constraint: a function of the variable that gives what is assigned after an optimizer has changed it.

    Raises:
        ValueError: there is no initial value, or its shape is not known; the constraint is no function.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     count = tf.Variable(1.0, name="count")
    ...     more = count.assign_add(2.0)
    ...     session.run(tf.global_variables_initializer())
    ...     print(session.run(more), session.run(count))
    3.0 3.0
    """


def new_variable(
    initial_value: Any = None,
    trainable: bool | None = None,
    collections: Sequence[str] | None = None,
    validate_shape: bool = True,
    caching_device: Any = None,
    name: str | None = None,
    variable_def: Any = None,
    dtype: Any = None,
    expected_shape: Any = None,
    import_scope: Any = None,
    constraint: Any = None,
    use_resource: bool | None = None,
    synchronization: Any = None,
    aggregation: Any = None,
    shape: Any = None,
) -> Any:
    """A variable, in the signature of TensorFlow's."""
    graph = building_graph()
    wanted = True if trainable is None else trainable
    if graph is None:
        with at_once():
            saved = saved_value(f"{local.state.scope}{name or 'Variable'}")
            return EagerVariable(
                initial_value if saved is None else saved, wanted, validate_shape, caching_device, name, variable_def,
                dtype, import_scope, constraint, synchronization, aggregation, shape,
            )  # fmt: skip
    made = GraphVariable(
        graph, initial_value, name, trainable=wanted, collections=collections, validate_shape=validate_shape,
        dtype=dtype, synchronization=synchronization, aggregation=aggregation,
    )  # fmt: skip
    if constraint is not None:
        constrain(made, constraint)
    return made


VariableV1 = Variable
public["variable_of_graph"] = new_variable


def assign(ref: Any, value: Any, validate_shape: bool | None = None, use_locking: bool | None = None,
           name: str | None = None) -> Any:  # fmt: skip
    """An operation that replaces a variable's value and gives the new one. With eager execution it is done at once."""
    return ref.assign(value, name=name)


def assign_add(ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None) -> Any:
    """An operation that adds to a variable's value and gives the new one."""
    return ref.assign_add(value, name=name)


def assign_sub(ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None) -> Any:
    """An operation that subtracts from a variable's value and gives the new one."""
    return ref.assign_sub(value, name=name)


def variables_initializer(var_list: Sequence[Any], name: str = "init") -> Any:
    """An operation that gives variables their initial values."""
    if current_graph() is None:
        return None
    return group(*[variable.initializer for variable in var_list], name=name)


def global_variables_initializer() -> Any:
    """An operation that gives all variables of the graph their initial values; None with eager execution."""
    return variables_initializer(global_variables())


def local_variables_initializer() -> Any:
    """An operation that gives all local variables their initial values; None with eager execution."""
    return variables_initializer(local_variables(), name="init_1" if get_default_graph().by_name("init") else "init")


initialize_all_variables = global_variables_initializer
initialize_variables = variables_initializer


def _of(key: str, scope: str | None) -> list[Any]:
    return [] if current_graph() is None else get_default_graph().get_collection(key, scope)


def global_variables(scope: str | None = None) -> list[Any]:
    """The variables of the default graph; with ``scope``, those whose names begin with what matches it."""
    return _of(GraphKeys.GLOBAL_VARIABLES, scope)


all_variables = global_variables


def trainable_variables(scope: str | None = None) -> list[Any]:
    """The trainable variables of the default graph."""
    return _of(GraphKeys.TRAINABLE_VARIABLES, scope)


def local_variables(scope: str | None = None) -> list[Any]:
    """The local variables of the default graph."""
    return _of(GraphKeys.LOCAL_VARIABLES, scope)


def model_variables(scope: str | None = None) -> list[Any]:
    """The variables in the collection of model variables."""
    return _of(GraphKeys.MODEL_VARIABLES, scope)


def is_variable_initialized(variable: Any) -> Any:
    """Whether the session has initialized a variable."""
    return variable.is_initialized()


def report_uninitialized_variables(
    var_list: Sequence[Any] | None = None, name: str = "report_uninitialized_variables"
) -> Any:
    """The names of the variables that the session has not initialized, as strings."""
    variables = [*global_variables(), *local_variables()] if var_list is None else list(var_list)
    graph = get_default_graph()

    def missing(*initialized: Any) -> Any:
        names = [variable.op.name for variable, there in zip(variables, initialized, strict=True) if not there]
        return convert_to_tensor(np.array(names, object), dtype="string")

    with entered(graph):
        initialized = [variable.is_initialized(f"{name}/IsVariableInitialized") for variable in variables]
        return graph.python(missing, initialized, [((None,), np.dtype(object))], name)[0]


def add_to_collection(name: str, value: Any) -> None:
    """Add to a list that the default graph keeps under a name."""
    get_default_graph().add_to_collection(name, value)


def add_to_collections(names: Any, value: Any) -> None:
    """Add to several lists that the default graph keeps."""
    get_default_graph().add_to_collections(names, value)


def get_collection(key: str, scope: str | None = None) -> list[Any]:
    """A copy of a list that the default graph keeps under a name."""
    return get_default_graph().get_collection(key, scope)


def get_collection_ref(key: str) -> list[Any]:
    """A list that the default graph keeps under a name, itself."""
    return get_default_graph().get_collection_ref(key)
