"""Traced functions as plain data, and functions that run it."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, Final

from tapeviz.engine import nest
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.scopes import TensorSpec
from tapeviz.engine.tensor import Tensor
from tapeviz.functions.arguments import Parameters
from tapeviz.functions.concrete import ConcreteFunction
from tapeviz.functions.function import Function, function
from tapeviz.saved_model.graph_def import GraphDef, Values
from tapeviz.saved_model.import_graph_def import GraphImporter
from tapeviz.saved_model.plain import Plain, Restored, UnknownError

__all__ = ["CALLED", "LoadedFunction", "as_function", "described_function", "is_function", "versions_of"]

CALLED: Final = "_called"
"""The attribute of a loaded object with what calling it was."""

_EMPTY: Final = inspect.Parameter.empty


def is_function(value: Any) -> bool:
    """Whether it is a function that can be saved."""
    return isinstance(value, (Function, LoadedFunction, ConcreteFunction))


def as_function(value: Any) -> Any:
    """The function itself where the value is a method of a module around one."""
    inner: Any = getattr(value, "__wrapped__", None)
    owner = getattr(value, "__self__", None)
    return inner.__get__(owner, type(owner)) if owner is not None and is_function(inner) else value


def versions_of(saved: Any) -> list[ConcreteFunction]:
    """The traces of a function; one with an ``input_signature`` is traced for that."""
    if isinstance(saved, ConcreteFunction):
        return [saved]
    if isinstance(saved, LoadedFunction):
        return [version.concrete() for version in saved.versions]
    if not saved._known and saved.input_signature is not None:
        saved.get_concrete_function()
    return [concrete for concrete, _ in saved._known.values()]


def described_function(saved: Any, values: Values) -> dict[str, Any]:
    """The plain form of a function.

    Raises:
        UnimplementedError: an op of it cannot be saved.
        AssertionError: it uses a variable that is not saved.
    """
    plain = Plain(_no_tensor, values.array)
    versions = []
    for concrete in versions_of(saved):
        arguments = saved.arguments_of(concrete) if isinstance(saved, LoadedFunction) else concrete.arguments
        try:
            told = [[name, plain(value)] for name, value in arguments]
        except UnknownError:
            continue  # it was traced for an object that only this process has
        form, outputs = _result(concrete, plain)
        versions.append({"arguments": told, "form": form, "graph": GraphDef(concrete.graph, outputs, values).plain})
    return {"name": saved.name, "parameters": _parameters(saved, plain), "versions": versions}


def _no_tensor(_: Any) -> Any:
    raise UnknownError("a tensor")


def _result(concrete: ConcreteFunction, plain: Plain) -> tuple[Any, list[Any]]:
    """The structure of what it gives with numbers in the places of tensors, and the tensors."""
    outputs = list(concrete._routine.outputs)
    numbered = [None if tensor is None else place for place, tensor in enumerate(outputs)]
    single = not nest.is_nested(concrete._form)
    return plain(numbered[0] if single and len(outputs) == 1 else nest.pack(concrete._form, numbered)), outputs


def _parameters(saved: Any, plain: Plain) -> list[list[Any]]:
    if isinstance(saved, ConcreteFunction):
        return [[name, 1, False, None] for name, _ in saved.arguments]
    found = []
    for parameter in saved._parameters.signature.parameters.values():
        try:
            default = None if parameter.default is _EMPTY else plain(parameter.default)
        except UnknownError:
            default = None
        found.append([parameter.name, int(parameter.kind), parameter.default is not _EMPTY, default])
    return found


class LoadedFunction:
    """A function that was saved: calls run the graph that fits the arguments.

    Args:
        plain: its plain form.
        player: runs graphs.
    """

    def __init__(self, plain: dict[str, Any], player: GraphImporter) -> None:
        restored = Restored(_no_tensor, lambda number: player.arrays[number])
        self.name: str = plain["name"]
        self.__name__: str = self.name
        kinds = list(inspect._ParameterKind)
        parameters = [
            inspect.Parameter(name, kinds[kind], default=restored(default) if has else _EMPTY)
            for name, kind, has, default in plain["parameters"]
        ]
        self._parameters = Parameters(inspect.Signature(parameters))
        self.versions: list[_Version] = [_Version(self.name, told, player, restored) for told in plain["versions"]]

    @property
    def concrete_functions(self) -> list[ConcreteFunction]:
        """Its traces."""
        return [version.concrete() for version in self.versions]

    def arguments_of(self, concrete: ConcreteFunction) -> list[tuple[str, Any]]:
        """The arguments that a trace of it was saved for."""
        return next(version.arguments for version in self.versions if version.concrete() is concrete)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run it.

        Raises:
            ValueError: it was not traced for arguments of this form.
        """
        named = self._parameters.named(args, kwargs)
        for version in self.versions:
            tensors = version.tensors(named)
            if tensors is not None:
                return version.concrete().run(tensors)
        expected = "\n".join(f"  Option {k + 1}: {v.text}" for k, v in enumerate(self.versions))
        given = ", ".join(f"{name}={value!r}" for name, value in named)
        raise ValueError(
            f"Could not find matching concrete function to call loaded from the SavedModel. Got:\n  {given}\n"
            f"Expected these arguments to match one of the following {len(self.versions)} option(s):\n{expected}"
        )

    def __repr__(self) -> str:
        return f"<loaded function {self.name}, {len(self.versions)} graph(s)>"


class _Version:
    """One graph of a function, for arguments of one form."""

    def __init__(self, name: str, told: dict[str, Any], player: GraphImporter, restored: Restored) -> None:
        self.arguments = [(argument, restored(value)) for argument, value in told["arguments"]]
        self._leaves = [leaf for _, value in self.arguments for leaf in nest.flatten(value)]
        form = restored(told["form"])

        def play(*tensors: Any) -> Any:
            outputs = player.play(told["graph"], tensors)
            packed = [None if place is None else outputs[place] for place in nest.flatten(form)]
            return nest.pack(form, packed)

        play.__name__ = name
        specs = [leaf for leaf in self._leaves if isinstance(leaf, TensorSpec)]
        self.run = function(play, input_signature=[_named(spec, k) for k, spec in enumerate(specs)], autograph=False)

    @property
    def text(self) -> str:
        """Its arguments, for people."""
        return ", ".join(f"{name}={value!r}" for name, value in self.arguments)

    def concrete(self) -> ConcreteFunction:
        """Its trace."""
        return self.run.get_concrete_function()

    def tensors(self, named: Sequence[tuple[str, Any]]) -> list[Any] | None:
        """The tensors among these arguments; None where they are of another form."""
        if [name for name, _ in named] != [name for name, _ in self.arguments]:
            return None
        found: list[Any] = []
        for (_, given), (_, wanted) in zip(named, self.arguments, strict=True):
            if isinstance(wanted, TensorSpec):
                leaves, specs = [given], [wanted]
            else:
                leaves, specs = nest.flatten(given), nest.flatten(wanted)
            if len(leaves) != len(specs):
                return None
            for leaf, spec in zip(leaves, specs, strict=True):
                if not _fits(leaf, spec, found):
                    return None
        return found


def _fits(leaf: Any, spec: Any, found: list[Any]) -> bool:
    """Whether a value fits; a tensor is put to those found."""
    if not isinstance(spec, TensorSpec):
        return not isinstance(leaf, Tensor) and bool(leaf == spec)
    if leaf is None or isinstance(leaf, (str, bool)):
        return False
    try:
        tensor = convert_to_tensor(leaf) if isinstance(leaf, Tensor) else convert_to_tensor(leaf, dtype=spec.dtype)
    except (TypeError, ValueError):
        return False
    found.append(tensor)
    return bool(spec.is_compatible_with(tensor))


def _named(spec: TensorSpec, place: int) -> TensorSpec:
    """The spec with a name that an input of a graph can have."""
    return TensorSpec(spec.shape, spec.dtype, spec._name or f"input_{place}")
