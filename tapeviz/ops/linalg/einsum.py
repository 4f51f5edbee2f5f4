"""Sums of products with the axes named by letters: ``einsum``."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from tapeviz.backends.tiled_products import product, stacked_product
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Spec
from tapeviz.engine.deferred_numbers import Deferred
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.rules import shape_text
from tapeviz.engine.samples import cases
from tapeviz.engine.types import COMPLEXES, FLOATS, INTEGERS
from tapeviz.ops import static_shape_rules

__all__ = ["Plan", "einsum", "plan", "plan_of"]

_FIRST = 0x4E00
_SPARE = [chr(_FIRST + axis) for axis in range(32)]
"""Labels that no equation uses, for the axes under an ellipsis; the first stands for the last axis."""

Shape = tuple[int, ...]


class Plan(NamedTuple):
    """The axes by name. An axis of size 1 that broadcasting stretches has none: it is left out of ``shapes``."""

    labels: tuple[str, ...]
    """One letter an axis, for each input."""
    shapes: tuple[Shape, ...]
    """The shape each input is given to have just these axes."""
    output: str
    sizes: dict[str, int]
    path: tuple[tuple[int, ...], ...]
    """Which inputs go together, step by step."""


@lru_cache(maxsize=512)
def plan(equation: str, shapes: tuple[Shape, ...]) -> Plan:
    """The plan for an equation with an arrow and inputs of these shapes.

    Raises:
        InvalidArgumentError: ranks or sizes do not fit.
    """
    left, _, output = equation.partition("->")
    written = left.split(",")
    named = [_named(term, shape, n) for n, (term, shape) in enumerate(zip(written, shapes, strict=True))]
    sizes: dict[str, int] = {}
    for labels, shape in zip(named, shapes, strict=True):
        _note_sizes(sizes, labels, shape)
    depth = max(
        len(labels) - len(term.replace("...", "")) for labels, term in zip(named, written, strict=True)
    )  # the axes under the ellipsis
    if depth and "..." not in output:
        raise InvalidArgumentError(
            f"Output contains {depth} broadcasting dimension(s) but no ellipsis (...) was found in the output "
            "subscripts."
        )
    kept = [
        [(label, size) for label, size in zip(labels, shape, strict=True) if size != 1 or sizes[label] == 1]
        for labels, shape in zip(named, shapes, strict=True)
    ]
    terms = tuple("".join(label for label, _ in axes) for axes in kept)
    given = tuple(tuple(sizes[label] for label, _ in axes) for axes in kept)
    output = output.replace("...", "".join(reversed(_SPARE[:depth])))
    return Plan(terms, given, output, sizes, _path(terms, given, output))


def plan_of(equation: str, shapes: tuple[Shape, ...]) -> Plan:
    """The same for shapes with sizes that are not known yet, whose plans are not kept."""
    for shape in shapes:
        for size in shape:
            if size.__class__ is Deferred:
                return plan.__wrapped__(equation, shapes)
    return plan(equation, shapes)


def _named(term: str, shape: Shape, number: int) -> list[str]:
    """A label an axis of one input."""
    if "..." not in term:
        if len(term) != len(shape):
            raise InvalidArgumentError(f"Expected input {number} to have rank {len(term)} but got: {len(shape)}")
        return list(term)
    before, _, after = term.partition("...")
    depth = len(shape) - len(before) - len(after)
    if depth < 0:
        raise InvalidArgumentError(
            f"Expected input {number} to have rank at least {len(before) + len(after)} but got: {len(shape)}"
        )
    return [*before, *reversed(_SPARE[:depth]), *after]


def _note_sizes(sizes: dict[str, int], labels: list[str], shape: Shape) -> None:
    for axis, (label, size) in enumerate(zip(labels, shape, strict=True)):
        known = sizes.setdefault(label, size)
        if known == size or (label in _SPARE and size == 1):
            continue
        if isinstance(known, Deferred) or isinstance(size, Deferred):
            # Of two sizes one of which is not known, they are the same: the one that is.
            sizes[label] = known if isinstance(size, Deferred) else size
            continue
        if label in _SPARE and known == 1:
            sizes[label] = size
            continue
        where = f"at axis {axis} of the input shaped {shape_text(shape)}"
        raise InvalidArgumentError(f"Expected dimension {known} {where} but got dimension {size}")


def _path(terms: tuple[str, ...], shapes: tuple[Shape, ...], output: str) -> tuple[tuple[int, ...], ...]:
    """NumPy's greedy order for three inputs or more: it looks at sizes alone."""
    if len(terms) < 3:  # noqa: PLR2004 - two go together, one is by itself
        return (tuple(range(len(terms))),)
    operands: list[object] = []
    codes = {label: code for code, label in enumerate(sorted(set("".join(terms))))}
    for term, shape in zip(terms, shapes, strict=True):
        operands += [np.broadcast_to(np.empty(()), shape), [codes[label] for label in term]]
    wanted = [codes[label] for label in dict.fromkeys(output)]
    found = np.einsum_path(*operands, wanted, optimize="greedy")[0]  # type: ignore[arg-type]
    return tuple(tuple(step) for step in found[1:])


def _diagonal(xp: Any, labels: str, array: Any) -> tuple[str, Any]:
    """One axis for each label that comes more than once."""
    once = "".join(dict.fromkeys(labels))
    if once != labels:
        array = array[_along(xp, labels, once, array.shape)]
    return once, array


def _along(xp: Any, labels: str, once: str, shape: Sequence[int]) -> tuple[Any, ...]:
    """An index for each axis of ``labels``, which together run along the axes of ``once``."""
    sizes = dict(zip(labels, shape, strict=True))
    spread = [tuple(sizes[one] if one == label else 1 for one in once) for label in labels]
    return tuple(xp.reshape(xp.arange(math.prod(thin)), thin) for thin in spread)


def _arranged(xp: Any, labels: str, array: Any, wanted: str) -> Any:
    """Sum over the axes not wanted, the others in the order wanted."""
    gone = tuple(axis for axis, label in enumerate(labels) if label not in wanted)
    if gone:
        array = xp.add.reduce(array, axis=gone, dtype=array.dtype)
        labels = "".join(label for label in labels if label in wanted)
    if labels == wanted:
        return xp.asarray(array)
    return xp.transpose(array, tuple(labels.index(label) for label in wanted))


def _product(xp: Any, first: tuple[str, Any], second: tuple[str, Any], needed: str) -> tuple[str, Any]:
    """Two inputs made one: a product of matrices where axes are summed over, which is what is fast."""
    (la, a), (lb, b) = first, second
    both = [label for label in la if label in lb]
    batch = "".join(label for label in both if label in needed)
    inner = "".join(label for label in both if label not in needed)
    free_a = "".join(label for label in la if label not in lb and label in needed)
    free_b = "".join(label for label in lb if label not in la and label in needed)
    sizes = dict(zip(la, a.shape, strict=True)) | dict(zip(lb, b.shape, strict=True))
    rows, columns, middle, many = (math.prod(sizes[label] for label in part) for part in (free_a, free_b, inner, batch))
    outer = (many,) if batch else ()
    left = xp.reshape(_arranged(xp, la, a, batch + free_a + inner), (*outer, rows, middle))
    right = xp.reshape(_arranged(xp, lb, b, batch + inner + free_b), (*outer, middle, columns))
    if inner and batch:
        made = stacked_product(xp, left, right)
    else:
        made = product(left, right) if inner else xp.multiply(left, right)
        made = xp.dot(left, right) if made is None else made
    labels = batch + free_a + free_b
    return labels, xp.reshape(made, tuple(sizes[label] for label in labels))


def _einsum(xp: Any, *operands: Any, equation: str) -> Any:
    asked = plan(equation, tuple(tuple(operand.shape) for operand in operands))
    terms = [
        _diagonal(xp, labels, xp.reshape(operand, shape))
        for labels, shape, operand in zip(asked.labels, asked.shapes, operands, strict=True)
    ]
    wanted = "".join(dict.fromkeys(asked.output))
    for step in asked.path:
        together = [terms.pop(position) for position in sorted(step, reverse=True)][::-1]
        needed = wanted + "".join(labels for labels, _ in terms)
        made = together[0]
        for another in together[1:]:
            made = _product(xp, made, another, needed)
        terms.append(made)
    result = _arranged(xp, *terms[0], wanted)
    if wanted == asked.output:
        return result
    whole = xp.zeros(tuple(asked.sizes[label] for label in asked.output), result.dtype)
    whole[_along(xp, asked.output, wanted, whole.shape)] = result
    return whole


def _einsum_rule(*operands: Spec, equation: str) -> Spec:
    asked = plan_of(equation, tuple(tuple(operand.shape) for operand in operands))
    return Spec(tuple(asked.sizes[label] for label in asked.output), operands[0].dtype)


def _gradients(F: Any, g: Any, operands: Any, operands_spec: Any, equation: str) -> list[Any]:
    shapes = tuple(tuple(spec.shape) for spec in operands_spec)
    asked = plan_of(equation, shapes)
    given = [
        operand if shape == wanted else F.reshape(operand, shape=wanted)
        for operand, shape, wanted in zip(operands, shapes, asked.shapes, strict=True)
    ]
    return [F.reshape(_gradient_of(F, g, position, given, asked), shape=shape) for position, shape in enumerate(shapes)]


def _gradient_of(F: Any, g: Any, position: int, given: list[Any], asked: Plan) -> Any:
    """The other inputs and ``g`` together; what the equation had summed over within the input alone is repeated."""
    others = [number for number in range(len(given)) if number != position]
    terms = [*(asked.labels[number] for number in others), asked.output]
    mine = asked.labels[position]
    once = "".join(dict.fromkeys(mine))
    reached = "".join(label for label in once if any(label in term for term in terms))
    summed = F.einsum(*(given[number] for number in others), g, equation=f"{','.join(terms)}->{reached}")
    if reached != once:
        thin = tuple(asked.sizes[label] if label in reached else 1 for label in once)
        whole = tuple(asked.sizes[label] for label in once)
        summed = F.broadcast_to(F.reshape(summed, shape=thin), shape=whole)
    return summed if once == mine else F.einsum(summed, equation=f"{once}->{mine}")


_summed = op(
    "einsum",
    doc="The Einstein summation of an equation: sums of products over the axes that its labels name.",
    family="linalg",
    forward=_einsum,
    infer=_einsum_rule,
    static=static_shape_rules.einsum,
    types=FLOATS | COMPLEXES | INTEGERS,
    vjp={"operands": _gradients},
    formula=r"z_{ik} = \sum_j x_{ij}\, y_{jk}",
    vjp_formula=(r"\bar x_{ij} = \sum_k \bar z_{ik}\, y_{jk}",),
    samples=cases(
        ([(2, 3), (3, 4)], {"equation": "ij,jk->ik"}),
        ([(2, 3), (2, 4)], {"equation": "ij,ik->jk"}),
        ([(2, 3, 4), (2, 5, 4)], {"equation": "bij,bkj->bki"}),
        ([(3, 3)], {"equation": "ii->"}),
        ([(2, 3, 2)], {"equation": "iji->ij"}),
        ([(3,)], {"equation": "i->ii"}),
        ([(2, 3), (4,)], {"equation": "ij,k->kj"}),
        ([(2, 2, 3), (1, 3, 2)], {"equation": "...ij,...jk->...ik"}),
        ([(1, 3), (2, 3)], {"equation": "...i,...i->..."}),
        ([(2, 3)], {"equation": "ij->j"}),
        ([(2,), (2, 3), (3,)], {"equation": "i,ij,j->"}),
        ([(0, 3), (3, 2)], {"equation": "ij,jk->ik"}),
    ),
    traits="product",
)

_TERM = r"[A-Za-z]*([.]{3})?[A-Za-z]*"
_EQUATION = re.compile(rf"{_TERM}(,{_TERM})*(->{_TERM})?")


@lru_cache(maxsize=512)
def _explicit(equation: str, many: int) -> str:
    """The equation without spaces and with its output, which is what comes once, in the order of the alphabet."""
    text = equation.replace(" ", "")
    if not _EQUATION.fullmatch(text):
        raise ValueError(f"Subscripts have incorrect format: {text}")
    left, arrow, output = text.partition("->")
    if len(left.split(",")) != many:
        raise ValueError(f'Got {many} inputs for equation "{text}", expecting {len(left.split(","))}')
    letters = left.replace(",", "").replace("...", "")
    if not arrow:
        once = sorted(label for label in set(letters) if letters.count(label) == 1)
        return f"{left}->{'...' if '...' in left else ''}{''.join(once)}"
    labels = output.replace("...", "")
    if len(set(labels)) != len(labels):
        raise ValueError(f"Output subscripts contain a label appearing more than once: {text}")
    for label in labels:
        if label not in letters:
            raise ValueError(f"Output subscripts contain the label {label} not present in the input subscripts.")
    return text


def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Any:
    """The sum of products that ``equation`` describes: letters name axes, and what the output lacks is summed over.

    Args:
        equation: such as ``"ij,jk->ik"``; ``...`` stands for axes that broadcast. Without an arrow the output has the
            letters that come once, in the order of the alphabet.
        *inputs: as many tensors as the equation names, of one dtype.
        **kwargs: ``optimize`` and ``name`` are accepted as TensorFlow does; the order of three inputs or more is always
            chosen by their sizes.

    Raises:
        InvalidArgumentError: shapes or dtypes do not fit the equation.
        TypeError: a keyword is none of these.
        ValueError: the equation is not well formed, or names another number of inputs.

    >>> import tapeviz as tf
    >>> tf.einsum("ij,j->i", tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([1.0, 10.0])).numpy()
    array([21., 43.], dtype=float32)
    """
    if kwargs and (unknown := ", ".join(sorted(kwargs.keys() - {"name", "optimize", "greedy"}))):
        raise TypeError(f"Invalid keyword arguments for einsum: {unknown}. Valid arguments: name, optimize, greedy.")
    tensors = [convert_to_tensor(one) for one in inputs]
    return _summed.run(*tensors, equation=_explicit(equation, len(tensors)))
