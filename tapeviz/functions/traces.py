"""Why a function was traced again: the trace cards, and the warning about too many of them."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary, WeakSet

if TYPE_CHECKING:
    from types import CodeType

    from tapeviz.functions.signature import Leaf, Signature

__all__ = ["Change", "Trace", "TracingWatch", "changes_for", "live_functions", "watch_of"]

logger: Final = logging.getLogger("tapeviz")
_ALWAYS: Final = "give the same arguments each time"
live_functions: Final[WeakSet[Any]] = WeakSet()
"""The functions that there are, for whoever asks which have run."""
_FEW_PARTS: Final = 2  # so many that came or went are named one by one
_LONGEST: Final = 64  # letters of a structure
_LOOKED_AT: Final = 32  # traces that a new one is compared with, the latest


@dataclass(frozen=True, slots=True)
class Change:
    """A part of the arguments that was another than in an earlier trace.

    Attributes:
        argument: which, such as ``x[0]``; empty where it is the structure of all of them.
        before, after: what it was traced as, then and now; empty where it was not given.
        reason: what changed, as a clause.
        fix: what to do, as a clause; empty where nothing needs doing.
    """

    argument: str
    before: str
    after: str
    reason: str
    fix: str


@dataclass(slots=True)
class Trace:
    """One trace of a function, and why there is one.

    ``changes`` is what was different from the nearest earlier trace, none for a first trace. ``why`` is said in place
    of them. Times are in seconds.
    """

    number: int
    signature: Signature
    changes: tuple[Change, ...] = ()
    why: str = "the first call"
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

    @property
    def reason(self) -> str:
        """Why there is this trace: all that changed, as a sentence."""
        return "; and ".join(change.reason for change in self.changes) or self.why

    @property
    def fix(self) -> str:
        """What to do about all of it; empty where nothing needs doing."""
        return "; ".join(dict.fromkeys(change.fix for change in self.changes if change.fix))

    @property
    def argument(self) -> str:
        """The first part of the arguments that changed."""
        return self.changes[0].argument if self.changes else ""

    @property
    def before(self) -> str:
        """What that was."""
        return self.changes[0].before if self.changes else ""

    @property
    def after(self) -> str:
        """What that is now."""
        return self.changes[0].after if self.changes else ""


def changes_for(signature: Signature, earlier: list[Trace], options: Mapping[str, Any]) -> list[Change]:
    """All that was different from the nearest earlier trace; empty for a first trace.

    Args:
        signature: the new one.
        earlier: the function's traces.
        options: how the function was made: what is set already is not advised.
    """
    if not earlier:
        return []
    nearest = min(reversed(earlier[-_LOOKED_AT:]), key=lambda trace: _distance(signature, trace.signature)).signature
    found = [*_containers(signature, nearest)]
    found += _structures(signature, nearest, [change.argument for change in found])
    whole = [change.argument for change in found]
    theirs = {leaf.path: (leaf, key) for leaf, key in zip(nearest.leaves, nearest.keys, strict=True)}
    ours = {leaf.path for leaf in signature.leaves}
    for leaf, key in zip(signature.leaves, signature.keys, strict=True):
        before, known = theirs.get(leaf.path, (None, None))
        if (before is None or known != key) and not _is_in(leaf.path, whole):
            found.append(_change(before, leaf, options))
    gone = [path for path in theirs if path not in ours and not _is_in(path, whole)]
    found += [Change(path, theirs[path][0].text, "", f"{path} is no longer given", _ALWAYS) for path in gone]
    return found or [Change("", "", "", "the structure of the arguments changed", "give the same one each time")]


def _containers(signature: Signature, nearest: Signature) -> Iterator[Change]:
    """The arguments that are structures of another kind now, or were none."""
    now, then = _kinds(signature), _kinds(nearest)
    for name in now:
        before, after = then.get(name), now[name]
        if before is not None and before != after and {name} & {*signature.containers, *nearest.containers}:
            fix = f"give {name} as {before}" if name in nearest.containers else f"give {name} as one kind of value"
            yield Change(name, before, after, f"{name} is {after} now, and was {before}", fix)


def _structures(signature: Signature, nearest: Signature, known: list[str]) -> Iterator[Change]:
    """The arguments that are nested in another way now. Where only a part or two came or went, that is said of them."""
    now, then = ({name.removeprefix("*"): one for name, one in each.structures} for each in (signature, nearest))
    for name in signature.containers:
        ours, theirs = (_paths(one, name) for one in (signature, nearest))
        if name in known or name not in then or len(ours.keys() ^ theirs.keys()) <= _FEW_PARTS:
            continue
        before, after = _nested(then[name], iter(theirs.values())), _nested(now[name], iter(ours.values()))
        fix = f"give {name} with one structure, or trace a function of the part of it that is always the same"
        yield Change(name, before, after, f"{name} has another structure: {after} instead of {before}", fix)


def _paths(signature: Signature, name: str) -> dict[str, str]:
    return {leaf.path: leaf.text for leaf in signature.leaves if _is_in(leaf.path, [name])}


def _nested(structure: Any, leaves: Iterator[str]) -> str:
    """A structure with what stands at its leaves, in short."""
    text = _written(structure, leaves)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _written(structure: Any, leaves: Iterator[str]) -> str:
    if structure is None:
        return next(leaves)
    kind, parts = structure
    if issubclass(kind, dict):
        return f"{{{', '.join(f'{key!r}: {_written(part, leaves)}' for key, part in parts)}}}"
    inner = ", ".join(_written(part, leaves) for part in parts)
    return f"[{inner}]" if issubclass(kind, list) else f"({inner})"


def _kinds(signature: Signature) -> dict[str, str]:
    """What each argument is, by name: the kind of a structure, or the text of what is none."""
    kinds = {leaf.path: leaf.text for leaf in signature.leaves}
    return kinds | {name: f"a {kind}" for name, kind in signature.containers.items()}


def _is_in(path: str, whole: list[str]) -> bool:
    """Whether a part belongs to an argument of which something was said as a whole."""
    return any(path == name or path.startswith((f"{name}[", f"{name}.")) for name in whole)


def _distance(one: Signature, other: Signature) -> int:
    theirs = {leaf.path: leaf.text for leaf in other.leaves}
    return sum(theirs.get(leaf.path) != leaf.text for leaf in one.leaves) + abs(len(one.leaves) - len(other.leaves))


def _change(before: Leaf | None, after: Leaf, options: Mapping[str, Any]) -> Change:
    path = after.path
    if before is None:
        return Change(path, "", after.text, f"{path} was not given before", _ALWAYS)
    told = _of_one_kind(before, after, options) if before.kind == after.kind else None
    if told is None:
        reason = f"{path} is a {after.kind} now: {after.text} instead of {before.text}"
        return Change(path, before.text, after.text, reason, f"give {path} as one kind of value, such as a tensor")
    reason, now, fix = told
    return Change(path, before.text, now, reason, fix)


def _of_one_kind(before: Leaf, after: Leaf, options: Mapping[str, Any]) -> tuple[str, str, str] | None:
    """Reason, what it is now and what to do, of a part that is of the same kind as before."""
    path = after.path
    if after.kind == "tensor":
        return _tensor(before, after, options)
    if after.kind == "python":
        reason = f"{path} is a Python value that changed: {after.text} instead of {before.text}"
        return reason, after.text, _python_fix(after)
    if after.kind == "variable":
        fix = "give the function the same variable each time, or make it an attribute"
        return f"{path} is a different variable than before", "another variable", fix
    again = "again, made anew" if before.text == after.text else f"and not {before.text}"
    reason = f"{path} is {after.text} {again}"
    if after.kind == "function":
        return reason, after.text, f"make the function for {path} once, outside of the loop, and give that one"
    fix = f"make the object for {path} once, and give that one each time, or give its class __eq__ and __hash__"
    return f"{path} is another {after.text} than before", f"another {after.text}", fix


def _tensor(before: Leaf, after: Leaf, options: Mapping[str, Any]) -> tuple[str, str, str]:
    path = after.path
    (*_, old_shape, old_dtype), (*_, shape, dtype) = _parts(before.text), _parts(after.text)
    what = [name for name, one, other in (("shape", old_shape, shape), ("dtype", old_dtype, dtype)) if one != other]
    reason = f"{path} has another {' and '.join(what)}: {after.text} instead of {before.text}"
    fixes = [f"cast {path} to one dtype before the call"] if "dtype" in what else []
    if "shape" in what:
        same_rank = _rank(old_shape) == _rank(shape)
        if options.get("reduce_retracing"):
            fixes += [] if same_rank else [f"give {path} as many axes each time: reduce_retracing relaxes sizes only"]
        else:
            opened = "each size that changes" if same_rank else "its shape"
            relaxed = "use @tf.function(reduce_retracing=True), or " if same_rank else "use "
            fixes.append(f"{relaxed}an input_signature with a tf.TensorSpec for {path}, with None for {opened}")
    return reason, after.text, "; ".join(fixes)


def _rank(shape: str) -> int:
    """How many sizes there are in a shape's text, -1 where that is not known."""
    return len([size for size in shape.strip("()").split(",") if size.strip()]) if shape.startswith("(") else -1


def _parts(text: str) -> list[str]:
    """A tensor's text as what it is, its shape and its dtype."""
    kind, _, rest = text.partition(" ")
    shape, _, dtype = rest.rpartition(" ")
    return [kind, shape, dtype]


def _python_fix(after: Leaf) -> str:
    if after.text in ("True", "False", "None"):
        return ""  # a flag has a trace for each of its values
    if after.text[:1] in "'\"b":
        return f"keep to a few strings for {after.path}: each has a trace of its own"
    return f"pass {after.path} as a tensor, tf.constant({after.text}), if it changes from call to call"


class TracingWatch:
    """Warns, once a function, when most of its calls trace it again. Those made anew by the same lines share one."""

    _MANY: Final = 5

    def __init__(self) -> None:
        self._recent: list[bool] = []
        self._traced = 0
        self._warned = False
        self.made: int = 0
        """How many functions of this definition were traced."""

    def found(self) -> None:
        """A call found its trace."""
        if self._recent:
            self._recent.clear()

    def called(self, function: Any, trace: Trace | None, *, method: bool = False) -> None:
        """A call was made; ``trace`` is the trace it needed, None when it found one. ``method``: of an object."""
        if trace is not None:
            self._traced += 1
            self.made += trace.number == 1
        if self._warned:
            return
        recent = self._recent = [*self._recent[1 - self._MANY :], trace is not None]
        if trace is None or sum(recent) < self._MANY or self._traced < self._MANY:
            return
        self._warned = True
        name = getattr(function, "__name__", "f")
        anew = trace.number == 1 and self.made > 1
        what = f"the object that {name} is a method of" if method else name
        reason = f"{what} is made anew for each call, and each is traced by itself" if anew else trace.reason
        fix = f"make {what} once, outside of the loop" if anew else trace.fix
        logger.warning(
            "%d out of the last %d calls to %r triggered tf.function retracing. Tracing is expensive: %s took %.1f ms. "
            "The reason for the last one: %s. %s. tapeviz.retraces(%s) lists them all.",
            sum(recent), len(recent), function, trace.graph.name if trace.graph else "it",
            1000 * (trace.seconds + trace.converting), reason,
            f"To avoid it, {fix}" if fix else "The same function must be used again, not made again", name,
        )  # fmt: skip


_of_definitions: Final[WeakKeyDictionary[Any, TracingWatch]] = WeakKeyDictionary()
_PACKAGE: Final = str(Path(__file__).parents[1])


def watch_of(function: Any) -> TracingWatch:
    """The watch over a Python function: one for all that are made by the same lines, if these are the user's."""
    code = getattr(function, "__code__", None)
    if code is None or code.co_filename.startswith(_PACKAGE):
        return TracingWatch()
    return _of_definitions.setdefault(code, TracingWatch())
