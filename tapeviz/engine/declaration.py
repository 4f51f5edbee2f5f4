"""The declaration of an op: everything about it in one place, and nothing of it anywhere else.

A declaration gives the array function (``forward``), the rule for shapes and dtypes (``infer``), the gradient with
respect to each input (``vjp``), the formulas that the teaching views show, and the samples that the tests use. From it
come the function that users call, the tape's backward step, the error messages and six property tests.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from tapeviz.engine.registry import Registry
from tapeviz.engine.traits import HINTS, TRAITS

__all__ = ["FAMILIES", "Op", "Spec", "Ufunc", "registry", "ufunc"]

# Names that the generated functions use for themselves; an input or attribute called so would be overwritten.
_TAKEN: Final = frozenset((
    "F", "g", "c", "i", "p", "r", "t", "t0", "t1", "before", "entry", "gradients", "ins", "made", "name",
    "observer", "on_addend", "on_adjoint", "op", "saved", "shapes", "state", "tape", "total", "tracked",
))  # fmt: skip

FAMILIES: Final = (
    "linalg", "elementwise", "reduction", "shape", "indexing", "random", "variable", "control", "collective",
)  # fmt: skip


class Spec(NamedTuple):
    """Shape and dtype of an array, without the array."""

    shape: tuple[int, ...]
    dtype: np.dtype

    def __str__(self) -> str:
        return f"{self.dtype.name} [{', '.join(map(str, self.shape))}]"


class Ufunc:
    """A forward that is one function of the array module, called with the inputs alone: no Python in between."""

    __slots__ = ("inputs", "name")

    def __init__(self, name: str, inputs: tuple[str, ...]) -> None:
        self.name: str = name
        self.inputs: tuple[str, ...] = inputs

    def __call__(self, xp: Any, *arrays: Any) -> Any:
        """Compute it with the functions of ``xp``."""
        return getattr(xp, self.name)(*arrays)


def ufunc(name: str, inputs: str = "x") -> Ufunc:
    """The forward that calls ``xp.<name>``; ``inputs`` are the op's input names, separated by spaces."""
    return Ufunc(name, tuple(inputs.split()))


registry: Final[Registry[Op]] = Registry()
"""Every op by name; one is declared when it is first asked for."""


def _parameters(function: Callable[..., Any]) -> list[str]:
    """The names of a function's parameters: from its code where that says them all, which is quicker."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None or code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
        return list(inspect.signature(function).parameters)
    return list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])


def _taken(function: Callable[..., Any]) -> tuple[tuple[str, ...], dict[str, Any], bool]:
    """What a forward function takes by position, by keyword with the defaults, and whether it takes any number."""
    code = getattr(function, "__code__", None)
    if code is not None and not hasattr(function, "__wrapped__") and not code.co_flags & inspect.CO_VARKEYWORDS:
        names, count, keywords = code.co_varnames, code.co_argcount, code.co_kwonlyargcount  # a third of the time
        is_variadic = bool(code.co_flags & inspect.CO_VARARGS)
        defaults = function.__kwdefaults__ or {}
        by_keyword = {name: defaults.get(name, inspect.Parameter.empty) for name in names[count : count + keywords]}
        more = names[count + keywords : count + keywords + 1] if is_variadic else ()
        return (*names[:count], *more), by_keyword, is_variadic
    found = inspect.signature(function).parameters.values()
    positional = [one for one in found if one.kind is not one.KEYWORD_ONLY]
    return (
        tuple(one.name for one in positional),
        {one.name: one.default for one in found if one.kind is one.KEYWORD_ONLY},
        any(one.kind is one.VAR_POSITIONAL for one in positional),
    )


class Op:
    """A declared op. ``run(*inputs, *attrs, name=None)`` computes it; it is generated on first use."""

    def __init__(self, name: str, fields: dict[str, Any]) -> None:
        self.name = name
        self.doc: str = fields["doc"]
        self.example: str = fields["example"]
        self.family: str = fields["family"]
        self.forward: Callable[..., Any] = fields["forward"]
        self.infer: Callable[..., Any] = fields["infer"]
        self.vjp: dict[str, Callable[..., Any]] = dict(fields["vjp"] or {})
        self.formula: str = fields["formula"]
        self.vjp_formula: tuple[str, ...] = tuple(fields["vjp_formula"])
        self.samples: Callable[..., Any] = fields["samples"]
        self.tf_name: str = fields["tf_name"] or "".join(part.capitalize() for part in name.split("_"))
        self.effects: str = fields["effects"]
        self.many: bool = fields["many"]
        self.silent: bool = fields["silent"]
        self.converts: bool = fields["converts"]
        self.holomorphic: bool = fields["holomorphic"]
        self.aliases: str = fields["aliases"]
        self.traits: frozenset[str] = frozenset(fields["traits"].split())
        self.hints: frozenset[str] = frozenset(fields["hints"].split())
        self.domain: str = fields["domain"]
        self.surrogate: str = fields["surrogate"]
        self.operator: str = fields["operator"]
        self.label: str = fields["label"]
        self.static: Callable[..., Any] | None = fields["static"]
        self._read_signature()
        for words, known in ((self.traits, TRAITS), (self.hints, HINTS)):
            if unknown := words - known.keys():
                raise TypeError(f"op {name!r}: {sorted(unknown)} are unknown; choose from {sorted(known)}")
        self.types: dict[str, Any] = _types(fields["types"], self.inputs)
        self.groups: tuple[tuple[int, ...], ...] = _groups(self.types, self.inputs)
        # Whether a backward step contributes to each input that is followed; else it says to which.
        self.contributes_to_all: bool = not (self.variadic or self.many)
        self.fast: bool = bool(self.inputs) and not (self.variadic or self.many or self.effects)
        self.saved: tuple[str, ...] = self._read_vjp()
        self.broadcasts: bool = bool(getattr(self.infer, "broadcasts", False))
        self.follows = False  # what it gives does not come from outside the program
        self.run: Callable[..., Any] = _not_generated
        self.step_tensors: Callable[..., Any] = _not_generated
        self.apply_vjp: Callable[..., Any] = _not_generated

    def _read_signature(self) -> None:
        """Inputs and attributes, from the forward's own signature."""
        self.variadic: bool = False
        self.attrs: dict[str, Any] = {}
        if isinstance(self.forward, Ufunc):
            self.inputs: tuple[str, ...] = self.forward.inputs
        else:
            inputs, self.attrs, self.variadic = _taken(self.forward)
            self.inputs = inputs[1:]
        if self.aliases and self.aliases not in self.inputs:
            raise TypeError(f"op {self.name!r}: aliases={self.aliases!r} is not one of its inputs {self.inputs}")

    def _read_vjp(self) -> tuple[str, ...]:
        """Everything the gradients mention, which is what a tape must keep."""
        self.output = "z" if "y" in self.inputs else "y"
        allowed = {*self.inputs, *(f"{name}_spec" for name in self.inputs), self.output, f"{self.output}_spec"}
        allowed |= set(self.attrs)
        saved: dict[str, None] = {}
        for target, function in self.vjp.items():
            names = _parameters(function)
            if target not in self.inputs or names[:2] != ["F", "g"] or not allowed.issuperset(names[2:]):
                raise TypeError(f"op {self.name!r}: a gradient takes F, g and names among {sorted(allowed)}: {names}")
            saved.update(dict.fromkeys(names[2:]))
        if hidden := _TAKEN & {*self.inputs, *self.attrs}:
            raise TypeError(f"op {self.name!r}: {sorted(hidden)} would hide names of the generated functions")
        return tuple(saved)

    @property
    def differentiable(self) -> str:
        """One 0 or 1 an input, as the recording keeps it; ``*`` for a variadic op with a gradient."""
        if not self.vjp:
            return ""
        return "*" if self.variadic else "".join("1" if name in self.vjp else "0" for name in self.inputs)

    def shared_input(self, count: int) -> int:
        """The position of the input whose memory the outputs use, of so many inputs; -1 for none."""
        if not self.aliases or (self.variadic and count > 1):
            return -1
        return self.inputs.index(self.aliases)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The same as ``run``, for code that holds the declaration."""
        return self.run(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<op {self.name}({', '.join([*self.inputs, *self.attrs])})>"


def _not_generated(*_args: Any, **_kwargs: Any) -> Any:
    raise TypeError("this op was declared without tapeviz.engine.op_definition.op")


def _types(types: Any, inputs: tuple[str, ...]) -> dict[str, Any]:
    """One entry an input: a set of dtypes, None for any, or the name of the earlier input whose dtype it must have."""
    if isinstance(types, Mapping):
        return {name: types[name] for name in inputs}
    return {name: types if position == 0 else inputs[0] for position, name in enumerate(inputs)}


def _groups(types: dict[str, Any], inputs: tuple[str, ...]) -> tuple[tuple[int, ...], ...]:
    """For each input the positions of those that must have its dtype, itself left out."""
    leader = {name: types[name] if isinstance(types[name], str) else name for name in inputs}
    return tuple(
        tuple(other for other, name in enumerate(inputs) if leader[name] == leader[mine] and name != mine)
        for mine in inputs
    )
