"""Products of matrices, reductions, and the search for the greatest, as ONNX."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapeviz.onnx.writer import HANDLERS, Writer, exports, unsupported

__all__: list[str] = []

_REDUCTIONS: Final = {
    "reduce_logsumexp": "ReduceLogSumExp", "reduce_max": "ReduceMax", "reduce_mean": "ReduceMean",
    "reduce_min": "ReduceMin", "reduce_prod": "ReduceProd", "reduce_sum": "ReduceSum",
}  # fmt: skip


def _turned(w: Writer, tensor: Any, name: str) -> str:
    """A matrix, or a batch of them, with the last two axes exchanged."""
    rank = tensor.shape.rank
    return str(w.add("Transpose", [name], perm=[*range(rank - 2), rank - 1, rank - 2]))


@exports("matmul")
def _matmul(w: Writer, node: Any, a: str, b: str) -> Any:
    if node.attrs["transpose_a"]:
        a = _turned(w, node.inputs[0], a)
    if node.attrs["transpose_b"]:
        b = _turned(w, node.inputs[1], b)
    return w.add("MatMul", [a, b])


@exports("einsum")
def _einsum(w: Writer, node: Any, *operands: str) -> Any:
    return w.add("Einsum", operands, equation=node.attrs["equation"])


def _axes(w: Writer, node: Any) -> list[str]:
    axis = node.attrs["axis"]
    if axis is None:
        return []
    return [w.numbers(axis if isinstance(axis, tuple) else (axis,))]


def _none_left(node: Any) -> bool:
    """Whether no axis is reduced: ONNX takes an empty list for all."""
    return bool(node.attrs["axis"] == ())


def _reduce(w: Writer, node: Any, x: str) -> Any:
    if _none_left(node):
        return w.add("Identity", [x])
    return w.add(_REDUCTIONS[node.op.name], [x, *_axes(w, node)], keepdims=int(node.attrs["keepdims"]))


HANDLERS.update(dict.fromkeys(_REDUCTIONS, _reduce))


@exports("reduce_all", "reduce_any")
def _reduce_truth(w: Writer, node: Any, x: str) -> Any:
    if _none_left(node):
        return w.add("Identity", [x])
    kind = "ReduceMin" if node.op.name == "reduce_all" else "ReduceMax"
    found = w.add(kind, [w.cast(x, np.int32), *_axes(w, node)], keepdims=int(node.attrs["keepdims"]))
    return w.cast(found, np.bool_)


@exports("reduce_variance", "reduce_std")
def _reduce_variance(w: Writer, node: Any, x: str) -> Any:
    axes = _axes(w, node)
    off = w.add("Sub", [x, w.add("ReduceMean", [x, *axes], keepdims=1)])
    variance = w.add("ReduceMean", [w.add("Mul", [off, off]), *axes], keepdims=int(node.attrs["keepdims"]))
    return variance if node.op.name == "reduce_variance" else w.add("Sqrt", [variance])


@exports("argmax", "argmin")
def _arg(w: Writer, node: Any, x: str) -> Any:
    kind = "ArgMax" if node.op.name == "argmax" else "ArgMin"
    return w.cast(w.add(kind, [x], axis=int(node.attrs["axis"]), keepdims=0), node.attrs["output_type"])


@exports("top_k")
def _top_k(w: Writer, node: Any, x: str) -> Any:
    values, places = w.add("TopK", [x, w.number(node.attrs["k"])], 2, axis=-1)
    return [values, w.cast(places, node.outputs[1]._a.dtype)]


@exports("cumsum")
def _cumsum(w: Writer, node: Any, x: str) -> Any:
    axis = w.constant(np.array(node.attrs["axis"], np.int64))
    return w.add("CumSum", [x, axis], exclusive=int(node.attrs["exclusive"]), reverse=int(node.attrs["reverse"]))


@exports("gather")
def _gather(w: Writer, node: Any, params: str, indices: str) -> Any:
    if node.attrs["batch_dims"]:
        raise unsupported(node, "batch_dims is not 0")
    return w.add("Gather", [params, indices], axis=int(node.attrs["axis"]))


@exports("gather_nd")
def _gather_nd(w: Writer, node: Any, params: str, indices: str) -> Any:
    return w.add("GatherND", [params, w.cast(indices, np.int64)])


@exports("one_hot")
def _one_hot(w: Writer, node: Any, indices: str) -> Any:
    dtype = np.dtype(node.attrs["dtype"])
    values = w.constant(np.array([node.attrs["off"], node.attrs["on"]], dtype))
    # ONNX counts indices below 0 from the end; here they are nowhere.
    whole = w.cast(indices, np.int64)
    count = w.number(node.attrs["depth"])
    below = w.add("Less", [whole, w.constant(np.array(0, np.int64))])
    outside = w.add("Where", [below, count, whole])
    if node.inputs[0].shape.rank == 0:  # ONNX wants an axis
        return w.add("Squeeze", [w.add("OneHot", [outside, count, values]), w.numbers([0])])
    outside = w.add("Reshape", [outside, w.add("Shape", [whole])])
    return w.add("OneHot", [outside, count, values], axis=int(node.attrs["axis"]))
