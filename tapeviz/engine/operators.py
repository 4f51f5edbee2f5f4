"""What ``+``, ``[]``, ``==`` and the rest mean on a tensor: ops, looked up by name.

Eager and symbolic tensors and variables share these. Once an op's function has been generated it becomes the method
itself (:func:`bind_operator`), so that ``a + b`` costs one call and no lookup.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from tapeviz.engine.declaration import registry

__all__ = ["Operators", "bind_operator"]

_BINARY: Final = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floordiv",
    "mod": "floormod", "pow": "pow", "matmul": "matmul", "and": "logical_and", "or": "logical_or", "xor": "logical_xor",
}  # fmt: skip
_COMPARE: Final = {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}
_UNARY: Final = {"neg": "negative", "abs": "abs", "invert": "logical_not"}
_METHODS: Final = {op: f"__{method}__" for table in (_BINARY, _COMPARE, _UNARY) for method, op in table.items()}
# These take their operands through a wrapper (integers divide to float64), never directly.
_WRAPPED: Final = frozenset({"divide", "pow", "logical_and", "logical_or", "logical_xor", "logical_not"})


class Operators:
    """The operators, as methods. They stand in until :func:`bind_operator` puts the ops' functions in their place."""

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


public: Final[dict[str, Callable[..., Any]]] = {}
"""Functions that operators call and that are more than one op; the modules that define them put them here."""


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


def _forward(name: str, *, reflected: bool) -> Callable[..., Any]:
    def method(self: Any, *others: Any) -> Any:
        __tracebackhide__ = True
        call = public.get(name) or registry[name].run
        return call(*others, self) if reflected else call(self, *others)

    return method


for _op, _method in _METHODS.items():
    setattr(Operators, _method, _forward(_op, reflected=False))
for _short, _op in _BINARY.items():
    setattr(Operators, f"__r{_short}__", _forward(_op, reflected=True))


def bind_operator(name: str, function: Callable[..., Any]) -> None:
    """Make the generated function of an op the operator itself."""
    if name in _METHODS and name not in _WRAPPED:
        setattr(Operators, _METHODS[name], function)
