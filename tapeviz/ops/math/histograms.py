"""Counting: what is not zero, how often numbers and pairs of labels occur, and histograms."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapeviz.engine import rules
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Spec, registry
from tapeviz.engine.deferred_numbers import Deferred
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.operators import public
from tapeviz.engine.samples import cases
from tapeviz.engine.static_shapes import merged, of_rank
from tapeviz.ops import static_shape_rules
from tapeviz.ops.arguments import chosen_dtype, whole_number
from tapeviz.ops.math.reductions import reduce_sum
from tapeviz.ops.math.segments import combined_rows, unsorted_segment_sum
from tapeviz.ops.runtime_calls import by_rank, by_values, open_sizes

__all__ = ["bincount", "confusion_matrix", "count_nonzero", "histogram_fixed_width", "histogram_fixed_width_bins",
           "zero_fraction"]  # fmt: skip

_INT32: Final = np.dtype(np.int32)
_INT64: Final = np.dtype(np.int64)
_NUMBERING: Final = frozenset([_INT32, _INT64])
_COUNTERS: Final = frozenset([_INT32, _INT64, np.dtype(np.float32), np.dtype(np.float64)])
_MATRIX: Final = 2


def count_nonzero(
    input: Any, axis: Any = None, keepdims: bool | None = None, dtype: Any = "int64", name: str | None = None
) -> Any:
    """The number of nonzero elements along ``axis``: one axis, several, or None for all.

    Args:
        input: numbers, truth values or texts; the empty text counts as zero.
        axis: the axes to count along.
        keepdims: keep them with size 1.
        dtype: of the result.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: there is no such axis.

    >>> import tapeviz as tf
    >>> tf.math.count_nonzero([[0, 1], [2, 3]], axis=0).numpy()
    array([1, 2])
    """
    tensor = convert_to_tensor(input)
    zero = convert_to_tensor("" if tensor.dtype == "string" else np.zeros((), tensor.dtype.numpy))
    hits = registry["cast"].run(registry["not_equal"].run(tensor, zero), _INT64)
    counts = reduce_sum(hits, axis, bool(keepdims))
    wanted = as_dtype(dtype).numpy
    return counts if wanted == _INT64 else registry["cast"].run(counts, wanted)


@by_rank(lambda value, name=None: ((), "float32"))
def zero_fraction(value: Any, name: str | None = None) -> Any:
    """The fraction of the elements that is zero, as float32; nan of no elements.

    >>> import tapeviz as tf
    >>> tf.nn.zero_fraction([0.0, 1.0, 0.0, 3.0]).numpy()
    np.float32(0.5)
    """
    tensor = convert_to_tensor(value)
    many = tensor._a.size
    size = public["number"](many, np.dtype(np.float32)) if isinstance(many, Deferred) else np.array(many, np.float32)
    zeros = registry["subtract"].run(size, count_nonzero(tensor, dtype="float32"))
    return registry["divide"].run(zeros, size)


def _bins(xp: Any, arr: Any, weights: Any, *, size: int, binary: bool) -> Any:
    if arr.ndim > _MATRIX or (weights.size and weights.shape != arr.shape):
        raise ValueError("shapes do not fit")  # the rule says what is wrong
    if arr.size and arr.min() < 0:
        raise InvalidArgumentError("Input arr must be non-negative!")
    rows = arr.shape[0] if arr.ndim == _MATRIX else 1
    shape = (rows, size) if arr.ndim == _MATRIX else (size,)
    kept = xp.less(arr, size)
    starts = xp.reshape(xp.arange(rows) * size, (rows, 1)) if arr.ndim == _MATRIX else 0
    places = xp.add(arr, starts)[kept]
    if weights.size:
        found = combined_rows(xp, "add", weights[kept], places, rows * size, 0)
    else:
        found = xp.bincount(places, minlength=rows * size)
    if binary:
        found = xp.minimum(found, 1)
    return xp.reshape(found, shape).astype(weights.dtype)


def _bins_rule(arr: Spec, weights: Spec, *, size: int, binary: bool) -> Spec:
    if len(arr.shape) > _MATRIX:
        raise InvalidArgumentError(f"Shape must be at most rank 2 but is rank {len(arr.shape)}")
    if weights.shape != arr.shape and 0 not in weights.shape:
        raise InvalidArgumentError(
            "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it acts as all weights "
            f"equal to 1. Received {rules.shape_text(weights.shape)}"
        )
    return Spec((*arr.shape[:-1], size), weights.dtype)


def _bins_form(
    arr: Any, weights: Any = None, _minlength: Any = None, _maxlength: Any = None, dtype: Any = "int32",
    _name: Any = None, axis: int | None = None, _binary_output: bool = False, **_options: Any,
) -> Any:  # fmt: skip
    dtype = dtype if weights is None else convert_to_tensor(weights).dtype
    return (None,) if axis != -1 else (*open_sizes(convert_to_tensor(arr))[:-1], None), dtype


def _matrix_form(
    labels: Any = None, predictions: Any = None, num_classes: Any = None, _weights: Any = None, dtype: Any = "int32",
    **_options: Any,
) -> Any:  # fmt: skip
    size = num_classes if isinstance(num_classes, int) else None
    shapes = [open_sizes(convert_to_tensor(one)) for one in (labels, predictions)]
    if None not in shapes and len(shapes[0]) != len(shapes[1]):
        longer = max(shapes, key=len)
        if len(longer) - min(map(len, shapes)) == 1 and longer[-1] in (1, None):
            shapes = [shape[: len(longer) - 1] for shape in shapes]
    one, other = shapes
    of_rank(merged(one, other, "Shapes of labels and predictions must match"), 1, "Labels")
    return (size, size), dtype


_TWO_ROWS: Final = np.array([[1, 1, 2], [0, 3, 3]], np.int32)
_NO_WEIGHTS: Final = np.zeros(0, np.int32)
_dense = op(
    "dense_bincount",
    doc="The count of each integer in a vector or in each row, or the sum of its weights.",
    family="reduction",
    forward=_bins,
    infer=_bins_rule,
    static=static_shape_rules.bincount,
    types={"arr": _NUMBERING, "weights": _COUNTERS},
    formula=r"y_k = \sum_{i: x_i = k} w_i",
    samples=cases(
        ([_TWO_ROWS[0], _NO_WEIGHTS], {"size": 4, "binary": False}),
        ([_TWO_ROWS, _NO_WEIGHTS], {"size": 3, "binary": True}),
        ([_TWO_ROWS, _TWO_ROWS.astype(np.float32)], {"size": 4, "binary": False}),
        ([_TWO_ROWS[1], _TWO_ROWS[0].astype(np.int64)], {"size": 2, "binary": False}),
    ),
    silent=True,
)


@by_values(_bins_form)
def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = "int32",
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Any:
    """The number of occurrences of each integer from 0 on in ``arr``. No gradient.

    Args:
        arr: whole numbers, none negative.
        weights: of the shape of ``arr``; they are added up in place of ones.
        minlength: the result is at least that long.
        maxlength: it is at most that long; larger numbers are not counted.
        dtype: of the result when there are no weights: int32, int64, float32 or float64.
        name: accepted as TensorFlow does.
        axis: None and 0 count in all of ``arr``, -1 in each row of a matrix.
        binary_output: whether it occurs (1 or 0) in place of how often.

    Raises:
        InvalidArgumentError: a number is negative, or the weights' shape differs.
        ValueError: another axis, or weights and ``binary_output`` together.

    >>> import tapeviz as tf
    >>> tf.math.bincount([1, 1, 2, 5]).numpy()
    array([0, 2, 1, 0, 0, 1], dtype=int32)
    """
    arr = convert_to_tensor(arr)
    if weights is not None and binary_output:
        raise ValueError("Arguments `binary_output` and `weights` are mutually exclusive. Please specify only one.")
    if not arr.dtype.is_integer:
        arr = registry["cast"].run(arr, _INT32)
    if axis not in (None, 0, -1):
        raise ValueError(f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported.")
    size = int(arr._a.max()) + 1 if arr._a.size else 0
    if minlength is not None:
        size = max(size, int(minlength))
    if maxlength is not None:
        size = min(size, int(maxlength))
    given = convert_to_tensor(np.zeros(0, as_dtype(dtype).numpy) if weights is None else weights)
    if axis != -1:
        arr, given = registry["reshape"].run(arr, (-1,)), registry["reshape"].run(given, (-1,))
    return _dense.run(arr, given, size, binary_output)


def _as_labels(value: Any, what: str, classes: int | None) -> Any:
    if value._a.size and value._a.min() < 0:
        raise InvalidArgumentError(f"`{what}` contains negative values.  \nCondition x >= 0 did not hold element-wise")
    if classes is not None and value._a.size and value._a.max() >= classes:
        raise InvalidArgumentError(f"`{what}` out of bound\nCondition x < y did not hold.")
    return value


def _aligned(labels: Any, predictions: Any) -> tuple[Any, Any]:
    """Both of one rank: an axis of size 1 at the end of the longer one is left out."""
    labels, predictions = convert_to_tensor(labels), convert_to_tensor(predictions)
    if labels.ndim - predictions.ndim == 1 and labels._a.shape[-1] == 1:
        labels = registry["squeeze"].run(labels, (-1,))
    elif predictions.ndim - labels.ndim == 1 and predictions._a.shape[-1] == 1:
        predictions = registry["squeeze"].run(predictions, (-1,))
    if labels._a.shape != predictions._a.shape:
        shapes = [rules.shape_text(value._a.shape) for value in (labels, predictions)]
        raise InvalidArgumentError(
            f"Shapes of all inputs must match: values[0].shape = {shapes[0]} != values[1].shape = {shapes[1]}"
        )
    return tuple(registry["cast"].run(value, _INT64) for value in (labels, predictions))


@by_values(_matrix_form)
def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    weights: Any = None,
    dtype: Any = "int32",
    name: str | None = None,
) -> Any:
    """The confusion matrix: how often each class (the row) was predicted as each class (the column).

    Args:
        labels: the right classes.
        predictions: the predicted classes.
        num_classes: how many classes there are; one more than the largest seen unless given.
        weights: what each prediction counts, 1 unless given. A gradient flows to them.
        dtype: of the result.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: shapes differ, or a class does not exist.
        ValueError: the shape of the weights differs.

    >>> import tapeviz as tf
    >>> tf.math.confusion_matrix([1, 2, 1], [1, 1, 1]).numpy()
    array([[0, 0, 0],
           [0, 2, 0],
           [0, 1, 0]], dtype=int32)
    """
    labels, predictions = _aligned(labels, predictions)
    classes = None if num_classes is None else whole_number(num_classes, "num_classes must be scalar, not", "Pack")
    labels = _as_labels(labels, "labels", classes)
    predictions = _as_labels(predictions, "predictions", classes)
    if classes is None:
        if not labels._a.size:
            raise InvalidArgumentError("The number of classes cannot be inferred without labels")
        classes = int(max(labels._a.max(), predictions._a.max())) + 1
    wanted = as_dtype(dtype).numpy
    if weights is None:
        counts = public["ones_like"](labels, dtype=wanted)
    else:
        counts = convert_to_tensor(weights)
        predictions.shape.assert_is_compatible_with(counts.shape)
        counts = registry["cast"].run(counts, wanted)
    places = registry["add"].run(registry["multiply"].run(labels, classes), predictions)
    return registry["reshape"].run(unsorted_segment_sum(counts, places, classes * classes), (classes, classes))


def _histogram(xp: Any, values: Any, value_range: Any, *, nbins: int, dtype: Any) -> Any:
    if value_range.shape != (2,) or nbins < 1:
        raise ValueError("attributes do not fit")  # the rule says what is wrong
    low, high = value_range[0], value_range[1]
    if not low < high:
        raise InvalidArgumentError(
            f"value_range should satisfy value_range[0] < value_range[1], but got '[{low.item():g}, {high.item():g}]'"
        )
    if values.dtype.kind == "f" and xp.isnan(values).any():
        raise InvalidArgumentError("Histogram values must not contain NaN")
    double = np.dtype(np.float64)
    step = xp.true_divide(xp.subtract(high, low).astype(double), nbins)
    places = xp.true_divide(xp.subtract(xp.maximum(values, low), low).astype(double), step)
    places = xp.minimum(places, nbins - 1).astype(_INT64)
    return xp.bincount(xp.reshape(places, (-1,)), minlength=nbins).astype(dtype)


def _histogram_rule(values: Spec, value_range: Spec, *, nbins: int, dtype: Any) -> Spec:
    if value_range.shape != (2,):
        raise InvalidArgumentError("value_range should be a vector of 2 elements.")
    if nbins < 1:
        raise InvalidArgumentError(f"nbins should be a positive number, but got '{nbins}'")
    return Spec((nbins,), np.dtype(dtype))


_UNIT: Final = np.array([0.0, 5.0])
_widths = op(
    "histogram_fixed_width",
    doc="A histogram: the counts of values in bins of equal width; the outer bins take what lies outside the range.",
    family="reduction",
    forward=_histogram,
    infer=_histogram_rule,
    static=static_shape_rules.histogram,
    types=_COUNTERS,
    formula=r"y_k = |\{i : k = \lfloor n\,(x_i - a) / (b - a) \rfloor\}|",
    samples=cases(
        ([np.array([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0]), _UNIT], {"nbins": 5, "dtype": _INT32}),
        ([np.array([[1, 2], [3, 9]], np.int32), np.array([0, 5], np.int32)], {"nbins": 3, "dtype": _INT64}),
        ([np.zeros(0), _UNIT], {"nbins": 2, "dtype": _INT32}),
    ),
    silent=True,
)


def histogram_fixed_width(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = "int32", name: str | None = None
) -> Any:
    """A histogram: how many of ``values`` lie in each of ``nbins`` bins of equal width.

    Args:
        values: numbers of any shape. Those outside the range count in the first and the last bin.
        value_range: where the first bin begins and the last one ends.
        nbins: how many bins.
        dtype: of the result, int32 or int64.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the range is empty, there are no bins, or a value is nan.

    >>> import tapeviz as tf
    >>> tf.histogram_fixed_width([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], nbins=5).numpy()
    array([2, 1, 1, 0, 2], dtype=int32)
    """
    wanted = chosen_dtype(dtype, "dtype", "int32 int64", "HistogramFixedWidth")
    return _widths.run(
        values, value_range, whole_number(nbins, "nbins should be a scalar, not shape", "HistogramFixedWidth"), wanted
    )


def histogram_fixed_width_bins(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = "int32", name: str | None = None
) -> Any:
    """The index of the bin, of ``nbins`` of equal width, in which each of ``values`` lies, as int32.

    Args:
        values: floating-point numbers. Those outside the range lie in the first and the last bin.
        value_range: where the first bin begins and the last one ends.
        nbins: how many bins.
        dtype: accepted as TensorFlow does, which gives int32, too.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: there are no bins, or the values are integers.

    >>> import tapeviz as tf
    >>> tf.histogram_fixed_width_bins([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], nbins=5).numpy()
    array([0, 0, 1, 2, 4, 4], dtype=int32)
    """
    count = whole_number(nbins, "nbins should be a scalar, not shape", "HistogramFixedWidth")
    if count < 1:
        raise InvalidArgumentError(f"Expected nbins to be true: nbins {count} must > 0")
    values = convert_to_tensor(values)
    value_range = convert_to_tensor(value_range, dtype=values.dtype)
    low = value_range[0]
    many = convert_to_tensor(count, dtype=values.dtype)
    share = public["divide"](values - low, value_range[1] - low)
    places = registry["floor"].run(registry["multiply"].run(many, share))
    inside = registry["maximum"].run(registry["minimum"].run(places, float(count - 1)), 0)
    return registry["cast"].run(inside, _INT32)
