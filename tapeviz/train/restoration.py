"""Giving objects the values of a checkpoint: now those that are there, and later those that will be made."""

from __future__ import annotations

import logging
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from tapeviz.engine.deferred_restoration import AWAITED, Awaited
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.state import local, outermost
from tapeviz.engine.tensor import wrap
from tapeviz.engine.variable import Variable
from tapeviz.train.containers import awaiting_copy, part_named, replace_part
from tapeviz.train.files import CheckpointReader
from tapeviz.train.trackable import children

__all__ = ["Restoration", "give", "has_value", "matching", "path_text"]

logger: Final = logging.getLogger("tapeviz")


def matching(nodes: Sequence[dict[str, Any]], number: int, owner: Any) -> Iterator[tuple[int, Any]]:
    """The numbers of nodes of a checkpoint with the objects that stand where theirs stood, from one of them on."""
    seen: set[tuple[int, int]] = set()
    waiting = deque([(number, owner)])
    while waiting:
        number, owner = waiting.popleft()
        if (number, id(owner)) in seen:
            continue
        seen.add((number, id(owner)))
        yield number, owner
        if (root := getattr(owner, "_checkpoint_root", None)) is not None:
            waiting.append((number, root))  # whose parts are saved under their own names
        own = nodes[number]["children"]
        waiting += [(own[name], part) for name, part in children(owner) if name in own]


def has_value(node: dict[str, Any], owner: Any) -> bool:
    """Whether a node of a checkpoint has a value that such an object can have."""
    return ("key" in node and isinstance(owner, Variable)) or ("values" in node and hasattr(owner, "_restore_values"))


class Restoration:
    """A checkpoint that is being given to an object. It lives as long as somebody waits for parts of the object.

    Args:
        reader: the checkpoint.
        root: the object.
        held: takes variables with values that only a session can give them; True where it has.

    Raises:
        DataLossError: the checkpoint is damaged; nothing was restored.
        ValueError: a value has another shape than its variable; nothing was restored.
        InvalidArgumentError: it has another dtype; nothing was restored.
    """

    def __init__(
        self, reader: CheckpointReader, root: Any, held: Callable[[Variable, Any], bool] | None = None
    ) -> None:
        self.reader = reader
        self.nodes: list[dict[str, Any]] = reader.objects
        self.bound: dict[int, weakref.ref[Any]] = {}
        self.partial: bool = True  # until it is there: an error is enough
        self._held = held
        reader.check()
        self.begin(0, root)
        self.partial = False

    def begin(self, number: int, owner: Any) -> None:
        """Give the object the values of a node, and wait for the parts that it does not have yet."""
        found: dict[int, Any] = {}
        waiters: list[tuple[int, Any]] = []
        pairs = list(matching(self.nodes, number, owner))
        for at, part in pairs:
            if has_value(self.nodes[at], part):
                if at not in self.bound:
                    found[at] = part
            elif isinstance(part, Awaited):
                waiters.append((at, part))
        self._give(found)
        for at, part in waiters:
            self._await(at, part)
        for at, part in pairs:
            if type(part) not in (list, dict):  # those are found from what they are a part of
                self._await_items(at, part)

    def _give(self, found: dict[int, Any]) -> None:
        """Give objects the values of nodes: all of them, or none where one does not fit."""
        values = [(part, self._fitting(at, part)) for at, part in found.items()]
        self.bound.update({at: weakref.ref(part) for at, part in found.items()})
        for part, value in values:
            if isinstance(part, Variable):
                if self._held is None or not self._held(part, value):
                    give(part, value)
            else:
                part._restore_values(value)

    def _fitting(self, number: int, owner: Any) -> Any:
        node = self.nodes[number]
        if not isinstance(owner, Variable):
            return {name: self.reader.get_tensor(key) for name, key in node["values"].items()}
        value = self.reader.get_tensor(node["key"])
        if not owner.shape.is_compatible_with(value.shape):
            raise ValueError(
                f"Received incompatible tensor with shape {value.shape} when attempting to restore variable with shape "
                f"{owner.shape} and name {owner.name}. The value is {node['key']} of {self.reader.prefix}."
            )
        if value.dtype != owner.dtype.numpy:
            raise InvalidArgumentError(
                f"tensor_name = {node['key']}; expected dtype {owner.dtype.name} does not equal original dtype "
                f"{as_dtype(value.dtype).name} in {self.reader.prefix}; variable {owner.name}"
            )
        return value

    def _await(self, number: int, owner: Any) -> None:
        """Wait for parts of an object. A later restoration takes the place of an earlier one."""
        if any(other not in self.bound for other in self.valued(number)):
            owner.__dict__[AWAITED] = _Wait(self, number)
        else:
            owner.__dict__.pop(AWAITED, None)

    def _await_items(self, number: int, owner: Any, above: tuple[int, ...] = ()) -> None:
        """Wait for what will be added to the lists and dicts of an object: ones that tell take their places."""
        if number in above:  # a list that holds itself
            return
        for name, child in self.nodes[number]["children"].items():
            part = part_named(owner, name)
            if not isinstance(part, (list, tuple, dict)):
                continue
            if not isinstance(owner, tuple) and any(other not in self.bound for other in self.valued(child)):
                telling = awaiting_copy(part)
                if telling is not None:
                    replace_part(owner, name, telling)
                    part = telling
            if isinstance(part, Awaited):
                self._await(child, part)
            self._await_items(child, part, (*above, number))

    def valued(self, number: int = 0) -> Iterator[int]:
        """The numbers of the nodes with values that a node is made of."""
        seen, rest = {number}, [number]
        while rest:
            node = self.nodes[here := rest.pop()]
            if "key" in node or node.get("values"):
                yield here
            new = [child for child in node["children"].values() if child not in seen]
            seen.update(new)
            rest += new

    def unrestored(self) -> list[dict[str, Any]]:
        """The nodes whose values nothing has been given."""
        return [self.nodes[number] for number in sorted(self.valued()) if number not in self.bound]

    def __del__(self) -> None:
        if getattr(self, "partial", True):
            return
        missing = self.unrestored()
        if missing:
            logger.warning(
                "Detecting that an object or model or tf.train.Checkpoint is being deleted with unrestored values. See "
                "the following logs for the specific values in question. To silence these warnings, use "
                "`status.expect_partial()`."
            )
        for node in missing:
            logger.warning("Value in checkpoint could not be found in the restored object: %s", path_text(node))


class _Wait:
    """Waits for the parts of one object."""

    def __init__(self, restoration: Restoration, number: int) -> None:
        self._restoration = restoration
        self._number = number

    def look(self, owner: Any) -> None:
        """Restore what has come."""
        self._restoration.begin(self._number, owner)

    def __deepcopy__(self, _memo: Any) -> _Wait:
        return self

    def __reduce__(self) -> Any:
        return _nobody, ()


def _nobody() -> None:
    """Who waits for the parts of an object that was stored: the files may be gone."""


def path_text(node: dict[str, Any]) -> str:
    """Where a node is, for messages."""
    return ".".join(("(root)", *node["path"]))


def give(variable: Variable, value: np.ndarray) -> None:
    """Assign at once, also while a graph is built."""
    before = local.state
    local.state = state = outermost(before)
    tapes, state.tapes = state.tapes, ()
    try:
        variable.assign(wrap(value))
    finally:
        state.tapes = tapes
        local.state = before
