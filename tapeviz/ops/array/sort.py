"""Order: sorting, the largest few, and finding places in what is sorted."""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np

from tapeviz.engine import rules
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Spec
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.samples import cases
from tapeviz.engine.types import NUMBERS
from tapeviz.ops import static_shape_rules
from tapeviz.ops.arguments import chosen_dtype, whole_number

__all__ = ["argsort", "in_top_k", "searchsorted", "sort", "top_k"]

_INT32: Final = np.dtype(np.int32)
_INT64: Final = np.dtype(np.int64)
_POSITIONS: Final = frozenset([_INT32, _INT64])


def _falling(xp: Any, x: Any) -> Any:
    """Numbers in the opposite order: the largest becomes the smallest. Of integers the smallest has no negative."""
    return xp.invert(x) if x.dtype.kind in "iu" else xp.negative(x)


def _sorted(xp: Any, x: Any, *, axis: int, descending: bool) -> Any:
    return _falling(xp, xp.sort(_falling(xp, x), axis=axis)) if descending else xp.sort(x, axis=axis)


def _order(xp: Any, x: Any, *, axis: int, descending: bool) -> Any:
    if not x.ndim:
        raise ValueError("no axis to sort along")  # arrays would not mind; the rule says what is wrong
    return xp.argsort(_falling(xp, x) if descending else x, axis=axis, kind="stable").astype(_INT32)


def _sorting_rule(x: Spec, *, axis: int, descending: bool) -> Spec:
    # TensorFlow finds the size of the axis in the shape first, which is what its error speaks of.
    rank = len(x.shape)
    if not -rank <= axis < rank:
        place = axis if axis >= 0 else axis + rank
        raise InvalidArgumentError(
            f"slice index {place} of dimension 0 out of bounds: there is no axis {axis} in shape "
            f"{rules.shape_text(x.shape)}"
        )
    return x


def _order_rule(x: Spec, *, axis: int, descending: bool) -> Spec:
    return Spec(_sorting_rule(x, axis=axis, descending=descending).shape, _INT32)


_SORTINGS = cases(
    *((((2, 3),), {"axis": axis, "descending": down}) for axis in (-1, 0) for down in (False, True)),
    (((2, 3, 2),), {"axis": 1, "descending": False}),
    (((2, 0),), {"axis": -1, "descending": True}),
)


def _unsorted(F: Any, g: Any, x: Any, x_spec: Any, axis: int, descending: bool) -> Any:
    """Each gradient back to the place from which its element came."""
    last = len(x_spec.shape) - 1
    perm = list(range(last + 1))
    perm[axis], perm[last] = perm[last], perm[axis]
    order = F.argsort(F.argsort(x, axis=axis, descending=descending), axis=axis, descending=False)
    rows = F.gather(F.transpose(g, perm=tuple(perm)), F.transpose(order, perm=tuple(perm)), axis=last, batch_dims=last)
    return F.transpose(rows, perm=tuple(perm))


_sort = op(
    "sort",
    doc="The elements sorted along an axis.",
    family="indexing",
    forward=_sorted,
    infer=_sorting_rule,
    types=NUMBERS,
    vjp={"x": _unsorted},
    formula=r"y_i = x_{\pi_i},\; y_1 \le y_2 \le \dots",
    vjp_formula=(r"\bar x_{\pi_i} = \bar y_i",),
    samples=_SORTINGS,
    silent=True,
    traits="moves",
)

_TIES = cases(([np.array([3, 1, -128, 1], np.int8)], {"axis": 0, "descending": True}))
_argsort = op(
    "argsort",
    doc="The indices that sort the elements along an axis; equal elements keep their order.",
    family="indexing",
    forward=_order,
    infer=_order_rule,
    types=NUMBERS,
    formula=r"y = \pi,\; x_{\pi_1} \le x_{\pi_2} \le \dots",
    samples=lambda rng: [*_SORTINGS(rng), *_TIES(rng)],
    silent=True,
)

_DIRECTIONS: Final = {"ASCENDING": False, "DESCENDING": True}


def _descends(direction: str) -> bool:
    if direction not in _DIRECTIONS:
        raise ValueError(
            f"Argument `direction` should be one of ASCENDING, DESCENDING. Received: direction={direction}"
        )
    return _DIRECTIONS[direction]


def sort(values: Any, axis: int = -1, direction: str = "ASCENDING", name: str | None = None) -> Any:
    """The elements of ``values`` sorted along ``axis``.

    Args:
        values: numbers, of one axis or more.
        axis: the axis to sort along, the last one unless given.
        direction: ``"ASCENDING"`` or ``"DESCENDING"``. Elements that are nan come last.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: there is no such axis.
        ValueError: there is no such direction.

    >>> import tapeviz as tf
    >>> tf.sort([3, 1, 2], direction="DESCENDING").numpy()
    array([3, 2, 1], dtype=int32)
    """
    return _sort.run(values, int(axis), _descends(direction))


def argsort(
    values: Any, axis: int = -1, direction: str = "ASCENDING", stable: bool = False, name: str | None = None
) -> Any:
    """The indices that sort ``values`` along ``axis``, as int32. No gradient.

    Args:
        values: numbers, of one axis or more.
        axis: the axis to sort along, the last one unless given.
        direction: ``"ASCENDING"`` or ``"DESCENDING"``. Elements that are nan come last.
        stable: equal elements keep their order, with or without it.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: there is no such axis.
        ValueError: there is no such direction.

    >>> import tapeviz as tf
    >>> tf.argsort([3, 1, 2]).numpy()
    array([1, 2, 0], dtype=int32)
    """
    return _argsort.run(values, int(axis), _descends(direction))


class TopKV2(NamedTuple):
    """What ``top_k`` gives: the largest elements, and where they were."""

    values: Any
    indices: Any


_MANY: Final = 128
_SHARE: Final = 8


def _taken(xp: Any, x: Any, places: Any) -> Any:
    """The elements of each row at these places of it."""
    return x[places] if x.ndim == 1 else xp.take_along_axis(x, places, -1)


def _first_positions(xp: Any, keys: Any, k: int) -> Any:
    """The positions of the k smallest of each row, in their order, of equal ones the first."""
    size = keys.shape[-1]
    if size >= _MANY and k * _SHARE <= size and k:
        # Sorting all would take many times longer: find the k-th, then keep what is before it.
        limit = xp.partition(keys, k - 1, axis=-1)[..., k - 1 : k]
        below, level = xp.less(keys, limit), xp.equal(keys, limit)
        room = k - xp.add.reduce(below, axis=-1, keepdims=True, dtype=_INT64)
        chosen = xp.logical_or(below, xp.logical_and(level, xp.less_equal(xp.cumsum(level, axis=-1), room)))
        found = xp.flatnonzero(chosen)
        if found.size == k * math.prod(keys.shape[:-1]):  # else a limit is nan, which equals nothing
            places = xp.reshape(found % size, (*keys.shape[:-1], k))
            order = xp.argsort(_taken(xp, keys, places), axis=-1, kind="stable")
            return _taken(xp, places, order)
    return xp.argsort(keys, axis=-1, kind="stable")[..., :k]


def _largest(xp: Any, x: Any, *, k: int, index_type: Any) -> Any:
    if not 0 <= k <= x.shape[-1]:
        raise ValueError("k does not fit")  # the rule says what is wrong
    places = _first_positions(xp, _falling(xp, x), k)
    return _taken(xp, x, places), places.astype(index_type)


def _largest_rule(x: Spec, *, k: int, index_type: Any) -> tuple[Spec, Spec]:
    if not x.shape:
        raise InvalidArgumentError("input must be >= 1-D, got shape []")
    if k < 0:
        raise InvalidArgumentError(f"Need k >= 0, got {k}")
    if k > x.shape[-1]:
        raise InvalidArgumentError(f"input must have at least k columns. Had {x.shape[-1]}, needed {k}")
    shape = (*x.shape[:-1], k)
    return Spec(shape, x.dtype), Spec(shape, np.dtype(index_type))


def _put_back(F: Any, g: Any, y: Any, x_spec: Any, k: int) -> Any:
    """The gradients of the chosen elements at their places, zeros elsewhere."""
    size, rows = x_spec.shape[-1], math.prod(x_spec.shape[:-1])
    step = size or 1
    starts = F.reshape(F.range(start=0, limit=rows * step, delta=step, dtype=_INT64), shape=(rows, 1))
    places = F.add(F.cast(F.reshape(y[1], shape=(rows, k)), dtype=_INT64), starts)
    sums = F.unsorted_segment_sum(
        F.reshape(g[0], shape=(rows * k,)), F.reshape(places, shape=(rows * k,)), num_segments=rows * size
    )
    return F.reshape(sums, shape=x_spec.shape)


_top = op(
    "top_k",
    doc="The k largest elements along the last axis, largest first, and their indices.",
    family="indexing",
    tf_name="TopKV2",
    forward=_largest,
    infer=_largest_rule,
    types=NUMBERS,
    vjp={"x": _put_back},
    formula=r"y_i = x_{\pi_i},\; y_1 \ge y_2 \ge \dots \ge y_k",
    vjp_formula=(r"\bar x_{\pi_i} = \bar y_i",),
    samples=cases(
        (((3,),), {"k": 2, "index_type": _INT32}),
        (((2, 4),), {"k": 3, "index_type": _INT64}),
        (((2, 1, 3),), {"k": 1, "index_type": _INT32}),
        (((2, 300),), {"k": 4, "index_type": _INT32}),
    ),
    many=True,
    silent=True,
)


def top_k(input: Any, k: Any = 1, sorted: bool = True, index_type: Any = "int32", name: str | None = None) -> TopKV2:
    """The ``k`` largest elements of each row of ``input``, and their indices, as ``(values, indices)``.

    Args:
        input: numbers, of one axis or more; rows run along the last.
        k: how many.
        sorted: accepted as TensorFlow does; the largest comes first in any case, of equal ones the first.
        index_type: dtype of the positions: int16, int32 or int64.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: a row has fewer elements.

    >>> import tapeviz as tf
    >>> top = tf.math.top_k([1.0, 3.0, 2.0], k=2)
    >>> top.values.numpy(), top.indices.numpy()
    (array([3., 2.], dtype=float32), array([1, 2], dtype=int32))
    """
    wanted = chosen_dtype(index_type, "index_type", "int16 int32 int64", "TopKV2")
    return TopKV2(*_top.run(input, whole_number(k, "k must be scalar, got shape", "TopKV2"), wanted))


def _in_top_k(xp: Any, targets: Any, predictions: Any, *, k: int) -> Any:
    if predictions.ndim != 2 or targets.shape != predictions.shape[:1]:  # noqa: PLR2004 - rows of classes
        raise ValueError("shapes do not fit")  # the rule says what is wrong
    classes = predictions.shape[1]
    if not classes:
        return xp.zeros(targets.shape, bool)
    known = xp.logical_and(xp.greater_equal(targets, 0), xp.less(targets, classes))
    own = xp.take_along_axis(predictions, xp.expand_dims(xp.where(known, targets, 0), 1), 1)
    better = xp.add.reduce(xp.greater(predictions, own), axis=1, dtype=_INT64)
    finite = xp.logical_and.reduce(xp.isfinite(predictions), axis=1)
    return xp.logical_and(xp.logical_and(known, finite), xp.less(better, k))


def _in_top_k_rule(targets: Spec, predictions: Spec, *, k: int) -> Spec:
    if len(predictions.shape) != 2:  # noqa: PLR2004 - rows of classes
        raise InvalidArgumentError("predictions must be 2-dimensional")
    if len(targets.shape) != 1:
        raise InvalidArgumentError("targets must be 1-dimensional")
    if predictions.shape[0] != targets.shape[0]:
        raise InvalidArgumentError(
            f"First dimension of predictions {predictions.shape[0]} must match length of targets {targets.shape[0]}"
        )
    return Spec(targets.shape, np.dtype(np.bool_))


_SCORES: Final = np.array([[0.1, 0.9, 0.3], [0.5, 0.5, 0.2], [0.0, np.inf, 1.0]], np.float32)
_hit = op(
    "in_top_k",
    doc="Whether the prediction for the target class is among the k largest; ties count as hits.",
    family="indexing",
    tf_name="InTopKV2",
    forward=_in_top_k,
    infer=_in_top_k_rule,
    static=static_shape_rules.in_top_k,
    types={"targets": _POSITIONS, "predictions": frozenset([np.dtype(np.float32)])},
    formula=r"y_i = [\,|\{j : p_{ij} > p_{i t_i}\}| < k\,]",
    samples=cases(([np.array([1, 0, 2], np.int32), _SCORES], {"k": 1}), ([np.array([2, 7, 2]), _SCORES], {"k": 2})),
    silent=True,
)


def in_top_k(targets: Any, predictions: Any, k: Any, name: str | None = None) -> Any:
    """Whether the prediction for each row's target is among its ``k`` largest; ties count as hits.

    Args:
        targets: the class of each row, int32 or int64. One that does not exist is no hit.
        predictions: float32, rows of classes. A row that is not finite has no hit.
        k: how many of the largest count.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: shapes do not fit.

    >>> import tapeviz as tf
    >>> tf.math.in_top_k([1, 0], [[0.1, 0.9], [0.1, 0.9]], k=1).numpy()
    array([ True, False])
    """
    return _hit.run(
        targets,
        convert_to_tensor(predictions, dtype="float32"),
        whole_number(k, "k must be 0-D, got shape", "InTopKV2"),
    )


def _places(xp: Any, sorted_sequence: Any, values: Any, *, side: str, out_type: Any) -> Any:
    if not values.ndim or not sorted_sequence.ndim:
        raise ValueError("no axis to search along")  # the rule says what is wrong
    rows = math.prod(sorted_sequence.shape[:-1])
    if rows != math.prod(values.shape[:-1]):
        raise ValueError("rows do not go together")
    one, other = (xp.reshape(array, (rows, array.shape[-1])) for array in (sorted_sequence, values))
    found = [xp.searchsorted(one[row], other[row], side=side) for row in range(rows)]
    places = xp.reshape(xp.stack(found), values.shape) if rows else xp.zeros(values.shape, out_type)
    if side == "left" and values.dtype.kind == "f":
        places = xp.where(xp.isnan(values), 0, places)  # nothing is below nan
    return places.astype(out_type)


def _places_rule(sorted_sequence: Spec, values: Spec, *, side: str, out_type: Any) -> Spec:
    if not sorted_sequence.shape or not values.shape:
        raise InvalidArgumentError("slice index -1 of dimension 0 out of bounds: there is no axis to search along")
    if math.prod(sorted_sequence.shape[:-1]) != math.prod(values.shape[:-1]):
        raise InvalidArgumentError("Leading dim_size of both tensors must match.")
    return Spec(values.shape, np.dtype(out_type))


_FIVE: Final = np.array([1.0, 3.0, 3.0, 5.0, 7.0])
_search = op(
    "searchsorted",
    doc="The indices at which values would be inserted into sorted rows.",
    family="indexing",
    tf_name="LowerBound",
    forward=_places,
    infer=_places_rule,
    static=static_shape_rules.found_positions,
    types=NUMBERS,
    formula=r"y_i = |\{j : s_j < x_i\}|",
    samples=cases(
        ([_FIVE, np.array([0.0, 3.0, 9.0])], {"side": "left", "out_type": _INT32}),
        ([_FIVE, np.array([0.0, 3.0, 9.0])], {"side": "right", "out_type": _INT64}),
        ([np.stack([_FIVE, _FIVE]), np.array([[4.0], [3.0]])], {"side": "right", "out_type": _INT32}),
    ),
    silent=True,
)


def searchsorted(
    sorted_sequence: Any, values: Any, side: str = "left", out_type: Any = "int32", name: str | None = None
) -> Any:
    """The index at which each element of ``values`` would be inserted into ``sorted_sequence`` to keep it sorted.

    Args:
        sorted_sequence: rows sorted along the last axis.
        values: as many rows, of the same dtype.
        side: ``"left"`` of equal elements, or ``"right"``.
        out_type: int32 or int64.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the rows do not go together.
        ValueError: there is no such side.

    >>> import tapeviz as tf
    >>> tf.searchsorted([1, 3, 5], [0, 3, 9]).numpy()
    array([0, 1, 3], dtype=int32)
    """
    if side not in ("left", "right"):
        raise ValueError(f"Argument `side` must be either 'right' or 'left'. Received: `side` = {side!r}.")
    wanted = chosen_dtype(out_type, "out_type", "int32 int64", "LowerBound")
    return _search.run(convert_to_tensor(sorted_sequence), convert_to_tensor(values), side, wanted)
