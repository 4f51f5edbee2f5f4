"""What all losses have in common: :class:`Loss`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, Self

from tapeviz import math
from tapeviz.engine import nest
from tapeviz.engine.annotations import TensorLike
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.scopes import name_scope
from tapeviz.engine.tensor import Tensor
from tapeviz.keras.floats import floatx
from tapeviz.keras.losses.loss_reduction import as_tensor, checked_reduction, reduced, same_rank
from tapeviz.keras.masks import mask_of

__all__ = ["Loss", "LossFunctionWrapper"]

_STARTS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class Loss:
    """Base class of losses. Subclasses compute in ``call`` the loss of each example.

    Args:
        name: its name: the scope of its ops in graphs and recordings.
        reduction: ``"sum_over_batch_size"`` (or ``"mean"``) for the sum divided by the number of values, ``"sum"``,
            ``"mean_with_sample_weight"`` for the sum divided by that of the weights, ``"none"`` or None for a value
            for each example.
        dtype: the dtype to compute in: float32 unless given, whatever the inputs have.

    Raises:
        ValueError: there is no such reduction.

    >>> import tapeviz as tf
    >>> class Largest(tf.keras.losses.Loss):
    ...     def call(self, y_true, y_pred):
    ...         return tf.reduce_max(tf.abs(y_true - y_pred), axis=-1)
    >>> Largest()([[0.0, 0.0], [1.0, 1.0]], [[1.0, 3.0], [1.0, 0.0]]).numpy()
    np.float32(2.0)
    """

    def __init__(
        self, name: str | None = None, reduction: str | None = "sum_over_batch_size", dtype: Any = None
    ) -> None:
        self.name: str = name or _STARTS.sub("_", type(self).__name__).lower()
        self.reduction: str | None = checked_reduction(reduction)
        self._dtype = as_dtype(floatx() if dtype is None else dtype)

    @property
    def dtype(self) -> str:
        """The name of the dtype that it computes in."""
        return str(self._dtype.name)

    def __call__(
        self,
        y_true: TensorLike | Mapping[str, Any],
        y_pred: TensorLike | Mapping[str, Any],
        sample_weight: TensorLike | None = None,
    ) -> Tensor:
        """The loss of predictions.

        Args:
            y_true: what is right. ``call`` gets integers, truths and strings as they are, floating-point numbers in
                the loss's dtype.
            y_pred: what is predicted; of the same shape, save for losses that say otherwise.
            sample_weight: a weight for each example, or for each value where ``call`` gives several an example.
        """
        given = None if isinstance(y_pred, (list, tuple, dict)) else mask_of(y_pred)
        with name_scope(self.name):
            y_true, y_pred = self._as_labels(y_true), self._as_tensors(y_pred)
            found = self.call(y_true, y_pred)
            own = mask_of(found)
            mask = own if given is None else given if own is None else math.logical_and(given, own)
            losses = as_tensor(found, self._dtype)
            result: Tensor = reduced(losses, sample_weight, mask, self.reduction)
            return result

    def _as_labels(self, given: Any) -> Any:
        """What is right, for ``call``: integers, truths and strings stay what they are, as class numbers must."""
        dtype = getattr(given, "dtype", None)
        if dtype is None or as_dtype(dtype).is_floating or as_dtype(dtype).is_complex:
            return self._as_tensors(given)
        return convert_to_tensor(given)

    def _as_tensors(self, given: Any) -> Any:
        """A tensor of the loss's dtype; for what holds tensors or arrays, as models of several outputs do, the same."""
        if isinstance(given, (list, tuple, dict)) and any(hasattr(leaf, "shape") for leaf in nest.flatten(given)):
            return nest.map_structure(lambda value: as_tensor(value, self._dtype), given)
        return as_tensor(given, self._dtype)

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """The loss of each example."""
        raise NotImplementedError(
            f"{type(self).__name__} must implement `call(self, y_true, y_pred)`, the loss of each example."
        )

    def get_config(self) -> dict[str, Any]:
        """What :meth:`from_config` makes such a loss from."""
        return {"name": self.name, "reduction": self.reduction, "dtype": self.dtype}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """The loss that a configuration describes."""
        return cls(**config)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}>"


class LossFunctionWrapper(Loss):
    """A loss whose ``call`` is a function of ``y_true`` and ``y_pred``.

    Args:
        fn: gives the loss of each example.
        reduction: as for :class:`Loss`, like ``name`` and ``dtype``.
        name: the name.
        dtype: the dtype.
        **kwargs: further arguments of ``fn``.

    >>> import tapeviz as tf
    >>> from tapeviz.keras.losses.loss import LossFunctionWrapper
    >>> LossFunctionWrapper(tf.keras.losses.huber, delta=0.5)([1.0, 0.0], [1.0, 2.0]).numpy()
    np.float32(0.4375)
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        reduction: str | None = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name or getattr(fn, "__name__", None), reduction, dtype)
        self.fn = fn
        self._options = kwargs

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """What the function gives."""
        if isinstance(y_pred, (list, tuple, dict)):
            return self.fn(y_true, y_pred, **self._options)
        return self.fn(*same_rank(y_true, y_pred), **self._options)

    def get_config(self) -> dict[str, Any]:
        """What such a loss is made from again."""
        own = {"fn": self.fn} if type(self) is LossFunctionWrapper else {}
        return {**super().get_config(), **own, **self._options}
