"""``tf.saved_model.load``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.scopes import Module
from tapeviz.engine.tensor import wrap
from tapeviz.engine.variable import Variable
from tapeviz.graphs.ir.tracing import init_scope
from tapeviz.saved_model.functions import CALLED, LoadedFunction
from tapeviz.saved_model.import_graph_def import GraphImporter
from tapeviz.saved_model.saver import NAME
from tapeviz.train.files import CheckpointReader, MissingFileError, checkpoint_exists

__all__ = ["LoadOptions", "contains_saved_model", "load"]


class LoadOptions:
    """Options of loading; all are accepted, and change nothing."""

    def __init__(self, **options: Any) -> None:
        vars(self).update(options)


def contains_saved_model(export_dir: Any) -> bool:
    """Whether there is a saved model in a folder."""
    return checkpoint_exists(Path(os.fspath(export_dir)) / NAME)


def load(export_dir: Any, tags: Any = None, options: Any = None) -> Any:
    """Read what :func:`save` has written.

    Args:
        export_dir: the folder.
        tags: accepted as TensorFlow does, like ``options``.
        options: accepted.

    Returns:
        An object with the same attributes: variables, functions, lists, dicts and objects; ``signatures`` has the
        functions to call by name, with tensors by name, which give dicts. Gradients go through all of them.

    Raises:
        NotFoundError: there is no saved model in the folder; it is an OSError, too.
        DataLossError: a file is damaged or cut: which, and which tensor.
    """
    prefix = os.path.join(os.fspath(export_dir), NAME)  # noqa: PTH118 - a prefix
    if not checkpoint_exists(prefix):
        raise MissingFileError(f"SavedModel file does not exist at: {os.fspath(export_dir)}/{NAME}.index")
    reader = CheckpointReader(prefix)
    reader.check()
    plain = reader.objects
    shapes = reader.get_variable_to_shape_map()
    arrays = [reader.get_tensor(f"constants/{k}") for k in range(sum(key.startswith("constants/") for key in shapes))]
    told = [node for node in plain["nodes"] if node["sort"] == "variable"]
    with init_scope():
        variables = [_variable(node, reader.get_tensor(f"variables/{k}")) for k, node in enumerate(told)]
    player = GraphImporter(arrays, variables)
    functions = [LoadedFunction(found, player) for found in plain["functions"]]
    root = _objects(plain["nodes"], variables, functions)
    root.signatures = {
        name: Signature(LoadedFunction(found, player), *names) for name, (found, *names) in plain["signatures"].items()
    }
    return root


def _variable(told: dict[str, Any], value: Any) -> Variable:
    made = Variable(wrap(value), trainable=told["trainable"], shape=told["shape"])
    made._label = told["name"]
    return made


class Loaded(Module):
    """An object that was saved."""

    signatures: Any

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name or "loaded"


class LoadedCallable(Loaded):
    """An object that was saved, and that can be called."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run what calling it was."""
        return self._called(*args, **kwargs)

    _called: Any


def _objects(nodes: Sequence[dict[str, Any]], variables: list[Variable], functions: list[Any]) -> Any:
    """All objects, with what they have in its place; the first of them."""
    remaining = iter(variables)
    made = [_empty(node, remaining) for node in nodes]
    for owner, node in zip(made, nodes, strict=True):
        for name, number in node["children"].items():
            if node["sort"] == "object":
                setattr(owner, name, made[number])
            elif node["sort"] == "dict":
                owner[name] = made[number]
            else:
                owner.append(made[number])
        for name, number in node["functions"].items():
            setattr(owner, CALLED if name == "__call__" else name, functions[number])
    return made[0]


def _empty(node: dict[str, Any], variables: Any) -> Any:
    if node["sort"] == "variable":
        return next(variables)
    if node["sort"] != "object":
        return [] if node["sort"] == "list" else {}
    return (LoadedCallable if "__call__" in node["functions"] else Loaded)(node["name"])


class Signature:
    """A function to call with tensors by name, which gives tensors by name."""

    def __init__(self, called: LoadedFunction, inputs: list[str], outputs: list[str]) -> None:
        self._called = called
        self.inputs = inputs
        self.output_names = outputs
        self._version = called.versions[0]

    @property
    def structured_outputs(self) -> dict[str, Any]:
        """What it gives, as specs by name."""
        return dict(zip(self.output_names, self._version.concrete().outputs, strict=True))

    def __call__(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Run it with tensors by name; one alone may come without.

        Raises:
            TypeError: there are too few, too many, or others.
        """
        if sorted([*self.inputs[: len(args)], *kwargs]) != sorted(self.inputs):
            raise TypeError(
                f"signature {self._called.name} takes {', '.join(self.inputs) or 'nothing'}; got {len(args)} "
                f"positional arguments and {', '.join(kwargs) or 'no keyword arguments'}"
            )
        given = [*args, *(kwargs[name] for name in self.inputs[len(args) :])]
        specs = self._version.run.input_signature or ()
        tensors = [convert_to_tensor(value, dtype=spec.dtype) for value, spec in zip(given, specs, strict=True)]
        outputs = [tensor for tensor in nest.flatten(self._version.concrete().run(tensors)) if tensor is not None]
        return dict(zip(self.output_names, outputs, strict=True))

    def __repr__(self) -> str:
        return f"<signature {self._called.name}({', '.join(self.inputs)}) -> {', '.join(self.output_names)}>"
