"""Why a function was traced again: the trace cards, and the warning about too many of them."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from types import CodeType

    from tapeviz.functions.signature import Leaf, Signature

__all__ = ["Trace", "TracingWatch", "reason_for"]

logger: Final = logging.getLogger("tapeviz")
_LOOKED_AT: Final = 32  # traces that a new one is compared with, the latest


@dataclass(slots=True)
class Trace:
    """One trace of a function, and why there is one.

    ``argument`` is the part of the arguments that was different from the nearest earlier trace, ``before`` and
    ``after`` what it was; all three are empty for a first trace. Times are in seconds.
    """

    number: int
    signature: Signature
    reason: str
    argument: str = ""
    before: str = ""
    after: str = ""
    fix: str = ""
    converting: float = 0.0
    seconds: float = 0.0
    calls: int = 0
    code: CodeType | None = None
    instruction: int = -1
    graph: Any = field(default=None, repr=False)
    began: float = 0.0
    function: int = -1
    definition: CodeType | None = None
    conversion: Any = field(default=None, repr=False)
    python: Any = field(default=None, repr=False)
    """The Python function."""
    compiles: bool | None = None
    """Whether its graph is compiled to machine code; None: when that is worth it."""


def reason_for(signature: Signature, earlier: list[Trace]) -> tuple[str, str, str, str, str]:
    """Reason, argument, before, after and fix for a trace of this signature."""
    if not earlier:
        return "the first call", "", "", "", ""
    nearest = min(reversed(earlier[-_LOOKED_AT:]), key=lambda trace: _distance(signature, trace.signature))
    theirs = {leaf.path: leaf for leaf in nearest.signature.leaves}
    ours = {leaf.path: leaf for leaf in signature.leaves}
    for path, leaf in ours.items():
        before = theirs.get(path)
        if before is None:
            return f"{path} was not given before", path, "", leaf.text, _fix(None, leaf)
        if before.text != leaf.text or _identity_changed(before, leaf, signature, nearest.signature):
            reason, after = _sentence(before, leaf)
            return reason, path, before.text, after, _fix(before, leaf)
    gone = next((path for path in theirs if path not in ours), "")
    if gone:
        return f"{gone} is not given any more", gone, theirs[gone].text, "", ""
    return "the structure of the arguments is another", "", "", "", "pass the same structure each time"


def _distance(one: Signature, other: Signature) -> int:
    theirs = {leaf.path: leaf.text for leaf in other.leaves}
    return sum(theirs.get(leaf.path) != leaf.text for leaf in one.leaves) + abs(len(one.leaves) - len(other.leaves))


def _identity_changed(before: Leaf, after: Leaf, one: Signature, other: Signature) -> bool:
    return before.sort == after.sort and before.sort in ("object", "variable") and one.key != other.key


def _sentence(before: Leaf, after: Leaf) -> tuple[str, str]:
    if before.sort == after.sort == "tensor":
        old, new = before.text.split(), after.text.split()
        what = "dtype" if old[-1] != new[-1] and old[:-1] == new[:-1] else "shape"
        return f"{after.path} has another {what}: {after.text} instead of {before.text}", after.text
    if before.sort == after.sort == "python":
        return f"{after.path} is a Python value, and another one: {after.text} instead of {before.text}", after.text
    if before.sort == after.sort:
        return f"{after.path} is another {after.sort} than before", f"another {after.sort}"
    return f"{after.path} is a {after.sort} now: {after.text} instead of {before.text}", after.text


def _fix(before: Leaf | None, after: Leaf) -> str:
    if after.sort == "python" and (before is None or before.sort == "python"):
        return f"pass {after.path} as a tensor, tf.constant({after.text}), if it changes from call to call"
    if after.sort == "tensor" and before is not None and before.sort == "tensor":
        if before.text.split()[-1] != after.text.split()[-1]:
            return f"cast {after.path} to one dtype before the call"
        return (
            "use @tf.function(reduce_retracing=True), or an input_signature with None for the size that changes: "
            f"tf.TensorSpec for {after.path}"
        )
    if after.sort == "variable":
        return "give the function the same variable each time, or make it an attribute"
    if after.sort == "object":
        return f"use one object for {after.path}, or give its class __eq__ and __hash__"
    return f"give {after.path} as one sort of thing, a tensor for one"


class TracingWatch:
    """Warns, once a function, when most of its calls trace it again."""

    _MANY: Final = 5

    def __init__(self) -> None:
        self._recent: list[bool] = []
        self._warned = False

    def found(self) -> None:
        """A call found its trace."""
        if self._recent:
            self._recent.clear()

    def called(self, function: Any, trace: Trace | None) -> None:
        """A call was made; ``trace`` is the trace it needed, None when it found one."""
        if self._warned:
            return
        recent = self._recent = [*self._recent[1 - self._MANY :], trace is not None]
        if trace is None or sum(recent) < self._MANY or trace.number <= self._MANY - 1:
            return
        self._warned = True
        logger.warning(
            "%d out of the last %d calls to %r triggered tf.function retracing. Tracing is expensive: %s took %.1f ms. "
            "The reason of the last one: %s. %s. tapeviz.retraces(%s) lists them all.",
            sum(recent), len(recent), function, trace.graph.name if trace.graph else "it",
            1000 * (trace.seconds + trace.converting), trace.reason,
            f"To avoid it, {trace.fix}" if trace.fix else "The same function must be used again, not made again",
            getattr(function, "__name__", "f"),
        )  # fmt: skip
