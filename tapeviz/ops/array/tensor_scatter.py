"""Tensors with some elements changed, where rows of indices say: ``tensor_scatter_nd_update`` and its kin."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tapeviz.engine import rules
from tapeviz.engine.declaration import Spec, registry
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.samples import cases
from tapeviz.engine.types import BFLOAT16, COMPLEXES, NUMBERS
from tapeviz.ops import static_shape_rules
from tapeviz.ops.array.gather import POSITIONS
from tapeviz.ops.array.row_sums import add_rows
from tapeviz.ops.array.scatter import check_room, combined, rows_of

__all__ = ["tensor_scatter_nd_add", "tensor_scatter_nd_max", "tensor_scatter_nd_min", "tensor_scatter_nd_sub",
           "tensor_scatter_nd_update"]  # fmt: skip

_PAIRS = np.array([[1, 0], [0, 2], [1, 0]], np.int32)
_ROWS = np.array([[1], [0], [1]], np.int32)
_NONE = np.zeros((0, 1), np.int32)


def _changed(change: Callable[..., Any], xp: Any, tensor: Any, indices: Any, updates: Any) -> Any:
    depth = indices.shape[-1]
    outer, inner = tensor.shape[:depth], tensor.shape[depth:]
    check_room(tensor.shape, indices.shape, updates.shape)
    if updates.shape != (*indices.shape[:-1], *inner) or len(outer) < depth:
        raise ValueError("shapes do not fit")
    positions = rows_of(xp, indices, tensor.shape)
    whole = xp.array(xp.reshape(tensor, (math.prod(outer), *inner)), order="C")
    if updates.size:
        change(xp, whole, xp.reshape(updates, (positions.size, *inner)), positions)
    return xp.reshape(whole, tensor.shape)


def _replace(_xp: Any, whole: Any, updates: Any, positions: Any) -> None:
    whole[positions] = updates


def _accumulated(ufunc: str, join: str) -> Callable[..., Any]:
    """The forward that puts ``ufunc`` of what is there and what comes; ``join`` makes one of several that come."""
    sign = {"add": 1, "subtract": -1}.get(ufunc, 0)

    def change(xp: Any, whole: Any, updates: Any, positions: Any) -> None:
        if sign and add_rows(xp, whole, updates, positions, sign):
            return
        together, rows = combined(xp, getattr(xp, join), updates, positions)
        whole[rows] = getattr(xp, ufunc)(whole[rows], together)

    def forward(xp: Any, tensor: Any, indices: Any, updates: Any) -> Any:
        return _changed(change, xp, tensor, indices, updates)

    return forward


def _changed_rule(tensor: Spec, indices: Spec, updates: Spec) -> Spec:
    if not indices.shape or not tensor.shape:
        which = "Indices" if tensor.shape else "Output"
        raise InvalidArgumentError(f"{which} shape must have rank at least one. Found:[]")
    check_room(tensor.shape, indices.shape, updates.shape)
    texts = [rules.shape_text(one.shape) for one in (tensor, indices, updates)]
    outer, depth = len(indices.shape) - 1, indices.shape[-1]
    if updates.shape[:outer] != indices.shape[:-1]:
        raise InvalidArgumentError(
            f"Outer dimensions of indices and update must match. Indices shape: {texts[1]}, updates shape:{texts[2]}"
        )
    if depth > len(tensor.shape) or updates.shape[outer:] != tensor.shape[depth:]:
        raise InvalidArgumentError(
            "Inner dimensions of output shape must match inner dimensions of updates shape. "
            f"Output: {texts[0]} updates: {texts[2]}"
        )
    return tensor


_ONCE = np.array([[1, 0], [0, 2]], np.int32)
_change = partial(op, family="indexing", infer=_changed_rule, static=static_shape_rules.changed)
_SOME = cases(
    ([(2, 3), _ONCE, (2,)], {}), ([(3, 2), np.array([[2], [0]]), (2, 2)], {}), ([(2,), _NONE, (0,)], {})
)  # fmt: skip
_MANY = cases(([(2, 3), _PAIRS, (3,)], {}), ([(3, 2), _ROWS, (3, 2)], {}), ([(2,), _NONE, (0,)], {}))
_ANY = {"tensor": None, "indices": POSITIONS, "updates": "tensor"}
_ADDED = {"tensor": NUMBERS | COMPLEXES, "indices": POSITIONS, "updates": "tensor"}
_COMPARED = {"tensor": NUMBERS - {BFLOAT16}, "indices": POSITIONS, "updates": "tensor"}


def _kept_elements(F: Any, g: Any, indices: Any, updates_spec: Any) -> Any:
    nothing = F.zeros(shape=updates_spec.shape, dtype=updates_spec.dtype)
    return F.tensor_scatter_nd_update(g, indices, nothing)


def _shares(F: Any, g: Any, tensor: Any, indices: Any, updates: Any, y: Any, dtype: Any) -> Any:
    """Elements that are all the largest get equal parts of the gradient: those parts, and who gets them."""
    here = F.cast(F.equal(tensor, y), dtype=dtype)
    there = F.cast(F.equal(updates, F.gather_nd(y, indices)), dtype=dtype)
    return F.divide(g, F.tensor_scatter_nd_add(here, indices, there)), here, there


def _extreme_of_tensor(F: Any, g: Any, tensor: Any, indices: Any, updates: Any, y: Any, tensor_spec: Any) -> Any:
    shares, here, _ = _shares(F, g, tensor, indices, updates, y, tensor_spec.dtype)
    return F.multiply(shares, here)


def _extreme_of_updates(F: Any, g: Any, tensor: Any, indices: Any, updates: Any, y: Any, tensor_spec: Any) -> Any:
    shares, _, there = _shares(F, g, tensor, indices, updates, y, tensor_spec.dtype)
    return F.multiply(F.gather_nd(shares, indices), there)


_change(
    "tensor_scatter_nd_update",
    doc="A tensor with updates (elements or slices) put at rows of indices.",
    tf_name="TensorScatterUpdate",
    forward=lambda xp, tensor, indices, updates: _changed(_replace, xp, tensor, indices, updates),
    types=_ANY,
    vjp={"tensor": _kept_elements, "updates": lambda F, g, indices: F.gather_nd(g, indices)},
    formula=r"y_{k_i} = u_i,\; y_k = x_k \text{ elsewhere}",
    vjp_formula=(r"\bar x_k = \bar y_k\,[k \notin \{k_i\}]", r"\bar u_i = \bar y_{k_i}"),
    samples=_SOME,
    silent=True,
    traits="indexes moves",
)
_change(
    "tensor_scatter_nd_add",
    doc="A tensor with updates (elements or slices) added at rows of indices.",
    tf_name="TensorScatterAdd",
    forward=_accumulated("add", "add"),
    types=_ADDED,
    vjp={"tensor": lambda F, g: g, "updates": lambda F, g, indices: F.gather_nd(g, indices)},
    formula=r"y_k = x_k + \sum_{i: k_i = k} u_i",
    vjp_formula=(r"\bar x = \bar y", r"\bar u_i = \bar y_{k_i}"),
    samples=_MANY,
    traits="indexes sum",
)
_change(
    "tensor_scatter_nd_sub",
    doc="A tensor with updates (elements or slices) subtracted at rows of indices.",
    tf_name="TensorScatterSub",
    forward=_accumulated("subtract", "add"),
    types=_ADDED,
    vjp={"tensor": lambda F, g: g, "updates": lambda F, g, indices: F.negative(F.gather_nd(g, indices))},
    formula=r"y_k = x_k - \sum_{i: k_i = k} u_i",
    vjp_formula=(r"\bar x = \bar y", r"\bar u_i = -\bar y_{k_i}"),
    samples=_MANY,
    traits="indexes sum",
)
for _kind, _long in (("max", "maximum"), ("min", "minimum")):
    _change(
        f"tensor_scatter_nd_{_kind}",
        doc=f"A tensor with the {_long} of its elements and updates at rows of indices.",
        tf_name=f"TensorScatter{_kind.capitalize()}",
        forward=_accumulated(_long, _long),
        types=_COMPARED,
        vjp={"tensor": _extreme_of_tensor, "updates": _extreme_of_updates},
        formula=rf"y_k = \{_kind}(x_k, u_i : k_i = k)",
        vjp_formula=(r"\bar x_k = \bar y_k\,[x_k = y_k] / n_k", r"\bar u_i = \bar y_{k_i}\,[u_i = y_{k_i}] / n_{k_i}"),
        samples=_MANY,
        traits="flat indexes moves",
    )


def tensor_scatter_nd_update(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Any:
    """``tensor`` with ``updates`` in place of the elements (or slices) that rows of ``indices`` name.

    Args:
        tensor: what to begin with; it is not changed.
        indices: integers; the last axis holds the indices of one element, or of one slice.
        updates: the elements or slices; of those with the same indices the last stays.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: an index does not exist, or shapes do not fit.

    >>> import tapeviz as tf
    >>> tf.tensor_scatter_nd_update([1.0, 2.0, 3.0], [[0], [2]], [5.0, 0.0]).numpy()
    array([5., 2., 0.], dtype=float32)
    """
    return registry["tensor_scatter_nd_update"].run(tensor, indices, updates)


def tensor_scatter_nd_add(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None
) -> Any:
    """``tensor`` with ``updates`` added to the elements (or slices) that rows of ``indices`` name.

    Args:
        tensor: what to begin with; it is not changed.
        indices: integers; the last axis holds the indices of one element, or of one slice.
        updates: the elements or slices; all with the same indices are added.
        bad_indices_policy: accepted as TensorFlow does; an index that does not exist is always an error.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: an index does not exist, or shapes do not fit.

    >>> import tapeviz as tf
    >>> tf.tensor_scatter_nd_add([1.0, 2.0, 3.0], [[0], [2]], [5.0, 0.0]).numpy()
    array([6., 2., 3.], dtype=float32)
    """
    return registry["tensor_scatter_nd_add"].run(tensor, indices, updates)


def tensor_scatter_nd_sub(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None
) -> Any:
    """``tensor`` with ``updates`` taken from the elements (or slices) that rows of ``indices`` name.

    Args:
        tensor: what to begin with; it is not changed.
        indices: integers; the last axis holds the indices of one element, or of one slice.
        updates: the elements or slices; all with the same indices are taken.
        bad_indices_policy: accepted as TensorFlow does; an index that does not exist is always an error.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: an index does not exist, or shapes do not fit.

    >>> import tapeviz as tf
    >>> tf.tensor_scatter_nd_sub([1.0, 2.0, 3.0], [[0], [2]], [5.0, 0.0]).numpy()
    array([-4.,  2.,  3.], dtype=float32)
    """
    return registry["tensor_scatter_nd_sub"].run(tensor, indices, updates)


def tensor_scatter_nd_max(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None
) -> Any:
    """``tensor`` with ``updates`` where they are larger than the elements (or slices) that rows of ``indices`` name.

    Args:
        tensor: what to begin with; it is not changed.
        indices: integers; the last axis holds the indices of one element, or of one slice.
        updates: the elements or slices; the largest counts.
        bad_indices_policy: accepted as TensorFlow does; an index that does not exist is always an error.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: an index does not exist, or shapes do not fit.

    >>> import tapeviz as tf
    >>> tf.tensor_scatter_nd_max([1.0, 2.0, 3.0], [[0], [2]], [5.0, 0.0]).numpy()
    array([5., 2., 3.], dtype=float32)
    """
    return registry["tensor_scatter_nd_max"].run(tensor, indices, updates)


def tensor_scatter_nd_min(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None
) -> Any:
    """``tensor`` with ``updates`` where they are smaller than the elements (or slices) that rows of ``indices`` name.

    Args:
        tensor: what to begin with; it is not changed.
        indices: integers; the last axis holds the indices of one element, or of one slice.
        updates: the elements or slices; the smallest counts.
        bad_indices_policy: accepted as TensorFlow does; an index that does not exist is always an error.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: an index does not exist, or shapes do not fit.

    >>> import tapeviz as tf
    >>> tf.tensor_scatter_nd_min([1.0, 2.0, 3.0], [[0], [2]], [5.0, 0.0]).numpy()
    array([1., 2., 0.], dtype=float32)
    """
    return registry["tensor_scatter_nd_min"].run(tensor, indices, updates)
