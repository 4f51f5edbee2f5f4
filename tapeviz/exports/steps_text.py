"""Steps of a program as text: a table of them all, and each with its numbers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any, Final, overload

import numpy as np

from tapeviz.analysis.contributions import Local, local_of, product_of
from tapeviz.analysis.walkthrough import Quantity, Step
from tapeviz.recording.terminal_text import visible

__all__ = ["Steps", "plain_formula"]

_MACRON: Final = "\u0304"
_PLAIN: Final = (
    (re.compile(r"\\sum_\{\\text\{([^{}]*)\}\}"), lambda found: f"Σ over {found[1]} of"),
    (re.compile(r"\\bar\s*(?:\\ell|\{(\w)\}|(\w))"), lambda found: (found[1] or found[2] or "ℓ") + _MACRON),
    (re.compile(r"\^\\top"), lambda _: "ᵀ"),
    (re.compile(r"\\(?:mathrm|text|operatorname)\{([^{}]*)\}"), lambda found: found[1]),
    (re.compile(r"\\(?:[,;:! ]|quad)"), lambda _: " "),
    (re.compile(r"\\(?:left|right)"), lambda _: ""),
    (re.compile(r"\\(?:cdot|odot)"), lambda _: "·"),
    (re.compile(r"\\sum"), lambda _: "Σ"),
    (re.compile(r"\\sigma"), lambda _: "σ"),
    (re.compile(r"\\ell"), lambda _: "ℓ"),
    (re.compile(r"\\(ln|exp|tanh|sin|cos|max|min|log)\b"), lambda found: found[1]),
)  # fmt: skip
_SUBSCRIPTS: Final = str.maketrans("ijklmn0123456789", "ᵢⱼₖₗₘₙ₀₁₂₃₄₅₆₇₈₉")
_ELEMENTS: Final = 24


def plain_formula(latex: str) -> str:
    r"""A formula as one line of text; what has no plain form stays LaTeX.

    >>> plain_formula(r"\bar B = A^\top \bar C")
    'B̄ = Aᵀ C̄'
    """
    for pattern, plain in _PLAIN:
        latex = pattern.sub(plain, latex)
    latex = re.sub(r"_([ijklmn0-9])(?![\w{])", lambda found: found[1].translate(_SUBSCRIPTS), latex)
    return unicodedata.normalize("NFC", " ".join(latex.split()))


class Steps(Sequence[Step]):
    """Steps, forward and then backward; prints as a table, and ``steps.show(7)`` tells of the seventh."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = tuple(steps)

    @overload
    def __getitem__(self, at: int) -> Step: ...
    @overload
    def __getitem__(self, at: slice) -> Steps: ...
    def __getitem__(self, at: int | slice) -> Step | Steps:
        """A step by its place, from 0."""
        return Steps(self._steps[at]) if isinstance(at, slice) else self._steps[at]

    def __len__(self) -> int:
        return len(self._steps)

    def __repr__(self) -> str:
        lines = [_line(number, step) for number, step in enumerate(self._steps, 1)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        table = ("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)
        return visible("\n".join(line.rstrip() for line in table)) or "no steps"

    __str__ = __repr__

    def show(self, number: int) -> str:
        """One step in words and numbers.

        Args:
            number: which one, from 1.

        Raises:
            IndexError: there is none of that number.
        """
        if not 1 <= number <= len(self._steps):
            raise IndexError(f"there are steps 1 to {len(self._steps)}, not {number}")
        step = self._steps[number - 1]
        return visible("\n".join([f"step {number} of {len(self._steps)}, {_title(step)}", *_told(step)]))


def _line(number: int, step: Step) -> list[str]:
    where = "" if step.site is None else f"line {step.site.line}"
    given = ", ".join(quantity.name for quantity in step.inputs)
    words = {"forward": f"{step.op}({given})", "seed": "begin", "backward": f"through {step.op}", "sum": "add"}
    return [str(number), step.kind, where, f"{step.result.name} = {words[step.kind]}", str(step.result.shape)]


def _title(step: Step) -> str:
    where = "" if step.site is None else f", {step.site}"
    if step.kind == "seed":
        return "the gradient by itself"
    names = {"forward": step.op, "backward": f"backward through {step.op}", "sum": "a further contribution is added"}
    return names[step.kind] + where


def _told(step: Step) -> list[str]:
    if step.kind == "seed":
        return _numbers(step.result)
    lines = [f"  {plain_formula(step.formula)}"] if step.formula else []
    if step.kind == "sum":
        return [*lines, *_part("before", step.upstream), *_part("plus", step.inputs[0]), *_part("gives", step.result)]
    if step.kind == "forward":
        for quantity in step.inputs:
            lines += _numbers(quantity)
        return [*lines, *_part("gives", step.result)]
    lines += _part("upstream", step.upstream)
    for place, quantity in enumerate(step.inputs):
        lines += _part("with" if place == 0 else "and", quantity)
    if (product := product_of(step)) is not None:
        left, right = (
            f"{shape} (transposed)" if turned else str(shape)
            for shape, turned in zip(product.shapes, product.transposed, strict=True)
        )
        lines.append(f"  shapes: {left} times {right} is {step.result.shape}")
    elif (local := local_of(step)) is not None:
        lines += _local(local)
    if step.summed_axes:
        axes = ", ".join(map(str, step.summed_axes))
        lines.append(f"  summed over axis {axes}, along which the input was broadcast")
    return [*lines, *_part("contributes", step.result)]


def _local(local: Local) -> list[str]:
    name = f", which is {local.name}" if local.name else ""
    return [f"  times the local derivative{name}", *(f"      {line}" for line in _value(local.value))]


def _part(word: str, quantity: Quantity | None) -> list[str]:
    return [] if quantity is None else [f"  {word}", *(f"  {line}" for line in _numbers(quantity))]


def _numbers(quantity: Quantity) -> list[str]:
    return [f"  {quantity.name}, {quantity.shape}", *(f"    {line}" for line in _value(quantity.value))]


def _value(value: Any) -> list[str]:
    if value is None:
        return ["— (its elements were not kept)"]
    text = np.array2string(np.asarray(value), precision=4, threshold=_ELEMENTS, edgeitems=2, suppress_small=True)
    return (f"{float(value):.6g}" if np.ndim(value) == 0 and np.asarray(value).dtype.kind == "f" else text).split("\n")
