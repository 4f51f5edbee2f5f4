"""What an object is made of, for checkpoints: its variables and parts by the names of attributes.

Modules, layers, optimizers and metrics are made of their attributes; lists, tuples and dicts of what they hold. Another
object takes part by ``_checkpoint_children()``, which gives names and objects, or by ``_checkpoint_values()``, which
gives arrays by name, and ``_restore_values(arrays)``, which takes them back.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any, Final

from tapeviz.engine.deferred_restoration import AWAITED, Awaited
from tapeviz.engine.scopes import Module
from tapeviz.engine.variable import Variable

__all__ = ["Node", "children", "is_trackable", "key_of", "reachable"]

VALUE: Final = "VARIABLE_VALUE"
_ATTRIBUTES: Final = ".ATTRIBUTES"
_OURS: Final = ("_checkpoint_children", "_checkpoint_values")


def children(owner: Any, *, empty: bool = False) -> list[tuple[str, Any]]:
    """The names and objects that an object is made of directly, in their order.

    ``empty`` counts lists and dicts in public attributes also where nothing is in them that has values.

    Raises:
        ValueError: two keys of a dict look alike as text.
    """
    cls = type(owner)
    if hasattr(cls, "_checkpoint_children"):
        return [(name, _plain(part)) for name, part in owner._checkpoint_children() if is_trackable(part)]
    if isinstance(owner, (list, tuple)):
        return [(str(place), _plain(part)) for place, part in enumerate(owner) if is_trackable(part)]
    if isinstance(owner, Mapping):
        named = [(str(key), _plain(part)) for key, part in owner.items() if is_trackable(part)]
        if len(dict(named)) < len(named):
            raise ValueError(f"Two keys of a dict that a checkpoint is to hold are the same as text: {list(owner)}")
        return named
    if isinstance(owner, Module):
        # What users call a part is its name in the file; private attributes come after.
        named = [
            (name, _plain(part)) for name, part in vars(owner).items()
            if name != AWAITED
            and (is_trackable(part) or (empty and isinstance(part, (list, Mapping)) and not name.startswith("_")))
        ]  # fmt: skip
        return sorted(named, key=lambda pair: pair[0].startswith("_"))
    return []


def _plain(part: Any) -> Any:
    """A variable itself, in the place of the result of assigning it."""
    return getattr(part, "_variable", part) if isinstance(part, Variable) else part


def is_trackable(part: Any, inside: tuple[int, ...] = ()) -> bool:
    """Whether checkpoints know an object: a variable, a module, what says so itself, or a collection with such."""
    if isinstance(part, (Variable, Awaited)) or any(hasattr(type(part), name) for name in _OURS):
        return True
    if isinstance(part, (list, tuple, Mapping)) and id(part) not in inside:
        items = part.values() if isinstance(part, Mapping) else part
        return any(is_trackable(item, (*inside, id(part))) for item in items)
    return False


class Node:
    """An object that a checkpoint holds: its path from the root, and the numbers of its parts by name."""

    __slots__ = ("children", "number", "owner", "path")

    def __init__(self, number: int, owner: Any, path: tuple[str, ...]) -> None:
        self.number: int = number
        self.owner: Any = owner
        self.path: tuple[str, ...] = path
        self.children: dict[str, int] = {}


def reachable(root: Any, *, empty: bool = False) -> list[Node]:
    """The object and all it is made of, each once, those nearest to the root first. ``empty`` as for `children`."""
    nodes = [Node(0, root, ())]
    known = {id(root): 0}
    waiting = deque(nodes)
    while waiting:
        node = waiting.popleft()
        for name, part in children(node.owner, empty=empty):
            if id(part) not in known:
                known[id(part)] = len(nodes)
                made = Node(len(nodes), part, (*node.path, name))
                nodes.append(made)
                waiting.append(made)
            node.children[name] = known[id(part)]
    return nodes


def key_of(path: tuple[str, ...], attribute: str = VALUE) -> str:
    """The key of a value in a file: TensorFlow's."""
    return "/".join((*map(_escaped, path), _ATTRIBUTES, _escaped(attribute)))


def _escaped(name: str) -> str:
    return name.replace(".", "..").replace("/", ".S")
