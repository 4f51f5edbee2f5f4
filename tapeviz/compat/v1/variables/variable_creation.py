"""Making variables by name, and finding them again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tapeviz.compat.v1.graph.graph import Graph, entered
from tapeviz.compat.v1.graph.graph_blocks import name_scope
from tapeviz.compat.v1.variables.graph_initializers import GlorotUniform, Zeros
from tapeviz.compat.v1.variables.variables import building_graph, new_variable
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.shapes import TensorShape
from tapeviz.engine.tensor import Tensor
from tapeviz.engine.userline import user_line

__all__ = ["VariableStore", "got", "graph_key", "store_here", "storing"]


class VariableStore:
    """Variables by name. ``eager`` ones are kept only where somebody asked for a store."""

    def __init__(self) -> None:
        self.variables: dict[str, Any] = {}
        self.places: dict[str, str] = {}
        self.counts: dict[str, int] = {}


class _Here(threading.local):
    """The store for eager variables in this thread, if there is one."""

    def __init__(self) -> None:
        self.store: VariableStore | None = None


_here = _Here()


def graph_key() -> int:
    """The number of the graph that variables are added to; 0 where they are eager."""
    graph = building_graph()
    return 0 if graph is None else graph.number


def store_here() -> VariableStore | None:
    """The variables that can be found again: those of the graph, or those of a store for eager ones."""
    graph = building_graph()
    if graph is None:
        return _here.store
    return graph.stores.setdefault("variables", VariableStore())  # type: ignore[no-any-return]


@contextmanager
def storing(store: VariableStore) -> Iterator[VariableStore]:
    """A block in which eager variables are kept by name, so that they can be found again."""
    before = _here.store
    _here.store = store
    try:
        yield store
    finally:
        _here.store = before


def got(
    scope: Any, name: str, shape: Any = None, dtype: Any = None, initializer: Any = None,
    regularizer: Any = None, trainable: bool | None = None, collections: Sequence[str] | None = None,
    validate_shape: bool = True, constraint: Any = None,
) -> Any:  # fmt: skip
    """A variable of a scope: made, or found. See :func:`get_variable`."""
    if not isinstance(name, str) or not name:
        raise ValueError(f"The name of a variable must be a string that is not empty, got {name!r}")
    whole = f"{scope.name}/{name}" if scope.name else name
    store = store_here()
    known = None if store is None else store.variables.get(whole)
    if known is not None:
        return _found(whole, known, shape, dtype, scope.reuse, store)
    if scope.reuse is True:
        if store is None:
            raise RuntimeError(
                "When eager execution is enabled variable reuse is only supported when an EagerVariableStore is "
                "active: keep the variable as an attribute of an object, and use it again."
            )
        raise ValueError(
            f"Variable {whole} does not exist, or was not created with tf.get_variable(). Did you mean to set "
            "reuse=tf.AUTO_REUSE in VarScope?"
        )
    initial = scope.initializer if initializer is None else initializer
    kind = as_dtype(scope.dtype if dtype is None else dtype)
    made = _new(whole, shape, kind, initial, given_dtype=dtype, trainable=trainable, collections=collections,
                validate_shape=validate_shape,
                constraint=scope.constraint if constraint is None else constraint)  # fmt: skip
    if store is not None:
        store.variables[whole] = made
        store.places[whole] = user_line() or ""
    _penalize(made, scope.regularizer if regularizer is None else regularizer)
    return made


def _found(name: str, known: Any, shape: Any, dtype: Any, reuse: Any, store: VariableStore | None) -> Any:
    if reuse is False and building_graph() is not None:
        place = "" if store is None else store.places.get(name, "")
        raise ValueError(
            f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in "
            f"VarScope? Originally defined at:\n\n  {place}"
        )
    if shape is not None and not TensorShape(shape).is_compatible_with(known.shape):
        raise ValueError(
            f"Trying to share variable {name}, but specified shape {TensorShape(shape)} and found shape {known.shape}."
        )
    if dtype is not None and as_dtype(dtype) is not known.dtype:
        raise ValueError(
            f"Trying to share variable {name}, but specified dtype {as_dtype(dtype).name} and found dtype "
            f"{known.dtype.name}."
        )
    return known


def _new(
    name: str, shape: Any, dtype: Any, initializer: Any, *, given_dtype: Any, trainable: bool | None,
    collections: Any, validate_shape: bool, constraint: Any,
) -> Any:  # fmt: skip
    """A variable of that full name, which no name scope changes."""
    fixed = isinstance(initializer, Tensor) or (initializer is not None and not callable(initializer))
    if fixed and shape is not None:
        raise ValueError("If initializer is a constant, do not specify shape.")
    initial: Any = initializer
    if not fixed:
        initial = _function(name, shape, dtype, initializer)
    with name_scope(None):
        return new_variable(
            initial, trainable=trainable, collections=collections, name=name, validate_shape=validate_shape,
            dtype=given_dtype if fixed else dtype, constraint=constraint,
        )  # fmt: skip


def _function(name: str, shape: Any, dtype: Any, initializer: Any) -> Callable[[], Any]:
    """What gives the initial value, when it is called."""
    made = initializer() if isinstance(initializer, type) else initializer
    if made is None:
        if shape is None:
            raise ValueError(f"Variable {name} did not get an initializer, so its `shape` argument must be specified.")
        made = GlorotUniform() if dtype.is_floating else Zeros()
    if shape is None and _takes_shape(made):
        raise ValueError(
            "The initializer passed is not valid. It should be a callable with no arguments and the shape should not "
            f"be provided or one that takes a shape, and `shape` should be fully defined (variable {name})."
        )
    if shape is None:
        return made  # type: ignore[no-any-return]
    dims = TensorShape(shape)
    if not dims.is_fully_defined():
        raise ValueError(f"Shape of a new variable ({name}) must be fully defined, but instead was {dims}.")
    return lambda: made(list(dims.dims or ()), dtype=dtype)


def _takes_shape(initializer: Any) -> bool:
    code = getattr(initializer, "__code__", None)
    return code is None or code.co_argcount > len(initializer.__defaults__ or ())


def _penalize(variable: Any, regularizer: Any) -> None:
    """Add a variable's penalty to the collection of losses."""
    graph = building_graph()
    if regularizer is None or not isinstance(graph, Graph):
        return
    with name_scope(f"{variable.op.name}/Regularizer/"), entered(graph):
        penalty = regularizer(variable)
    if penalty is not None:
        graph.add_to_collection("regularization_losses", penalty)
