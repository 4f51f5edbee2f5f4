"""Intersection over union: how far predicted regions and right ones are the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeviz import math
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.tensor import Tensor
from tapeviz.engine.variable import Variable
from tapeviz.keras.floats import epsilon
from tapeviz.keras.losses.loss_reduction import as_tensor
from tapeviz.keras.metrics.metric import Metric
from tapeviz.ops.array.cast import cast
from tapeviz.ops.array.creation import shape as shape_of
from tapeviz.ops.array.creation import zeros_like
from tapeviz.ops.array.gather import gather
from tapeviz.ops.array.reshape import broadcast_to, reshape
from tapeviz.ops.array.select import where
from tapeviz.ops.linalg.diagonals import diag_part
from tapeviz.ops.math.reductions import reduce_sum

__all__ = ["BinaryIoU", "IoU", "MeanIoU", "OneHotIoU", "OneHotMeanIoU"]


class IoU(Metric):
    """Intersection over union of predicted and right regions, the mean over some classes.

    Args:
        num_classes: how many classes there are.
        target_class_ids: the classes to look at.
        name: its name.
        dtype: the dtype to count in; int32 unless given, which takes whole weights only.
        ignore_class: a number in ``y_true`` that stands for "no class".
        sparse_y_true: whether ``y_true`` are numbers of classes; else they are one-hot.
        sparse_y_pred: whether ``y_pred`` are numbers of classes; else the largest is predicted.
        axis: the axis of the classes, where they are not given by numbers.

    Raises:
        ValueError: there is no such class.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.IoU(num_classes=2, target_class_ids=[0])([0, 0, 1, 1], [0, 1, 0, 1]).numpy().round(4)
    np.float32(0.3333)
    """

    def __init__(
        self,
        num_classes: int,
        target_class_ids: Sequence[int],
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_true: bool = True,
        sparse_y_pred: bool = True,
        axis: int = -1,
    ) -> None:
        super().__init__(name=name, dtype="int32" if dtype is None else dtype)
        if max(target_class_ids) >= num_classes:
            raise ValueError(f"Target class id {max(target_class_ids)} is out of range, which is [{0}, {num_classes}).")
        self.num_classes = num_classes
        self.target_class_ids: list[int] = list(target_class_ids)
        self.ignore_class = ignore_class
        self.sparse_y_true: bool
        self.sparse_y_pred: bool
        self.sparse_y_true, self.sparse_y_pred = sparse_y_true, sparse_y_pred
        self.axis = axis
        self.total_cm: Variable = self.add_variable((num_classes, num_classes), name="total_confusion_matrix")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Accumulate predictions.

        Args:
            y_true: the right class of each point.
            y_pred: the predicted one.
            sample_weight: a weight for each point.
        """
        right = _numbers(y_true, self.axis, sparse=self.sparse_y_true)
        predicted = _numbers(y_pred, self.axis, sparse=self.sparse_y_pred)
        weights = as_tensor(1 if sample_weight is None else sample_weight, self._dtype)
        if weights.shape.rank is None or weights.shape.rank > 1:
            weights = reshape(weights, (-1,))
        weights = broadcast_to(weights, shape_of(right))
        # What is not a class, on either side, is a point of class 0 that weighs nothing.
        counts = math.logical_and(self._is_class(right), self._is_class(predicted))
        if self.ignore_class is not None:
            counts = math.logical_and(counts, math.not_equal(right, self.ignore_class))
        right, predicted, weights = (where(counts, part, zeros_like(part)) for part in (right, predicted, weights))
        places = right * self.num_classes + predicted
        size = self.num_classes * self.num_classes
        found = math.unsorted_segment_sum(weights, places, size)
        self.total_cm.assign_add(reshape(found, (self.num_classes, self.num_classes)), read_value=False)

    def _is_class(self, numbers: Any) -> Any:
        return math.logical_and(numbers >= 0, numbers < self.num_classes)

    def result(self) -> Tensor:
        """The share so far; classes that there are none of do not count."""
        matrix = cast(self.total_cm, "float32" if self._dtype.name != "float64" else "float64")
        common = diag_part(matrix)
        union = reduce_sum(matrix, 0) + reduce_sum(matrix, 1) - common
        common, union = (gather(part, self.target_class_ids) for part in (common, union))
        there = cast(union > epsilon(), union.dtype)
        result: Tensor = reduce_sum(there * common / (union + epsilon())) / (reduce_sum(there) + epsilon())
        return result

    def get_config(self) -> dict[str, Any]:
        """What such a metric is made from again."""
        own = {
            "num_classes": self.num_classes, "target_class_ids": self.target_class_ids,
            "ignore_class": self.ignore_class, "sparse_y_true": self.sparse_y_true,
            "sparse_y_pred": self.sparse_y_pred, "axis": self.axis,
        }  # fmt: skip
        return {**super().get_config(), **own}


def _numbers(values: Any, axis: int, *, sparse: bool) -> Any:
    """The class of each point, in one row."""
    values = convert_to_tensor(values)
    return reshape(cast(values if sparse else math.argmax(values, axis), "int32"), (-1,))


def _without(config: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in config.items() if name not in names}


class MeanIoU(IoU):
    """The intersection over union, the mean over all classes. Arguments as for :class:`IoU`.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.MeanIoU(num_classes=2)([0, 0, 1, 1], [0, 1, 0, 1]).numpy().round(4)
    np.float32(0.3333)
    """

    def __init__(
        self,
        num_classes: int,
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_true: bool = True,
        sparse_y_pred: bool = True,
        axis: int = -1,
    ) -> None:
        super().__init__(num_classes, range(num_classes), name, dtype, ignore_class, sparse_y_true, sparse_y_pred, axis)

    def get_config(self) -> dict[str, Any]:
        """What such a metric is made from again."""
        return _without(super().get_config(), "target_class_ids")


class BinaryIoU(IoU):
    """The intersection over union of what is above a threshold and what is true. Arguments as for :class:`IoU`.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.BinaryIoU(threshold=0.3)([0, 1, 0, 1], [0.1, 0.2, 0.4, 0.7]).numpy().round(4)
    np.float32(0.3333)
    """

    def __init__(
        self,
        target_class_ids: Sequence[int] = (0, 1),
        threshold: float = 0.5,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(2, target_class_ids, name, dtype)
        self.threshold = threshold

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Accumulate predictions."""
        super().update_state(y_true, cast(math.greater_equal(y_pred, self.threshold), "int32"), sample_weight)

    def get_config(self) -> dict[str, Any]:
        """What such a metric is made from again."""
        config = _without(super().get_config(), "num_classes", "ignore_class", "sparse_y_true", "sparse_y_pred", "axis")
        return {**config, "threshold": self.threshold}


class OneHotIoU(IoU):
    """The intersection over union for one-hot labels. Arguments as for :class:`IoU`.

    >>> import tapeviz as tf
    >>> metric = tf.keras.metrics.OneHotIoU(num_classes=2, target_class_ids=[1])
    >>> metric([[1, 0], [0, 1], [0, 1]], [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]]).numpy().round(4)
    np.float32(0.5)
    """

    def __init__(
        self,
        num_classes: int,
        target_class_ids: Sequence[int],
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_pred: bool = False,
        axis: int = -1,
    ) -> None:
        super().__init__(
            num_classes, target_class_ids, name, dtype, ignore_class, sparse_y_true=False, sparse_y_pred=sparse_y_pred,
            axis=axis,
        )  # fmt: skip

    def get_config(self) -> dict[str, Any]:
        """What such a metric is made from again."""
        return _without(super().get_config(), "sparse_y_true")


class OneHotMeanIoU(MeanIoU):
    """The intersection over union for one-hot labels, the mean over all classes. Arguments as for :class:`IoU`.

    >>> import tapeviz as tf
    >>> metric = tf.keras.metrics.OneHotMeanIoU(num_classes=2)
    >>> metric([[1, 0], [0, 1], [0, 1]], [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]]).numpy().round(4)
    np.float32(0.5)
    """

    def __init__(
        self,
        num_classes: int,
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_pred: bool = False,
        axis: int = -1,
    ) -> None:
        super().__init__(
            num_classes, name, dtype, ignore_class, sparse_y_true=False, sparse_y_pred=sparse_y_pred, axis=axis
        )

    def get_config(self) -> dict[str, Any]:
        """What such a metric is made from again."""
        return _without(super().get_config(), "sparse_y_true")
