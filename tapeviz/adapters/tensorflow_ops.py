"""What a recording says of TensorFlow's ops: our declarations have TensorFlow's names, so that no table is needed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from tensorflow.python.framework import dtypes, op_def_registry, ops

from tapeviz.adapters.foreign_op import ForeignOp, declared
from tapeviz.engine.declaration import registry

__all__ = ["TensorFlowOp", "attributes", "composite_op", "function_op", "op_of"]

_OURS: Final = {op.tf_name: op for op in registry.values()}
_FUNCTION: Final = re.compile(r"__(?:inference|forward|backward)_(.+?)_\d+$")
_WRITES: Final = re.compile(r"Assign\w*VariableOp$|Resource(Sparse)?Apply|ResourceScatter|ResourceStridedSliceAssign")
_COMPUTES: Final = {"AssignAddVariableOp": "AddV2", "AssignSubVariableOp": "Sub"}
_SHARING: Final = frozenset({"reshapes", "identity", "stops_gradient"})
_INTEGERS: Final = frozenset(
    {dtypes.int16.as_datatype_enum, dtypes.int32.as_datatype_enum, dtypes.int64.as_datatype_enum}
)
_RESOURCE: Final = dtypes.resource.as_datatype_enum
_AXES: Final = frozenset({"reduction_indices", "dimension", "concat_dim", "split_dim", "dim"})
_RENAMED: Final = {"keep_dims": "keepdims"}
_MOST: Final = 8  # items of an attribute


@dataclass(frozen=True, slots=True, eq=False)
class TensorFlowOp(ForeignOp):
    """What the packer asks of a declaration, for an op of TensorFlow's.

    Attributes:
        writes: whether it sets the variable whose handle is its first input.
        computes: the op that gives the new value from the old one and another; None where none of ours does.
        numbers: by position, from the end where negative, the inputs that say what is to be done and are no data: an
            axis, a shape. By the names that they have as attributes.
        swapped: whether its first two inputs are kept the other way round, as our declaration has them.
        states: whether it may be given, or give, what stands for a state, such as a variable's handle.
    """

    writes: bool = False
    computes: TensorFlowOp | None = None
    numbers: tuple[tuple[int, str], ...] = ()
    swapped: bool = False
    states: bool = True


@cache
def op_of(op_type: str) -> TensorFlowOp:
    """The declaration of an op, by TensorFlow's name for its type."""
    if _WRITES.match(op_type):
        name = op_type.removeprefix("Resource").removesuffix("VariableOp")
        facts = {**declared("assign"), "effects": "write"}
        name, computes = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower(), _COMPUTES.get(op_type)
        return TensorFlowOp(
            name if computes is None else "assign", differentiable="", writes=True,
            computes=None if computes is None else op_of(computes), **facts,
        )  # fmt: skip
    if (function := _FUNCTION.match(op_type)) is not None:
        return TensorFlowOp(function[1])
    ours, definition = _OURS.get(op_type), op_def_registry.get(op_type)
    has_gradient = _has_gradient(op_type)
    states = definition is None or any(one.type == _RESOURCE for one in (*definition.input_arg, *definition.output_arg))
    if ours is None:
        return TensorFlowOp(op_type, differentiable="*" if has_gradient else "", states=states)
    facts, swapped = declared(ours.name), "CrossEntropy" in op_type
    through = "*" if ours.variadic and ours.vjp else ours.differentiable
    return TensorFlowOp(
        ours.name, differentiable=through if has_gradient else "", surrogate=ours.surrogate,
        view=bool(ours.aliases and ours.traits & _SHARING), swapped=swapped, states=states,
        numbers=_numbers(definition, len(ours.inputs)) if definition is not None else (), **facts,
    )  # fmt: skip


@cache
def composite_op(ours: str) -> TensorFlowOp:
    """The declaration of what is one op here and several in TensorFlow."""
    op = registry[ours]
    return TensorFlowOp(ours, differentiable=op.differentiable, surrogate=op.surrogate, **declared(ours))


@cache
def function_op(name: str, *, through: bool = True) -> TensorFlowOp:
    """The declaration of a function of the user's; ``through``: whether it has a gradient of its own."""
    return TensorFlowOp(name, differentiable="*" if through else "")


def _has_gradient(op_type: str) -> bool:
    try:
        return ops.gradient_registry.lookup(op_type) is not None
    except LookupError:
        return False


def _numbers(definition: Any, ours: int) -> tuple[tuple[int, str], ...]:
    """The inputs beyond as many as ours has that can be of integers alone; those last in the signature first."""
    whole = {
        attr.name
        for attr in definition.attr
        if attr.type == "type" and attr.allowed_values.list.type and _INTEGERS.issuperset(attr.allowed_values.list.type)
    }
    arguments = list(definition.input_arg)
    several = next((at for at, one in enumerate(arguments) if one.number_attr), len(arguments))
    found: dict[int, str] = {}
    for at in reversed(range(len(arguments))):
        one = arguments[at]
        if len(arguments) - len(found) > ours and (one.type in _INTEGERS or one.type_attr in whole):
            found[at if at < several else at - len(arguments)] = "axis" if one.name in _AXES else one.name
    return tuple(found.items())


def attributes(op: TensorFlowOp, inputs: Sequence[Any], attrs: Sequence[Any]) -> dict[str, Any] | None:
    """What an op was given beside data: small inputs of integers, and its attributes that are no dtypes."""
    found: dict[str, Any] = {}
    for at, name in op.numbers:
        if inputs[at].shape.num_elements() <= _MOST:
            found[name] = inputs[at]._numpy().tolist()
    for name, value in zip(attrs[::2], attrs[1::2], strict=False):
        if name[:1] not in "TN" and isinstance(value, (bool, int, float, str)) and "type" not in name:
            found[_RENAMED.get(name, name)] = value
    return found or None
