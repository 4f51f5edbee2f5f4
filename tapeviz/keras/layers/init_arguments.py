"""The arguments with which an object of one's own class was made, for a config that its class does not say."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Final

from tapeviz.engine import nest

__all__ = ["given_to", "is_silent", "keep_given"]

_PLAIN: Final = (str, int, float, bool, type(None))


def is_silent(cls: type, base: type) -> bool:
    """Whether a class has an ``__init__`` of its own, and leaves it to ``base`` to say what its arguments were."""
    return cls.get_config is base.get_config and cls.__init__ is not base.__init__  # type: ignore[attr-defined, misc]


def keep_given(cls: type) -> None:
    """Have objects keep what a class was called with, where its ``__init__`` is the one that is called.

    A ``__new__`` could do so, too, but then some Pythons show its parameters as those of the class.
    """
    if "__init__" not in cls.__dict__:
        return
    init = cls.__dict__["__init__"]

    @functools.wraps(init)
    def keeping(self: Any, *args: Any, **kwargs: Any) -> None:
        if type(self).__init__ is keeping:  # no class of one's own around this one
            self.__dict__["_given"] = args, kwargs
        init(self, *args, **kwargs)

    cls.__init__ = keeping  # type: ignore[misc]


def given_to(made: Any, base: dict[str, Any]) -> dict[str, Any]:
    """The arguments that make another object like this one, as Keras finds them where a class does not say them.

    Args:
        made: an object of a class that :func:`keep_given` was told of.
        base: what every such object says of itself.

    Raises:
        NotImplementedError: one of them is not a plain number, word or structure of these.
    """
    args, kwargs = made.__dict__.get("_given", ((), {}))
    signature = inspect.signature(type(made).__init__)
    bound = signature.bind(made, *args, **kwargs).arguments
    found = dict(list(bound.items())[1:])
    for name, one in signature.parameters.items():
        if one.kind is one.VAR_KEYWORD:
            found.update(found.pop(name, {}))
    others = [name for name, value in found.items() if not _is_plain(value)]
    varied = [name for name, one in signature.parameters.items() if one.kind is one.VAR_POSITIONAL and name in found]
    if others or varied:
        raise NotImplementedError(
            f"{type(made).__name__} has arguments {others + varied} that are not plain numbers, strings or lists of "
            "these: implement `get_config(self)`, which returns them."
        )
    open_ended = any(one.kind is one.VAR_KEYWORD for one in signature.parameters.values())
    return {**found, **{name: value for name, value in base.items() if open_ended or name in signature.parameters}}


def _is_plain(value: Any) -> bool:
    return all(isinstance(leaf, _PLAIN) for leaf in nest.flatten(value))
