"""Lists and dicts whose values a checkpoint has and which are not there yet: they are given as they are added."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, Final

from tapeviz.engine.deferred_restoration import Awaited, arrived

__all__ = ["AwaitedDict", "AwaitedList", "awaiting_copy", "part_named", "replace_part"]


class AwaitedList(list[Any], Awaited):
    """A list that tells who waits for its items when one is added at the end or replaced."""


class AwaitedDict(dict[Any, Any], Awaited):
    """A dict that tells who waits for its values when one is added."""


def _telling(cls: type, name: str) -> Callable[..., Any]:
    method = getattr(cls, name)

    @functools.wraps(method)
    def called(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = method(self, *args, **kwargs)
        arrived(self)
        return result

    return called


for _cls, _names in (
    (AwaitedList, ("append", "extend", "__setitem__", "__iadd__")),
    (AwaitedDict, ("__setitem__", "setdefault", "update", "__ior__")),
):
    for _name in _names:
        setattr(_cls, _name, _telling(_cls, _name))

_AWAITING: Final[dict[type, type]] = {list: AwaitedList, dict: AwaitedDict}


def awaiting_copy(container: Any) -> Any:
    """A plain list or dict as one that tells of additions; None of anything else."""
    cls = _AWAITING.get(type(container))
    return None if cls is None else cls(container)


def _key(owner: Any, name: str) -> Any:
    """The index or key under which a collection has the part that checkpoints call ``name``; None: it has none."""
    if isinstance(owner, (list, tuple)):
        return int(name) if name.isdigit() and int(name) < len(owner) else None
    return next((key for key in owner if str(key) == name), None)


def part_named(owner: Any, name: str) -> Any:
    """What an object has under the name that checkpoints use; None where there is nothing."""
    if isinstance(owner, (list, tuple, Mapping)):
        key = _key(owner, name)
        return None if key is None else owner[key]
    return getattr(owner, "__dict__", {}).get(name)


def replace_part(owner: Any, name: str, part: Any) -> None:
    """Put another object in the place of what ``owner`` has under a name; nobody is told."""
    if isinstance(owner, list):
        list.__setitem__(owner, _key(owner, name), part)
    elif isinstance(owner, dict):
        dict.__setitem__(owner, _key(owner, name), part)
    else:
        owner.__dict__[name] = part
        if name in (tracked := owner.__dict__.get("_tracked", {})):  # a layer remembers what its attributes hold
            tracked[name] = part
