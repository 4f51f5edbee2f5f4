"""A graph of ONNX while it is written: nodes, values that are known, and the names of tensors."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from tapeviz.engine.deferred_numbers import Deferred
from tapeviz.engine.errors import UnimplementedError
from tapeviz.engine.symbolic import SymbolicTensor
from tapeviz.graphs.ir.graph import Node
from tapeviz.graphs.run.failures import line_of

__all__ = ["HANDLERS", "Writer", "exports", "unsupported"]

Handler = Callable[..., Any]
HANDLERS: Final[dict[str, Handler]] = {}
"""For each op the function that writes it: it takes the writer, the node and the names of its inputs."""

_ARITHMETIC: Final[dict[Any, str]] = {
    operator.add: "Add", operator.sub: "Sub", operator.mul: "Mul", operator.floordiv: "Div", operator.mod: "Mod",
}  # fmt: skip


def exports(*names: str) -> Callable[[Handler], Handler]:
    """Decorate the function that writes these ops."""

    def decorate(function: Handler) -> Handler:
        HANDLERS.update(dict.fromkeys(names, function))
        return function

    return decorate


def unsupported(node: Node, why: str = "the export does not support it") -> UnimplementedError:
    """The error for a node that cannot be written."""
    line = line_of(node)
    return UnimplementedError(
        f"The op {node.op.name!r} ({node.type}) of node {node.name!r} cannot be written as ONNX: {why}"
        + (f"\n  at {line}" if line else ""),
        node.op.name,
    )


class Writer:
    """What is written so far. ``onnx`` is the package."""

    def __init__(self, onnx: Any, outer: Writer | None = None) -> None:
        self.onnx = onnx
        self.outer = outer
        self.nodes: list[Any] = []
        self.initializers: list[Any] = outer.initializers if outer else []
        self.names: dict[int, str] = dict(outer.names) if outer else {}
        self._used: dict[str, int] = outer._used if outer else {}
        self._known: dict[Any, str] = outer._known if outer else {}

    # Names.

    def free_name(self, wanted: str) -> str:
        """The name, with a number where it is taken."""
        count = self._used.get(wanted, 0)
        self._used[wanted] = count + 1
        return self.free_name(f"{wanted}_{count}") if count else wanted

    def called(self, tensor: SymbolicTensor, name: str) -> str:
        """Remember what a tensor is called."""
        self.names[id(tensor)] = name
        return name

    def name_of(self, tensor: SymbolicTensor) -> str:
        """What a tensor is called."""
        return self.names[id(tensor)]

    # Nodes and values.

    def add(self, kind: str, inputs: Sequence[str], count: int = 1, **attributes: Any) -> Any:
        """A node; the name of what it gives, or a list of them where there are several."""
        outputs = [self.free_name(kind.lower()) for _ in range(count)]
        self.nodes.append(self.onnx.helper.make_node(kind, list(inputs), outputs, **attributes))
        return outputs[0] if count == 1 else outputs

    def constant(self, value: Any, dtype: Any = None, name: str = "constant") -> str:
        """A value that is known."""
        array = np.asarray(value, dtype, order="C")
        key = (array.dtype.str, array.shape, array.tobytes()) if array.nbytes < 1 << 10 else id(value)
        if key not in self._known or array.nbytes >= 1 << 10:
            self._known[key] = made = self.free_name(name)
            self.initializers.append(self.onnx.numpy_helper.from_array(array, made))
        return self._known[key]

    def like(self, tensor: SymbolicTensor, value: float) -> str:
        """A number of the tensor's dtype."""
        return self.constant(np.asarray(value, tensor._a.dtype))

    def kind(self, dtype: Any) -> int:
        """ONNX's number of a dtype."""
        return int(self.onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))

    def cast(self, name: str, dtype: Any) -> str:
        """The value as another dtype."""
        return str(self.add("Cast", [name], to=self.kind(dtype)))

    # Whole numbers, some of which are known only when the model runs.

    def numbers(self, values: Sequence[Any]) -> str:
        """A list of whole numbers."""
        if not any(isinstance(value, Deferred) for value in values):
            return self.constant(np.array([int(value) for value in values], np.int64))
        return str(self.add("Concat", [self.number(value) for value in values], axis=0))

    def number(self, value: Any) -> str:
        """A whole number, as a list of one."""
        if not isinstance(value, Deferred):
            return self.constant(np.array([int(value)], np.int64))
        sort, *rest = value.source
        if sort == "axis":
            shape = self.add("Shape", [self.name_of(rest[0])])
            return str(self.add("Gather", [shape, self.constant(np.array([rest[1]], np.int64))]))
        if sort == "value":
            whole = self.cast(self.name_of(rest[0]), np.int64)
            return str(self.add("Reshape", [whole, self.constant(np.array([1], np.int64))]))
        kind = _ARITHMETIC.get(rest[0]) if sort == "expression" else None
        if kind is None:
            if sort == "expression" and rest[0] is operator.neg:
                return str(self.add("Neg", [self.number(rest[1])]))
            raise UnimplementedError(f"the number {value.text} cannot be written as ONNX")
        first, second = (self.number(part) for part in rest[1:])
        if kind != "Div":
            return str(self.add(kind, [first, second]))
        # ONNX rounds to zero, Python down.
        below = self.add("Sub", [first, self.add("Mod", [first, second])])
        return str(self.add("Div", [below, second]))
