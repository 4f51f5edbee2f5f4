"""Elements that a user's Python generator gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from tapeviz.data.nodes import Element, Node, Run
from tapeviz.data.structures import component, labels, named
from tapeviz.engine import errors, nest
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.scopes import TensorSpec
from tapeviz.engine.shapes import TensorShape
from tapeviz.engine.symbolic import SymbolicTensor
from tapeviz.engine.types import with_own_dtype

__all__ = ["GeneratorNode", "signature"]

_CLASSES: Final = {
    ValueError: errors.InvalidArgumentError,
    TypeError: errors.InvalidArgumentError,
    StopIteration: errors.OutOfRangeError,
    MemoryError: errors.ResourceExhaustedError,
    NotImplementedError: errors.UnimplementedError,
}


def signature(output_types: Any, output_shapes: Any, output_signature: Any) -> Any:
    """The spec of the elements that a generator promises.

    Raises:
        TypeError: nothing is said, or twice, or it is not a structure of specs.
    """
    if (output_types is not None or output_shapes is not None) and output_signature is not None:
        raise TypeError(
            "The `output_types` and `output_shapes` arguments can not be used together with the `output_signature` "
            "argument."
        )
    if output_signature is None:
        if output_types is None:
            raise TypeError(
                "To specify the output signature you need to provide either the `output_signature` argument or the "
                "`output_types` argument."
            )
        return _from_types(output_types, output_shapes)
    for leaf in [output_signature] if isinstance(output_signature, list) else nest.flatten(output_signature):
        if not isinstance(leaf, TensorSpec):
            raise TypeError(
                "`output_signature` must contain objects that are subclass of `tf.TypeSpec` but found "
                f"{type(leaf)} which is not."
            )
    return output_signature


def _from_types(types: Any, shapes: Any) -> Any:
    flat = nest.flatten(types)
    sizes = [TensorShape(None)] * len(flat) if shapes is None else _shapes(types, shapes)
    return nest.pack(types, [TensorSpec(shape, as_dtype(dtype)) for dtype, shape in zip(flat, sizes, strict=True)])


def _shapes(types: Any, shapes: Any) -> list[TensorShape]:
    """The shape at each place of a dtype."""
    if isinstance(types, Mapping):
        return [shape for key in sorted(types) for shape in _shapes(types[key], shapes[key])]
    if isinstance(types, (tuple, list)):
        if len(types) != len(shapes):
            raise ValueError(f"output_shapes {shapes} do not have the structure of output_types {types}")
        return [shape for one, other in zip(types, shapes, strict=True) for shape in _shapes(one, other)]
    return [TensorShape(shapes)]


class GeneratorNode(Node):
    """What a generator gives, which is begun anew for each pass.

    Raises:
        TypeError: it cannot be called.
    """

    name = "FlatMap"

    def __init__(self, generator: Any, spec: Any, args: Sequence[Any]) -> None:
        if not callable(generator):
            raise TypeError("`generator` must be a Python callable.")
        self._generator: Callable[..., Any] = generator
        self._args = [component(value) for value in args]
        self.symbols: tuple[Any, ...] = tuple(value for value in self._args if isinstance(value, SymbolicTensor))
        self.spec = spec
        self._leaves: list[TensorSpec] = nest.flatten(spec)
        self._names = labels(spec)
        self._single = self._leaves == [spec]

    def open(self, run: Run) -> Iterator[Element]:
        """Give them.

        Raises:
            OpError: the generator raised, or gave something else than it promised.
        """
        arguments = [value[()] if value.ndim == 0 else value.copy() for value in map(run.value, self._args)]
        elements = self._asked(lambda: iter(self._generator(*arguments)), 0)
        number = 0
        try:
            while True:
                element = self._asked(lambda: next(elements, _END), number)
                if element is _END:
                    return
                yield self._converted(element, number)
                number += 1
        finally:
            close = getattr(elements, "close", None)
            if close is not None:
                close()

    def _asked(self, ask: Callable[[], Any], number: int) -> Any:
        """What the generator gives. What it raises is an error of the op, as in ``tf.data``."""
        try:
            return ask()
        except errors.OpError:
            raise
        except Exception as error:
            kind = next((ours for theirs, ours in _CLASSES.items() if isinstance(error, theirs)), errors.UnknownError)
            raise kind(
                f"{type(error).__name__}: {error}\n`generator` {self._title} raised this for element {number}.",
                "GeneratorDataset",
            ) from error

    @property
    def _title(self) -> str:
        return str(getattr(self._generator, "__qualname__", type(self._generator).__name__))

    def _converted(self, element: Any, number: int) -> Element:
        if self._single:
            return (self._part(element, 0, number),)
        parts: list[Any] = []
        if not _into(self.spec, element, parts):
            raise errors.InvalidArgumentError(
                "TypeError: `generator` yielded an element that did not match the expected structure. The expected "
                f"structure was {_types(self.spec)}, but element {number} of {self._title} was {_short(element)}.",
                "GeneratorDataset",
            )
        return tuple([self._part(part, place, number) for place, part in enumerate(parts)])

    def _part(self, value: Any, place: int, number: int) -> np.ndarray:
        spec = self._leaves[place]
        array = _array(value, spec.dtype.numpy)
        where = f"element {number} of {self._title}"
        if self._names[place]:
            where += f", {named(place, self._names)}"
        if array is None:
            raise errors.InvalidArgumentError(
                "TypeError: `generator` yielded an element that could not be converted to the expected type. The "
                f"expected type was {spec.dtype.name}, but {where} was {_short(value)}.",
                "GeneratorDataset",
            )
        if not spec.shape.is_compatible_with(array.shape):
            raise errors.InvalidArgumentError(
                f"TypeError: `generator` yielded an element of shape {array.shape} where an element of shape "
                f"{spec.shape} was expected: {where}.",
                "GeneratorDataset",
            )
        return array


_END: Final = object()


def _types(spec: Any) -> Any:
    return nest.pack(spec, [leaf.dtype for leaf in nest.flatten(spec)])


def _short(value: Any, most: int = 120) -> str:
    text = repr(value)
    return text if len(text) <= most else f"{text[:most]}..."


def _into(spec: Any, value: Any, parts: list[Any]) -> bool:
    """Take a value apart as the spec is; False where it has another structure."""
    if isinstance(spec, TensorSpec):
        parts.append(value)
        return True
    if isinstance(spec, Mapping):
        if not isinstance(value, Mapping) or set(value) != set(spec):
            return False
        return all(_into(spec[key], value[key], parts) for key in sorted(spec))
    if not isinstance(value, tuple) or len(value) != len(nest.parts(spec) or ()):
        return False
    return all(_into(one, other, parts) for one, other in zip(nest.parts(spec) or (), value, strict=True))


def _array(value: Any, dtype: np.dtype) -> np.ndarray | None:
    """The value as an array of this dtype and nobody else's; None where it would become something else."""
    try:
        if dtype.kind == "O":
            return convert_to_tensor(value, dtype="string")._host()
        given = value._host() if hasattr(value, "_host") else np.asarray(value)
        if given.dtype == dtype:
            return with_own_dtype(np.array(given, order="C"))
        if given.dtype.kind not in "biufc" and given.dtype.kind != "V":
            return None
        made = given.astype(dtype)
    except (TypeError, ValueError, OverflowError):
        return None
    # Smaller floats round, as everywhere. Whole numbers must stay what they are.
    whole = dtype.kind in "iub" or (dtype.kind != "c" and given.dtype.kind == "c")
    return None if whole and not np.array_equal(made.astype(given.dtype), given) else made
