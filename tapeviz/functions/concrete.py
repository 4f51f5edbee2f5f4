"""One trace of a function: its graph, and calling it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.dtypes import kernel_name
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.scopes import TensorSpec
from tapeviz.engine.shapes import TensorShape
from tapeviz.engine.state import local
from tapeviz.engine.tensor import Tensor, wrap
from tapeviz.functions.function_types import FunctionType
from tapeviz.functions.python_state import PythonState
from tapeviz.functions.signature import Signature, leaves_of
from tapeviz.graphs.ir.graph import Graph
from tapeviz.graphs.ir.liveness import needed
from tapeviz.graphs.ir.special_nodes import INPUT
from tapeviz.graphs.ir.tracing import tracing
from tapeviz.graphs.run.executable import Executable
from tapeviz.graphs.run.graph_function import GraphFunction

__all__ = ["ConcreteFunction", "traced"]

_HANDLE: Final = np.dtype(np.int64)


class ConcreteFunction:
    """A function traced for one signature. Call it with tensors of that form.

    >>> import tapeviz as tf
    >>> f = tf.function(lambda x: x + 1)
    >>> traced = f.get_concrete_function(tf.TensorSpec([None], tf.float32))
    >>> traced(tf.constant([1.0, 2.0])).numpy()
    array([2., 3.], dtype=float32)
    """

    def __init__(
        self, routine: GraphFunction, form: Any, arguments: Sequence[tuple[str, Any]], signature: Signature
    ) -> None:
        self._routine = routine
        self._form = form
        # A tuple or list of tensors is made at once.
        kind = form.__class__
        self._kind = kind if kind in (tuple, list) and all(isinstance(leaf, Tensor) for leaf in form) else None
        self.signature = signature
        self.arguments: tuple[tuple[str, Any], ...] = tuple(arguments)

    @property
    def graph(self) -> Graph:
        """The graph."""
        return self._routine.graph

    @property
    def name(self) -> str:
        """The function's name."""
        return self._routine.graph.name

    @property
    def inputs(self) -> list[Any]:
        """The graph's inputs: arguments, then what is taken from outside."""
        return list(self.graph.inputs)

    @property
    def outputs(self) -> list[Any]:
        """The graph's outputs, flat."""
        return [tensor for tensor in self._routine.outputs if tensor is not None]

    @property
    def structured_outputs(self) -> Any:
        """The outputs in the function's own structure."""
        outputs = list(self._routine.outputs)
        return outputs[0] if self._form is _SINGLE else nest.pack(self._form, outputs)

    @property
    def output_shapes(self) -> Any:
        """The shapes of the outputs in the function's own structure; for None one that is not known."""
        return nest.map_structure(lambda leaf: TensorShape(None) if leaf is None else leaf.shape,
                                  self.structured_outputs)  # fmt: skip

    @property
    def output_dtypes(self) -> Any:
        """The dtypes of the outputs in the function's own structure; None for None."""
        return nest.map_structure(lambda leaf: None if leaf is None else leaf.dtype, self.structured_outputs)

    @property
    def function_type(self) -> FunctionType:
        """What it takes and gives."""
        variables = [*self.graph.variables.values(), *self.captured]
        return FunctionType(self.arguments, self.structured_outputs, variables)

    @property
    def inference_fn(self) -> ConcreteFunction:
        """What runs the graph: this."""
        return self

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """What it takes and gives, for people: a part a line, or all on one."""
        return self.function_type.pretty() if verbose else f"{self.name}{self.function_type!r}"

    @property
    def structured_input_signature(self) -> tuple[Any, dict[str, Any]]:
        """The specs of positional arguments and of keyword arguments."""
        return tuple(TensorSpec.from_tensor(value, name) if isinstance(value, Tensor) else value
                     for name, value in self.arguments), {}  # fmt: skip

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables that it reads or assigns."""
        return tuple(self.graph.variables.values())

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """The trainable ones among them."""
        return tuple(variable for variable in self.variables if variable.trainable)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run it with the tensors among the arguments, in the order of the signature."""
        __tracebackhide__ = True
        for name, value in kwargs.items():
            known = next((kept for argument, kept in self.arguments if argument.removeprefix("*") == name), value)
            if not isinstance(value, Tensor) and isinstance(known, (bool, int, float, str, bytes)) and known != value:
                raise TypeError(
                    f"Binding inputs to tf.function failed due to `Can not cast {value!r} to Literal[{known!r}]`. "
                    f"Received args: {args} and kwargs: {kwargs} for signature: {self.function_type!r}."
                )
        leaves = [value for _, value in leaves_of([("", args), ("", kwargs)])]
        given = [value._argument() if hasattr(value, "_argument") else value for value in leaves]
        tensors = [value for value in given if isinstance(value, Tensor) or hasattr(value, "__array__")]
        count = len(self.graph.inputs) - len(self.captured)
        if len(tensors) != count:
            tensors = [value for value in given if not hasattr(value, "_read")]
        if len(tensors) != count:
            raise TypeError(f"{self.name} was traced with {count} tensors as arguments, and was given {len(tensors)}")
        given = [convert_to_tensor(tensor) for tensor in tensors]
        for place, (tensor, wanted) in enumerate(zip(given, self.graph.inputs, strict=False)):
            if tensor.dtype != wanted.dtype:
                raise InvalidArgumentError(
                    f"cannot compute {self.name} as input #{place}(zero-based) was expected to be a "
                    f"{kernel_name(wanted.dtype)} tensor but is a {kernel_name(tensor.dtype)} tensor"
                )
        return self.run(given)

    @property
    def captured(self) -> list[Any]:
        """Tensors of the outer graph, in which it was traced, that it takes besides its arguments."""
        return [reached for reached, _ in self.graph.captures]

    def run(self, tensors: Sequence[Any]) -> Any:
        """The result for the tensors among the arguments."""
        __tracebackhide__ = True
        found = self._routine([*tensors, *self.captured] if self.graph.captures else tensors)
        if self._form is _SINGLE:
            return found[0]
        graph: Any = local.state.graph
        if self._form is None and hasattr(graph, "entered"):
            return graph.nodes[-1]  # in a graph of sessions the operation itself, to be run for what it does
        return nest.pack(self._form, list(found)) if self._kind is None else self._kind(found)

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.function_type!r} at 0x{id(self):X}>"

    def __str__(self) -> str:
        return f"ConcreteFunction {self.function_type.pretty()}"


class _Single:
    """The form of a result that is one tensor."""


_SINGLE: Any = _Single()


def traced(
    function: Callable[..., Any],
    name: str,
    arguments: Sequence[tuple[str, Any]],
    signature: Signature,
    bind: Callable[[Sequence[str], Sequence[Any]], tuple[tuple[Any, ...], dict[str, Any]]],
    *,
    creating: Callable[[Any], None] | None,
    kind: str = "function",
    python: Any = None,
    owner: Any = None,
) -> ConcreteFunction:
    """Run ``function`` once with symbolic tensors in the place of tensors, and keep what it did as a graph.

    Args:
        function: the Python function, converted by AutoGraph where that is wanted.
        name: its name, for people.
        arguments: names and values; tensors among the values, or specs, become inputs.
        signature: their signature.
        bind: from names and values to positional and keyword arguments.
        creating: called with each variable that is made; raises where that must not be.
        kind: of the graph.
        python: the user's function as it was written.
        owner: the object whose method it is.
    """
    __tracebackhide__ = True
    outer = local.state.graph
    graph = Graph(name, outer=outer, kind=kind)  # type: ignore[arg-type]
    given: list[Any] = []
    graph.creating = creating
    graph.evaluate = lambda inner, tensor: _evaluated(inner, tensor, given)
    state = graph.root.python_state = graph.root.python_state or PythonState()
    state.begin(python, owner)
    with tracing(graph):
        values = [_symbolic(graph, argument, value, given) for argument, value in arguments]
        positional, named = bind([argument for argument, _ in arguments], values)
        result = function(*positional, **named)
        form, outputs = _outputs(graph, result)
    graph.creating = graph.evaluate = None
    if graph.python_state is state:
        state.finish()
    told = [(argument, _without_data(value, made)) for (argument, value), made in zip(arguments, values, strict=True)]
    return ConcreteFunction(GraphFunction(graph, outputs), form, told, signature)


def _symbolic(graph: Graph, name: str, value: Any, given: list[Any]) -> Any:
    """An argument with inputs of the graph in the place of tensors."""
    if isinstance(value, Iterator) and not hasattr(value, "_inside"):
        return value  # of the program's own: only the function itself goes through it
    leaves = nest.flatten(value)
    made = []
    for place, leaf in enumerate(leaves):
        if isinstance(leaf, Tensor) or hasattr(leaf, "is_compatible_with"):
            shape = leaf.shape
            dims = None if shape.rank is None else tuple(shape.dims or ())
            label = getattr(leaf, "_name", None) or (name if len(leaves) == 1 else f"{name}_{place}")
            made.append(graph.input(dims, leaf.dtype.numpy, label))
            given.append(leaf)
        elif hasattr(leaf, "_inside"):  # a dataset for one: in the graph a number stands for it
            given.append(leaf)
            made.append(leaf._inside(graph.input((), _HANDLE, name)))
        else:
            made.append(leaf)
    return made[0] if len(leaves) == 1 and leaves[0] is value else nest.pack(value, made)


def _without_data(value: Any, inside: Any) -> Any:
    """An argument as it is kept: without the data that a dataset in it is made of."""
    leaves = [value] if isinstance(value, Iterator) else nest.flatten(value)
    if not any(hasattr(leaf, "_inside") for leaf in leaves):
        return value
    pairs = zip(leaves, nest.flatten(inside), strict=True)
    kept = [made if hasattr(leaf, "_inside") else leaf for leaf, made in pairs]
    return kept[0] if leaves[0] is value else nest.pack(value, kept)


def _outputs(graph: Graph, result: Any) -> tuple[Any, list[Any]]:
    if isinstance(result, Tensor):
        return _SINGLE, [graph.own(result)]
    leaves = [_output(graph, leaf) for leaf in nest.flatten(result)]
    return result, leaves


def _output(graph: Graph, leaf: Any) -> Any:
    if leaf is None:
        return None
    try:
        return graph.own(convert_to_tensor(leaf))
    except (TypeError, ValueError) as error:
        raise TypeError(
            "To be compatible with tf.function, Python functions must return zero or more Tensors or ExtensionTypes or "
            f"None values; in compilation of {graph.name}, found return value of type {type(leaf).__name__}, which is "
            "not a Tensor or ExtensionType."
        ) from error


def _evaluated(graph: Graph, tensor: Any, given: list[Any]) -> Any:
    """The value of a tensor of the graph being traced, for the arguments of the call that traces it."""
    nodes = needed(graph, [tensor], effects=False)
    if not any(node.op is INPUT for node in nodes):
        return wrap(Executable(graph, [tensor], inputs=(), nodes=nodes)(())[0])
    if graph is not graph.root or any(not hasattr(value, "_a") or hasattr(value, "_static_value") for value in given):
        raise ValueError(
            "the first value of a variable made inside a function must not depend on what is only known at a run"
        )
    return wrap(Executable(graph, [tensor], nodes=nodes)([value._a for value in given])[0])
