"""The registry as a table of tests: each op with each of its own samples is a row."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import tapeviz.ops  # noqa: F401 - offers them all
from tapeviz.engine.declaration import Op, Spec, registry
from tapeviz.engine.tape import GradientTape
from tapeviz.engine.tensor import EagerTensor, wrap

SEED = 20240229
SYMMETRIC = frozenset(["cholesky"])
"""What reads one triangle of a symmetric matrix and yet gives both their share of the gradient, as TensorFlow does."""


def rows(wanted: Callable[[Op], bool] = lambda _op: True) -> list[Any]:
    """Return ``(op, inputs, attrs)`` for each sample of each op wanted."""
    return [
        pytest.param(op, inputs, attrs, id=f"{name}-{number}")
        for name, op in registry.items()
        if wanted(op)
        for number, (inputs, attrs) in enumerate(op.samples(np.random.default_rng(SEED)))
    ]


def host(array: np.ndarray) -> EagerTensor:
    """Return a tensor with a copy of ``array`` that refuses to be written to: an op that would, fails."""
    copy = np.array(array)
    copy.flags.writeable = False
    return wrap(copy)


def outputs(op: Op, tensors: Any, attrs: dict[str, Any]) -> tuple[EagerTensor, ...]:
    """Run the op; one output or several, return them all."""
    result = op.run(*tensors, **attrs)
    return result if op.many else (result,)


def spec(tensor: EagerTensor) -> Spec:
    """Return the spec of a tensor's value."""
    return Spec(tuple(tensor._a.shape), tensor._a.dtype)


def sources(op: Op, tensors: Any) -> list[int]:
    """Return the positions of the inputs that the op has gradients for and that are floating-point or complex."""
    names = op.inputs * len(tensors) if op.variadic else op.inputs
    return [i for i, tensor in enumerate(tensors) if names[i] in op.vjp and tensor.dtype.is_differentiable]


def weights(results: Any, rng: np.random.Generator) -> list[np.ndarray]:
    """Return random upstream gradients for the outputs."""
    return [drawn(partial(rng.uniform, 0.5, 1.5), result.shape, result.dtype.numpy) for result in results]


def drawn(draw: Callable[..., np.ndarray], shape: Any, dtype: np.dtype) -> np.ndarray:
    """Return random numbers of that dtype; complex ones have an imaginary part from the same distribution."""
    numbers = np.asarray(draw(size=tuple(shape)))
    return (numbers + 1j * draw(size=tuple(shape)) if dtype.kind == "c" else numbers).astype(dtype)


def steps(op: Op, inputs: Any, chosen: list[int], rng: np.random.Generator) -> list[np.ndarray]:
    """Return random directions to move the chosen inputs in; a matrix that has to be symmetric stays so."""
    found = [drawn(rng.normal, inputs[i].shape, inputs[i].dtype) for i in chosen]
    return [x + x.swapaxes(-1, -2).conj() for x in found] if op.name in SYMMETRIC else found


def gradients(op: Op, tensors: Any, attrs: dict[str, Any], upstream: list[Any]) -> list[EagerTensor | None]:
    """Return the gradient of each source, through a tape."""
    chosen = [tensors[i] for i in sources(op, tensors)]
    with GradientTape() as tape:
        tape.watch(chosen)
        results = outputs(op, tensors, attrs)
    return tape.gradient(list(results), chosen, output_gradients=upstream)


def same(first: Any, second: Any) -> bool:
    """Tell whether two arrays are equal to the bit, nan equal to nan."""
    first, second = np.asarray(first), np.asarray(second)
    return first.dtype == second.dtype and first.shape == second.shape and first.tobytes() == second.tobytes()
