"""The namespaces of tapeviz as this one offers them: their functions build graphs, and take arguments by old names."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any, Final

from tapeviz.compat.v1.graph.graph_functions import Entering, in_graph
from tapeviz.compat.v1.v1_functions import ADDED, KEYWORDS, REPLACED, with_old_keywords
from tapeviz.namespaces.lazy import Namespace

__all__ = ["PLAIN", "Space", "offered"]

# Functions that give functions, which build when they are called.
# Namespaces without functions of tensors.
PLAIN: Final = frozenset(("autograph", "compat", "config", "contrib", "data", "errors", "keras", "nest", "test"))
_OWN: Final = {f"tapeviz.compat.v1.{name}": Namespace(f"tapeviz.compat.v1.{name}") for name in ("image", "nn")}
"""What TensorFlow 1 had in namespaces of tapeviz, and tapeviz has not."""
_DECORATORS: Final = frozenset(("custom_gradient", "function", "recompute_grad"))


def offered(name: str, found: Any) -> Any:
    """What this namespace offers under a name for something of tapeviz's own: functions as those that build."""
    if name in REPLACED:
        return REPLACED[name]
    if name in _DECORATORS:
        return _decorator(found)
    if isinstance(found, types.ModuleType):
        return found if name in PLAIN else Space(found)
    if not isinstance(found, types.FunctionType):
        return found
    return in_graph(with_old_keywords(found, KEYWORDS[name]) if name in KEYWORDS else found, name)


def _decorator(decorate: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(decorate)
    def decorator(*args: Any, **kwargs: Any) -> Any:
        made = decorate(*args, **kwargs)
        if (args and callable(args[0])) or kwargs.get("func") is not None or kwargs.get("f") is not None:
            return Entering(made)
        return lambda function: Entering(made(function))

    return decorator


class Space(types.ModuleType):
    """A namespace of tapeviz, such as ``math``, as this one offers it."""

    def __init__(self, module: types.ModuleType) -> None:
        name = f"tapeviz.compat.v1.{module.__name__.partition('.')[2]}"
        super().__init__(name, module.__doc__)
        self._module = module
        if hasattr(module, "__path__"):
            self.__path__: list[str] = []  # there are modules in it, which the package's importer finds

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        added, own = ADDED.get(self._module.__name__, {}), _OWN.get(self.__name__)
        try:
            if own is not None and name in own.homes:
                found = own.find(name)
            else:
                found = added[name] if name in added else offered(name, getattr(self._module, name))
        except AttributeError:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}") from None
        setattr(self, name, found)
        return found

    def __dir__(self) -> list[str]:
        own = _OWN.get(self.__name__)
        return [*dir(self._module), *(own.listed if own is not None else ())]
