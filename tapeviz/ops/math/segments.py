"""Sums, means, products and extremes of slices that carry the same number, their segment; sorted or in any order."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np

from tapeviz.engine import rules
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Spec, registry
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.operators import public
from tapeviz.engine.rules import sizes_of
from tapeviz.engine.samples import cases
from tapeviz.engine.types import COMPLEXES, INDEXES, NUMBERS
from tapeviz.ops import static_shape_rules
from tapeviz.ops.arguments import whole_number
from tapeviz.ops.array.gather import first_true
from tapeviz.ops.array.row_sums import row_sums
from tapeviz.ops.runtime_calls import by_rank

__all__ = [
    "ARITHMETIC",
    "EXTREME_FORMULA",
    "NUMBERING",
    "combined_rows",
    "products_of_others",
    "segment_max",
    "segment_mean",
    "segment_min",
    "segment_prod",
    "segment_sum",
    "shared",
    "unsorted_segment_max",
    "unsorted_segment_mean",
    "unsorted_segment_min",
    "unsorted_segment_prod",
    "unsorted_segment_sqrt_n",
    "unsorted_segment_sum",
]

ARITHMETIC: Final = NUMBERS | COMPLEXES
"""What can be added and multiplied."""
NUMBERING: Final = frozenset(map(np.dtype, (np.int32, np.int64)))
"""What can number segments."""
EXTREME_FORMULA: Final = r"\bar x_i = \bar y_{s_i}\,[x_i = y_{s_i}] / n_{s_i}"
"""The gradient of a largest or smallest one."""


def combined_rows(xp: Any, combine: str, data: Any, segment_ids: Any, count: int, nothing: float) -> Any:
    """Per segment the rows of ``data`` combined; ``nothing`` where there are none. Negative numbers are left out.

    By sorting: combining row by row at positions is thirty times slower. Numbers are added up without sorting.
    """
    inner = data.shape[segment_ids.ndim :]
    positions = xp.reshape(segment_ids, (-1,))
    rows = xp.reshape(data, (segment_ids.size, *inner))
    if positions.size and positions.min() < 0:
        kept = xp.greater_equal(positions, 0)
        positions, rows = positions[kept], rows[kept]
    if combine == "add" and nothing == 0 and (sums := row_sums(xp, rows, positions, count)) is not None:
        return sums
    if combine == "add" and not inner and data.dtype.kind == "f":
        return xp.bincount(positions, weights=rows, minlength=count).astype(data.dtype)
    whole = xp.full((count, *inner), nothing, data.dtype)
    if positions.size:
        if xp.less(positions[1:], positions[:-1]).any():
            order = xp.argsort(positions, kind="stable")
            positions, rows = positions[order], rows[order]
        first = xp.concatenate([xp.ones((1,), bool), xp.not_equal(positions[1:], positions[:-1])])
        starts = xp.flatnonzero(first)
        whole[positions[starts]] = getattr(xp, combine).reduceat(rows, starts, axis=0, dtype=data.dtype)
    return whole


def _picked(F: Any, values: Any, segment_ids: Any, data_spec: Spec, segment_ids_spec: Spec) -> Any:
    """For each slice the row of its segment; zeros for slices left out."""
    if not sizes_of(values)[0]:
        return F.zeros(shape=data_spec.shape, dtype=data_spec.dtype)
    rows = F.gather(values, F.maximum(segment_ids, 0), axis=0, batch_dims=0)
    shape = segment_ids_spec.shape
    kept = F.reshape(F.greater_equal(segment_ids, 0), shape=(*shape, *(1,) * (len(data_spec.shape) - len(shape))))
    return F.where(kept, rows, 0.0)


def _refuse_beyond(xp: Any, segment_ids: Any, count: int) -> None:
    if count < 0:
        raise InvalidArgumentError(f"Input num_segments == {count} must not be negative.")
    if segment_ids.size and segment_ids.max() >= count:
        place = first_true(xp, xp.greater_equal(segment_ids, count))
        text = f"[{','.join(map(str, place))}]" if place else ""
        raise InvalidArgumentError(f"segment_ids{text} = {int(segment_ids[place])} is out of range [0, {count})")


def _any_order_rule(data: Spec, segment_ids: Spec, *, num_segments: int) -> Spec:
    rank = len(segment_ids.shape)
    if data.shape[:rank] != segment_ids.shape:
        raise InvalidArgumentError(
            f"data.shape = {rules.shape_text(data.shape)} does not start with segment_ids.shape = "
            f"{rules.shape_text(segment_ids.shape)}"
        )
    return Spec((num_segments, *data.shape[rank:]), data.dtype)


def _in_any_order(name: str, combine: str, nothing: Any) -> Any:
    def forward(xp: Any, data: Any, segment_ids: Any, *, num_segments: int) -> Any:
        _refuse_beyond(xp, segment_ids, num_segments)
        empty = nothing(data.dtype) if callable(nothing) else nothing
        return combined_rows(xp, combine, data, segment_ids, num_segments, empty)

    samples = _NONE_EMPTY if callable(nothing) else _ANY_ORDER
    return partial(
        op, name, family="indexing", forward=forward, infer=_any_order_rule,
        static=static_shape_rules.unsorted_segments, samples=samples,
    )  # fmt: skip


_TWO = np.array([2, 0, 2], np.int32)
_ANY_ORDER = cases(
    ([(3, 2), _TWO], {"num_segments": 4}),
    ([(3, 1), _TWO.reshape(3, 1)], {"num_segments": 3}),
    ([(3,), _TWO], {"num_segments": 3}),
    ([(4,), np.array([1, -1, 1, 0])], {"num_segments": 2}),
    ([np.array([0.0, 2.0, 3.0]), np.array([0, 1, 0])], {"num_segments": 2}),
    ([(0, 2), np.zeros(0, np.int32)], {"num_segments": 2}),
)
# The largest of nothing is too far down for a slope.
_NONE_EMPTY = cases(
    ([(3, 2), _TWO // 2], {"num_segments": 2}),
    ([(3, 1), _TWO.reshape(3, 1) // 2], {"num_segments": 2}),
    ([(4,), np.array([1, -1, 1, 0])], {"num_segments": 2}),
)

_unsorted_sum = _in_any_order("unsorted_segment_sum", "add", 0)(
    doc="The sums of slices with the same segment id.",
    types={"data": ARITHMETIC, "segment_ids": INDEXES},
    vjp={
        "data": lambda F, g, data_spec, segment_ids, segment_ids_spec: _picked(
            F, g, segment_ids, data_spec, segment_ids_spec
        )
    },
    formula=r"y_k = \sum_{i: s_i = k} x_i",
    vjp_formula=(r"\bar x_i = \bar y_{s_i}",),
    traits="indexes sum",
)


def shared(F: Any, g: Any, hits: Any, count: Any, pick: Any) -> Any:
    """Slices that share the extreme of their segment share its gradient."""
    return F.multiply(hits, pick(F.divide_no_nan(g, count(hits))))


def _unsorted_extreme_gradient(
    F: Any, g: Any, data: Any, y: Any, segment_ids: Any, data_spec: Any, segment_ids_spec: Any, num_segments: int
) -> Any:
    def pick(values: Any) -> Any:
        return _picked(F, values, segment_ids, data_spec, segment_ids_spec)

    def count(hits: Any) -> Any:
        return F.unsorted_segment_sum(hits, segment_ids, num_segments=num_segments)

    return shared(F, g, F.cast(F.equal(data, pick(y)), dtype=data_spec.dtype), count, pick)


def _lowest(dtype: Any) -> float:
    return float(np.finfo(dtype).min) if dtype.kind == "f" else int(np.iinfo(dtype).min)


def _highest(dtype: Any) -> float:
    return float(np.finfo(dtype).max) if dtype.kind == "f" else int(np.iinfo(dtype).max)


_unsorted_max = _in_any_order("unsorted_segment_max", "maximum", _lowest)(
    doc="The largest of slices with the same segment id; equal ones share its gradient.",
    types={"data": NUMBERS, "segment_ids": NUMBERING},
    vjp={"data": _unsorted_extreme_gradient},
    formula=r"y_k = \max_{i: s_i = k} x_i",
    vjp_formula=(EXTREME_FORMULA,),
    traits="flat indexes",
)

_unsorted_min = _in_any_order("unsorted_segment_min", "minimum", _highest)(
    doc="The smallest of slices with the same segment id; equal ones share its gradient.",
    types={"data": NUMBERS, "segment_ids": NUMBERING},
    vjp={"data": _unsorted_extreme_gradient},
    formula=r"y_k = \min_{i: s_i = k} x_i",
    vjp_formula=(EXTREME_FORMULA,),
    traits="flat indexes",
)


def products_of_others(F: Any, g: Any, data: Any, y: Any, segments: Any, pick: Any) -> Any:
    """The product of the others in a segment: its product over the slice or, for the only 0 in it, of the rest."""
    zero = F.equal(data, 0.0)
    zeros, products = segments
    one_at_most = F.less(zeros(F.cast(zero, dtype=np.dtype(np.int32))), 2)
    rest = F.where(zero, 1.0, data)
    factors = F.where(zero, pick(products(rest)), F.divide(pick(y), rest))
    return F.multiply(pick(F.where(one_at_most, g, 0.0)), factors)


def _unsorted_product_gradient(
    F: Any, g: Any, data: Any, y: Any, segment_ids: Any, data_spec: Any, segment_ids_spec: Any, num_segments: int
) -> Any:
    def pick(values: Any) -> Any:
        return _picked(F, values, segment_ids, data_spec, segment_ids_spec)

    segments = tuple(
        partial(lambda combine, x: combine(x, segment_ids, num_segments=num_segments), combine)
        for combine in (F.unsorted_segment_sum, F.unsorted_segment_prod)
    )
    return products_of_others(F, g, data, y, segments, pick)


_unsorted_prod = _in_any_order("unsorted_segment_prod", "multiply", 1)(
    doc="The products of slices with the same segment id.",
    types={"data": ARITHMETIC, "segment_ids": NUMBERING},
    vjp={"data": _unsorted_product_gradient},
    formula=r"y_k = \prod_{i: s_i = k} x_i",
    vjp_formula=(r"\bar x_i = \bar y_{s_i} \prod_{k \ne i: s_k = s_i} x_k",),
    traits="factors indexes",
)


def _ran(declared: Any, data: Any, segment_ids: Any, num_segments: Any) -> Any:
    what = "num_segments should be a scalar, not shape"
    return declared.run(data, segment_ids, whole_number(num_segments, what, declared.tf_name))


def unsorted_segment_sum(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
    """The sums of those slices of ``data`` whose ``segment_ids`` are k, for each k below ``num_segments``.

    Args:
        data: what to combine.
        segment_ids: a number for each slice; its shape is how that of ``data`` begins. Slices with a negative number
            are left out.
        num_segments: how many segments there are.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: shapes do not fit, or a number is not below ``num_segments``.

    >>> import tapeviz as tf
    >>> tf.math.unsorted_segment_sum([1.0, 2.0, 3.0], [1, 0, 1], 2).numpy()
    array([2., 4.], dtype=float32)
    """
    return _ran(_unsorted_sum, data, segment_ids, num_segments)


def unsorted_segment_prod(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
    """The products of slices by number; 1 where there are none. Arguments and errors as for ``unsorted_segment_sum``.

    >>> import tapeviz as tf
    >>> tf.math.unsorted_segment_prod([1.0, 2.0, 3.0], [1, 0, 1], 2).numpy()
    array([2., 3.], dtype=float32)
    """
    return _ran(_unsorted_prod, data, segment_ids, num_segments)


def unsorted_segment_max(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
    """The largest of slices by number; the dtype's lowest where there are none.

    Arguments and errors as for ``unsorted_segment_sum``.

    >>> import tapeviz as tf
    >>> tf.math.unsorted_segment_max([1.0, 2.0, 3.0], [1, 0, 1], 2).numpy()
    array([2., 3.], dtype=float32)
    """
    return _ran(_unsorted_max, data, segment_ids, num_segments)


def unsorted_segment_min(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
    """The smallest of slices by number; the dtype's highest where there are none.

    Arguments and errors as for ``unsorted_segment_sum``.

    >>> import tapeviz as tf
    >>> tf.math.unsorted_segment_min([1.0, 2.0, 3.0], [1, 0, 1], 2).numpy()
    array([2., 1.], dtype=float32)
    """
    return _ran(_unsorted_min, data, segment_ids, num_segments)


def _mean_form(data: Any, *_options: Any, **_named: Any) -> Any:
    dtype = convert_to_tensor(data).dtype
    return None, "float64" if dtype.is_integer else dtype


def _sum_and_size(data: Any, segment_ids: Any, num_segments: Any) -> tuple[Any, Any]:
    """The sums of the segments, and how many slices each has, at least 1."""
    data, segment_ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
    sums = unsorted_segment_sum(data, segment_ids, num_segments)
    sizes = unsorted_segment_sum(public["ones_like"](segment_ids, dtype=data.dtype), segment_ids, num_segments)
    shape = (*sizes._a.shape, *(1,) * (sums.ndim - 1))
    return sums, registry["maximum"].run(registry["reshape"].run(sizes, shape), 1)


@by_rank(_mean_form)
def unsorted_segment_mean(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
    """The means of slices by number; 0 where there are none. Integers are divided as ``divide`` does.

    Arguments and errors as for ``unsorted_segment_sum``.

    >>> import tapeviz as tf
    >>> tf.math.unsorted_segment_mean([1.0, 2.0, 3.0], [1, 0, 1], 2).numpy()
    array([2., 2.], dtype=float32)
    """
    sums, sizes = _sum_and_size(data, segment_ids, num_segments)
    return public["divide"](sums, sizes)


@by_rank(_mean_form)
def unsorted_segment_sqrt_n(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
    """The sums of slices by number, divided by the square roots of how many they are.

    Arguments and errors as for ``unsorted_segment_sum``.

    >>> import tapeviz as tf
    >>> tf.math.unsorted_segment_sqrt_n([1.0, 2.0, 4.0], [0, 1, 0], 2).numpy()
    array([3.535534, 2.      ], dtype=float32)
    """
    sums, sizes = _sum_and_size(data, segment_ids, num_segments)
    return public["divide"](sums, registry["sqrt"].run(sizes))


def _in_order_rule(data: Spec, segment_ids: Spec) -> Spec:
    if not data.shape:
        raise InvalidArgumentError("input must be at least rank 1")
    if len(segment_ids.shape) != 1:
        raise InvalidArgumentError("segment_ids should be a vector.")
    if segment_ids.shape[0] != data.shape[0]:
        raise InvalidArgumentError("segment_ids should be the same size as dimension 0 of input.")
    return Spec((rules.UNKNOWN, *data.shape[1:]), data.dtype)


def _count_in_order(xp: Any, data: Any, segment_ids: Any) -> int:
    """How many segments there are, once it is clear that their numbers ascend."""
    if not data.ndim or segment_ids.shape != data.shape[:1]:
        raise ValueError("shapes do not fit")  # the rule says what is wrong
    if not segment_ids.size:
        return 0
    count = int(segment_ids[-1]) + 1
    if segment_ids[0] < 0:
        raise InvalidArgumentError(
            f"Segment id {int(segment_ids[0])} out of range [0, {count}), possibly because 'segment_ids' input is not "
            "sorted."
        )
    if xp.less(segment_ids[1:], segment_ids[:-1]).any():
        raise InvalidArgumentError("segment ids are not increasing")
    return count


def _in_order(name: str, combine: str, nothing: float) -> Any:
    def forward(xp: Any, data: Any, segment_ids: Any) -> Any:
        count = _count_in_order(xp, data, segment_ids)
        return combined_rows(xp, combine, data, segment_ids, count, nothing)

    return partial(
        op, name, family="indexing", forward=forward, infer=_in_order_rule, static=static_shape_rules.segments,
        samples=_ASCENDING,
    )  # fmt: skip


_ONE_LEFT_OUT = np.array([0, 0, 2], np.int32)
_ASCENDING = cases(
    ([(3, 2), _ONE_LEFT_OUT], {}),
    ([(3,), _ONE_LEFT_OUT], {}),
    ([(4,), np.array([1, 1, 1, 1])], {}),
    ([np.array([0.0, 2.0, 3.0]), _ONE_LEFT_OUT], {}),
    ([(0, 2), np.zeros(0, np.int32)], {}),
)


def _of_own(F: Any, g: Any, segment_ids: Any) -> Any:
    return F.gather(g, segment_ids, axis=0, batch_dims=0)


segment_sum = _in_order("segment_sum", "add", 0)(
    doc="The sums of slices with the same segment id, where ids ascend.",
    example=(
        ">>> import tapeviz as tf\n>>> tf.math.segment_sum([1.0, 2.0, 4.0], [0, 0, 1]).numpy()\n"
        "array([3., 4.], dtype=float32)"
    ),
    types={"data": ARITHMETIC, "segment_ids": NUMBERING},
    vjp={"data": _of_own},
    formula=r"y_k = \sum_{i: s_i = k} x_i",
    vjp_formula=(r"\bar x_i = \bar y_{s_i}",),
    traits="indexes sum",
)


def _means(xp: Any, data: Any, segment_ids: Any) -> Any:
    count = _count_in_order(xp, data, segment_ids)
    sums = combined_rows(xp, "add", data, segment_ids, count, 0)
    sizes = xp.maximum(xp.bincount(segment_ids, minlength=count), 1).astype(data.dtype)
    sizes = xp.reshape(sizes, (count, *(1,) * (data.ndim - 1)))
    if data.dtype.kind in "fc":
        return xp.true_divide(sums, sizes)
    return (xp.sign(sums) * (xp.absolute(sums) // sizes)).astype(data.dtype)


def _mean_gradient(F: Any, g: Any, data_spec: Any, segment_ids: Any) -> Any:
    ones = F.ones(shape=(data_spec.shape[0], *(1,) * (len(data_spec.shape) - 1)), dtype=data_spec.dtype)
    return _of_own(F, F.divide_no_nan(g, F.segment_sum(ones, segment_ids)), segment_ids)


segment_mean = op(
    "segment_mean",
    doc="The means of slices with the same segment id, where ids ascend; 0 where there are none.",
    example=(
        ">>> import tapeviz as tf\n>>> tf.math.segment_mean([1.0, 2.0, 4.0], [0, 0, 1]).numpy()\n"
        "array([1.5, 4. ], dtype=float32)"
    ),
    family="indexing",
    forward=_means,
    infer=_in_order_rule,
    static=static_shape_rules.segments,
    samples=_ASCENDING,
    types={"data": ARITHMETIC, "segment_ids": NUMBERING},
    vjp={"data": _mean_gradient},
    formula=r"y_k = \frac{1}{n_k} \sum_{i: s_i = k} x_i",
    vjp_formula=(r"\bar x_i = \bar y_{s_i} / n_{s_i}",),
    traits="indexes mean",
)


def _sorted_extreme_gradient(F: Any, g: Any, data: Any, y: Any, segment_ids: Any, data_spec: Any) -> Any:
    hits = F.cast(F.equal(data, _of_own(F, y, segment_ids)), dtype=data_spec.dtype)
    return shared(F, g, hits, lambda x: F.segment_sum(x, segment_ids), lambda values: _of_own(F, values, segment_ids))


segment_max = _in_order("segment_max", "maximum", 0)(
    doc="The largest of slices with the same segment id, where ids ascend; equal ones share its gradient.",
    example=(
        ">>> import tapeviz as tf\n>>> tf.math.segment_max([1.0, 2.0, 4.0], [0, 0, 1]).numpy()\n"
        "array([2., 4.], dtype=float32)"
    ),
    types={"data": NUMBERS, "segment_ids": NUMBERING},
    vjp={"data": _sorted_extreme_gradient},
    formula=r"y_k = \max_{i: s_i = k} x_i",
    vjp_formula=(EXTREME_FORMULA,),
    traits="flat indexes",
)

segment_min = _in_order("segment_min", "minimum", 0)(
    doc="The smallest of slices with the same segment id, where ids ascend; equal ones share its gradient.",
    example=(
        ">>> import tapeviz as tf\n>>> tf.math.segment_min([1.0, 2.0, 4.0], [0, 0, 1]).numpy()\n"
        "array([1., 4.], dtype=float32)"
    ),
    types={"data": NUMBERS, "segment_ids": NUMBERING},
    vjp={"data": _sorted_extreme_gradient},
    formula=r"y_k = \min_{i: s_i = k} x_i",
    vjp_formula=(EXTREME_FORMULA,),
    traits="flat indexes",
)


def _sorted_product_gradient(F: Any, g: Any, data: Any, y: Any, segment_ids: Any) -> Any:
    segments = (lambda x: F.segment_sum(x, segment_ids), lambda x: F.segment_prod(x, segment_ids))
    return products_of_others(F, g, data, y, segments, lambda values: _of_own(F, values, segment_ids))


segment_prod = _in_order("segment_prod", "multiply", 1)(
    doc="The products of slices with the same segment id, where ids ascend.",
    example=(
        ">>> import tapeviz as tf\n>>> tf.math.segment_prod([1.0, 2.0, 4.0], [0, 0, 1]).numpy()\n"
        "array([2., 4.], dtype=float32)"
    ),
    types={"data": ARITHMETIC, "segment_ids": NUMBERING},
    vjp={"data": _sorted_product_gradient},
    formula=r"y_k = \prod_{i: s_i = k} x_i",
    vjp_formula=(r"\bar x_i = \bar y_{s_i} \prod_{k \ne i: s_k = s_i} x_k",),
    traits="factors indexes",
)
