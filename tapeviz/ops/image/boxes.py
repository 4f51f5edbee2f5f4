"""Boxes in images: parts of images at boxes, and boxes that are left when those that overlap better ones are gone.

A box is ``[y1, x1, y2, x2]``.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from tapeviz.engine import rules
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Op, Spec
from tapeviz.engine.deferred_numbers import has_deferred
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.kernels import recorded_ops as ops
from tapeviz.engine.op_definition import op
from tapeviz.engine.samples import cases
from tapeviz.ops.array.pad import pad
from tapeviz.ops.array.reshape import reshape
from tapeviz.ops.array.select import where
from tapeviz.ops.runtime_calls import later, open_sizes, waits

__all__ = ["crop_and_resize", "non_max_suppression", "non_max_suppression_padded", "non_max_suppression_with_scores"]

_INT32: Final = np.dtype(np.int32)
_FLOAT32: Final = np.dtype(np.float32)
_CORNERS: Final = 4


def _overlaps(xp: Any, box: Any, boxes: Any) -> Any:
    """The area that a box shares with each of others, as a part of what both cover."""
    low, high = xp.minimum(boxes[:, :2], boxes[:, 2:]), xp.maximum(boxes[:, :2], boxes[:, 2:])
    own_low, own_high = xp.minimum(box[:2], box[2:]), xp.maximum(box[:2], box[2:])
    shared = xp.prod(xp.maximum(xp.minimum(high, own_high) - xp.maximum(low, own_low), 0), axis=1)
    areas, own_area = xp.prod(high - low, axis=1), xp.prod(own_high - own_low)
    some = xp.logical_and(areas > 0, own_area > 0)
    return xp.where(some, shared / xp.where(some, areas + own_area - shared, 1), 0)


def _suppressed(
    xp: Any, boxes: Any, scores: Any, *, most: int, iou_threshold: float, score_threshold: float, sigma: float
) -> tuple[Any, Any]:
    """The places of boxes by falling scores; with a sigma overlaps lower scores (soft suppression)."""
    if boxes.shape != (*scores.shape, _CORNERS):
        raise ValueError("not a score a box")  # the rule says what is wrong
    scores = xp.where(scores > score_threshold, scores, -xp.inf).astype(scores.dtype)
    places: list[Any] = []
    values: list[Any] = []
    while len(places) < most and scores.size:
        best = int(xp.argmax(scores))
        if not scores[best] > -xp.inf:
            break
        places.append(best)
        values.append(scores[best])
        overlap = _overlaps(xp, boxes[best], boxes)
        if sigma > 0:
            scores = (scores * xp.exp(-0.5 * overlap * overlap / sigma)).astype(scores.dtype)
        else:
            scores = xp.where(overlap > iou_threshold, -xp.inf, scores).astype(scores.dtype)
        scores = xp.where(scores > score_threshold, scores, -xp.inf).astype(scores.dtype)
        scores[best] = -xp.inf
    return xp.asarray(places, dtype=_INT32), xp.asarray(values, dtype=scores.dtype).reshape(len(values))


def _rule(boxes: Spec, scores: Spec, **_attrs: Any) -> tuple[Spec, Spec]:
    if len(boxes.shape) != 2 or boxes.shape[1] not in (_CORNERS, rules.UNKNOWN):  # noqa: PLR2004 - rows of corners
        raise InvalidArgumentError(f"boxes must be a row of 4 numbers each, got shape {rules.shape_text(boxes.shape)}")
    if len(scores.shape) != 1 or (
        rules.UNKNOWN not in (scores.shape[0], boxes.shape[0]) and scores.shape[0] != boxes.shape[0]
    ):
        shapes = f"{rules.shape_text(scores.shape)} and boxes {rules.shape_text(boxes.shape)}"
        raise InvalidArgumentError(f"scores has incompatible shape: {shapes}")
    return Spec((rules.UNKNOWN,), _INT32), Spec((rules.UNKNOWN,), scores.dtype)


_ATTRS: Final = {"most": 2, "iou_threshold": 0.5, "score_threshold": 0.1, "sigma": 0.0}
_CORNERS_OF_THREE: Final = np.array([[0, 0, 1, 1], [0, 0.1, 1, 1], [0, 2, 1, 3]], np.float32)

_non_max_suppression: Op = op(
    "non_max_suppression",
    doc="The indices of boxes by falling scores, without those that overlap a better one, and their scores.",
    family="indexing",
    forward=_suppressed,
    infer=_rule,
    formula=r"y = (i : \mathrm{IoU}(b_i, b_j) \le t \;\forall j \in y,\, s_j > s_i)",
    samples=cases(
        ([_CORNERS_OF_THREE, np.array([0.9, 0.8, 0.3], np.float32)], _ATTRS),
        ([_CORNERS_OF_THREE, np.array([0.9, 0.8, 0.3], np.float32)], {**_ATTRS, "sigma": 0.5}),
        ([np.zeros((0, 4), np.float32), np.zeros(0, np.float32)], _ATTRS),
    ),
    many=True,
)


class SelectedBoxes(NamedTuple):
    """The places of boxes, and their scores after soft suppression."""

    selected_indices: Any
    selected_scores: Any


class PaddedBoxes(NamedTuple):
    """The places of boxes, with zeros behind them, and how many there are."""

    selected_indices_padded: Any
    num_valid: Any


def non_max_suppression_with_scores(
    boxes: Any, scores: Any, max_output_size: Any, iou_threshold: Any = 0.5, score_threshold: Any = float("-inf"),
    soft_nms_sigma: Any = 0.0, name: str | None = None,
) -> SelectedBoxes:  # fmt: skip
    """Non-maximum suppression, which also says the scores of the boxes that it selects.

    Args:
        boxes: a row of ``[y1, x1, y2, x2]`` for each.
        scores: one for each box.
        max_output_size: at most how many to select.
        iou_threshold: a box goes when its overlap with a better one is larger: intersection over union.
        score_threshold: boxes with such a score or a lower one go.
        soft_nms_sigma: above 0, overlaps lower scores by a Gaussian of this width, and none goes for its overlap
            (Bodla et al. 2017, "Soft-NMS").
        name: accepted as TensorFlow does.

    Returns:
        The places of the boxes, int32, and their scores, the best one first.

    Raises:
        InvalidArgumentError: shapes do not fit.

    >>> import tapeviz as tf
    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.0], [0.0, 2.0, 1.0, 3.0]]
    >>> chosen = tf.image.non_max_suppression_with_scores(boxes, [0.5, 0.9, 0.75], 3)
    >>> chosen.selected_indices.numpy().tolist(), chosen.selected_scores.numpy().tolist()
    ([1, 2], [0.8999999761581421, 0.75])
    """
    boxes, scores = convert_to_tensor(boxes), convert_to_tensor(scores)
    limits = [max_output_size, iou_threshold, score_threshold, soft_nms_sigma]
    if any(map(waits, limits)):
        form = [((None,), "int32"), ((None,), scores.dtype)]
        return SelectedBoxes(*later(non_max_suppression_with_scores, (boxes, scores, *limits), {}, form))
    most, *thresholds = (limit._host().item() if hasattr(limit, "_host") else limit for limit in limits)
    return SelectedBoxes(*_non_max_suppression.run(boxes, scores, int(most), *map(float, thresholds)))


def non_max_suppression(
    boxes: Any, scores: Any, max_output_size: Any, iou_threshold: Any = 0.5, score_threshold: Any = float("-inf"),
    name: str | None = None,
) -> Any:  # fmt: skip
    """Non-maximum suppression: the places of boxes by falling scores, without those that overlap a better one.

    Args:
        boxes: a row of ``[y1, x1, y2, x2]`` for each.
        scores: one for each box.
        max_output_size: at most how many to select.
        iou_threshold: a box goes when its overlap with a better one is larger: intersection over union.
        score_threshold: boxes with such a score or a lower one go.
        name: accepted as TensorFlow does.

    Returns:
        int32, the best box first.

    Raises:
        InvalidArgumentError: shapes do not fit.

    >>> import tapeviz as tf
    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.0], [0.0, 2.0, 1.0, 3.0]]
    >>> tf.image.non_max_suppression(boxes, [0.8, 0.9, 0.7], max_output_size=3).numpy()
    array([1, 2], dtype=int32)
    """
    return non_max_suppression_with_scores(boxes, scores, max_output_size, iou_threshold, score_threshold)[0]


def non_max_suppression_padded(
    boxes: Any, scores: Any, max_output_size: int, iou_threshold: Any = 0.5, score_threshold: Any = float("-inf"),
    pad_to_max_output_size: bool = False, name: str | None = None,
) -> PaddedBoxes:  # fmt: skip
    """As :func:`non_max_suppression`, with zeros up to ``max_output_size`` if asked for, and the number of boxes.

    >>> import tapeviz as tf
    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 2.0, 1.0, 3.0]]
    >>> found = tf.image.non_max_suppression_padded(boxes, [0.8, 0.9], 4, pad_to_max_output_size=True)
    >>> found.selected_indices_padded.numpy().tolist(), int(found.num_valid)
    ([1, 0, 0, 0], 2)
    """
    chosen = non_max_suppression(boxes, scores, max_output_size, iou_threshold, score_threshold)
    count = ops.reduce_sum(ops.ones_like(chosen), None, False)
    if pad_to_max_output_size:
        chosen = reshape(pad(chosen, [[0, max_output_size - count]]), [max_output_size])
    return PaddedBoxes(chosen, count)


def _places(low: Any, high: Any, count: int, size: int) -> Any:
    """For each box (a row) where its pixels lie in the image along an axis."""
    if count == 1:
        return (low + high)[:, None] * (0.5 * (size - 1))
    steps = convert_to_tensor(np.arange(count, dtype=np.float32))
    return low[:, None] * (size - 1.0) + steps[None, :] * ((high - low) * ((size - 1.0) / (count - 1)))[:, None]


def crop_and_resize(
    image: Any, boxes: Any, box_indices: Any, crop_size: Any, method: str = "bilinear",
    extrapolation_value: float = 0.0, name: str | None = None,
) -> Any:  # fmt: skip
    """The parts of images within boxes, all resized to one size, with gradients for images and boxes.

    Args:
        image: ``[examples, height, width, channels]``.
        boxes: a row of ``[y1, x1, y2, x2]`` for each; 0 is the first pixel of an image and 1 the last.
        box_indices: the example that each box is in.
        crop_size: the height and width of the results.
        method: "bilinear" or "nearest".
        extrapolation_value: what is outside of the image.
        name: accepted as TensorFlow does.

    Returns:
        float32, ``[boxes, height, width, channels]``.

    Raises:
        InvalidArgumentError: there is no such method.

    >>> import tapeviz as tf
    >>> image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.image.crop_and_resize(image, [[0.0, 0.5, 1.0, 1.0]], [0], [2, 2]).numpy()[0, ..., 0]
    array([[1., 2.],
           [7., 8.]], dtype=float32)
    """
    if method not in ("bilinear", "nearest"):
        raise InvalidArgumentError(f"method must be 'bilinear' or 'nearest', got {method!r}")
    image, boxes = ops.cast(convert_to_tensor(image), _FLOAT32), convert_to_tensor(boxes, dtype="float32")
    examples = ops.cast(convert_to_tensor(box_indices), _INT32)
    if waits(crop_size) or has_deferred(image._a.shape):
        sizes, wanted = open_sizes(image), (None, None) if waits(crop_size) else convert_to_tensor(crop_size)._host()
        form = (None, *map(_or_none, wanted), None if sizes is None else sizes[3]), "float32"
        return later(crop_and_resize, (image, boxes, examples, crop_size, method, extrapolation_value), {}, form)
    height, width = image._a.shape[1:3]
    rows, columns = (int(size) for size in convert_to_tensor(crop_size)._host())
    y, x = _places(boxes[:, 0], boxes[:, 2], rows, height), _places(boxes[:, 1], boxes[:, 3], columns, width)
    pixels = partial(_pixels, image, examples)
    if method == "nearest":
        crops = pixels(_nearest(y), _nearest(x))
    else:
        top, left = ops.floor(y), ops.floor(x)
        down, right = (y - top)[:, :, None, None], (x - left)[:, None, :, None]
        above = pixels(top, left) + (pixels(top, ops.ceil(x)) - pixels(top, left)) * right
        below = pixels(ops.ceil(y), left) + (pixels(ops.ceil(y), ops.ceil(x)) - pixels(ops.ceil(y), left)) * right
        crops = above + (below - above) * down
    inside = ops.logical_and(_inside(y, height)[:, :, None], _inside(x, width)[:, None, :])
    return where(inside[..., None], crops, float(extrapolation_value))


def _or_none(size: Any) -> int | None:
    return None if size is None else int(size)


def _nearest(places: Any) -> Any:
    return ops.floor(places + 0.5)


def _inside(places: Any, size: int) -> Any:
    return ops.logical_and(places >= 0.0, places <= size - 1.0)


def _pixels(image: Any, examples: Any, y: Any, x: Any) -> Any:
    """The pixels at whole places, those of the edge where they are outside."""
    height, width = image._a.shape[1:3]
    rows = ops.cast(ops.minimum(ops.maximum(y, 0.0), height - 1.0), _INT32)[:, :, None]
    columns = ops.cast(ops.minimum(ops.maximum(x, 0.0), width - 1.0), _INT32)[:, None, :]
    here = examples[:, None, None] + 0 * (rows + columns)
    return ops.gather_nd(image, ops.stack(here, rows + 0 * columns, columns + 0 * rows, axis=-1))
