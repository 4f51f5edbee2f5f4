"""Branches and loops, eagerly: Python's own; and what may be given as branches.

:mod:`tapeviz.graphs.control.control_flow` has the public functions, which check their arguments.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.tensor import Tensor
from tapeviz.engine.variable import Variable
from tapeviz.ops.control.nest import assert_same_structure
from tapeviz.ops.debugging.assertions import Assert

__all__ = ["case", "checked_branches", "checked_pairs", "cond", "while_loop"]


def cond(pred: Any, true_fn: Any, false_fn: Any) -> Any:
    """What one of the functions gives."""
    chosen: Any = true_fn if pred is True or (pred is not False and convert_to_tensor(pred)) else false_fn
    return _unpacked(chosen())


def _unpacked(result: Any) -> Any:
    """What a branch gave, its variables read."""
    return nest.map_structure(lambda leaf: leaf.value() if isinstance(leaf, Variable) else leaf, result)


def case(pairs: list[Any], default: Any) -> Any:
    """What the function beside the first true condition gives."""
    for condition, function in pairs:
        if condition:
            return _unpacked(function())
    if default is None:
        conditions = [condition for condition, _ in pairs]
        Assert(convert_to_tensor(False), ["Input error: None of conditions evaluated as True:", *conditions])
        raise InvalidArgumentError("None of conditions evaluated as True.")
    return _unpacked(default())


def checked_pairs(given: Any, default: Any, *, exclusive: bool) -> list[Any]:
    """The pairs of conditions and functions given to ``case``. Raises where they are none."""
    pairs = _condition_pairs(given, exclusive=exclusive)
    for condition, function in pairs:
        if not isinstance(condition, (Tensor, Variable)):
            raise TypeError(f"pred must be a Tensor, got: {condition}")
        if condition.dtype != "bool":
            raise TypeError(f"pred must be of type bool: {condition!r}")
        if not callable(function):
            raise TypeError(f"fn for pred {condition!r} must be callable.")
    if default is not None and not callable(default):
        raise TypeError("'false_fn' must be callable.")
    return pairs


def _condition_pairs(given: Any, *, exclusive: bool) -> list[Any]:
    if isinstance(given, Mapping):
        if not exclusive and not isinstance(given, OrderedDict):
            raise ValueError(
                "Unordered dictionaries are not supported for the 'pred_fn_pairs' argument when `exclusive=False` and "
                "eager mode is enabled."
            )
        return [(key.deref() if hasattr(key, "deref") else key, function) for key, function in given.items()]
    if not isinstance(given, (list, tuple)):
        raise TypeError(f"'pred_fn_pairs' must be a list, tuple, or dict. Received: {type(given)}")
    for pair in given:
        if not isinstance(pair, tuple) or len(pair) != 2:  # noqa: PLR2004 - a pair
            raise TypeError(f"Each entry in 'pred_fn_pairs' must be a 2-tuple. Received {pair}.")
    return list(given)


def checked_branches(branch_index: Any, branch_fns: Any, default: Any) -> list[Any]:
    """The functions given to ``switch_case``, in order, the default last. Raises where they are none."""
    functions = _branches(branch_fns)
    if not isinstance(branch_index, (Tensor, Variable)):
        raise TypeError(f"'branch_index' must be a Tensor, got {type(branch_index)}")
    if not branch_index.dtype.is_integer:
        raise TypeError(f"'branch_index' must be an integer Tensor, got {branch_index.dtype}")
    if default is not None:
        if not callable(default):
            raise TypeError("'default' must be callable.")
        functions = [*functions, default]
    return functions


def _branches(given: Any) -> list[Any]:
    if isinstance(given, Mapping):
        given = list(given.items())
    if not isinstance(given, (list, tuple)):
        raise TypeError("'branch_fns' must be a list, tuple, or dict")
    if not given:
        raise ValueError("Must provide at least one item in 'branch_fns'")
    pairs = list(enumerate(given)) if all(map(callable, given)) else list(given)
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:  # noqa: PLR2004 - a pair
            raise TypeError(f"Each entry in 'branch_fns' must be a 2-tuple. Received {pair}.")
        if not isinstance(pair[0], int):
            raise TypeError(f"key must be a Python `int`, got {type(pair[0])}")
        if not callable(pair[1]):
            raise TypeError(f"fn for key {pair[0]} must be callable.")
    pairs.sort(key=lambda pair: pair[0])
    keys = [key for key, _ in pairs]
    if keys != list(range(len(keys))):
        raise ValueError(
            f"branch indices (keys) must form contiguous range of [0 to {len(keys)}) but found "
            f"{{{','.join(map(str, keys))}}}"
        )
    return [function for _, function in pairs]


def while_loop(cond: Any, body: Any, loop_vars: Any, maximum_iterations: Any) -> Any:
    """A loop of Python's."""
    form, left = loop_vars, None if maximum_iterations is None else int(maximum_iterations)
    values = loop_vars
    while (left is None or left > 0) and cond(*values):
        values = body(*values)
        assert_same_structure(list(form), list(values))
        left = None if left is None else left - 1
    return nest.map_structure(_value, values)


def _value(leaf: Any) -> Any:
    return convert_to_tensor(leaf) if isinstance(leaf, (bool, int, float, complex, list)) else leaf
