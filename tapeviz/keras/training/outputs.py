"""The outputs of a model and what belongs to each: targets, losses, metrics, weights, by place or by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["by_output", "of_form", "output_names", "per_output"]


def output_names(y_pred: Any, names: Sequence[str] | None) -> list[str]:
    """A name for each output: its key in a dict, else its name in the model, else its number.

    >>> output_names({"b": 1, "a": 2}, None), output_names([1, 2], None), output_names(1, None)
    (['b', 'a'], ['output_0', 'output_1'], ['output'])
    """
    if isinstance(y_pred, Mapping):
        return list(y_pred)
    count = len(y_pred) if isinstance(y_pred, (list, tuple)) else 1
    if names is not None and len(names) == count:
        return list(names)
    return ["output"] if not isinstance(y_pred, (list, tuple)) else [f"output_{place}" for place in range(count)]


def by_output(values: Any, names: Sequence[str], what: str) -> list[Any]:
    """What of a batch belongs to each output: by name from a dict, by place from a list, all from a single tensor.

    Raises:
        ValueError: there are fewer or more than outputs, or names that no output has.
    """
    if values is None:
        return [None] * len(names)
    if isinstance(values, Mapping):
        if missing := [name for name in names if name not in values]:
            raise ValueError(f"`{what}` has the keys {sorted(map(str, values))}, but not {missing}: the outputs are "
                             f"{list(names)}")  # fmt: skip
        return [values[name] for name in names]
    if isinstance(values, (list, tuple)):
        if len(values) != len(names):
            raise ValueError(f"`{what}` has {len(values)} parts, but the model has {len(names)} outputs: {list(names)}")
        return list(values)
    if len(names) > 1:
        raise ValueError(f"`{what}` is a single tensor, but the model has {len(names)} outputs: {list(names)}")
    return [values]


def per_output(given: Any, names: Sequence[str], argument: str, *, named: bool) -> list[Any]:
    """What ``compile`` was told for each output; None where it was told nothing.

    Args:
        given: a list by place, or a dict by name.
        names: the outputs.
        argument: which argument of ``compile`` it is, for messages.
        named: whether the outputs have names of the user's.

    Raises:
        ValueError: a list of another length, or a name that no output has.
    """
    if isinstance(given, Mapping):
        if strangers := [key for key in given if key not in names]:
            hint = "" if named else " (outputs given as a list have no other names; let the model return a dict)"
            raise ValueError(
                f"In the dict argument `{argument}`, key '{strangers[0]}' does not correspond to any model output. "
                f"Received:\n{argument}={dict(given)}\nThe outputs are {list(names)}{hint}"
            )
        return [given.get(name) for name in names]
    found = list(given)
    if len(found) != len(names):
        raise ValueError(
            f"For a model with multiple outputs, when providing the `{argument}` argument as a list, it should have as "
            f"many entries as the model has outputs. Received:\n{argument}={given}\nof length {len(found)} whereas the "
            f"model has {len(names)} outputs."
        )
    return found


def of_form(y: Any, y_pred: Any, binary: Any, sparse: Any, categorical: Any) -> Any:
    """Which of three suits the targets: two classes, the number of a class a sample, or a row a sample."""
    classes = _last_size(y_pred)
    if classes == 1 or len(y_pred.shape) == 1:
        return binary
    if y is not None and (len(y.shape) < len(y_pred.shape) or (_last_size(y) == 1 and (classes or 0) > 1)):
        return sparse
    return categorical


def _last_size(value: Any) -> int | None:
    """The size of the last axis; None of a number, or where it is not known."""
    shape = tuple(value.shape)
    return shape[-1] if shape else None
