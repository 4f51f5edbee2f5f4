"""``tf.nest``: lists, tuples and dicts of values, taken apart, put together again and compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tapeviz.engine import nest

__all__ = ["assert_same_structure", "flatten", "is_nested", "map_structure", "pack_sequence_as"]


def is_nested(seq: Any) -> bool:
    """Whether there can be something inside: lists, tuples, dicts and their views, attrs classes; not strings, sets.

    >>> import tapeviz as tf
    >>> tf.nest.is_nested([1]), tf.nest.is_nested("a")
    (True, False)
    """
    return nest.is_nested(seq)


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """The leaves, depth first; those of a dict in the order of its sorted keys.

    Args:
        structure: what to take apart; a leaf is a structure of one.
        expand_composites: accepted as TensorFlow does; nothing here is composite.

    Raises:
        TypeError: the keys of a dict cannot be sorted.

    >>> import tapeviz as tf
    >>> tf.nest.flatten({"b": [1, (2,)], "a": 0})
    [0, 1, 2]
    """
    return nest.flatten(structure)


def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """``func`` of the leaves that are in the same places, in the structure of the first.

    Args:
        func: takes one leaf of each structure.
        *structure: one or more, of the same form.
        **kwargs: ``check_types=False`` lets a list pass for a tuple; ``expand_composites`` is accepted.

    Raises:
        TypeError: ``func`` cannot be called, or types differ.
        ValueError: the forms differ, or nothing was given.

    >>> import tapeviz as tf
    >>> tf.nest.map_structure(lambda x, y: x + y, {"a": 1, "b": (2, 3)}, {"a": 10, "b": (20, 30)})
    {'a': 11, 'b': (22, 33)}
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    check_types = kwargs.pop("check_types", True)
    kwargs.pop("expand_composites", False)
    if kwargs:
        raise ValueError(
            f"Only valid keyword arguments are `check_types` and `expand_composites`, not: `{'`, `'.join(kwargs)}`"
        )
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types=check_types)
    return nest.map_structure(func, *structure)


def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: bool = False) -> Any:
    """The items of ``flat_sequence`` in the form of ``structure``: the opposite of :func:`flatten`.

    Args:
        structure: whose form is wanted.
        flat_sequence: as many items as ``structure`` has leaves.
        expand_composites: accepted as TensorFlow does.

    Raises:
        TypeError: ``flat_sequence`` is not a sequence.
        ValueError: the numbers differ.

    >>> import tapeviz as tf
    >>> tf.nest.pack_sequence_as({"a": 0, "b": (0, 0)}, [1, 2, 3])
    {'a': 1, 'b': (2, 3)}
    """
    if not nest.is_nested(flat_sequence):
        raise TypeError(
            f"Attempted to pack value:\n  {flat_sequence}\ninto a structure, but found incompatible type "
            f"`{type(flat_sequence)}` instead."
        )
    items = list(flat_sequence)
    if not nest.is_nested(structure):
        if len(items) != 1:
            raise ValueError(
                f"The target structure is of type `{type(structure)}`\n  {structure}\nHowever the input is a sequence "
                f"({type(flat_sequence)}) of length {len(items)}.\n  {flat_sequence}\nnest cannot guarantee that it is "
                "safe to map one to the other."
            )
        return items[0]
    count = len(nest.flatten(structure))
    if count != len(items):
        raise ValueError(
            f"Could not pack sequence. Structure had {count} atoms, but flat_sequence had {len(items)} items.  "
            f"Structure: {structure}, flat_sequence: {flat_sequence}."
        )
    return nest.pack(structure, items)


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False) -> None:
    """Raise unless both have the same form.

    Args:
        nest1: one structure.
        nest2: the other.
        check_types: whether a list in the place of a tuple counts as a difference.
        expand_composites: accepted as TensorFlow does.

    Raises:
        TypeError: the same form, of other types.
        ValueError: another form, or other keys.

    >>> import tapeviz as tf
    >>> tf.nest.assert_same_structure([1, (2, 3)], [4, (5, 6)])
    """
    try:
        _compare(nest1, nest2, check_types)
    except (TypeError, ValueError) as error:
        dots = [str(nest.map_structure(lambda _leaf: _Dot(), one)) for one in (nest1, nest2)]
        raise type(error)(
            "The two structures don't have the same nested structure.\n\n"
            f"First structure: {_named(nest1)}\n\nSecond structure: {_named(nest2)}\n\nMore specifically: {error}\n"
            f"Entire first structure:\n{dots[0]}\nEntire second structure:\n{dots[1]}"
        ) from None


class _Dot:
    """Stands for a leaf where only the form is shown."""

    def __repr__(self) -> str:
        return "."


def _named(structure: Any) -> str:
    return f"type={type(structure).__name__} str={structure!s}"


def _compare(first: Any, second: Any, check_types: bool) -> None:
    has_parts = nest.is_nested(first)
    if has_parts is not nest.is_nested(second):
        sequence, leaf = (first, second) if has_parts else (second, first)
        raise ValueError(f'Substructure "{_named(sequence)}" is a sequence, while substructure "{_named(leaf)}" is not')
    if not has_parts:
        return
    if check_types:
        _compare_types(first, second)
    ours, theirs = nest.parts(first) or [], nest.parts(second) or []
    for one, other in zip(ours, theirs, strict=False):
        _compare(one, other, check_types)
    if len(ours) != len(theirs):
        raise ValueError(
            "The two structures don't have the same number of elements. First structure: "
            f"{_named(first)}. Second structure: {_named(second)}"
        )


def _compare_types(first: Any, second: Any) -> None:
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        if set(first) != set(second):
            raise ValueError(
                "The two dictionaries don't have the same set of keys. First structure has keys "
                f"{_named(list(first))}, while second structure has keys {_named(list(second))}"
            )
    elif type(first) is not type(second) and not _same_namedtuple(first, second):
        raise TypeError(
            f"The two namedtuples don't have the same sequence type. First structure {_named(first)} has type "
            f"{type(first).__name__}, while second structure {_named(second)} has type {type(second).__name__}"
        )


def _same_namedtuple(first: Any, second: Any) -> bool:
    fields = getattr(first, "_fields", None)
    return (
        fields is not None
        and fields == getattr(second, "_fields", None)
        and type(first).__name__ == type(second).__name__
    )
