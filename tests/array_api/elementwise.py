"""The standard's elementwise functions, in tapeviz's ops."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import tapeviz as tf
from tests.array_api.arrays import Array, cast, promoted


def _power(x: Any, y: Any) -> Any:
    """Return a power; those of TensorFlow's kernel leave out some of the integers, which wrap all the same."""
    if not x.dtype.is_integer:
        return tf.pow(x, y)
    return tf.cast(tf.pow(tf.cast(x, tf.int64), tf.cast(y, tf.int64)), x.dtype)


def _shifted(x: Any, y: Any) -> Any:
    """Return a shift to the left: all bits go out where there are fewer than to shift, as TensorFlow leaves open."""
    return tf.where(y < tf.constant(8 * x.dtype.size, y.dtype), tf.bitwise.left_shift(x, y), tf.zeros_like(x))


BINARY = {
    "add": tf.add, "atan2": tf.math.atan2, "divide": tf.divide, "equal": tf.equal, "floor_divide": tf.math.floordiv,
    "greater": tf.greater, "greater_equal": tf.greater_equal, "less": tf.less, "less_equal": tf.less_equal,
    "logical_and": tf.logical_and, "logical_or": tf.logical_or, "logical_xor": tf.math.logical_xor,
    "maximum": tf.maximum, "minimum": tf.minimum, "multiply": tf.multiply, "not_equal": tf.not_equal, "pow": _power,
    "remainder": tf.math.floormod, "subtract": tf.subtract,
    "bitwise_and": lambda x, y: x & y, "bitwise_or": lambda x, y: x | y, "bitwise_xor": lambda x, y: x ^ y,
    "bitwise_left_shift": _shifted,
    "bitwise_right_shift": tf.bitwise.right_shift,
    "nextafter": tf.math.nextafter,
}  # fmt: skip
FLOAT_UNARY = (
    "acos acosh asin asinh atan atanh cos cosh exp expm1 log log1p reciprocal sin sinh sqrt tan tanh conj real imag"
)
OF_WHOLE_NUMBERS_NOTHING = ("ceil", "floor")


def _binary(name: str, function: Any) -> Any:
    def call(x1: Any, x2: Any, /) -> Array:
        tensors, _dtype = promoted(x1, x2)
        return Array(function(*tensors))

    call.__name__ = call.__qualname__ = name
    return call


def _unary(name: str) -> Any:
    def call(x: Array, /) -> Array:
        if name in OF_WHOLE_NUMBERS_NOTHING and x.dtype.is_integer:
            return x
        return Array(getattr(tf.math, name)(x.tensor))

    call.__name__ = call.__qualname__ = name
    return call


for _name, _function in BINARY.items():
    globals()[_name] = _binary(_name, _function)
for _name in (*FLOAT_UNARY.split(), *OF_WHOLE_NUMBERS_NOTHING, "logical_not"):
    globals()[_name] = _unary(_name)


def abs(x: Array, /) -> Array:
    return x if x.dtype.is_unsigned else Array(tf.abs(x.tensor))


def bitwise_invert(x: Array, /) -> Array:
    return Array(~x.tensor)


def positive(x: Array, /) -> Array:
    return Array(tf.identity(x.tensor))


def negative(x: Array, /) -> Array:
    return Array(tf.zeros_like(x.tensor) - x.tensor if x.dtype.is_unsigned else tf.negative(x.tensor))


def square(x: Array, /) -> Array:
    return Array(x.tensor * x.tensor)


def sign(x: Array, /) -> Array:
    if x.dtype.is_unsigned:
        return Array(tf.minimum(x.tensor, tf.ones_like(x.tensor)))
    return Array(tf.sign(x.tensor))


def signbit(x: Array, /) -> Array:
    whole = tf.bitcast(x.tensor, {4: tf.int32, 8: tf.int64}[x.dtype.size])
    return Array(whole < 0)


def round(x: Array, /) -> Array:
    if x.dtype.is_complex:
        return Array(tf.complex(tf.round(tf.math.real(x.tensor)), tf.round(tf.math.imag(x.tensor))))
    return x if x.dtype.is_integer else Array(tf.round(x.tensor))


def trunc(x: Array, /) -> Array:
    if x.dtype.is_integer:
        return x
    return Array(tf.where(tf.less(x.tensor, 0.0), tf.math.ceil(x.tensor), tf.floor(x.tensor)))


def _in_parts(test: Any, join: Any, of_whole: bool) -> Any:
    def call(x: Array, /) -> Array:
        if x.dtype.is_integer:
            return Array(tf.fill(x.shape, of_whole))
        if x.dtype.is_complex:
            return Array(join(test(tf.math.real(x.tensor)), test(tf.math.imag(x.tensor))))
        return Array(test(x.tensor))

    return call


isfinite = _in_parts(tf.math.is_finite, tf.logical_and, of_whole=True)
isinf = _in_parts(tf.math.is_inf, tf.logical_or, of_whole=False)
isnan = _in_parts(tf.math.is_nan, tf.logical_or, of_whole=False)


def _logarithm(x: Array, base: float) -> Array:
    return Array(tf.math.log(x.tensor) / tf.constant(math.log(base), x.dtype))


def log2(x: Array, /) -> Array:
    return _logarithm(x, 2.0)


def log10(x: Array, /) -> Array:
    return _logarithm(x, 10.0)


def copysign(x1: Any, x2: Any, /) -> Array:
    (size, signed), _dtype = promoted(x1, x2)
    size = tf.abs(size)
    return Array(tf.where(signbit(Array(signed)).tensor, -size, size))


def hypot(x1: Any, x2: Any, /) -> Array:
    (x, y), _dtype = promoted(x1, x2)
    x, y = tf.abs(x), tf.abs(y)
    large, small = tf.maximum(x, y), tf.minimum(x, y)
    ratio = tf.math.divide_no_nan(small, large)
    found = large * tf.sqrt(1.0 + ratio * ratio)
    infinite = tf.logical_or(tf.math.is_inf(x), tf.math.is_inf(y))
    return Array(tf.where(infinite, tf.constant(np.inf, found.dtype), found))


def logaddexp(x1: Any, x2: Any, /) -> Array:
    (x, y), _dtype = promoted(x1, x2)
    far = -tf.abs(x - y)
    apart = tf.maximum(x, y) + tf.math.log1p(tf.exp(far))
    return Array(tf.where(tf.equal(x, y), x + tf.constant(math.log(2.0), x.dtype), apart))


def clip(x: Array, /, min: Any = None, max: Any = None) -> Array:
    found = x.tensor
    for limit, choose in ((min, tf.maximum), (max, tf.minimum)):
        if limit is not None:
            bound = cast(limit, x.dtype) if isinstance(limit, Array) else tf.constant(limit, x.dtype)
            found = choose(found, bound)
    return Array(found)


OPERATORS = {
    "add": "add", "and": "bitwise_and", "eq": "equal", "floordiv": "floor_divide", "ge": "greater_equal",
    "gt": "greater", "le": "less_equal", "lshift": "bitwise_left_shift", "lt": "less", "mod": "remainder",
    "mul": "multiply", "ne": "not_equal", "or": "bitwise_or", "pow": "pow", "rshift": "bitwise_right_shift",
    "sub": "subtract", "truediv": "divide", "xor": "bitwise_xor",
}  # fmt: skip
COMPARISONS = {"eq", "ge", "gt", "le", "lt", "ne"}


def _add_operators() -> None:
    """Give arrays the operators, from the functions."""
    for short, name in OPERATORS.items():
        function = globals()[name]

        def forward(self: Array, other: Any, /, _function: Any = function) -> Array:
            return _function(self, other)

        def reflected(self: Array, other: Any, /, _function: Any = function) -> Array:
            return _function(other, self)

        def in_place(self: Array, other: Any, /, _function: Any = function) -> Array:
            made = _function(self, other)
            if made.shape != self.shape or made.dtype != self.dtype:
                raise TypeError("an operation in place keeps shape and dtype")
            self.tensor = made.tensor
            return self

        setattr(Array, f"__{short}__", forward)
        if short not in COMPARISONS:
            setattr(Array, f"__r{short}__", reflected)
            setattr(Array, f"__i{short}__", in_place)
    Array.__abs__ = abs
    Array.__invert__ = bitwise_invert
    Array.__neg__ = negative
    Array.__pos__ = positive


_add_operators()
