"""Lists of tensors of one shape, as ONNX: tensors with the elements on a first axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.graphs.control.tensor_lists import is_list
from tapeviz.onnx.writer import Writer, exports, unsupported

__all__: list[str] = []


@exports("list_from_tensor", "list_stack")
def _as_it_is(w: Writer, node: Any, x: str, *others: str) -> Any:
    if others or is_list(node.inputs[0]) == (node.op.name == "list_from_tensor"):
        raise unsupported(node, "it is of a gradient, or a list of lists")
    return w.add("Identity", [x])


@exports("list_length")
def _length(w: Writer, node: Any, x: str) -> Any:
    kernel = node.attrs["run"].kernel
    less = dict(zip(kernel.__code__.co_freevars, kernel.__closure__ or (), strict=True))["less"].cell_contents
    size = w.add("Gather", [w.add("Shape", [x]), w.constant(np.array(0, np.int64))])
    return w.cast(w.add("Sub", [size, w.constant(np.array(less, np.int64))]), np.int32)


@exports("list_get_item", "list_gather")
def _item(w: Writer, node: Any, x: str, index: str, *others: str) -> Any:
    if others or not is_list(node.inputs[0]):
        raise unsupported(node, "it is of a gradient")
    return w.add("Gather", [x, index])
