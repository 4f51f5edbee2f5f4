"""Convolutions and pooling, as ONNX: it has channels before sizes, and says of padding what goes before and after."""

from __future__ import annotations

from typing import Any

from tapeviz.onnx.writer import Writer, exports, unsupported
from tapeviz.ops.nn.windows import geometry

__all__: list[str] = []


def _channels_first(w: Writer, x: str, count: int) -> str:
    return str(w.add("Transpose", [x], perm=[0, count + 1, *range(1, count + 1)]))


def _channels_last(w: Writer, x: str, count: int) -> str:
    return str(w.add("Transpose", [x], perm=[0, *range(2, count + 2), 1]))


def _filters(w: Writer, filters: str, count: int) -> str:
    """Filters with outputs first, then inputs, then sizes."""
    return str(w.add("Transpose", [filters], perm=[count + 1, count, *range(count)]))


def _around(node: Any, kernel: Any, strides: Any, dilations: Any) -> dict[str, Any]:
    """The padding."""
    padding = node.attrs["padding"]
    sizes = (node.inputs[0].shape.dims or ())[1:-1]
    if padding == "SAME" and None in sizes:
        return {"auto_pad": "SAME_UPPER"}
    if padding == "VALID":
        return {}
    _, pads = geometry([size or 0 for size in sizes], kernel, strides, padding, dilations)
    return {"pads": [before for before, _ in pads] + [after for _, after in pads]}


def _sizes(node: Any, tensor: Any, count: int) -> tuple[int, ...]:
    dims = (tensor.shape.dims or ())[:count]
    if not dims or None in dims:
        raise unsupported(node, "the sizes of its filters are not known")
    return tuple(dims)


@exports("conv1d", "conv2d", "conv3d")
def _conv(w: Writer, node: Any, x: str, filters: str) -> Any:
    strides, dilations = (tuple(map(int, node.attrs[name])) for name in ("strides", "dilations"))
    count = len(strides)
    kernel = _sizes(node, node.inputs[1], count)
    inputs, each = node.inputs[0].shape.dims[-1], node.inputs[1].shape.dims[count]
    found = w.add(
        "Conv", [_channels_first(w, x, count), _filters(w, filters, count)], kernel_shape=kernel, strides=strides,
        dilations=dilations, group=inputs // each, **_around(node, kernel, strides, dilations),
    )  # fmt: skip
    return _channels_last(w, found, count)


@exports("depthwise_conv2d")
def _depthwise(w: Writer, node: Any, x: str, filters: str) -> Any:
    strides, dilations = (tuple(map(int, node.attrs[name])) for name in ("strides", "dilations"))
    kernel = _sizes(node, node.inputs[1], 2)
    channels, each = _sizes(node, node.inputs[1], 4)[2:]
    turned = w.add("Transpose", [filters], perm=[2, 3, 0, 1])
    apart = w.add("Reshape", [turned, w.numbers([channels * each, 1, *kernel])])
    found = w.add(
        "Conv", [_channels_first(w, x, 2), apart], kernel_shape=kernel, strides=strides, dilations=dilations,
        group=channels, **_around(node, kernel, strides, dilations),
    )  # fmt: skip
    return _channels_last(w, found, 2)


@exports("conv1d_backprop_input", "conv2d_backprop_input", "conv3d_backprop_input")
def _conv_transpose(w: Writer, node: Any, filters: str, x: str) -> Any:
    strides, dilations = (tuple(map(int, node.attrs[name])) for name in ("strides", "dilations"))
    count = len(strides)
    kernel = _sizes(node, node.inputs[0], count)
    sizes = (node.outputs[0].shape.dims or ())[1:-1]
    if not sizes or None in sizes:
        raise unsupported(node, "the sizes of what it gives are not known")
    _, pads = geometry(sizes, kernel, strides, node.attrs["padding"], dilations)
    given = (node.inputs[1].shape.dims or ())[1:-1]
    more = [
        size - ((known - 1) * stride + (k - 1) * dilation + 1 - before - after)
        for size, known, stride, k, dilation, (before, after) in zip(
            sizes, given, strides, kernel, dilations, pads, strict=True
        )
    ]
    found = w.add(
        "ConvTranspose", [_channels_first(w, x, count), _filters(w, filters, count)], kernel_shape=kernel,
        strides=strides, dilations=dilations, pads=[b for b, _ in pads] + [a for _, a in pads], output_padding=more,
    )  # fmt: skip
    return _channels_last(w, found, count)


@exports("max_pool", "avg_pool")
def _pool(w: Writer, node: Any, x: str) -> Any:
    kernel, strides = (tuple(map(int, node.attrs[name])) for name in ("ksize", "strides"))
    count = len(kernel)
    kind = "MaxPool" if node.op.name == "max_pool" else "AveragePool"
    around = _around(node, kernel, strides, (1,) * count)
    found = w.add(kind, [_channels_first(w, x, count)], kernel_shape=kernel, strides=strides, **around)
    return _channels_last(w, found, count)
