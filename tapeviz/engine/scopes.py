"""Names for parts of a program: name scopes and modules. Both are spans in a recording."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any, Self

from tapeviz.engine.deferred_restoration import Awaited, arrived
from tapeviz.engine.dtypes import DType, as_dtype
from tapeviz.engine.shapes import TensorShape
from tapeviz.engine.state import local
from tapeviz.engine.variable import Variable

__all__ = ["Module", "TensorSpec", "call_as_one", "name_scope", "span"]


@contextmanager
def span(kind: str, name: str, **facts: Any) -> Iterator[None]:
    """Tell the observer, if there is one, that what happens inside belongs together, and what else there is to know."""
    observer = local.state.observer
    if observer is None:
        yield
        return
    token = observer.on_span_begin(kind, name, facts)
    failure: BaseException | None = None
    try:
        yield
    except BaseException as error:
        failure = error
        raise
    finally:
        observer.on_span_end(token, failure)


def call_as_one(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function, and tell the observer, if there is one, that it can be called again as a whole."""
    __tracebackhide__ = True
    observer = local.state.observer
    if observer is None:
        return function(*arguments)
    token = observer.on_call_begin(function, arguments)
    result = None
    try:
        result = function(*arguments)
    finally:
        observer.on_call_end(token, result)
    return result


class name_scope:  # noqa: N801 - TensorFlow's name
    """Put ``name/`` before the names of what is made inside, and show it as one part in the views.

    >>> import tapeviz as tf
    >>> with tf.name_scope("layer1"):
    ...     w = tf.Variable(1.0, name="w")
    >>> w.name
    'layer1/w:0'
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError("name for name_scope must be a string.")  # noqa: TRY004 - TensorFlow's error
        self.name = name
        self._undo: list[Any] = []

    def __enter__(self) -> str:
        state = local.state
        block = getattr(state.graph, "name_scope", None)  # a graph of sessions numbers the scopes of one name
        inside = span("scope", self.name) if block is None else block(self.name)
        self._undo.append((state.scope, inside))
        if block is not None:
            return str(inside.__enter__())
        state.scope = f"{state.scope}{self.name}/" if self.name else ""
        inside.__enter__()
        return state.scope

    def __exit__(self, *details: object) -> None:
        before, inside = self._undo.pop()
        local.state.scope = before
        inside.__exit__(*details)


class Module(Awaited):
    """A part of a model: finds the variables in its attributes, and calls show as one part in the views.

    >>> import tapeviz as tf
    >>> class Dense(tf.Module):
    ...     def __init__(self):
    ...         super().__init__(name="dense")
    ...         self.w = tf.Variable([[1.0], [2.0]], name="w")
    ...     def __call__(self, x):
    ...         return x @ self.w
    >>> layer = Dense()
    >>> layer(tf.constant([[1.0, 1.0]])).numpy(), len(layer.trainable_variables)
    (array([[3.]], dtype=float32), 1)
    """

    def __init__(self, name: str | None = None) -> None:
        if name is not None and not name.isidentifier():
            raise ValueError(f"{name!r} is not a valid module name. Module names must be valid Python identifiers.")
        self._name = name or _snake(type(self).__name__)

    def __init_subclass__(cls, *, spans: bool = True, **kwargs: Any) -> None:
        """``spans``: whether calls are to be told to the observer; a class that does it itself says False."""
        super().__init_subclass__(**kwargs)
        if spans and "__call__" in cls.__dict__:
            any_class: Any = cls
            any_class.__call__ = _in_span(cls.__dict__["__call__"])

    @property
    def name(self) -> str:
        """The module's name: the one given, or the class's in snake case."""
        return self.__dict__.get("_name") or _snake(type(self).__name__)

    @property
    def name_scope(self) -> name_scope:
        """The name scope of this module."""
        return name_scope(self.name)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables of this module and of those in it, in the order of their attributes' names."""
        return tuple(self._find(Variable))

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """The trainable ones among the variables."""
        return tuple(variable for variable in self.variables if variable.trainable)

    @property
    def submodules(self) -> tuple[Module, ...]:
        """The modules in this one."""
        return tuple(found for found in self._find(Module) if found is not self)

    def _find(self, kind: type) -> list[Any]:
        found: dict[int, Any] = {}
        _collect(self, kind, found, set())
        return list(found.values())

    @classmethod
    def with_name_scope(cls, method: Callable[..., Any]) -> Callable[..., Any]:
        """Decorate a method to run in the module's name scope."""

        @functools.wraps(method)
        def scoped(self: Self, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        scoped.__rewrap__ = cls.with_name_scope  # type: ignore[attr-defined]
        return scoped


def _in_span(call: Any) -> Any:
    if not isinstance(call, FunctionType) and hasattr(type(call), "__get__"):
        return _TracedCall(call)

    @functools.wraps(call)
    def called(self: Module, *args: Any, **kwargs: Any) -> Any:
        return _run_in_span(self, call, (self, *args), kwargs)

    called.__rewrap__ = _in_span  # type: ignore[attr-defined]  # for a converted form of what is inside
    return called


def _run_in_span(module: Module, run: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    arrived(module)  # parts that were put to a list since a checkpoint was read
    if local.state.observer is None:
        return run(*args, **kwargs)
    with span("module", module.name):
        return run(*args, **kwargs)


class _TracedCall:
    """A ``__call__`` that is a traced function, which each module has for itself."""

    def __init__(self, call: Any) -> None:
        self.__wrapped__ = call

    def __get__(self, module: Module | None, owner: type) -> Any:
        return self if module is None else _ModuleCall(module, self.__wrapped__)


class _ModuleCall:
    """The traced ``__call__`` of one module: called, it runs in a span; else it is the traced function."""

    def __init__(self, module: Module, call: Any) -> None:
        self.__self__, self.__wrapped__ = module, call
        self._run: Any = call.__get__(module, type(module))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _run_in_span(self.__self__, self._run, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._run, name)


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() and i else c.lower() for i, c in enumerate(name))


def _collect(module: Module, kind: type, found: dict[int, Any], seen: set[int]) -> None:
    """What is of this kind in the module's own attributes, then in its parts'."""
    seen.add(id(module))
    parts = []
    for key in sorted(vars(module)):
        for leaf in _leaves(vars(module)[key]):
            if isinstance(leaf, kind):
                found[id(leaf)] = leaf
            if isinstance(leaf, Module):
                parts.append(leaf)
    for part in parts:
        if id(part) not in seen:
            _collect(part, kind, found, seen)


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, dict):
        for key in sorted(value, key=str):
            yield from _leaves(value[key])
    else:
        yield value


class TensorSpec:
    """Shape and dtype of a tensor, without a value.

    >>> import tapeviz as tf
    >>> tf.TensorSpec([None, 2], tf.float32)
    TensorSpec(shape=(None, 2), dtype=tf.float32, name=None)
    """

    __slots__ = ("_dtype", "_name", "_shape")

    def __init__(self, shape: Any, dtype: Any = "float32", name: str | None = None) -> None:
        self._shape = TensorShape(shape)
        self._dtype = as_dtype(dtype)
        self._name = name

    @property
    def shape(self) -> TensorShape:
        """The shape; axes may be None."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The dtype."""
        return self._dtype

    @property
    def name(self) -> str | None:
        """The name."""
        return self._name

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        """The spec of a tensor."""
        return cls(tensor.shape, tensor.dtype, name)

    def is_compatible_with(self, other: Any) -> bool:
        """Whether ``other``, a tensor or a spec, has this dtype and could have this shape."""
        return bool(self.dtype == other.dtype and self.shape.is_compatible_with(other.shape))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorSpec) and (self._shape, self._dtype, self._name) == (
            other._shape,
            other._dtype,
            other._name,
        )

    def __hash__(self) -> int:
        return hash((self._shape, self._dtype))

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r})"
