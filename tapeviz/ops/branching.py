"""Branches and loops as functions: ``cond``, ``case``, ``switch_case``, ``while_loop``. Eagerly they are Python's."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.convert import convert_to_tensor
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.tensor import EagerTensor, Tensor
from tapeviz.engine.variable import Variable
from tapeviz.ops.assertions import Assert
from tapeviz.ops.structures import assert_same_structure

__all__ = ["case", "checked_branches", "checked_pairs", "cond", "switch_case", "while_loop"]


def cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    name: str | None = None,
) -> Any:
    """What ``true_fn`` gives where ``pred`` is true, else what ``false_fn`` gives.

    Args:
        pred: one truth value.
        true_fn: called without arguments.
        false_fn: likewise.
        name: accepted as TensorFlow does.

    Raises:
        TypeError: a function is missing or cannot be called.

    >>> import tapeviz as tf
    >>> tf.cond(tf.constant(1) < 2, lambda: "less", lambda: "not less")
    'less'
    """
    for which, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if function is None:
            raise TypeError(f"cond(): '{which}' argument required")
        if not callable(function):
            raise TypeError(f"'{which}' must be callable.")
    chosen: Any = true_fn if pred is True or (pred is not False and convert_to_tensor(pred)) else false_fn
    return _unpacked(chosen())


def _unpacked(result: Any) -> Any:
    """What a branch gave, its variables read."""
    return nest.map_structure(lambda leaf: leaf.value() if isinstance(leaf, Variable) else leaf, result)


def case(
    pred_fn_pairs: Any,
    default: Callable[[], Any] | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """What the function beside the first true condition gives.

    Args:
        pred_fn_pairs: pairs of a truth value and a function without arguments.
        default: called when no condition is true.
        exclusive: accepted as TensorFlow does, whose eager form does not look beyond the first true condition.
        strict: accepted as TensorFlow does.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: no condition is true, and there is no ``default``.
        TypeError: something is not a pair, a condition is not a truth value as a tensor, or a function is none.
        ValueError: a plain dict, which has no order that counts.

    >>> import tapeviz as tf
    >>> x = tf.constant(3)
    >>> tf.case([(x < 2, lambda: "small"), (x < 5, lambda: "middling")], default=lambda: "large")
    'middling'
    """
    pairs = checked_pairs(pred_fn_pairs, default, exclusive=exclusive)
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


def switch_case(
    branch_index: Any, branch_fns: Any, default: Callable[[], Any] | None = None, name: str = "switch_case"
) -> Any:
    """What the function at ``branch_index`` gives; the last one, or ``default``, when there is no such.

    Args:
        branch_index: one integer as a tensor.
        branch_fns: functions without arguments; or pairs of an index and a function, or a dict, with indices from 0 on.
        default: called when there is no such index.
        name: accepted as TensorFlow does.

    Raises:
        TypeError: the index is not an integer tensor, or a function is none.
        ValueError: there are no functions, or their indices leave gaps.

    >>> import tapeviz as tf
    >>> tf.switch_case(tf.constant(1), [lambda: "first", lambda: "second"])
    'second'
    """
    functions = checked_branches(branch_index, branch_fns, default)
    index = int(convert_to_tensor(branch_index))
    return functions[index if 0 <= index < len(functions) else -1]()


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


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    """Replace ``loop_vars`` by what ``body`` gives for them as long as ``cond`` of them is true.

    Args:
        cond: takes the loop's variables, gives one truth value.
        body: takes them, gives their next values in the same structure.
        loop_vars: a list or tuple of values to begin with.
        shape_invariants: accepted as TensorFlow does, like the next three.
        parallel_iterations: accepted.
        back_prop: accepted.
        swap_memory: accepted.
        maximum_iterations: how often at most.
        name: accepted.

    Returns:
        The last values, in the structure that ``body`` gives.

    Raises:
        TypeError: ``cond`` or ``body`` cannot be called.
        ValueError: there are no variables, or ``body`` gives another structure.

    >>> import tapeviz as tf
    >>> [i.numpy() for i in tf.while_loop(lambda i: i < 10, lambda i: (i * 2,), [tf.constant(1)])]
    [np.int32(16)]
    """
    if not callable(cond):
        raise TypeError("'cond' must be callable.")
    if not callable(body):
        raise TypeError("'body' must be callable.")
    if isinstance(loop_vars, EagerTensor) or not loop_vars:
        raise ValueError("'loop_vars' must be provided.")
    form, left = loop_vars, None if maximum_iterations is None else int(maximum_iterations)
    values = loop_vars
    while (left is None or left > 0) and cond(*values):
        values = body(*values)
        assert_same_structure(list(form), list(values))
        left = None if left is None else left - 1
    return nest.map_structure(_value, values)


def _value(leaf: Any) -> Any:
    return convert_to_tensor(leaf) if isinstance(leaf, (bool, int, float, complex, list)) else leaf
