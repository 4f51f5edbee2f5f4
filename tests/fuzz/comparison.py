"""What a program gave in one way of running it, and whether another way gave the same: to the bit, or for a reason."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

import tapeviz as tf
from tapeviz.engine.tensor import Tensor

__all__ = ["REASONS", "Outcome", "arrays", "difference", "error_of", "outcome_of", "reason_of"]

REASONS = {
    "a value is asked for": "Python asks for the value of a tensor while it is traced; TensorFlow refuses it, too.",
    "a size is asked for": "An op needs a size that is open in this trace, and says so.",
    "a number of parts is asked for": "`tf.unstack` of an axis of open size is refused; TensorFlow refuses it, too.",
    "what fails is not needed": "A graph leaves out what no result needs, or only its shape, so that it cannot fail.",
    "addends in another order": "What is one step in a graph (a function, branch or loop, what waits for sizes, a sum "
    "over axes that may be broadcast) has one gradient, a sum, maybe of nothing, added to those of other uses; so has "
    "a copy on another device, with its uses by the steps of a gradient.",
    "a map over nothing": "`tf.map_fn` over no rows gives the sizes of a row in functions alone; in TensorFlow, too.",
    "a body that never runs": "A traced loop checks its body where an eager one has no iteration; TensorFlow's, too.",
    "a loop begins with a number": "A traced fold makes a tensor of a Python number first; TensorFlow's, too.",
    "an exclusive case": "That one condition alone holds is checked in graphs; TensorFlow does not check it eagerly.",
    "gradients of complex targets": "`tf.gradients` wants `grad_ys` for complex tensors; in TensorFlow, too.",
    "a fold over nothing": "What has no slice to begin with has an error of another class in a function; in "
    "TensorFlow, too.",
    "one number as sizes": "`tf.fill` takes one number for a list of one size eagerly alone; in TensorFlow, too.",
    "an empty list": "What an empty list of tensors is stacked to needs the shape of its elements; in TensorFlow, too.",
    "a list of another length": "A `TensorArray` of a fixed size takes another number of values, and says so of its "
    "size, eagerly alone; in TensorFlow, too.",
    "a loop changes a shape": "In a traced loop a tensor keeps its shape, unless `shape_invariants` say otherwise.",
    "a gradient in a loop is not saved": "What a loop keeps for a gradient taken in the function is not saved.",
    "a call of Python is not saved": "The error says which, and where it is; TensorFlow saves what no load can call.",
    "a name is made in one branch": "In a traced branch or loop a name must be there before, or in all branches.",
}
"""What a way of running may do otherwise than the eager one, by name."""

_SAYS = {
    "an empty list": ("Tried to stack elements of an empty list",),
    "a number of parts is asked for": (re.compile(r"Cannot infer argument `num` from shape \([^)]*None"),),
    "a value is asked for": (
        "symbolic", "while it is being traced", "has no value", "Using a symbolic", "Iterating over a symbolic",
        "is not allowed in Graph", "inaccessible", "no numpy", "has no values",
    ),
    "a size is asked for": ("unknown", "not known", "must be known", "'NoneType'", "is known while tracing",
        "an RNN is stateful",
    ),
    "a body that never runs": ("Inconsistent shapes: saw",),
    "a loop begins with a number": (re.compile("was expected to be a int32 tensor.*tf\\.(fold|scan)", re.DOTALL),),
    "an exclusive case": ("exclusive=True: more than 1 conditions",),
    "gradients of complex targets": ("must set grad_ys",),
    "a fold over nothing": (
        re.compile(r"Trying to access element (0|-1) in a list with 0 elements.*tf\.(fold|scan)", re.DOTALL),
    ),
    "one number as sizes": ("the sizes are one number",),
    "a list of another length": ("Specified a list with shape [",),
    "a loop changes a shape": ("set shape invariants", "shape_invariants"),
    "a gradient in a loop is not saved": ("cannot be saved: it keeps",),
    "a call of Python is not saved": ("cannot be saved: it runs Python", "that a function of Python computes"),
    "a name is made in one branch": ("must also be initialized", "must be defined before"),
}  # fmt: skip


class Outcome(NamedTuple):
    """What one call gave: arrays and the state after it; or the class and the words of an error."""

    values: tuple[np.ndarray, ...] = ()
    state: tuple[np.ndarray, ...] = ()
    error: str = ""
    words: str = ""


def outcome_of(call: Any, state: Any) -> Outcome:
    """Return what ``call()`` gives, with the state that ``state()`` gives after it."""
    try:
        found = call()
        values = tuple(arrays(found))
    except Exception as error:  # noqa: BLE001 - an error is an answer
        return error_of(error)
    return Outcome(values, tuple(arrays(state())))


def error_of(error: Exception) -> Outcome:
    """Return what a call gave that ended in this error."""
    return Outcome(error=_class_of(error), words=str(error))


def arrays(found: Any) -> list[np.ndarray]:
    """Return the tensors of a structure as arrays."""
    return [_array(leaf) for leaf in tf.nest.flatten(found) if leaf is not None]


def _array(leaf: Any) -> np.ndarray:
    if isinstance(leaf, Tensor):
        with tf.device("CPU:0"):
            leaf = tf.identity(leaf)
    elif not isinstance(leaf, np.ndarray):
        leaf = tf.convert_to_tensor(leaf)
    return np.array(leaf if isinstance(leaf, np.ndarray) else leaf.numpy())


def _class_of(error: Exception) -> str:
    """Return the class of an error; those that stand for one another in eager mode and in graphs as one."""
    if isinstance(error, (tf.errors.InvalidArgumentError, ValueError, TypeError, tf.errors.UnimplementedError)):
        return "refused"
    return type(error).__name__


def reason_of(outcome: Outcome) -> str:
    """Return the named reason for which a traced program may have refused, or ""."""
    words = outcome.words
    return next((reason for reason, signs in _SAYS.items() if any(_is_in(sign, words) for sign in signs)), "")


def _is_in(sign: Any, words: str) -> bool:
    return sign in words if isinstance(sign, str) else bool(sign.search(words))


def difference(
    found: list[Outcome], wanted: list[Outcome], *, signs: bool = True, sums: int | None = None, close: float = 0.0
) -> str:
    """Return the first difference in words, or "".

    Args:
        found: what the calls gave.
        wanted: what they gave eagerly.
        signs: whether zeros must have the same sign.
        sums: from which value on they are sums, whose addends may have been in another order.
        close: how much of their largest element these may differ by; some of its last bits if 0.
    """
    for number, (one, other) in enumerate(zip(found, wanted, strict=True)):
        if one.error or other.error:
            if one.error != other.error:
                return f"call {number}: {_told(one)} instead of {_told(other)}"
            return ""  # what an error leaves behind is nobody's promise
        for part in ("values", "state"):
            mine, theirs = getattr(one, part), getattr(other, part)
            if len(mine) != len(theirs):
                return f"call {number}: {len(mine)} {part} instead of {len(theirs)}"
            for place, (a, b) in enumerate(zip(mine, theirs, strict=True)):
                loose = sums is not None and part == "values" and place >= sums
                if (told := _different(a, b, signs)) and not (loose and _close(a, b, close)):
                    return f"call {number}: {part}[{place}]: {told}"
    return ""


def _told(outcome: Outcome) -> str:
    return f"{outcome.error}: {outcome.words[:500]}" if outcome.error else "values"


def _different(a: np.ndarray, b: np.ndarray, signs: bool) -> str:
    if a.dtype != b.dtype or a.shape != b.shape:
        return f"{a.dtype} {a.shape} instead of {b.dtype} {b.shape}"
    if a.dtype.kind in "OSU":
        return "" if a.tolist() == b.tolist() else f"{a!r} instead of {b!r}"
    if a.dtype.kind == "c":
        real = np.dtype(f"f{a.dtype.itemsize // 2}")
        a, b = (np.ascontiguousarray(x).reshape(-1).view(real) for x in (a, b))
    if a.dtype.kind in "fV":
        same = _same_floats(np.ravel(a), np.ravel(b), signs)
        if same.all():
            return ""
        place = int(np.argmin(same))
        return f"{np.ravel(a)[place]!r} instead of {np.ravel(b)[place]!r} at {place} ({(~same).sum()} of {same.size})"
    return "" if a.tobytes() == b.tobytes() else f"{np.ravel(a)[:8]} instead of {np.ravel(b)[:8]}"


def _close(a: np.ndarray, b: np.ndarray, share: float) -> bool:
    """Tell whether they differ by that share, or some of the last bits, of their largest element."""
    if a.dtype != b.dtype or a.shape != b.shape or a.dtype.kind not in "fVc":
        return False
    bits = {2: 2e-2, 4: 2e-6, 8: 1e-14, 16: 1e-14}[a.dtype.itemsize] if a.dtype.kind != "c" else 2e-6
    bits = share or bits
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    one, other = a.astype(wide), b.astype(wide)
    if not (np.isfinite(one) == np.isfinite(other)).all():
        return False
    known = np.isfinite(other)
    largest = np.abs(other[known]).max(initial=0.0)
    return bool((np.abs(one[known] - other[known]) <= bits * largest).all())


def _same_floats(a: np.ndarray, b: np.ndarray, signs: bool) -> np.ndarray:
    whole = np.dtype(f"u{a.dtype.itemsize}")
    bits = np.ascontiguousarray(a).view(whole) == np.ascontiguousarray(b).view(whole)
    same = bits | (np.isnan(a.astype(np.float64)) & np.isnan(b.astype(np.float64)))
    return same if signs else same | ((a == 0) & (b == 0))
