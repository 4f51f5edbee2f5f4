"""What ``+``, ``[]``, ``==`` and the rest mean on a tensor: what ops say of themselves.

Eager and symbolic tensors and variables share these. An op's function is the method itself
(:func:`define_operator`), so that ``a + b`` costs one call and no lookup.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from numpy import ndarray

from tapeviz.engine.registry import Registry

__all__ = ["Operators", "define_operator", "offer_operators", "operators", "public"]


class Operators:
    """The operators, as methods; ops put their functions here."""

    __slots__ = ()
    __array_priority__ = 100  # ndarray * tensor is a tensor
    __pandas_priority__ = 10_000  # and so is Series * tensor

    def __getitem__(self, key: Any) -> Any:
        return public["getitem"](self, key)

    def __iter__(self) -> Iterator[Any]:
        if not self.shape.rank:  # type: ignore[attr-defined]
            raise TypeError("Cannot iterate over a scalar tensor.")
        return (self[position] for position in range(len(self)))  # type: ignore[arg-type]

    def __eq__(self, other: object) -> Any:
        return public["tensor_equal"](self, other)

    def __ne__(self, other: object) -> Any:
        return public["tensor_not_equal"](self, other)

    def __hash__(self) -> int:
        kind = "Variable" if hasattr(self, "_read") else "Tensor"
        raise TypeError(f"{kind} is unhashable. Instead, use {kind.lower()}.ref() as the key.")

    def ref(self) -> Reference:
        """A hashable stand-in for this tensor or variable, for sets and the keys of dicts."""
        return Reference(self)

    experimental_ref = ref


public: Final[Registry[Callable[..., Any]]] = Registry()
"""Functions that operators call and that are more than one op; the modules that define them put them here."""

operators: Final[Registry[Callable[..., Any]]] = Registry()
"""What Python's operators are, by the names of their methods without the underscores."""


class Reference:
    """A hashable stand-in: equal when it stands for the same object."""

    __slots__ = ("_object",)

    def __init__(self, thing: Any) -> None:
        self._object = thing

    def deref(self) -> Any:
        """The tensor or variable."""
        return self._object

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._object is other._object

    def __hash__(self) -> int:
        return id(self._object)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._object!r}>"


def define_operator(method: str, function: Callable[..., Any]) -> None:
    """Make a function what an operator means, with a tensor on either side of it.

    Args:
        method: the operator's method without the underscores: "add" for ``+``.
        function: what it is called with: the operands in their order.
    """
    operators[method] = function
    _attach(method, function)


def _attach(method: str, function: Callable[..., Any]) -> None:
    def reflected(self: Any, other: Any) -> Any:
        __tracebackhide__ = True
        return function(other, self)

    setattr(Operators, f"__{method}__", function)
    if hasattr(ndarray, f"__r{method}__"):
        setattr(Operators, f"__r{method}__", reflected)


def offer_operators(homes: Mapping[str, str], load: Callable[[str], object]) -> None:
    """Have operators declared when they are first used.

    Args:
        homes: for each operator's method, without the underscores, the module that declares it.
        load: imports a module.
    """
    operators.offer(homes, load)
    for method in homes:
        _attach(method, _until_declared(method))


def _until_declared(method: str) -> Callable[..., Any]:
    def operator(*operands: Any) -> Any:
        __tracebackhide__ = True
        return operators[method](*operands)

    return operator
