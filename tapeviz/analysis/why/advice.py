"""What to do about a gradient that is None, in words that name the user's own line."""

from __future__ import annotations

import re
import tokenize
from io import StringIO
from typing import Final

import numpy as np

from tapeviz.analysis.graph import Graph
from tapeviz.analysis.why.replay import Replay

__all__ = [
    "assign_instead",
    "leave_whole",
    "line_of",
    "make_floating",
    "smooth",
    "stay_floating",
    "stay_inside",
    "stay_with_torch",
    "tape_name",
    "trainable",
    "with_line",
]

# NumPy's names for what has another one in TensorFlow.
_RENAMED: Final = {
    "sum": "tf.reduce_sum", "mean": "tf.reduce_mean", "max": "tf.reduce_max", "min": "tf.reduce_min",
    "dot": "tf.matmul", "amax": "tf.reduce_max", "amin": "tf.reduce_min", "prod": "tf.reduce_prod",
    "concatenate": "tf.concat", "log": "tf.math.log", "var": "tf.math.reduce_variance",
    "std": "tf.math.reduce_std", "power": "tf.pow",
    "absolute": "tf.abs", "clip": "tf.clip_by_value", "log1p": "tf.math.log1p", "negative": "tf.negative",
}  # fmt: skip
# These make arrays of what they are given and compute nothing.
_CONVERTERS: Final = frozenset({"array", "asarray", "ascontiguousarray", "float32", "float64", "copy", "random"})


def leave_whole(name: str, op: str, other: str) -> str:
    """What to do about integers that choose rows or classes, as the op does with them."""
    by = f"what they choose from ({other})" if other else "what they choose from"
    return f"leave {name} out of the sources: for {op} these are row or class numbers; ask for the gradient by {by}"


def smooth(op: str, surrogate: str, dtype: str) -> str:
    """What to use in place of an op without a gradient, from what its declaration says and the dtype of its output."""
    if dtype == "bool":
        return "a comparison is flat almost everywhere: compare only to choose (tf.where), not to compute the loss"
    return surrogate or f"compute the loss without {op}, or give it a gradient with tf.custom_gradient"


def stay_floating(dtype: str) -> str:
    """What to do about a cast to a dtype without gradients."""
    return f"leave out the cast to {dtype}, or keep it out of the loss"


def make_floating(name: str, *, variable: bool) -> str:
    """What to do about a source of integers."""
    if variable:
        return f"make {name} from floating-point numbers: tf.Variable(..., dtype=tf.float32)"
    return f"make {name} from floating-point numbers (1.0, not 1), or tf.cast(..., tf.float32) before the tape uses it"


def stay_inside(name: str, text: str, kind: str) -> str:
    """What to do about maths that left the engine on a line with this text."""
    for called in re.findall(r"\b(?:np|numpy)\.([A-Za-z_]\w*)\s*\(", text):
        if called not in _CONVERTERS:
            return f"use {_RENAMED.get(called, f'tf.{called}')} in place of np.{called}, so that the tape sees it"
    if kind == "python":
        found = re.search(r"\b(float|int|bool|complex|round)\s*\(", text)
        return f"leave out {found[1] if found else 'the conversion'}(...) and go on with the tensor itself"
    if ".numpy()" in text:
        return f"leave out .numpy() and go on with {name} itself"
    return f"go on with {name} itself and tf's functions, not with a NumPy array of it"


def assign_instead(name: str, text: str, *, variable: bool) -> str:
    """What to do where a line gave a variable's (or a watched tensor's) name to a new tensor."""
    if not variable:
        return f"call tape.watch({name}) for the new tensor too, or make {name} a tf.Variable and assign to it"
    stored = re.match(rf"((?:\w+\.)*{re.escape(name)})\s*([-+]?)=\s*(.+)$", _without_comment(text))
    if stored is None:
        return f"keep the variable: {name}.assign(...)"
    whole, sign, value = stored.groups()
    # w -= step, or w = w - step
    if again := None if sign else re.match(rf"{re.escape(whole)}\s*([-+])\s*(.+)$", value):
        sign, value = again.groups()
    method = {"-": "assign_sub", "+": "assign_add", "": "assign"}[sign]
    return f"keep the variable: {whole}.{method}({value.strip()})"


def _without_comment(text: str) -> str:
    """A line of Python without the comment at its end; one that isn't whole by itself has its tokens so far."""
    try:
        for token in tokenize.generate_tokens(StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                return text[: token.start[1]].rstrip()
    except (tokenize.TokenError, SyntaxError):
        pass
    return text


def with_line(graph: Graph, tape: Replay) -> str:
    """The tape's with block, by its line where that is known."""
    place = next((graph.place(change.site) for change in tape.changes if change.change == "enter"), None)
    return "the with block" if place is None else f"the with block of line {place.line}"


def tape_name(graph: Graph, tape: Replay) -> str:
    """What the user calls the tape, ``tape`` where that is not known."""
    for change in tape.changes:
        place = graph.place(change.site)
        if change.change == "enter" and place is not None:
            found = re.search(r"\bas\s+([A-Za-z_]\w*)\s*[:,)]", place.text)
            return found[1] if found else "tape"
    return "tape"


def line_of(graph: Graph, site: int) -> str:
    """A line by its number."""
    place = graph.place(site)
    return "its first use" if place is None else f"line {place.line}"


def trainable(graph: Graph, variable: int) -> bool:
    """Whether tapes watch a variable by themselves."""
    variables = graph.recording.variables
    rows = np.flatnonzero(variables.id == variable)
    return not len(rows) or bool(variables.trainable[rows[-1]])


def stay_with_torch(name: str, text: str) -> str:
    """What to do in a program of PyTorch's about maths that left its tensors on a line with this text."""
    for called in re.findall(r"\b(?:np|numpy)\.([A-Za-z_]\w*)\s*\(", text):
        if called not in _CONVERTERS:
            return f"use torch.{called} in place of np.{called}, so that autograd sees it"
    if ".item()" in text or "float(" in text:
        return f"leave out .item() and torch.tensor(...), and go on with {name} itself"
    if ".numpy()" in text:
        return f"leave out .numpy() and go on with {name} itself and torch's functions"
    return f"go on with {name} itself and torch's functions, not with a number or an array of it"
