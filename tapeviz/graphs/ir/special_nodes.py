"""The steps of a graph that are no ops on arrays: what is given, what is constant, variables, calls of Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tapeviz.backends import NUMPY, Backend, moved
from tapeviz.engine.dispatch import transfer
from tapeviz.engine.state import local
from tapeviz.engine.tensor import wrap

__all__ = ["ASSIGN", "CALL", "CAPTURE", "CONDITION", "CONSTANT", "GET_ITEM", "INPUT", "LOOP", "NOTHING", "PYTHON",
           "READ", "ArrayCall", "PythonCall", "Special", "array_on"]  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Special:
    """A step that the executors know by itself. It has what views and passes ask of a declaration.

    ``follows`` says that gradients may be asked with respect to what it gives, which comes from outside the graph;
    ``aliases`` is said where this may be its first input itself.
    """

    name: str
    tf_name: str
    doc: str
    family: str = "control"
    effects: str = ""
    follows: bool = False
    formula: str = ""
    many: bool = True
    vjp: Any = None
    vjp_formula: tuple[str, ...] = ()
    differentiable: str = ""
    aliases: str = ""
    traits: frozenset[str] = frozenset()
    hints: frozenset[str] = frozenset()
    label: str = ""
    domain: str = ""
    surrogate: str = ""

    def shared_input(self, count: int) -> int:
        """The position of the input whose memory the outputs use, of so many inputs; -1 for none."""
        return 0 if self.aliases and count else -1

    def __repr__(self) -> str:
        return f"<{self.name}>"


_SOURCE: Final = frozenset(("source",))
INPUT: Final = Special(
    "input", "Placeholder", "A tensor given at each run.", effects="input", follows=True, traits=_SOURCE
)
CAPTURE: Final = Special("capture", "Const", "A tensor from outside, as it was.", follows=True, traits=_SOURCE)
CONSTANT: Final = Special("constant", "Const", "A number or list of the program.", traits=_SOURCE)
READ: Final = Special(
    "read", "ReadVariableOp", "The value that a variable has at this point.", "variable", "read", follows=True,
    formula=r"y = w", traits=frozenset(("identity", "moves", "reads_variable")),
)  # fmt: skip
ASSIGN: Final = Special(
    "assign", "AssignVariableOp", "A variable has this value from here on.", "variable", "write",
    formula=r"w \leftarrow x", aliases="value", traits=frozenset(("identity", "moves", "writes_variable")),
)  # fmt: skip
PYTHON: Final = Special("python", "EagerPyFunc", "A Python function, called at each run.", effects="write")
NOTHING: Final = Special("nothing", "NoOp", "Nothing; other nodes run before it.")
CONDITION: Final = Special("cond", "If", "One of two graphs, by a truth value.")
LOOP: Final = Special("while", "While", "A graph again and again, while another one says so.")
GET_ITEM: Final = Special(
    "list_get_item", "TensorListGetItem", "One of the tensors of a list.", "lists", traits=frozenset(("moves",))
)
CALL: Final = Special("call", "StatefulPartitionedCall", "A graph inside this one, as one step.")


def array_on(backend: Backend, tensor: Any) -> Any:
    """The array of a tensor of the program, on a device; on the host where the device has no such dtype."""
    if tensor._backend is backend:
        return tensor._a
    host = tensor._host()
    return backend.from_host(host) if backend.takes(host.dtype) else host


def array_for(variable: Any, array: Any) -> Any:
    """An array that is assigned to a variable, on the device where the variable is and stays."""
    return moved(array, variable._value._backend)


def run_on(node: Any, slots: Sequence[int], backend: Backend) -> Any:
    """What runs a node that is no op, and gives its outputs in these slots (or all), on a device."""
    run = node.attrs["run"]
    if node.op in (CONDITION, LOOP, CALL):
        return run.giving(tuple(slots), backend)
    return run if backend is NUMPY or not hasattr(run, "on") else run.on(backend)


class PythonCall:
    """Runs a Python function that takes eager tensors, on arrays.

    Args:
        function: it.
        backend: the device whose arrays it is to give; whichever the function's are on if None.
    """

    def __init__(self, function: Callable[..., Any], backend: Backend | None = None) -> None:
        self.function = function
        self._backend = backend

    def on(self, backend: Backend) -> PythonCall:
        """The same for a program that runs on a device."""
        return PythonCall(self.function, backend)

    def __call__(self, arrays: Sequence[Any]) -> list[Any]:
        """The arrays of the tensors that the function gives."""
        state = local.state
        tapes, state.tapes = state.tapes, ()  # a node's own tapes, not those around the run
        try:
            result = self.function(*map(wrap, arrays))
        finally:
            state.tapes = tapes
        if result is None:
            return []
        given = result if isinstance(result, (list, tuple)) else [result]
        return [tensor._a for tensor in given] if self._backend is None else [self._here(tensor) for tensor in given]

    def _here(self, tensor: Any) -> Any:
        backend: Any = self._backend
        stays = tensor._backend is backend or not backend.takes(tensor._a.dtype)
        return tensor._a if stays else transfer(tensor, backend)._a


class ArrayCall(PythonCall):
    """Runs a Python function of ours that takes the arrays themselves, uses no op and gives nothing."""

    def on(self, backend: Backend) -> PythonCall:  # noqa: ARG002
        """Itself: it takes whatever arrays there are."""
        return self

    def __call__(self, arrays: Sequence[Any]) -> list[Any]:
        """Call it."""
        self.function(*arrays)
        return []
