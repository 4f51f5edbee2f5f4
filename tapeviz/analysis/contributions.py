"""How the numbers of a backward step make its contribution: what is said is tried on them first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tapeviz.analysis.walkthrough import Quantity, Step

__all__ = ["Local", "Product", "local_of", "product_of"]

_FACTOR: Final = re.compile(r"(\\bar\s*C|[AB])(\^\\top)?")
_PLAIN: Final = re.compile(r"(-?)\\bar\s*[a-z](?:_\w|_\{\w+\})?(?:\\,\s*([xy])_i)?")
_CLOSE: Final = 1e-4


@dataclass(frozen=True, slots=True)
class Product:
    """A contribution that is the product of two matrices.

    Attributes:
        factors: what they are, left and right.
        transposed: whether each is transposed before.
    """

    factors: tuple[Quantity, Quantity]
    transposed: tuple[bool, bool]

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Of the factors as they are multiplied."""
        return tuple(
            (*factor.shape[:-2], *reversed(factor.shape[-2:])) if turned else factor.shape
            for factor, turned in zip(self.factors, self.transposed, strict=True)
        )


@dataclass(frozen=True, slots=True)
class Local:
    """A contribution that is upstream times the local derivative, element by element.

    Attributes:
        value: the local derivative, in the shape of what comes of it before a sum; masked where upstream is 0 and
            nothing is known of it.
        name: which input it is, where it is one of them as it stands; else "".
    """

    value: NDArray[Any]
    name: str


def product_of(step: Step) -> Product | None:
    """The two matrices whose product a contribution is; None for others.

    The formula says which they are and which is transposed; where shapes or numbers do not bear it out, nothing is
    said.
    """
    named = _FACTOR.findall(step.formula.partition("=")[2])
    if step.upstream is None or len(named) != len(step.inputs) or len(named) != len("AB"):
        return None
    left, right = (step.upstream if "bar" in name else step.inputs["AB".index(name)] for name, _ in named)
    product = Product((left, right), (bool(named[0][1]), bool(named[1][1])))
    first, second = product.shapes
    if min(len(first), len(second)) < len("AB") or first[-1] != second[-2]:
        return None
    if (first[-2], second[-1]) != step.result.shape[-2:]:
        return None
    return product if _bears_out(product, step.result) else None


def _bears_out(product: Product, result: Quantity) -> bool:
    """Whether the numbers agree, where they were kept."""
    values = [factor.value for factor in product.factors]
    if result.value is None or any(value is None for value in values):
        return True
    left, right = (
        np.swapaxes(value, -1, -2) if turned else value
        for value, turned in zip(values, product.transposed, strict=True)
    )
    made = np.matmul(left, right)
    return made.shape != result.shape or _close(made, result.value)


def local_of(step: Step) -> Local | None:
    """The local derivative of an elementwise op, or of one that gives a single number; None for others."""
    if step.kind != "backward" or step.upstream is None or step.upstream.value is None or step.result.value is None:
        return None
    upstream, result = np.asarray(step.upstream.value), np.asarray(step.result.value)
    if not all(np.issubdtype(array.dtype, np.floating) for array in (upstream, result)):
        return None
    local = _read_off(step, upstream, result)
    if local is not None or (upstream.size > 1 and not (step.elementwise and upstream.shape == result.shape)):
        return local
    whole = np.broadcast_to(upstream.reshape(()) if upstream.size == 1 else upstream, result.shape)
    found = np.divide(result, whole, where=whole != 0, out=np.zeros(result.shape, result.dtype))
    return Local(np.ma.masked_array(found, whole == 0), "")


def _read_off(step: Step, upstream: NDArray[Any], result: NDArray[Any]) -> Local | None:
    """The local derivative that the formula says is one, minus one or the other input, if the numbers bear it out."""
    rest = step.formula.partition("=")[2].strip()
    plain = _PLAIN.fullmatch(re.sub(r"^\\sum_\{\\text\{[^}]*\}\}\s*|^\\sum_\w\s*", "", rest))
    if plain is None or not step.elementwise or (plain[2] == "y" and len(step.inputs) < len("xy")):
        return None  # the y of exp is its output, that of a product with a number was no tensor
    other = None if plain[2] is None else step.inputs["xy".index(plain[2])]
    factor = np.ones((), upstream.dtype) if other is None else other.value
    if factor is None or np.broadcast_shapes(np.shape(factor), upstream.shape) != upstream.shape:
        return None
    value = np.broadcast_to(-factor if plain[1] else factor, upstream.shape)
    fits = _close(_summed(upstream * value, result.shape), result)
    return Local(value, "" if other is None else other.name) if fits else None


def _summed(array: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Summed over the axes along which the shape was broadcast."""
    more = array.ndim - len(shape)
    if more < 0:
        return array
    axes = tuple(range(more)) + tuple(more + k for k, size in enumerate(shape) if size == 1 != array.shape[more + k])
    return np.sum(array, axis=axes).reshape(shape) if axes and np.size(array) else array


def _close(made: NDArray[Any], result: NDArray[Any]) -> bool:
    """Whether they are equal but for rounding, NaN where NaN is."""
    if made.shape != result.shape:
        return False
    size = np.max(np.abs(result), initial=0.0, where=np.isfinite(result))
    return bool(np.allclose(made, result, rtol=_CLOSE, atol=_CLOSE * size, equal_nan=True))
