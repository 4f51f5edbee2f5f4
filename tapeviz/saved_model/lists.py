"""The nodes of lists, as plain data and back: what goes over tensors in loops, and what TensorArrays are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.shapes import TensorShape
from tapeviz.engine.types import LISTS
from tapeviz.graphs.control import tensor_lists
from tapeviz.graphs.ir.graph import Node

__all__ = ["LIST_NODES", "described_list_node", "form_of", "list_node", "restored_form"]

_ELEMENTS: Final = {of_list: dtype for dtype, of_list in LISTS.items()}


def form_of(tensor: Any) -> list[Any]:
    """Shape and dtype of a tensor, or of the tensors in a list, as plain data."""
    element = _ELEMENTS.get(tensor._a.dtype)
    dims = tensor.shape.dims
    return [None if dims is None else list(dims), as_dtype(element or tensor._a.dtype).name, element is not None]


def restored_form(told: Sequence[Any]) -> Any:
    """The form that graphs know."""
    dims, name, is_list = told
    dtype = as_dtype(name).numpy
    return ((), LISTS[dtype]) if is_list else (None if dims is None else tuple(dims), dtype)


def _rest(told: dict[str, Any]) -> TensorShape:
    """The shape of an element, where the elements lie on a first axis."""
    dims = told["form"][0]
    return TensorShape(None if dims is None else dims[1:])


def _first(told: dict[str, Any]) -> Any:
    dims = told["form"][0]
    return None if dims is None else dims[0]


def _whole(told: dict[str, Any]) -> TensorShape:
    return TensorShape(told["form"][0])


def _dtype(told: dict[str, Any]) -> np.dtype:
    return as_dtype(told["form"][1]).numpy


# For each op how many inputs it has, which of them are lists, and what makes it again. Those that only gradients are
# made of have more inputs.
LIST_NODES: Final[dict[str, tuple[str, Callable[..., Any]]]] = {
    "list_reserve": ("t", lambda told, n: tensor_lists.reserved(n, _dtype(told))),
    "list_get_item": ("lt", lambda told, x, i: tensor_lists.element(x, i, _whole(told))),
    "list_set_item": ("ltt", lambda told, x, i, v: tensor_lists.written(x, i, v, grows=told["grows"])),
    "list_length": ("l", lambda told, x: tensor_lists.length_of(x, told["less"])),
    "list_stack": ("l", lambda told, x: tensor_lists.stacked(x, _rest(told), _first(told))),
    "list_from_tensor": ("t", lambda _, x: tensor_lists.from_tensor(x)),
    "list_gather": ("lt", lambda told, x, i: tensor_lists.gathered(x, i, _rest(told))),
    "list_scatter": ("ltt", lambda _, x, i, v: tensor_lists.scattered(x, i, v)),
    "list_concat": ("l", lambda told, x: tensor_lists.concatenated(x, _whole(told))),
    "list_split": ("tt", lambda _, x, n: tensor_lists.from_pieces(x, n)),
}


def described_list_node(node: Node) -> dict[str, Any] | None:
    """What else there is to say of a node of lists; None where it is one of a gradient."""
    sorts = "".join("l" if tensor_lists.is_list(tensor) else "t" for tensor in node.inputs)
    if LIST_NODES.get(node.op.name, ("", None))[0] != sorts:
        # A list of lists is one, too.
        return None
    kernel = node.attrs["run"].kernel
    cells = (
        zip(kernel.__code__.co_freevars, kernel.__closure__ or (), strict=True) if hasattr(kernel, "__code__") else ()
    )
    told = {name: cell.cell_contents for name, cell in cells if name in ("grows", "less")}
    return {"form": form_of(node.outputs[0]), **told}


def list_node(told: dict[str, Any], inputs: Sequence[Any]) -> Any:
    """The node again, in the graph that is being built; its output."""
    return LIST_NODES[told["op"]][1](told, *inputs)
