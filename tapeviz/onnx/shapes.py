"""Ops that change shapes, take parts and join, as ONNX."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.deferred_numbers import Deferred
from tapeviz.onnx.writer import Writer, exports, unsupported

__all__: list[str] = []

_END = np.iinfo(np.int64).max


def _rank(node: Any, place: int = 0) -> int:
    rank: int | None = node.inputs[place].shape.rank
    if rank is None:
        raise unsupported(node, "the rank of its input is not known")
    return rank


@exports("reshape")
def _reshape(w: Writer, node: Any, x: str) -> Any:
    shape = node.attrs["shape"]
    return w.add("Reshape", [x, w.numbers(shape if isinstance(shape, tuple) else tuple(shape))], allowzero=1)


@exports("transpose")
def _transpose(w: Writer, node: Any, x: str) -> Any:
    perm = node.attrs["perm"]
    return w.add("Transpose", [x], perm=list(range(_rank(node)))[::-1] if perm is None else [int(p) for p in perm])


@exports("expand_dims")
def _expand_dims(w: Writer, node: Any, x: str) -> Any:
    return w.add("Unsqueeze", [x, w.number(node.attrs["axis"])])


@exports("squeeze")
def _squeeze(w: Writer, node: Any, x: str) -> Any:
    axis = node.attrs["axis"]
    if axis is None or axis == ():
        return w.add("Squeeze", [x])
    return w.add("Squeeze", [x, w.numbers(axis if isinstance(axis, (tuple, list)) else (axis,))])


@exports("concat")
def _concat(w: Writer, node: Any, *values: str) -> Any:
    return w.add("Concat", values, axis=int(node.attrs["axis"]))


@exports("stack")
def _stack(w: Writer, node: Any, *values: str) -> Any:
    axis = int(node.attrs["axis"])
    place = w.number(axis)
    return w.add("Concat", [w.add("Unsqueeze", [value, place]) for value in values], axis=axis)


@exports("split")
def _split(w: Writer, node: Any, x: str) -> Any:
    sizes = node.attrs["sizes"]
    found = w.add("Split", [x, w.numbers(sizes)], len(node.outputs), axis=int(node.attrs["axis"]))
    return [found] if len(node.outputs) == 1 else found


@exports("unstack")
def _unstack(w: Writer, node: Any, x: str) -> Any:
    axis, count = int(node.attrs["axis"]), len(node.outputs)
    parts = w.add("Split", [x, w.numbers([1] * count)], count, axis=axis)
    return [w.add("Squeeze", [part, w.number(axis)]) for part in ([parts] if count == 1 else parts)]


@exports("strided_slice")
def _strided_slice(w: Writer, node: Any, x: str) -> Any:
    """Slices first, then axes away for single places, then new axes."""
    key = node.attrs["key"]
    used = sum(item is not None and item is not Ellipsis for item in key)
    cuts: list[tuple[int, Any, Any, int]] = []
    gone, new, axis, made = [], [], 0, 0
    for item in key:
        if item is None:
            new.append(made)
            made += 1
        elif item is Ellipsis:
            axis, made = axis + _rank(node) - used, made + _rank(node) - used
        elif isinstance(item, slice):
            step = 1 if item.step is None else int(item.step)
            start = item.start if item.start is not None else (0 if step > 0 else _END)
            stop = item.stop if item.stop is not None else (_END if step > 0 else -_END)
            if (start, stop, step) != (0, _END, 1):
                cuts.append((axis, start, stop, step))
            axis, made = axis + 1, made + 1
        else:
            cuts.append((axis, item, _after(item), 1))
            gone.append(axis)
            axis += 1
    if cuts:
        axes, starts, stops, steps = zip(*cuts, strict=True)
        x = w.add("Slice", [x, w.numbers(starts), w.numbers(stops), w.numbers(axes), w.numbers(steps)])
    if gone:
        x = w.add("Squeeze", [x, w.numbers(gone)])
    if new:
        x = w.add("Unsqueeze", [x, w.numbers(new)])
    return x if cuts or new else w.add("Identity", [x])


def _after(place: Any) -> Any:
    """The place behind one place."""
    return _END if not isinstance(place, Deferred) and place == -1 else place + 1


@exports("pad")
def _pad(w: Writer, node: Any, x: str) -> Any:
    if not node.attrs["paddings"]:
        return w.add("Identity", [x])
    before, after = zip(*node.attrs["paddings"], strict=True)
    value = w.like(node.inputs[0], node.attrs["value"] or 0)
    return w.add("Pad", [x, w.numbers([*before, *after]), value])


@exports("mirror_pad")
def _mirror_pad(w: Writer, node: Any, x: str) -> Any:
    if str(node.attrs["mode"]).upper() != "REFLECT":
        raise unsupported(node, "ONNX has no symmetric padding")
    before, after = zip(*node.attrs["paddings"], strict=True)
    return w.add("Pad", [x, w.numbers([*before, *after])], mode="reflect")


@exports("tile")
def _tile(w: Writer, node: Any, x: str) -> Any:
    return w.add("Tile", [x, w.numbers(node.attrs["multiples"])])


@exports("broadcast_to")
def _broadcast_to(w: Writer, node: Any, x: str) -> Any:
    return w.add("Expand", [x, w.numbers(node.attrs["shape"])])


@exports("fill")
def _fill(w: Writer, node: Any, value: str) -> Any:
    return w.add("Expand", [value, w.numbers(node.attrs["shape"])])


@exports("zeros", "ones")
def _zeros(w: Writer, node: Any) -> Any:
    value = w.like(node.outputs[0], float(node.op.name == "ones"))
    return w.add("Expand", [value, w.numbers(node.attrs["shape"])])


@exports("zeros_like", "ones_like")
def _zeros_like(w: Writer, node: Any, x: str) -> Any:
    return w.add("Expand", [w.like(node.outputs[0], float(node.op.name == "ones_like")), w.add("Shape", [x])])


@exports("shape")
def _shape(w: Writer, node: Any, x: str) -> Any:
    return w.cast(w.add("Shape", [x]), node.outputs[0]._a.dtype)


@exports("size")
def _size(w: Writer, node: Any, x: str) -> Any:
    return w.cast(w.add("Size", [x]), node.outputs[0]._a.dtype)


@exports("rank")
def _rank_of(w: Writer, node: Any, x: str) -> Any:
    return w.cast(w.add("Size", [w.add("Shape", [x])]), node.outputs[0]._a.dtype)


@exports("range")
def _range(w: Writer, node: Any) -> Any:
    dtype, nothing = np.dtype(node.attrs["dtype"]), w.constant(np.array([], np.int64))
    parts = []
    for name in ("start", "limit", "delta"):
        value = node.attrs[name]
        if isinstance(value, Deferred):
            parts.append(w.cast(w.add("Reshape", [w.number(value), nothing]), dtype))
        else:
            parts.append(w.constant(np.asarray(value, dtype)))
    return w.add("Range", parts)


@exports("reverse")
def _reverse(w: Writer, node: Any, x: str) -> Any:
    axes = [int(axis) for axis in node.attrs["axis"]]
    ends, steps = w.numbers([-_END] * len(axes)), w.numbers([-1] * len(axes))
    return w.add("Slice", [x, w.numbers([-1] * len(axes)), ends, w.numbers(axes), steps])
