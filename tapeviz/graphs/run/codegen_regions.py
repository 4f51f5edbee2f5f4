"""The lines of a region: what compiled code is given, the call of it, and names for what it has made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.graphs.ir.special_nodes import CAPTURE, CONSTANT, READ
from tapeviz.graphs.memory.flat_packs import Pack
from tapeviz.graphs.passes.label_gather import refuse_others
from tapeviz.graphs.passes.plan import PICK, Step
from tapeviz.graphs.run.codegen_packs import prepared_pack

if TYPE_CHECKING:
    from tapeviz.graphs.memory.buffers import Memory
    from tapeviz.graphs.native.code import ShapeDtype
    from tapeviz.graphs.run.function_writer import FunctionWriter
    from tapeviz.graphs.run.regions import Region

__all__ = ["step_of", "write_region"]


def step_of(unit: Step | Pack) -> Step:
    """The step that an error in a unit belongs to."""
    return unit.step if isinstance(unit, Pack) else unit


def write_region(text: FunctionWriter, memory: Memory, region: Region, units: Sequence[Step | Pack]) -> None:
    """Write all lines of a region."""
    packs = []
    for unit in units:
        if isinstance(unit, Pack):
            packs.append(prepared_pack(text, memory, unit))
        elif unit.op in (READ, CONSTANT, CAPTURE):
            text.write(unit)
        else:
            _home(text, memory, unit)
    names = ", ".join(["memory", *map(text.name, region.arrays)])
    forms = [(text.sizes.of(value) or (), value._a.dtype) for value in region.arrays]
    function, given = text.constant(region.function(forms), "n"), text.constant(forms, "c")
    text.constant(region, "n")  # which keeps the code
    again = text.constant(_run_again, "k")
    picks = [unit for unit in units if isinstance(unit, Step) and unit.op is PICK]
    labels = "".join(f"({text.name(pick.inputs[0])}, {_classes(text, pick)}), " for pick in picks)
    call = f"if {function}({names}) is not None: {again}({function}, ({labels}), {given}, {names})"
    text.line(step_of((picks or units)[-1]), call)
    for pack in packs:
        pack.name_results()


def _classes(text: FunctionWriter, pick: Step) -> int:
    return (text.sizes.of(pick.inputs[1]) or ())[-1]


def _run_again(
    function: Callable[..., Any], labels: Sequence[tuple[np.ndarray, int]], forms: Sequence[ShapeDtype],
    memory: np.ndarray,
    *arrays: np.ndarray,
) -> None:  # fmt: skip
    """Call code that has refused with copies of what is no array, or none that lies row by row.

    Args:
        function: the code.
        labels: arrays of labels, and how many classes there are for each.
        forms: the shapes and dtypes for which the code is written.
        memory: what the code is given, and so on.
        arrays: what may be copied.

    Raises:
        InvalidArgumentError: a label that is no class was the reason, or an array of another shape.
    """
    for array, (shape, _) in zip(arrays, forms, strict=True):
        if array.shape != shape:
            raise InvalidArgumentError(f"expected a value of shape {list(shape)}, got one of {list(array.shape)}")
    pairs = zip(arrays, forms, strict=True)
    lying = [array if _lies(array, dtype) else np.array(array, dtype, order="C") for array, (_, dtype) in pairs]
    if function(memory, *lying) is not None:
        for given, classes in labels:
            refuse_others(given, classes)
        raise InvalidArgumentError("compiled code rejected its inputs")


def _lies(array: Any, dtype: np.dtype) -> bool:
    """Whether code can use an array as it is."""
    alike = type(array) is np.ndarray and array.dtype.num == dtype.num and array.dtype.isnative
    return bool(alike and array.flags.c_contiguous and array.flags.aligned)


def _home(text: FunctionWriter, memory: Memory, step: Step) -> None:
    """Name the place for the result of a step that compiled code computes."""
    value = step.outputs[0]
    if id(value) in memory.views:
        text.view(value, memory)
    elif (array := memory.arrays.get(id(value))) is not None:
        text.call(value, text.buffer(array))
    else:
        text.empty(step)
