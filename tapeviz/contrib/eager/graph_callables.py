"""``graph_callable``: a function that finds its variables by name, as one graph that can be called."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from tapeviz.compat.v1.variables.variable_creation import VariableStore, storing
from tapeviz.contrib.eager.execution_modes import ShapeAndDtype
from tapeviz.engine import nest
from tapeviz.engine.scopes import TensorSpec
from tapeviz.functions.function import Function, function

__all__ = ["GraphCallable", "graph_callable"]


class GraphCallable:
    """A function as one graph, with the variables that it asked for. Made by :func:`graph_callable`."""

    def __init__(self, func: Callable[..., Any], specs: Sequence[Any]) -> None:
        self._store = VariableStore()
        self._specs = tuple(specs)

        @functools.wraps(func)
        def with_variables(*args: Any) -> Any:
            with storing(self._store):
                return func(*args)

        functools.update_wrapper(self, func)
        self._function: Function[..., Any] = function(with_variables, input_signature=self._specs, autograph=False)
        self._function.get_concrete_function()

    @property
    def variables(self) -> list[Any]:
        """Its variables, in the order in which it asked for them first."""
        return list(self._store.variables.values())

    @property
    def trainable_variables(self) -> list[Any]:
        """The trainable ones among them."""
        return [variable for variable in self.variables if variable.trainable]

    @property
    def python_function(self) -> Callable[..., Any]:
        """The Python function."""
        return self.__wrapped__  # type: ignore[attr-defined, no-any-return]

    @property
    def graph(self) -> Any:
        """The graph."""
        return self._function.get_concrete_function().graph

    def __call__(self, *args: Any) -> Any:
        """Run the graph.

        Raises:
            ValueError: there are not as many arguments as there are specs.
            TypeError: an argument does not have the shape or dtype that its spec says.
        """
        __tracebackhide__ = True
        if len(args) != len(self._specs):
            raise ValueError(
                f"Arity mismatch: {self._function.name} takes {len(self._specs)} arguments, as its specs say, and was "
                f"given {len(args)}"
            )
        return self._function(*args)


def graph_callable(shape_and_dtypes: Sequence[Any]) -> Callable[[Callable[..., Any]], GraphCallable]:
    """Decorate a function of tensors to be traced into one graph, now, for arguments of these shapes and dtypes.

    The function finds its variables by name, with ``get_variable`` of :mod:`tapeviz.compat.v1`. They are made when it
    is traced, belong to the result, and keep their values from call to call.

    Args:
        shape_and_dtypes: a :class:`ShapeAndDtype` an argument, or a structure of them.

    Raises:
        TypeError: something in it is none.
        ValueError: the function makes variables each time, other than by ``get_variable``.

    >>> import tapeviz as tf, tapeviz.compat.v1 as tf1, tapeviz.contrib.eager as tfe
    >>> @tfe.graph_callable([tfe.ShapeAndDtype(shape=[None], dtype=tf.float32)])
    ... def scaled(x):
    ...     factor = tf1.get_variable("factor", initializer=tf.constant(2.0))
    ...     return x * factor
    >>> scaled(tf.constant([1.0, 2.0])).numpy()
    array([2., 4.], dtype=float32)
    >>> [variable.name for variable in scaled.variables]
    ['factor:0']
    """
    specs = [nest.pack(one, [_spec(leaf) for leaf in nest.flatten(one)]) for one in shape_and_dtypes]
    return lambda func: GraphCallable(func, specs)


def _spec(given: Any) -> TensorSpec:
    if not isinstance(given, (ShapeAndDtype, TensorSpec)):
        raise TypeError(f"graph_callable takes a ShapeAndDtype for each argument, got {given!r}")
    return TensorSpec(given.shape, given.dtype)
