"""Branches and loops as functions: ``cond``, ``case``, ``switch_case``, ``while_loop``.

Eagerly they are Python's. While a graph is built and what decides is only known when it runs, they are nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.state import local
from tapeviz.engine.symbolic import SymbolicTensor, at_line
from tapeviz.engine.tensor import Tensor
from tapeviz.graphs.control.branch_nodes import Kind, choose
from tapeviz.graphs.control.while_loops import While
from tapeviz.graphs.ir.special_nodes import CONSTANT
from tapeviz.ops.control import branches

__all__ = ["case", "cond", "switch_case", "while_loop"]

_BY_TRUTH: Final = Kind("cond", ("true_fn", "false_fn"), lambda array: 0 if array else 1)


def _constant_value(tensor: Any) -> Any:
    """The value of a constant that is written in the program; None for anything else, and where it may be fed."""
    if tensor.__class__ is not SymbolicTensor or tensor._node.graph.kind == "session":
        return None
    return tensor._static_value if tensor._node.op is CONSTANT else None


def cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    name: str | None = None,
) -> Any:
    """What ``true_fn`` gives where ``pred`` is true, else what ``false_fn`` gives.

    In a graph both are traced, one of them runs, and gradients go through it. Then they must give the same structure
    of tensors of the same dtypes.

    Args:
        pred: one truth value. While tracing, ``True``, ``False`` and constants choose at once; in a graph of sessions
            ``True`` and ``False`` alone, because a session may be given another value for a constant.
        true_fn: called without arguments.
        false_fn: likewise.
        name: of the node.

    Raises:
        InvalidArgumentError: ``pred`` is no truth value.
        TypeError: a function is missing or cannot be called; in a graph, the two give different structures or dtypes.
        ValueError: in a graph, one gives None where the other does not.

    >>> import tapeviz as tf
    >>> tf.cond(tf.constant(1) < 2, lambda: "less", lambda: "not less")
    'less'
    >>> largest = tf.function(lambda x, y: tf.cond(x > y, lambda: x, lambda: y))
    >>> largest(tf.constant(2), tf.constant(3)).numpy()
    np.int32(3)
    """
    __tracebackhide__ = True
    for which, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if function is None:
            raise TypeError(f"cond(): '{which}' argument required")
        if not callable(function):
            raise TypeError(f"'{which}' must be callable.")
    if local.state.graph is None or isinstance(pred, bool):
        return branches.cond(pred, true_fn, false_fn)
    predicate = convert_to_tensor(pred)
    if (known := _constant_value(predicate)) is not None:
        return branches.cond(bool(known), true_fn, false_fn)
    functions: Any = (true_fn, false_fn)
    return choose(_one(predicate), functions, _BY_TRUTH, name or "cond")


def _one(predicate: Any) -> Any:
    """The predicate as one truth value."""
    if predicate.dtype != "bool":
        raise InvalidArgumentError(
            f"Input 'pred' passed {predicate.dtype.name} expected bool while building NodeDef 'cond'{at_line()}"
        )
    shape = predicate.shape
    if shape.num_elements() not in (1, None):
        raise InvalidArgumentError(f"pred must be one truth value, not of shape {shape}{at_line()}")
    return predicate


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
        exclusive: whether, in a graph, two true conditions are an error. Eagerly it is accepted as TensorFlow does,
            whose eager form does not look beyond the first true condition.
        strict: accepted as TensorFlow does.
        name: of the node.

    Raises:
        InvalidArgumentError: no condition is true, and there is no ``default``; or there must be only one, and are two.
        TypeError: something is not a pair, a condition is not a truth value as a tensor, or a function is none.
        ValueError: a plain dict, which has no order that counts.

    >>> import tapeviz as tf
    >>> x = tf.constant(3)
    >>> tf.case([(x < 2, lambda: "small"), (x < 5, lambda: "middling")], default=lambda: "large")
    'middling'
    """
    __tracebackhide__ = True
    graph = local.state.graph
    pairs = branches.checked_pairs(pred_fn_pairs, default, exclusive=exclusive)
    if graph is None:
        return branches.case(pairs, default)
    conditions = [convert_to_tensor(condition) for condition, _ in pairs]
    if exclusive:
        graph.python(_at_most_one, conditions, (), f"{name}/Assert")
    if default is None:
        graph.python(_at_least_one, conditions, (), f"{name}/Assert")
        conditions[-1] = convert_to_tensor(True)
    return _first_true(conditions, [function for _, function in pairs], default, name)


def _first_true(conditions: list[Any], functions: list[Any], default: Any, name: str) -> Any:
    __tracebackhide__ = True
    if not conditions:
        return default()
    return cond(conditions[0], functions[0], lambda: _first_true(conditions[1:], functions[1:], default, name), name)


def _at_least_one(*conditions: Any) -> None:
    if not any(conditions):
        raise InvalidArgumentError(
            "assertion failed: [Input error: None of conditions evaluated as True:] "
            f"[{' '.join(str(int(condition)) for condition in conditions)}]"
        )


def _at_most_one(*conditions: Any) -> None:
    if sum(map(bool, conditions)) > 1:
        raise InvalidArgumentError(
            "assertion failed: [Input error: exclusive=True: more than 1 conditions evaluated as True:] "
            f"[{' '.join(str(int(condition)) for condition in conditions)}]"
        )


def switch_case(
    branch_index: Any, branch_fns: Any, default: Callable[[], Any] | None = None, name: str = "switch_case"
) -> Any:
    """What the function at ``branch_index`` gives; the last one, or ``default``, when there is no such.

    Args:
        branch_index: one integer as a tensor.
        branch_fns: functions without arguments; or pairs of an index and a function, or a dict, with indices from 0 on.
        default: called when there is no such index.
        name: of the node.

    Raises:
        TypeError: the index is not an integer tensor, or a function is none; in a graph, the functions give different
            structures or dtypes.
        ValueError: there are no functions, or their indices leave gaps.

    >>> import tapeviz as tf
    >>> tf.switch_case(tf.constant(1), [lambda: "first", lambda: "second"])
    'second'
    """
    __tracebackhide__ = True
    functions = branches.checked_branches(branch_index, branch_fns, default)
    index = convert_to_tensor(branch_index)
    if local.state.graph is None:
        return functions[_place(index, len(functions))]()
    if (known := _constant_value(index)) is not None:
        return functions[_place(known, len(functions))]()
    if index.shape.rank not in (0, None):
        raise InvalidArgumentError(f"branch_index must be one number, not of shape {index.shape}{at_line()}")
    return choose(index, functions, _by_number(functions), name)


def _by_number(functions: Sequence[Any]) -> Kind:
    count = len(functions)
    return Kind("switch_case", ("branches",), lambda array: _place(array, count))


def _place(array: Any, count: int) -> int:
    index = int(array)
    return index if 0 <= index < count else count - 1


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

    In a graph both are traced once, and gradients go back through the iterations.

    Args:
        cond: takes the loop's variables, gives one truth value.
        body: takes them, gives their next values in the same structure.
        loop_vars: a list or tuple of values to begin with.
        shape_invariants: for each variable what is known of its shape in all iterations, where that is less than what
            is known of it at the beginning.
        parallel_iterations: accepted as TensorFlow does.
        back_prop: whether, in a graph, gradients go through. Eagerly they do in any case, as TensorFlow's.
        swap_memory: accepted.
        maximum_iterations: how often at most.
        name: of the node.

    Returns:
        The last values, in the structure that ``body`` gives.

    Raises:
        InvalidArgumentError: in a graph, ``cond`` gives no truth value.
        TypeError: ``cond`` or ``body`` cannot be called; in a graph, a dtype changes.
        ValueError: there are no variables, ``body`` gives another structure, or, in a graph, a shape changes.

    >>> import tapeviz as tf
    >>> [i.numpy() for i in tf.while_loop(lambda i: i < 10, lambda i: (i * 2,), [tf.constant(1)])]
    [np.int32(16)]
    """
    __tracebackhide__ = True
    if not callable(cond):
        raise TypeError("'cond' must be callable.")
    if not callable(body):
        raise TypeError("'body' must be callable.")
    if isinstance(loop_vars, Tensor) or not loop_vars:
        raise ValueError("'loop_vars' must be provided.")
    if local.state.graph is None:
        return branches.while_loop(cond, body, loop_vars, maximum_iterations)
    return While(cond, body, loop_vars, shape_invariants, name or "while").run(maximum_iterations, followed=back_prop)
