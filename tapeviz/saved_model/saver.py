"""``tf.saved_model.save``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tapeviz.engine.os_errors import translate_os_errors
from tapeviz.engine.variable import Variable
from tapeviz.saved_model.functions import CALLED, as_function, described_function, is_function, versions_of
from tapeviz.saved_model.graph_def import Values
from tapeviz.train.files import write_checkpoint
from tapeviz.train.trackable import Node, is_trackable, reachable

__all__ = ["DEFAULT_SERVING_SIGNATURE_DEF_KEY", "NAME", "SaveOptions", "save"]

NAME: Final = "saved_model"
DEFAULT_SERVING_SIGNATURE_DEF_KEY: Final = "serving_default"


class SaveOptions:
    """Options of saving; all are accepted, and change nothing."""

    def __init__(self, **options: Any) -> None:
        vars(self).update(options)


def save(obj: Any, export_dir: Any, signatures: Any = None, options: Any = None) -> None:
    """Write an object's variables and traced functions to a folder, from which :func:`load` makes it without its code.

    Kept are the variables, lists, dicts and modules in attributes, and each ``tf.function`` in an attribute or method,
    with the graphs that it has been traced into (one with an ``input_signature`` is traced now). Of a Keras model that
    is built, calling it for inference is kept.

    Args:
        obj: a module, layer or model.
        export_dir: the folder.
        signatures: a function, or functions by name, to call by name after loading: concrete ones, or such with an
            ``input_signature``.
        options: accepted.

    Raises:
        ValueError: ``obj`` is not an object with variables; a signature is not traced for one form of arguments.
        AssertionError: a function uses a variable that is in no attribute.
        UnimplementedError: an op cannot be saved, such as a call of Python: which one, and where it comes from.
        PermissionDeniedError, NotFoundError, FailedPreconditionError, ResourceExhaustedError: the files cannot be
            written. What was saved in the folder before is there as it was.

    >>> import tapeviz as tf, tempfile
    >>> class Line(tf.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.slope = tf.Variable(2.0)
    ...     @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    ...     def at(self, x):
    ...         return self.slope * x
    >>> folder = tempfile.mkdtemp()
    >>> tf.saved_model.save(Line(), folder)
    >>> tf.saved_model.load(folder).at(tf.constant([1.0, 2.0])).numpy()
    array([2., 4.], dtype=float32)
    """
    if not is_trackable(obj) or isinstance(obj, Variable):
        raise ValueError(f"Expected an object with variables as its attributes for export. Got {obj!r}.")
    folder = Path(os.fspath(export_dir))
    nodes = reachable(obj, empty=True)
    variables = [node.owner for node in nodes if isinstance(node.owner, Variable)]
    values = Values({variable._number: number for number, variable in enumerate(variables)})
    functions: list[Any] = []
    told = [_described(node, functions) for node in nodes]
    named = _signatures(signatures, functions[: len(told[0]["functions"])])
    plain = {
        "nodes": told,
        "functions": [described_function(found, values) for found in functions],
        "signatures": {name: [described_function(found, values), *_names(found)] for name, found in named.items()},
    }
    arrays = {f"variables/{k}": variable._value._host() for k, variable in enumerate(variables)}
    arrays |= {f"constants/{k}": array for k, array in enumerate(values.arrays)}
    with translate_os_errors(f"Cannot write a saved model to {folder}"):
        folder.mkdir(parents=True, exist_ok=True)
    write_checkpoint(os.path.join(folder, NAME), arrays, plain)  # noqa: PTH118 - a prefix


def _described(node: Node, functions: list[Any]) -> dict[str, Any]:
    """An object: what sort it is, what it has, and the numbers of its functions."""
    owner = node.owner
    if isinstance(owner, Variable):
        shape = owner.shape.dims
        return {"sort": "variable", "name": owner.name, "trainable": owner.trainable, "shape": shape, "children": {},
                "functions": {}}  # fmt: skip
    sort = "list" if isinstance(owner, (list, tuple)) else "dict" if isinstance(owner, Mapping) else "object"
    found = _functions(owner) if sort == "object" else {}
    numbers = {name: len(functions) + k for k, name in enumerate(found)}
    functions += found.values()
    return {"sort": sort, "name": getattr(owner, "name", ""), "children": node.children, "functions": numbers}


def _functions(owner: Any) -> dict[str, Any]:
    """The traced functions of an object, by the name of attribute or method."""
    found: dict[str, Any] = {}
    for cls in reversed(type(owner).__mro__):
        for name, value in vars(cls).items():
            inner: Any = value if is_function(value) else getattr(value, "__wrapped__", None)
            if is_function(inner):
                found[name] = inner.__get__(owner, cls)
    own = getattr(owner, "__dict__", {})
    found |= {"__call__" if name == CALLED else name: value for name, value in own.items() if is_function(value)}
    if "__call__" not in found and (inference := getattr(owner, "_inference", None)) is not None:
        found["__call__"] = inference()  # of a model: what it computes without training
    return {name: value for name, value in found.items() if value is not None and versions_of(value)}


def _signatures(given: Any, functions: list[Any]) -> dict[str, Any]:
    """The functions to call by name; without any given, the object's only one."""
    if given is None:
        single = [found for found in functions if len(versions_of(found)) == 1]
        given = single[0] if len(single) == len(functions) == 1 else {}
    named = given if isinstance(given, Mapping) else {DEFAULT_SERVING_SIGNATURE_DEF_KEY: given}
    named = {name: as_function(found) for name, found in named.items()}
    for name, found in named.items():
        if not is_function(found) or len(versions_of(found)) != 1:
            raise ValueError(
                f"Expected a TensorFlow function for which to generate a signature, but got {found!r} under {name!r}. "
                "Give a concrete function, or a tf.function with an `input_signature`."
            )
    return named


def _names(found: Any) -> list[list[str]]:
    """What the inputs and outputs of a signature are called."""
    (concrete,) = versions_of(found)
    form = concrete._form
    by_key = isinstance(form, dict) and all(isinstance(key, str) for key in form)
    outputs = sorted(form) if by_key else [f"output_{k}" for k in range(len(concrete.outputs))]
    return [[tensor.name.partition(":")[0] for tensor in concrete.graph.inputs], outputs]
