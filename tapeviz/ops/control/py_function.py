"""Python functions as parts of a program, and functions that run again for their gradient."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeviz.engine import errors
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.custom_gradient import custom_gradient
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.scopes import TensorSpec
from tapeviz.engine.state import local
from tapeviz.engine.tape import GradientTape

__all__ = ["numpy_function", "py_function", "recompute_grad"]


def numpy_function(
    func: Callable[..., Any] | None = None,
    inp: Any = None,
    Tout: Any = None,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """What ``func`` gives for NumPy arrays, as tensors. No gradient goes through.

    Args:
        func: takes arrays; gives one, or a list of them, or None.
        inp: the tensors to give it.
        Tout: accepted as TensorFlow does, whose eager form does not look at it.
        stateful: accepted as TensorFlow does.
        name: accepted as TensorFlow does.

    Raises:
        TypeError: ``func`` cannot be called with ``inp``; errors of ``func`` are raised as they are.

    >>> import numpy as np, tapeviz as tf
    >>> tf.numpy_function(np.cumprod, [tf.constant([1.0, 2.0])], tf.float32).numpy()
    array([1., 2.], dtype=float32)
    """
    if func is None:
        return lambda decorated: lambda *inputs: numpy_function(decorated, inputs, Tout, stateful, name)
    if local.state.graph is not None:
        return _call_in_graph(lambda *given: _on_arrays(func, given), inp, Tout, differentiable=False)
    result = func(*[np.array(value) for value in inp])
    if result is None:
        return None
    if isinstance(result, (list, tuple)):
        tensors = [convert_to_tensor(item) for item in result]
        return tensors[0] if len(tensors) == 1 else tensors
    return convert_to_tensor(result)


def _on_arrays(func: Callable[..., Any], given: Any) -> list[Any]:
    """What a function of arrays gives, each as the array that NumPy makes of it."""
    result = func(*[np.array(value) for value in given])
    results = [] if result is None else result if isinstance(result, (list, tuple)) else [result]
    return [convert_to_tensor(np.asarray(item)) for item in results]


def py_function(
    func: Callable[..., Any] | None = None, inp: Any = None, Tout: Any = None, name: str | None = None
) -> Any:
    """What ``func`` gives for tensors, in the dtypes promised. Gradients go through the ops in it.

    Args:
        func: takes tensors; gives one, a list of them, or None.
        inp: the tensors to give it.
        Tout: the dtype of the result, or a list of them; TensorSpecs will do.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the result has another dtype, or ``func`` raised a ValueError or TypeError.
        TypeError: there is no ``Tout``.
        UnknownError: ``func`` raised another error.
        ValueError: ``func`` cannot be called.

    >>> import tapeviz as tf
    >>> x = tf.constant(3.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = tf.py_function(lambda v: v * v if v > 0 else -v, [x], tf.float32)
    >>> tape.gradient(y, x).numpy()
    np.float32(6.0)
    """
    if Tout is None:
        raise TypeError(
            "Missing required argument: 'Tout'\n  If using tf.py_function as a decorator, set `Tout`\n  **by name** "
            "above the function:\n  `@tf.py_function(Tout=tout)`"
        )
    if func is None:
        return lambda decorated: lambda *inputs: py_function(decorated, inputs, Tout, name)
    if not callable(func):
        raise ValueError(f"Expected func to be callable. Received func={func} of type {type(func)}.")  # noqa: TRY004
    if local.state.graph is not None:
        return _call_in_graph(lambda *given: py_function(func, given, Tout), inp, Tout, differentiable=True)
    several = isinstance(Tout, (list, tuple))
    wanted = [spec.dtype if isinstance(spec, TensorSpec) else as_dtype(spec) for spec in (Tout if several else [Tout])]
    given = [convert_to_tensor(value) for value in inp]
    try:
        result = func(*given)
        found = [] if result is None else list(result) if isinstance(result, (list, tuple)) else [result]
        tensors = [convert_to_tensor(item, dtype=dtype) for item, dtype in zip(found, wanted, strict=False)]
    except errors.OpError:
        raise
    except Exception as error:
        raise _as_op_error(error) from error
    if len(tensors) < len(wanted):
        raise errors.InvalidArgumentError(
            f"{func} returns {len(tensors)} values, but expects to see {len(wanted)} values.", "EagerPyFunc"
        )
    return tensors if several else tensors[0] if tensors else None


def _call_in_graph(run: Callable[..., Any], inp: Any, promised: Any, *, differentiable: bool) -> Any:
    """The call as a node; what it gives has the dtypes promised, and the shapes where TensorSpecs say them."""
    if promised is None:
        raise TypeError("Missing required argument: 'Tout': a graph has to know the dtypes before the function runs")
    several = isinstance(promised, (list, tuple))
    specs = list(promised) if several else [promised]
    forms = [
        (spec.shape.dims, spec.dtype.numpy) if isinstance(spec, TensorSpec) else (None, as_dtype(spec).numpy)
        for spec in specs
    ]

    def checked(*given: Any) -> list[Any]:
        found = run(*given)
        results = list(found) if isinstance(found, (list, tuple)) else [found]
        if len(results) != len(forms) and forms:
            raise errors.InvalidArgumentError(f"{len(results)} values were returned, but {len(forms)} were promised")
        for place, (tensor, (_, dtype)) in enumerate(zip(results, forms, strict=False)):
            if tensor.dtype.numpy != dtype:
                raise errors.InvalidArgumentError(
                    f"{place}-th value returned by the function is {tensor.dtype.name}, but expects "
                    f"{as_dtype(dtype).name}"
                )
        return results[: len(forms)]

    graph: Any = local.state.graph
    inputs = [convert_to_tensor(value) for value in inp]
    made = graph.python(checked, inputs, forms, "EagerPyFunc", differentiable=differentiable)
    return list(made) if several else made[0]


_CLASSES = {
    ValueError: errors.InvalidArgumentError,
    TypeError: errors.InvalidArgumentError,
    StopIteration: errors.OutOfRangeError,
    MemoryError: errors.ResourceExhaustedError,
    NotImplementedError: errors.UnimplementedError,
}


def _as_op_error(error: Exception) -> errors.OpError:
    found = next((ours for theirs, ours in _CLASSES.items() if isinstance(error, theirs)), errors.UnknownError)
    made: errors.OpError = found(f"{type(error).__name__}: {error}", "EagerPyFunc")
    return made


def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """``f``, of which a tape keeps the inputs alone: for its gradient it runs once more. Time for memory.

    Args:
        f: takes tensors, and may read variables.

    >>> import tapeviz as tf
    >>> x = tf.constant(3.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = tf.recompute_grad(lambda v: v * v * v)(x)
    >>> tape.gradient(y, x).numpy()
    np.float32(27.0)
    """

    @custom_gradient
    def inner(*args: Any, **kwargs: Any) -> Any:
        # custom_gradient watches for variables with a tape of its own, which is all that may look here.
        result = _unseen(lambda: f(*args, **kwargs))

        def grad(*upstream: Any, variables: Any = ()) -> Any:
            with GradientTape() as tape:
                tape.watch(list(args))
                again = f(*args, **kwargs)
            sources = [*args, *variables]
            found = tape.gradient(again, sources, output_gradients=list(upstream) if len(upstream) > 1 else upstream[0])
            own = found[: len(args)]
            return (own, found[len(args) :]) if variables else own

        return result, grad

    return functools.wraps(f)(inner)


def _unseen(run: Callable[[], Any]) -> Any:
    """What ``run`` gives, with no tape but the innermost one looking. The others still follow the variables it read."""
    state = local.state
    tapes = state.tapes
    state.tapes = tapes[-1:]
    try:
        result = run()
    finally:
        state.tapes = tapes
    for variable in tapes[-1].watched_variables():
        for tape in tapes[:-1]:
            tape._follow(variable, automatic=True)
    return result
