"""Functions that had other names, other argument names or other meanings in TensorFlow 1."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

from tapeviz.compat.v1.graph.default_graph import executing_eagerly, get_default_graph
from tapeviz.compat.v1.graph.graph_blocks import group
from tapeviz.compat.v1.graph.graph_functions import in_graph
from tapeviz.engine import nest
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.state import local
from tapeviz.engine.tensor import Tensor
from tapeviz.graphs.control.control_flow import while_loop
from tapeviz.ops.array import cast, creation, gather
from tapeviz.ops.array.reshape import reshape
from tapeviz.ops.array.select import where
from tapeviz.ops.array.sort import in_top_k
from tapeviz.ops.control import print_op
from tapeviz.ops.debugging import check_numerics
from tapeviz.ops.linalg.matmul import matmul
from tapeviz.ops.math import statistics
from tapeviz.ops.nn import dropout as dropout_ops
from tapeviz.ops.nn import losses
from tapeviz.ops.nn.bias import bias_add
from tapeviz.ops.random import random_numbers
from tapeviz.ops.random.seeds import seeds
from tapeviz.ops.runtime_calls import later

__all__ = [
    "ADDED",
    "KEYWORDS",
    "REPLACED",
    "Print",
    "add_check_numerics_ops",
    "arg_max",
    "arg_min",
    "batch_gather",
    "disable_resource_variables",
    "div",
    "enable_resource_variables",
    "old_dropout",
    "old_in_top_k",
    "old_where",
    "old_while_loop",
    "relu_layer",
    "resource_variables_enabled",
    "set_random_seed",
    "to_bfloat16",
    "to_complex64",
    "to_complex128",
    "to_double",
    "to_float",
    "to_int32",
    "to_int64",
    "verify_tensor_all_finite",
    "with_old_keywords",
    "xw_plus_b",
]  # fmt: skip

# What arguments were called: the names of tapeviz's, by those of TensorFlow 1.
_REDUCING: Final = {"keep_dims": "keepdims", "reduction_indices": "axis"}
KEYWORDS: Final[dict[str, dict[str, str]]] = {
    **dict.fromkeys(
        (
            "count_nonzero", "reduce_all", "reduce_any", "reduce_logsumexp", "reduce_max", "reduce_mean", "reduce_min",
            "reduce_prod", "reduce_sum",
        ),
        _REDUCING,
    ),
    "argmax": {"dimension": "axis"},
    "argmin": {"dimension": "axis"},
    "expand_dims": {"dim": "axis"},
    "squeeze": {"squeeze_dims": "axis"},
    "concat": {"concat_dim": "axis"},
    "softmax": {"dim": "axis"},
    "log_softmax": {"dim": "axis"},
    "l2_normalize": {"dim": "axis"},
    "norm": {"keep_dims": "keepdims"},
    "moments": {"keep_dims": "keepdims"},
    "conv2d": {"filter": "filters"},
    "max_pool": {"value": "input"},
    "avg_pool": {"value": "input"},
}  # fmt: skip


def with_old_keywords(function: Callable[..., Any], names: dict[str, str]) -> Callable[..., Any]:
    """The function, which also takes arguments by the names that they had."""

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        for old, new in names.items():
            if old in kwargs:
                if kwargs.get(new) is not None:
                    raise ValueError(f"Cannot specify both '{old}' and '{new}'.")
                kwargs[new] = kwargs.pop(old)
        if kwargs.get("keepdims", False) is None:
            kwargs["keepdims"] = False
        return function(*args, **kwargs)

    return called


@in_graph
def div(x: Any, y: Any, name: str | None = None) -> Any:
    """``x / y`` as in Python 2: whole numbers are divided without a rest."""
    first = convert_to_tensor(x)
    second = convert_to_tensor(y, dtype=first.dtype)
    return registry["floordiv" if first.dtype.is_integer else "divide"].run(first, second)


def _extreme(name: str, found: Callable[..., Any]) -> Callable[..., Any]:
    def position(input: Any, dimension: Any, output_type: Any = "int64", name: str | None = None) -> Any:
        return found(input, dimension, output_type)

    position.__name__ = position.__qualname__ = name
    position.__doc__ = f"The position of the {'largest' if name == 'arg_max' else 'smallest'} element along an axis."
    return in_graph(position)


arg_max: Callable[..., Any] = _extreme("arg_max", statistics.argmax)
arg_min: Callable[..., Any] = _extreme("arg_min", statistics.argmin)


@in_graph
def batch_gather(params: Any, indices: Any, name: str | None = None) -> Any:
    """The slices of ``params`` at ``indices``, whose leading axes are those of ``params``: one place a batch."""
    places = convert_to_tensor(indices)
    return gather.gather(params, places, axis=places.ndim - 1, batch_dims=places.ndim - 1)


@in_graph
def verify_tensor_all_finite(t: Any = None, msg: Any = None, name: str | None = None, x: Any = None,
                             message: str | None = None) -> Any:  # fmt: skip
    """``t`` where all its elements are finite; else an error with the message when it is computed."""
    return check_numerics.check_numerics(x if t is None else t, str((message if msg is None else msg) or ""))


def add_check_numerics_ops() -> Any:
    """An operation that fails where a floating-point tensor of the default graph is nan or infinite.

    Raises:
        RuntimeError: eager execution is on.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     ratio = tf.constant(0.0) / tf.constant(0.0)
    ...     check = tf.add_check_numerics_ops()
    ...     try:
    ...         session.run(check)
    ...     except tf.errors.InvalidArgumentError as error:
    ...         print("truediv:0" in str(error))
    True
    """
    if executing_eagerly():
        raise RuntimeError(
            "add_check_numerics_ops() is not compatible with eager execution. To check for Inf's and NaN's under eager "
            "execution, call tf.debugging.enable_check_numerics() once before executing the checked operations."
        )
    outputs = [tensor for node in get_default_graph().get_operations() for tensor in node.outputs]
    return group(*(verify_tensor_all_finite(tensor, tensor.name) for tensor in outputs if tensor.dtype.is_floating))


def _cast_to(dtype: str) -> Callable[..., Any]:
    def to(x: Any, name: str | None = None) -> Any:
        return cast.cast(x, dtype, name=name)

    to.__name__ = to.__qualname__ = "Cast"
    to.__doc__ = f"``x`` as {dtype}."
    return in_graph(to)


to_bfloat16: Callable[..., Any] = _cast_to("bfloat16")
to_complex64: Callable[..., Any] = _cast_to("complex64")
to_complex128: Callable[..., Any] = _cast_to("complex128")
to_double: Callable[..., Any] = _cast_to("float64")
to_float: Callable[..., Any] = _cast_to("float32")
to_int32: Callable[..., Any] = _cast_to("int32")
to_int64: Callable[..., Any] = _cast_to("int64")


def set_random_seed(seed: Any) -> None:
    """Make the random numbers of runs from here on repeatable: see :func:`tapeviz.random.set_seed`.

    In TensorFlow each session begins the sequence of a graph anew; here it goes on through all sessions.
    """
    seeds.set(seed)


def Print(
    input_: Any, data: Any, message: str | None = None, first_n: int | None = None, summarize: int | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """``input_``, printed with ``data`` to the standard error whenever it is computed. ``first_n`` times at most."""
    return _print(input_, data, message, first_n, summarize, name=name or "Print")


@in_graph
def _print(
    input_: Any, data: Any, message: str | None, first_n: int | None, summarize: int | None,
    name: str | None = None,
) -> Any:  # fmt: skip
    left = [first_n]
    tensors = [convert_to_tensor(item) for item in data]
    shown = 3 if summarize is None else summarize

    def show(given: Any, *values: Any) -> Any:
        if left[0] is None or left[0] > 0:
            left[0] = None if left[0] is None else left[0] - 1
            print_op.print(f"{message or ''}{''.join(f'[{_text(value, shown)}]' for value in values)}")
        return given

    value = convert_to_tensor(input_)
    graph = local.state.graph
    if graph is None:
        return show(value, *tensors)
    form = (None if value.shape.rank is None else tuple(value.shape.dims or ()), as_dtype(value.dtype).numpy)
    return graph.python(show, [value, *tensors], [form], "Print", differentiable=True)[0]


def _text(value: Any, shown: int) -> str:
    flat = value._host().ravel()
    texts = [item.decode() if isinstance(item, bytes) else str(item) for item in flat[:shown]]
    return " ".join(texts) + ("..." if len(texts) < flat.size else "")


@in_graph
def old_dropout(
    x: Any, keep_prob: Any = None, noise_shape: Any = None, seed: Any = None, name: str | None = None, rate: Any = None
) -> Any:
    """``x`` with elements set to zero at random: see :func:`tapeviz.nn.dropout`.

    Args:
        x: a tensor.
        keep_prob: the probability that an element is kept, a number or a tensor.
        noise_shape: as there.
        seed: as there.
        name: the node's name.
        rate: the probability that an element is set to zero, instead of ``keep_prob``.

    Raises:
        ValueError: both are given, or neither.
    """
    if (keep_prob is None) == (rate is None):
        raise ValueError("You must provide a rate to dropout." if rate is None else "Only one of keep_prob and rate.")
    dropped = 1.0 - keep_prob if rate is None else rate
    if not isinstance(dropped, Tensor):
        return dropout_ops.dropout(x, dropped, noise_shape, seed, name)
    value = convert_to_tensor(x)
    if noise_shape is None and value.shape.rank is None:
        return later(_thinned, (value, dropped, None, seed), {}, (None, value.dtype))
    return _thinned(value, dropped, noise_shape, seed)


def _thinned(value: Any, dropped: Any, noise_shape: Any, seed: Any) -> Any:
    drawn = random_numbers.uniform(creation.shape(value) if noise_shape is None else noise_shape, 0.0, 1.0, value.dtype,
                                   seed)  # fmt: skip
    kept: Any = registry["subtract"].run(1.0, dropped)
    return registry["where"].run(drawn >= dropped, registry["divide"].run(value, kept), 0.0)


def disable_resource_variables() -> None:
    """Nothing changes: variables are read where a program reads them, in any case."""


def enable_resource_variables() -> None:
    """Nothing changes: variables are read where a program reads them, in any case."""


def resource_variables_enabled() -> bool:
    """Whether reads of variables are kept in order with assignments by control dependencies: always."""
    return True


# What namespaces of TensorFlow 1 have and tapeviz's have not.
@in_graph
def old_where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """:func:`tapeviz.where`; a vector chooses among the slices along the first axis of ``x`` and ``y``."""
    if x is None or y is None:
        return where(condition, x, y)
    chosen, first = convert_to_tensor(condition), convert_to_tensor(x)
    if chosen.shape.rank == 1 and (rank := first.shape.rank or 0) > 1:
        chosen = reshape(chosen, [-1, *[1] * (rank - 1)])
    return where(chosen, first, y)


@in_graph
def old_while_loop(
    cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, shape_invariants: Any = None,
    parallel_iterations: int = 10, back_prop: bool = True, swap_memory: bool = False, name: str | None = None,
    maximum_iterations: Any = None, return_same_structure: bool = False,
) -> Any:  # fmt: skip
    """:func:`tapeviz.while_loop`, whose result is the tensor itself where there is one variable.

    ``return_same_structure`` asks for the structure of ``loop_vars`` in any case.
    """
    __tracebackhide__ = True
    eager, step = local.state.graph is None, body
    bare = []

    def listed(*values: Any) -> Any:
        given = step(*values)
        if eager and not return_same_structure and len(values) == 1 and not isinstance(given, (list, tuple)):
            bare.append(True)
            return [given]
        return given

    result = while_loop(
        cond, listed, loop_vars, shape_invariants, parallel_iterations, back_prop, swap_memory, maximum_iterations, name
    )
    if return_same_structure or (eager and not bare):
        return result
    leaves = nest.flatten(result)
    return leaves[0] if len(leaves) == 1 else result


@in_graph
def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Any:
    """``x @ weights + biases``."""
    return bias_add(matmul(x, weights), biases)


@in_graph
def relu_layer(x: Any, weights: Any, biases: Any, name: str | None = None) -> Any:
    """``relu(x @ weights + biases)``."""
    return registry["relu"].run(bias_add(matmul(x, weights), biases))


@in_graph
def old_in_top_k(predictions: Any, targets: Any, k: Any, name: str | None = None) -> Any:
    """:func:`tapeviz.nn.in_top_k`, whose first two arguments were the other way round."""
    return in_top_k(targets, predictions, k, name)


ADDED: Final[dict[str, dict[str, Callable[..., Any]]]] = {
    "tapeviz.random": {"set_random_seed": set_random_seed},
    "tapeviz.nn": {
        "relu_layer": relu_layer,
        "softmax_cross_entropy_with_logits_v2": in_graph(losses.softmax_cross_entropy_with_logits),
        "xw_plus_b": xw_plus_b,
    },
}
# What is not tapeviz's under the same name.
REPLACED: Final[dict[str, Callable[..., Any]]] = {
    "dropout": old_dropout, "in_top_k": old_in_top_k, "where": old_where, "while_loop": old_while_loop,
}  # fmt: skip
