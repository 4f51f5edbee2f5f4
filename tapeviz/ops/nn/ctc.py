"""Losses over all ways in which a short sequence of labels can be laid along a long one of frames."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.errors import ShapeError
from tapeviz.engine.kernels import recorded_ops as ops
from tapeviz.ops.array.cast import cast
from tapeviz.ops.array.concat import concat, stack
from tapeviz.ops.array.creation import fill
from tapeviz.ops.array.creation import range as number_range
from tapeviz.ops.array.gather import gather
from tapeviz.ops.array.reshape import reshape, transpose
from tapeviz.ops.array.select import where
from tapeviz.ops.math.statistics import reduce_logsumexp
from tapeviz.ops.nn.activations import log_softmax
from tapeviz.ops.runtime_calls import by_sizes, open_sizes

__all__ = ["ctc_loss"]

_NEVER: Final = -1e30  # a log probability that no sum of others comes near, and that has a gradient of 0


def ctc_loss(
    labels: Any, logits: Any, label_length: Any, logit_length: Any, logits_time_major: bool = True, unique: Any = None,
    blank_index: int | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    """The connectionist temporal classification loss: minus the log probability of the labels (Graves et al., 2006).

    A frame says a class, or blank. Repeated classes are said once, and then blanks are left out: of "aa-ab", with "-"
    for blank, "aab" remains. The probabilities of all ways to say the labels are added up.

    Args:
        labels: ``[examples, labels]``, numbers of classes.
        logits: ``[frames, examples, classes]``, unscaled log probabilities.
        label_length: how many labels each example has.
        logit_length: how many frames each example has.
        logits_time_major: whether frames come before examples; otherwise logits are ``[examples, frames, classes]``.
        unique: accepted as TensorFlow does.
        blank_index: which class is blank, the first by default; negative ones count from the last.
        name: accepted as TensorFlow does.

    Returns:
        ``[examples]``; infinity, with a gradient of 0, where there are too few frames for the labels (TensorFlow has
        a large number there).

    Raises:
        ShapeError: the shapes do not go together.
        ValueError: labels are not dense, or there is no class for blank.

    >>> import tapeviz as tf
    >>> frames = tf.math.log([[[0.4, 0.6]], [[0.4, 0.6]]])
    >>> tf.exp(-tf.nn.ctc_loss([[1]], frames, [1], [2])).numpy().round(2)
    array([0.84], dtype=float32)
    """
    scores, wanted = convert_to_tensor(logits), convert_to_tensor(labels)
    if (wanted.shape.rank, scores.shape.rank) != (2, 3):
        raise ShapeError(
            "ctc_loss takes logits with three axes and dense labels with two. Received: logits of shape "
            f"{scores.shape}, labels of shape {wanted.shape}",
            "ctc_loss",
        )
    if logits_time_major:
        scores = transpose(scores, [1, 0, 2])
    classes = scores.shape[-1]
    blank = 0 if blank_index is None else int(blank_index)
    if classes is not None and not -classes <= blank < classes:
        raise ValueError(f"There is no class {blank} for blank: logits have {classes} classes")
    if classes is None and blank < 0:
        raise ValueError("A blank_index that counts from the last class takes logits of a known number of classes")
    blank = blank + classes if blank < 0 else blank
    lengths = [cast(length, "int32") for length in (label_length, logit_length)]
    return _over_all_ways(cast(wanted, "int32"), scores, *lengths, blank)


def _form(_labels: Any, logits: Any, *_rest: Any) -> Any:
    sizes = open_sizes(logits)
    return (None if sizes is None else sizes[:1]), logits.dtype


@by_sizes(-1, -2, form=_form)
def _over_all_ways(labels: Any, logits: Any, label_length: Any, logit_length: Any, blank: int) -> Any:
    """From frame to frame: the log probability of having said so much of the labels, and the blanks around them."""
    examples, frames, _ = logits._a.shape
    said = _with_blanks(labels, reshape(label_length, [-1, 1]), blank)
    states = said._a.shape[1]
    place, ends = number_range(states), reshape(2 * label_length, [-1, 1])
    # What each state says in each frame.
    each = gather(transpose(log_softmax(logits), [0, 2, 1]), said, axis=1, batch_dims=1)
    never = fill([examples, states], convert_to_tensor(_NEVER, dtype=logits.dtype))
    # A label may follow another one without a blank between them, but not itself.
    differs = concat([fill([examples, min(2, states)], False), ops.not_equal(said[:, 2:], said[:, :-2])], axis=1)
    skips = ops.logical_and(differs, ops.equal(ops.floormod(place, 2), 1))
    so_far = where(place < 1, 0.0 * never, never)
    for frame in range(frames):
        moved = concat([never[:, :1], so_far[:, :-1]], axis=1)
        skipped = where(skips, concat([never[:, :2], so_far[:, :-2]], axis=1), never)
        now = reduce_logsumexp(stack([so_far, moved, skipped]), axis=0) + each[:, :, frame]
        so_far = where(reshape(logit_length, [-1, 1]) > frame, now, so_far)
    is_end = ops.logical_or(ops.equal(place, ends), ops.equal(place, ends - 1))
    total = reduce_logsumexp(where(is_end, so_far, never), axis=1)
    return where(total < _NEVER / 2, convert_to_tensor(float("inf"), dtype=logits.dtype), -total)


def _with_blanks(labels: Any, lengths: Any, blank: int) -> Any:
    """The labels with a blank before, between and after them; what comes after the last one is blank."""
    examples, count = labels._a.shape
    kept = where(number_range(count) < lengths, labels, blank)
    blanks = fill([examples, count], convert_to_tensor(blank))
    pairs = reshape(stack([blanks, kept], axis=2), [-1, 2 * count]) if count else kept
    return concat([pairs, fill([examples, 1], convert_to_tensor(blank))], axis=1)
