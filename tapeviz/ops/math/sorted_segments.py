"""Sums, means, products and extremes of slices that carry the same number, where numbers ascend."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from tapeviz.engine import rules
from tapeviz.engine.declaration import Spec
from tapeviz.engine.define import op
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.samples import cases
from tapeviz.engine.types import NUMBERS
from tapeviz.ops import static_shape_rules
from tapeviz.ops.math.segments import ARITHMETIC, EXTREME_FORMULA, NUMBERING, combined_rows, products_of_others, shared

__all__ = ["segment_max", "segment_mean", "segment_min", "segment_prod", "segment_sum"]


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
    doc="The sums of slices that have the same number, where numbers ascend.",
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
    doc="The means of slices that have the same number, where numbers ascend; 0 where there are none.",
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
    doc="The largest of slices that have the same number, where numbers ascend; equal ones share its gradient.",
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
    doc="The smallest of slices that have the same number, where numbers ascend; equal ones share its gradient.",
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
    doc="The products of slices that have the same number, where numbers ascend.",
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
