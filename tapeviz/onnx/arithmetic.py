"""Ops that work element by element, as ONNX."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from tapeviz.onnx.writer import HANDLERS, Writer, exports

__all__: list[str] = []

# The ops that ONNX has under another name, with the same inputs in the same order.
_SAME: Final = {
    "abs": "Abs", "acos": "Acos", "acosh": "Acosh", "add": "Add", "add_n": "Sum", "asin": "Asin", "asinh": "Asinh",
    "atan": "Atan", "atanh": "Atanh", "bitwise_and": "BitwiseAnd", "bitwise_or": "BitwiseOr",
    "bitwise_xor": "BitwiseXor", "ceil": "Ceil", "check_numerics": "Identity", "copy_to_device": "Identity",
    "cos": "Cos", "cosh": "Cosh", "det": "Det", "elu": "Elu", "ensure_shape": "Identity", "equal": "Equal",
    "erf": "Erf", "exp": "Exp", "floor": "Floor", "greater": "Greater", "greater_equal": "GreaterOrEqual",
    "identity": "Identity", "invert": "BitwiseNot", "is_inf": "IsInf", "is_nan": "IsNaN", "less": "Less",
    "less_equal": "LessOrEqual", "log": "Log", "logical_and": "And", "logical_not": "Not", "logical_or": "Or",
    "logical_xor": "Xor", "maximum": "Max", "minimum": "Min", "multiply": "Mul", "negative": "Neg", "pow": "Pow",
    "read_variable": "Identity", "reciprocal": "Reciprocal", "relu": "Relu", "rint": "Round", "round": "Round",
    "selu": "Selu", "sigmoid": "Sigmoid", "sign": "Sign", "sin": "Sin", "sinh": "Sinh", "softplus": "Softplus",
    "softsign": "Softsign", "sqrt": "Sqrt", "stop_gradient": "Identity", "subtract": "Sub", "tan": "Tan",
    "tanh": "Tanh", "where": "Where",
}  # fmt: skip


def _same(w: Writer, node: Any, *inputs: str) -> Any:
    return w.add(_SAME[node.op.name], inputs)


HANDLERS.update(dict.fromkeys(_SAME, _same))


def _is_whole(node: Any) -> bool:
    return node.outputs[0]._a.dtype.kind in "iu"


@exports("divide")
def _divide(w: Writer, node: Any, x: str, y: str) -> Any:
    return w.add("Div", [x, y])


@exports("floordiv")
def _floordiv(w: Writer, node: Any, x: str, y: str) -> Any:
    if _is_whole(node):  # ONNX rounds to zero
        return w.add("Div", [w.add("Sub", [x, w.add("Mod", [x, y])]), y])
    return w.add("Floor", [w.add("Div", [x, y])])


@exports("floormod")
def _floormod(w: Writer, node: Any, x: str, y: str) -> Any:
    if _is_whole(node):
        return w.add("Mod", [x, y])
    whole = w.add("Floor", [w.add("Div", [x, y])])
    return w.add("Sub", [x, w.add("Mul", [whole, y])])


@exports("not_equal")
def _not_equal(w: Writer, node: Any, x: str, y: str) -> Any:
    return w.add("Not", [w.add("Equal", [x, y])])


@exports("square")
def _square(w: Writer, node: Any, x: str) -> Any:
    return w.add("Mul", [x, x])


@exports("squared_difference")
def _squared_difference(w: Writer, node: Any, x: str, y: str) -> Any:
    return _square(w, node, w.add("Sub", [x, y]))


@exports("rsqrt")
def _rsqrt(w: Writer, node: Any, x: str) -> Any:
    return w.add("Reciprocal", [w.add("Sqrt", [x])])


@exports("log1p")
def _log1p(w: Writer, node: Any, x: str) -> Any:
    return w.add("Log", [w.add("Add", [x, w.like(node.inputs[0], 1.0)])])


@exports("expm1")
def _expm1(w: Writer, node: Any, x: str) -> Any:
    return w.add("Sub", [w.add("Exp", [x]), w.like(node.inputs[0], 1.0)])


@exports("log_sigmoid")
def _log_sigmoid(w: Writer, node: Any, x: str) -> Any:
    return w.add("Neg", [w.add("Softplus", [w.add("Neg", [x])])])


@exports("silu")
def _silu(w: Writer, node: Any, x: str) -> Any:
    scaled = w.add("Mul", [x, w.like(node.inputs[0], node.attrs["beta"])])
    return w.add("Mul", [x, w.add("Sigmoid", [scaled])])


@exports("bias_add")
def _bias_add(w: Writer, node: Any, x: str, bias: str) -> Any:
    if node.attrs["data_format"] == "NCHW":
        later = node.inputs[0].shape.rank - 2
        bias = w.add("Reshape", [bias, w.constant(np.array([-1, *[1] * later], np.int64))])
    return w.add("Add", [x, bias])


@exports("relu6")
def _relu6(w: Writer, node: Any, x: str) -> Any:
    return w.add("Clip", [x, w.like(node.inputs[0], 0.0), w.like(node.inputs[0], 6.0)])


@exports("clip_by_value")
def _clip(w: Writer, node: Any, x: str, low: str, high: str) -> Any:
    return w.add("Min", [w.add("Max", [x, low]), high])


@exports("leaky_relu")
def _leaky_relu(w: Writer, node: Any, x: str) -> Any:
    return w.add("LeakyRelu", [x], alpha=float(node.attrs["alpha"]))


@exports("gelu")
def _gelu(w: Writer, node: Any, x: str) -> Any:
    t = node.inputs[0]
    cdf = w.add("Add", [w.add("Erf", [w.add("Mul", [x, w.like(t, math.sqrt(0.5))])]), w.like(t, 1.0)])
    return w.add("Mul", [w.add("Mul", [x, cdf]), w.like(t, 0.5)])


@exports("gelu_approximate")
def _gelu_approximate(w: Writer, node: Any, x: str) -> Any:
    t = node.inputs[0]
    cube = w.add("Mul", [w.add("Mul", [x, w.add("Mul", [x, x])]), w.like(t, 0.044715)])
    inner = w.add("Mul", [w.add("Add", [x, cube]), w.like(t, math.sqrt(2.0 / math.pi))])
    cdf = w.add("Add", [w.add("Tanh", [inner]), w.like(t, 1.0)])
    return w.add("Mul", [w.add("Mul", [x, cdf]), w.like(t, 0.5)])


@exports("softmax", "log_softmax")
def _softmax(w: Writer, node: Any, x: str) -> Any:
    kind = "Softmax" if node.op.name == "softmax" else "LogSoftmax"
    return w.add(kind, [x], axis=int(node.attrs["axis"]))


@exports("cast")
def _cast(w: Writer, node: Any, x: str) -> Any:
    return w.cast(x, node.attrs["dtype"])


@exports("number")
def _number(w: Writer, node: Any) -> Any:
    dtype = node.outputs[0]._a.dtype
    single = w.number(node.attrs["value"])
    return w.cast(w.add("Reshape", [single, w.constant(np.array([], np.int64))]), dtype)
