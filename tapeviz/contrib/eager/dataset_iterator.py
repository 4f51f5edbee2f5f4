"""Elements as tensors, one after another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.errors import OutOfRangeError

__all__ = ["Iterator"]


class Iterator:
    """Goes through a data set, or anything that Python can iterate over, once, and gives its elements as tensors.

    Tuples and dicts in an element stay as they are, with tensors in them; lists, arrays and numbers become tensors.

    >>> import tapeviz.contrib.eager as tfe
    >>> for features, label in tfe.Iterator([([1.0, 2.0], 0), ([3.0, 4.0], 1)]):
    ...     print(features.numpy(), label.numpy())
    [1. 2.] 0
    [3. 4.] 1
    """

    def __init__(self, dataset: Iterable[Any]) -> None:
        self._elements = iter(dataset)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        return _tensors(next(self._elements))

    def _checkpoint_children(self) -> list[tuple[str, Any]]:
        return [("iterator", self._elements)]

    def next(self) -> Any:
        """The next element.

        Raises:
            StopIteration: there is none.
        """
        return self.__next__()

    def get_next(self, name: str | None = None) -> Any:
        """The next element, for code that was written for graphs.

        Raises:
            OutOfRangeError: there is none.
        """
        try:
            return self.__next__()
        except StopIteration:
            raise OutOfRangeError("End of sequence") from None


def _tensors(element: Any) -> Any:
    if hasattr(element, "element_spec"):  # a data set in a data set
        return element
    if isinstance(element, tuple):
        parts = [_tensors(part) for part in element]
        return type(element)(*parts) if hasattr(element, "_fields") else tuple(parts)
    if isinstance(element, Mapping):
        return {key: _tensors(part) for key, part in element.items()}
    return convert_to_tensor(element)
