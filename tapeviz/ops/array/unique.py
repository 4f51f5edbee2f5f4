"""Elements that differ, how often each occurs, and permutations turned around."""

from __future__ import annotations

from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from tapeviz.engine import rules
from tapeviz.engine.declaration import Op, Spec
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.samples import cases
from tapeviz.ops.arguments import chosen_dtype

__all__ = ["invert_permutation", "unique", "unique_with_counts"]

_INT32: Final = np.dtype(np.int32)
_INT64: Final = np.dtype(np.int64)


def _distinct(xp: Any, x: Any, out_idx: Any) -> tuple[Any, Any, Any]:
    """The elements that differ, in the order in which they come; for each element its number; how often each is."""
    if x.ndim != 1:
        raise ValueError("not a vector")  # the rule says what is wrong
    _, first, number, count = xp.unique(x, return_index=True, return_inverse=True, return_counts=True, equal_nan=False)
    order = xp.argsort(first)
    return x[first[order]], xp.argsort(order)[number].astype(out_idx), count[order].astype(out_idx)


def _vector(x: Spec) -> None:
    if len(x.shape) != 1:
        raise InvalidArgumentError("unique expects a 1D vector.")


def _unique_rule(x: Spec, *, out_idx: Any) -> tuple[Spec, Spec]:
    _vector(x)
    return Spec((rules.UNKNOWN,), x.dtype), Spec(x.shape, np.dtype(out_idx))


def _counted_rule(x: Spec, *, out_idx: Any) -> tuple[Spec, Spec, Spec]:
    return (*_unique_rule(x, out_idx=out_idx), Spec((rules.UNKNOWN,), np.dtype(out_idx)))


_of_vector = partial(
    op,
    family="indexing",
    samples=cases(
        ([np.array([3, 1, 3, 2], np.int32)], {"out_idx": _INT32}),
        ([np.array([0.5, -1.0, 0.5])], {"out_idx": _INT64}),
        ([np.zeros(0)], {"out_idx": _INT32}),
    ),
    many=True,
    silent=True,
)

_unique: Op = _of_vector(
    "unique",
    doc="The unique elements in the order in which they first occur, and for each element its index among them.",
    forward=lambda xp, x, *, out_idx: _distinct(xp, x, out_idx)[:2],
    infer=_unique_rule,
    formula=r"y = (x_i : x_i \ne x_k \;\forall k < i),\; x_i = y_{j_i}",
)

_counted: Op = _of_vector(
    "unique_with_counts",
    doc="The unique elements, for each element its index among them, and the count of each.",
    forward=lambda xp, x, *, out_idx: _distinct(xp, x, out_idx),
    infer=_counted_rule,
    formula=r"y = (x_i : x_i \ne x_k \;\forall k < i),\; n_j = |\{i : x_i = y_j\}|",
)


class Unique(NamedTuple):
    """What ``unique`` gives: the elements that differ, and for each element where it is among them."""

    y: Any
    idx: Any


class UniqueWithCounts(NamedTuple):
    """What ``unique_with_counts`` gives: as ``Unique``, and how often each occurs."""

    y: Any
    idx: Any
    count: Any


def unique(x: Any, out_idx: Any = "int32", name: str | None = None) -> Unique:
    """The unique elements of ``x``, in the order in which they first occur, as ``(y, idx)``: ``x`` is ``y[idx]``.

    Args:
        x: a vector. Elements that are nan differ from each other.
        out_idx: dtype of the positions, int32 or int64.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: ``x`` is no vector.

    >>> import tapeviz as tf
    >>> y, idx = tf.unique([3, 1, 3, 2])
    >>> y.numpy(), idx.numpy()
    (array([3, 1, 2], dtype=int32), array([0, 1, 0, 2], dtype=int32))
    """
    return Unique(*_unique.run(x, chosen_dtype(out_idx, "out_idx", "int32 int64", "Unique")))


def unique_with_counts(x: Any, out_idx: Any = "int32", name: str | None = None) -> UniqueWithCounts:
    """The unique elements of ``x``, and the count of each, as ``(y, idx, count)``.

    Arguments and errors as for ``unique``.

    >>> import tapeviz as tf
    >>> y, idx, count = tf.unique_with_counts([3, 1, 3, 2])
    >>> count.numpy()
    array([2, 1, 1], dtype=int32)
    """
    return UniqueWithCounts(*_counted.run(x, chosen_dtype(out_idx, "out_idx", "int32 int64", "UniqueWithCounts")))


def _turned_around(xp: Any, x: Any) -> Any:
    if x.ndim != 1:
        raise ValueError("not a vector")  # the rule says what is wrong
    size = x.size
    outside = xp.flatnonzero(xp.logical_or(xp.less(x, 0), xp.greater_equal(x, size)))
    if outside.size:
        raise InvalidArgumentError(f"{int(x[outside[0]])} is not between 0 and {size}")
    places = xp.argsort(x, kind="stable")
    twice = xp.flatnonzero(xp.equal(x[places][1:], x[places][:-1]))
    if twice.size:
        raise InvalidArgumentError(f"{int(x[places][twice[0]])} is duplicated in the input.")
    return places.astype(x.dtype)


def _permutation_rule(x: Spec) -> Spec:
    if len(x.shape) != 1:
        raise InvalidArgumentError("invert_permutation expects a 1D vector.")
    return x


invert_permutation = op(
    "invert_permutation",
    doc="The inverse of a permutation.",
    example=(
        ">>> import tapeviz as tf\n>>> tf.math.invert_permutation([2, 0, 1]).numpy()\narray([1, 2, 0], dtype=int32)"
    ),
    family="indexing",
    forward=_turned_around,
    infer=_permutation_rule,
    types=frozenset([_INT32, _INT64]),
    formula=r"y_{x_i} = i",
    samples=cases(([np.array([2, 0, 1], np.int32)], {}), ([np.array([0])], {}), ([np.zeros(0, np.int32)], {})),
    silent=True,
)
