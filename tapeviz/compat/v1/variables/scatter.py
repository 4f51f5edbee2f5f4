"""Parts of variables assigned by functions: rows by number, and what rows of indices name."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.indexed_slices import IndexedSlices

__all__ = [
    "batch_scatter_update", "scatter_add", "scatter_div", "scatter_max", "scatter_min", "scatter_mul",
    "scatter_nd_add", "scatter_nd_sub", "scatter_nd_update", "scatter_sub", "scatter_update",
]  # fmt: skip


def scatter_update(
    ref: Any, indices: Any, updates: Any, use_locking: bool | None = None, name: str | None = None
) -> Any:
    """Replace rows of a variable.

    Args:
        ref: the variable.
        indices: the numbers of the rows, of any shape.
        updates: the rows, of shape ``indices.shape + ref.shape[1:]``; or one scalar for them all.
        use_locking: accepted as TensorFlow does.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: an index is outside, or the shapes do not fit.

    >>> import tapeviz as tf
    >>> tf.compat.v1.scatter_update(tf.Variable([1, 2, 3]), [0, 2], [7, 9]).numpy()
    array([7, 2, 9], dtype=int32)
    """
    return ref.scatter_update(IndexedSlices(updates, indices), name=name)


def scatter_add(ref: Any, indices: Any, updates: Any, use_locking: bool | None = None, name: str | None = None) -> Any:
    """Add to rows of a variable. Arguments and errors as for :func:`scatter_update`."""
    return ref.scatter_add(IndexedSlices(updates, indices), name=name)


def scatter_sub(ref: Any, indices: Any, updates: Any, use_locking: bool | None = None, name: str | None = None) -> Any:
    """Subtract from rows of a variable. Arguments and errors as for :func:`scatter_update`."""
    return ref.scatter_sub(IndexedSlices(updates, indices), name=name)


def scatter_mul(ref: Any, indices: Any, updates: Any, use_locking: bool | None = None, name: str | None = None) -> Any:
    """Multiply rows of a variable. Arguments and errors as for :func:`scatter_update`."""
    return ref.scatter_mul(IndexedSlices(updates, indices), name=name)


def scatter_div(ref: Any, indices: Any, updates: Any, use_locking: bool | None = None, name: str | None = None) -> Any:
    """Divide rows of a variable; integers towards 0. Arguments and errors as for :func:`scatter_update`."""
    return ref.scatter_div(IndexedSlices(updates, indices), name=name)


def scatter_min(ref: Any, indices: Any, updates: Any, use_locking: bool | None = None, name: str | None = None) -> Any:
    """Keep the smaller of what is in rows and what comes. Arguments and errors as for :func:`scatter_update`."""
    return ref.scatter_min(IndexedSlices(updates, indices), name=name)


def scatter_max(ref: Any, indices: Any, updates: Any, use_locking: bool | None = None, name: str | None = None) -> Any:
    """Keep the larger of what is in rows and what comes. Arguments and errors as for :func:`scatter_update`."""
    return ref.scatter_max(IndexedSlices(updates, indices), name=name)


def scatter_nd_update(
    ref: Any, indices: Any, updates: Any, use_locking: bool | None = True, name: str | None = None
) -> Any:
    """Replace the elements, or slices, of a variable that rows of indices name.

    Args:
        ref: the variable.
        indices: integers; the last axis names an element or slice.
        updates: the values, of shape ``indices.shape[:-1] + ref.shape[indices.shape[-1]:]``.
        use_locking: accepted as TensorFlow does.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: an index is outside, or the shapes do not fit.

    >>> import tapeviz as tf
    >>> tf.compat.v1.scatter_nd_update(tf.Variable([1, 2, 3]), [[0], [2]], [7, 9]).numpy()
    array([7, 2, 9], dtype=int32)
    """
    return ref.scatter_nd_update(indices, updates, name=name)


def scatter_nd_add(
    ref: Any, indices: Any, updates: Any, use_locking: bool | None = False, name: str | None = None
) -> Any:
    """Add to elements or slices of a variable. Arguments and errors as for :func:`scatter_nd_update`."""
    return ref.scatter_nd_add(indices, updates, name=name)


def scatter_nd_sub(
    ref: Any, indices: Any, updates: Any, use_locking: bool | None = False, name: str | None = None
) -> Any:
    """Subtract from elements or slices of a variable. Arguments and errors as for :func:`scatter_nd_update`."""
    return ref.scatter_nd_sub(indices, updates, name=name)


def batch_scatter_update(
    ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None
) -> Any:
    """Replace slices of a variable, in each example by its own numbers.

    Args:
        ref: the variable; its first axes are those of ``indices`` but for the last.
        indices: for each example the numbers of the slices along the axis that follows.
        updates: the slices, of shape ``indices.shape + ref.shape[indices.ndim:]``.
        use_locking: accepted as TensorFlow does.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: an index is outside, or the shapes do not fit.

    >>> import tapeviz as tf
    >>> v = tf.Variable([[1, 2, 3], [4, 5, 6]])
    >>> tf.compat.v1.batch_scatter_update(v, [[0], [2]], [[7], [9]]).numpy()
    array([[7, 2, 3],
           [4, 5, 9]], dtype=int32)
    """
    return ref.batch_scatter_update(IndexedSlices(updates, indices), name=name)
