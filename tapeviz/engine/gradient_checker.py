"""Gradients held against finite differences."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.tape import GradientTape

__all__ = ["check_gradients", "compute_gradient"]

# The precision of each real type, and what finite differences in it can promise: the share that they may be off by.
_PRECISIONS: Final = {
    "float64": (2.0**-52, 1e-5), "float32": (2.0**-23, 1e-2), "float16": (2.0**-10, 0.1), "bfloat16": (2.0**-7, 0.3),
}  # fmt: skip
_ORDINALS: Final = {1: "", 2: "second ", 3: "third "}
_SEED: Final = 20171031
_TF_DELTA: Final = 1.0 / 1024


def check_gradients(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    order: int = 1,
    eps: float | None = None,
    rtol: float | None = None,
) -> None:
    """Check the gradients of a function against finite differences, element by element.

    What ``function`` gives is weighed with fixed random numbers and added up; the gradient of that sum by each element
    of each floating-point or complex argument is compared with a central difference. Integers, truth values and
    whatever else is among the arguments are given as they are.

    Args:
        function: takes ``arguments``, gives a tensor or a structure of tensors. It must give the same each time: a
            random one needs its seed set inside.
        arguments: the arguments; what is no tensor is converted. In float64 a check is sharpest.
        order: up to which order to check: 1 for gradients, 2 for those of the gradients as well, and so on.
        eps: how far to step in each direction; by default the third root of the arguments' precision.
        rtol: by which share of the larger of the two they may differ; by default 1e-5 for float64, 1e-2 for float32.

    Raises:
        AssertionError: a gradient is wrong: says of which argument and element, and both values.
        TypeError: ``arguments`` is no list or tuple, or has nothing to differentiate by.
        ValueError: ``order`` is below 1.

    >>> import numpy as np, tapeviz as tf
    >>> tf.test.check_gradients(lambda x, y: tf.sin(x) * y, [np.array([0.1, 2.0]), np.array(3.0)], order=2)
    >>> @tf.custom_gradient
    ... def wrong(x):
    ...     return x * x, lambda dy: dy * x
    >>> tf.test.check_gradients(wrong, [np.array([1.0, 2.0])])
    Traceback (most recent call last):
        ...
    AssertionError: the gradient of wrong is wrong for argument 0 (x) at element [1]: 1.115... by the tape, 2.230...
    """
    if not isinstance(arguments, (list, tuple)):
        raise TypeError(f"`arguments` must be a list or tuple of the function's arguments, not {type(arguments)}")
    if order < 1:
        raise ValueError(f"`order` must be 1 or more, got {order}")
    given = [argument if _is_other(argument) else convert_to_tensor(argument) for argument in arguments]
    chosen = [i for i, argument in enumerate(given) if not _is_other(argument) and argument.dtype.is_differentiable]
    if not chosen:
        raise TypeError("none of the arguments is of a floating-point or complex type: there is no gradient to check")
    labels = _labels(function, len(given))
    rng = np.random.default_rng(_SEED)
    for level in range(1, order + 1):
        check = _Check(function, given, chosen, rng)
        what = f"the {_ORDINALS.get(level, f'{level}th ')}gradient of {_name(function)}"
        check.compare(f"{what} is wrong for argument", labels, eps, rtol)
        function = check.gradients_of()


class _Check:
    """One function, its arguments, and the weights of what it gives."""

    def __init__(
        self, function: Callable[..., Any], given: list[Any], chosen: list[int], rng: np.random.Generator
    ) -> None:
        self._function = function
        self._given = given
        self._chosen = chosen
        self._weights = [_like(rng, leaf) for leaf in self._leaves(*given)]

    def _leaves(self, *arguments: Any) -> list[Any]:
        results = [convert_to_tensor(leaf) for leaf in nest.flatten(self._function(*arguments)) if leaf is not None]
        return [result for result in results if result.dtype.is_differentiable]

    def _number(self, arguments: list[Any]) -> Any:
        """The weighed sum of what the function gives, in the highest precision that the host adds in."""
        return sum(
            np.sum(np.real(np.conj(weight).astype(np.result_type(weight, np.float64)) * leaf.numpy()))
            for weight, leaf in zip(self._weights, self._leaves(*arguments), strict=True)
        )

    def gradients_of(self) -> Callable[..., list[Any]]:
        """The function that gives the gradients by the chosen arguments, those that there are."""

        def gradients(*arguments: Any) -> list[Any]:
            return [found for found in self.gradients(arguments) if found is not None]

        gradients.__name__ = _name(self._function)
        return gradients

    def gradients(self, arguments: Sequence[Any]) -> list[Any]:
        """One gradient a chosen argument, None where there is none."""
        sources = [arguments[i] for i in self._chosen]
        with GradientTape() as tape:
            tape.watch(sources)
            leaves = self._leaves(*arguments)
        found: list[Any] = tape.gradient(leaves, sources, output_gradients=self._weights)
        return found

    def compare(self, what: str, labels: list[str], eps: float | None, rtol: float | None) -> None:
        """Raise for the element that is furthest off."""
        size = abs(self._number(self._given))
        for position, found in zip(self._chosen, self.gradients(self._given), strict=True):
            array = np.array(self._given[position].numpy())
            precision, usual = _PRECISIONS[array.real.dtype.name]
            step = eps or precision ** (1 / 3)
            share = rtol or usual
            mine = np.zeros_like(array) if found is None else np.asarray(convert_to_tensor(found).numpy())
            slopes = self._slopes(position, array, step)
            # Rounding alone moves a difference of two numbers of this size by so much.
            noise = 8.0 * precision * (size + 1.0) / step + 1e-3 * share * float(np.max(np.abs(slopes), initial=0.0))
            excess = np.abs(mine - slopes) - share * np.maximum(np.abs(mine), np.abs(slopes)) - noise
            wrong = ~(excess <= 0.0) & ~(np.isnan(mine) & np.isnan(slopes))
            if wrong.any():
                worst = np.unravel_index(
                    int(np.argmax(np.where(wrong, np.nan_to_num(excess, nan=np.inf), 0))), wrong.shape
                )
                said = "None, which is 0," if found is None else str(mine[worst])
                element = ", ".join(str(int(i)) for i in worst)
                raise AssertionError(
                    f"{what} {labels[position]} at element [{element}]: {said} by the tape, {slopes[worst]} by finite "
                    f"differences (eps={step:.2g}, rtol={share:.2g}); "
                    f"{int(wrong.sum())} of {wrong.size} elements differ"
                )

    def _slopes(self, position: int, array: np.ndarray, step: float) -> np.ndarray:
        """Central differences by each element of one argument."""
        slopes = np.zeros(array.shape, np.result_type(array.dtype, np.float64))
        units = (1.0, 1.0j) if array.dtype.kind == "c" else (1.0,)
        for index in np.ndindex(array.shape):
            for unit in units:
                ends = []
                for sign in (1.0, -1.0):
                    moved = array.copy()
                    moved[index] += sign * step * unit
                    ends.append((moved[index], self._number(_with(self._given, position, moved))))
                slopes[index] += unit * (ends[0][1] - ends[1][1]) / abs(ends[0][0] - ends[1][0])
        return slopes


def compute_gradient(
    f: Callable[..., Any], x: Sequence[Any], delta: float | None = None
) -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]:
    """The Jacobians of ``f``, from the tape and from finite differences.

    Args:
        f: takes ``x``, gives a tensor.
        x: the arguments, a list or tuple of what converts to tensors.
        delta: how far to step in each direction; 1/1024 by default.

    Returns:
        Two tuples with one matrix an argument: a row an element of ``f(*x)``, a column an element of the argument. A
        complex element has two, its real and its imaginary part.

    Raises:
        ValueError: ``x`` is no list or tuple.

    >>> import tapeviz as tf
    >>> theoretical, numerical = tf.test.compute_gradient(lambda x: x * x, [[1.0, 2.0]])
    >>> theoretical[0]
    array([[2., 0.],
           [0., 4.]], dtype=float32)
    >>> bool(abs(theoretical[0] - numerical[0]).max() < 1e-3)
    True
    """
    if not isinstance(x, (list, tuple)):
        raise ValueError(  # noqa: TRY004 - TensorFlow's error
            f"`x` must be a list or tuple of values convertible to a Tensor (arguments to `f`), not a {type(x)}"
        )
    given = [convert_to_tensor(value) for value in x]
    step = _TF_DELTA if delta is None else delta
    positions = range(len(given))
    theoretical = tuple(_jacobian_by_tape(f, given, position) for position in positions)
    return theoretical, tuple(_jacobian_by_steps(f, given, position, step) for position in positions)


def _jacobian_by_tape(f: Callable[..., Any], given: list[Any], position: int) -> np.ndarray:
    """Row by row: what comes back when one element of the result is asked."""
    with GradientTape(persistent=True) as tape:
        tape.watch(given[position])
        result = convert_to_tensor(f(*given))
    rows = []
    for upstream in _one_at_a_time(np.array(result.numpy())):
        gradient = tape.gradient(result, given[position], output_gradients=convert_to_tensor(upstream))
        array = np.zeros_like(given[position].numpy()) if gradient is None else convert_to_tensor(gradient).numpy()
        rows.append(_parts(array))
    columns = _parts(given[position].numpy())
    return np.array(rows, columns.dtype).reshape(len(rows), columns.size)


def _jacobian_by_steps(f: Callable[..., Any], given: list[Any], position: int, step: float) -> np.ndarray:
    """Column by column: how the result moves with one element of the argument."""
    array = np.array(given[position].numpy())
    columns = []
    for direction in _one_at_a_time(array):
        ahead, behind = (
            _parts(convert_to_tensor(f(*_with(given, position, array + direction * array.dtype.type(by)))).numpy())
            for by in (step, -step)
        )
        columns.append((ahead - behind) / (2 * step))
    rows = _parts(convert_to_tensor(f(*given)).numpy()).size
    return np.array(columns, _parts(array).dtype).reshape(len(columns), rows).T


def _one_at_a_time(like: np.ndarray) -> Iterator[np.ndarray]:
    """Arrays of zeros with a one at each place in turn, and then an i where they are complex."""
    for index in np.ndindex(like.shape):
        for unit in (1.0, 1.0j) if like.dtype.kind == "c" else (1.0,):
            made = np.zeros_like(like)
            made[index] = unit
            yield made


def _parts(array: np.ndarray) -> np.ndarray:
    """The elements in a row; real and imaginary parts beside each other."""
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat


def _with(given: list[Any], position: int, array: np.ndarray) -> list[Any]:
    return [convert_to_tensor(array) if i == position else argument for i, argument in enumerate(given)]


def _like(rng: np.random.Generator, leaf: Any) -> Any:
    """Weights for a result: none is near 0, so that no element goes unseen; one number alone counts once."""
    if leaf.shape.num_elements() == 1:
        return np.ones(leaf.shape.as_list(), leaf.dtype.as_numpy_dtype)
    weights = rng.uniform(0.5, 1.5, leaf.shape.as_list())
    if leaf.dtype.is_complex:
        weights = weights + 1j * rng.uniform(0.5, 1.5, leaf.shape.as_list())
    return np.asarray(weights).astype(leaf.dtype.as_numpy_dtype)


def _is_other(argument: Any) -> bool:
    """Whether an argument is none that converts to a tensor: a function, a name, a table."""
    return argument is None or callable(argument) or isinstance(argument, (str, bytes, dict))


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", None) or repr(function)


def _labels(function: Callable[..., Any], count: int) -> list[str]:
    """Each argument's position and, where the function tells, its name."""
    try:
        names = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        names = []
    named = [one.name if one.kind is not one.VAR_POSITIONAL else "" for one in names[:count]]
    return [f"{i} ({named[i]})" if i < len(named) and named[i] else str(i) for i in range(count)]
