"""What ``tf.data.experimental`` has besides old names: checks, debugging, and functions for ``Dataset.apply``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeviz.data.dataset import Dataset
from tapeviz.data.nodes import static_int
from tapeviz.data.selection import AssertCardinalityNode
from tapeviz.data.sources import SliceNode
from tapeviz.data.structures import check_same, normalized
from tapeviz.data.user_functions import debugging
from tapeviz.engine import nest

__all__ = [
    "Counter", "assert_cardinality", "cardinality", "choose_from_datasets", "enable_debug_mode", "enumerate_dataset",
    "from_list", "get_single_element", "sample_from_datasets", "scan", "shuffle_and_repeat", "take_while", "unbatch",
    "unique",
]  # fmt: skip

choose_from_datasets: Callable[..., Dataset] = Dataset.choose_from_datasets
sample_from_datasets: Callable[..., Dataset] = Dataset.sample_from_datasets
Counter: Callable[..., Dataset] = Dataset.counter

_Change = Callable[[Dataset], Dataset]


def enable_debug_mode() -> None:
    """Run the functions that datasets are given as the Python they are, for each element: prints and breakpoints work.

    >>> import tapeviz as tf
    >>> from tapeviz.data import user_functions
    >>> tf.data.experimental.enable_debug_mode()
    >>> user_functions.debugging[0]
    True
    >>> user_functions.debugging[0] = False
    """
    debugging[0] = True


def assert_cardinality(expected_cardinality: Any) -> _Change:
    """For ``apply``: the elements, of which there must be so many. A generator that ends early is an error then.

    Args:
        expected_cardinality: how many.

    Raises:
        FailedPreconditionError: in a pass: there are more or fewer.

    >>> import tapeviz as tf
    >>> dataset = tf.data.Dataset.range(5).filter(lambda x: x < 3)
    >>> len(dataset.apply(tf.data.experimental.assert_cardinality(3)))
    3
    """
    count = static_int(expected_cardinality, "expected_cardinality")
    return lambda dataset: dataset._of(AssertCardinalityNode(dataset._step, count))


def cardinality(dataset: Dataset) -> Any:
    """How many elements there are. Args: dataset: of which.

    >>> import tapeviz as tf
    >>> tf.data.experimental.cardinality(tf.data.Dataset.range(4)).numpy()
    np.int64(4)
    """
    return dataset.cardinality()


def from_list(elements: Sequence[Any], name: str | None = None) -> Dataset:
    """The elements of a list.

    Args:
        elements: of one structure, and of one shape and dtype a component.
        name: accepted as TensorFlow does.

    Raises:
        ValueError: there is none, or shapes differ.
        TypeError: structures or dtypes differ.

    >>> import tapeviz as tf
    >>> list(tf.data.experimental.from_list([(1, "a"), (2, "b")]).as_numpy_iterator())
    [(np.int32(1), b'a'), (np.int32(2), b'b')]
    """
    if not elements:
        raise ValueError("Invalid `elements`. `elements` should not be empty.")
    made = [Dataset.from_tensors(element) for element in elements]
    for other in made[1:]:
        check_same(made[0].element_spec, other.element_spec, "Incompatible elements")
    columns = zip(*[nest.flatten(normalized(element)) for element in elements], strict=True)
    stacked = [normalized([part[()] if part.ndim == 0 else part for part in column]) for column in columns]
    return Dataset._of(SliceNode(nest.pack(nest.pack(made[0].element_spec, list(stacked)), stacked)))


def enumerate_dataset(start: int = 0) -> _Change:
    """For ``apply``: the same as ``enumerate``. Args: start: the first number.

    >>> import tapeviz as tf
    >>> len(tf.data.Dataset.range(2).apply(tf.data.experimental.enumerate_dataset()))
    2
    """
    return lambda dataset: dataset.enumerate(start)


def get_single_element(dataset: Dataset) -> Any:
    """The element of a dataset that has one. Args: dataset: it.

    >>> import tapeviz as tf
    >>> tf.data.experimental.get_single_element(tf.data.Dataset.from_tensors(1)).numpy()
    np.int32(1)
    """
    return dataset.get_single_element()


def scan(initial_state: Any, scan_func: Callable[..., Any]) -> _Change:
    """For ``apply``: the same as ``scan``.

    Args:
        initial_state: the first state.
        scan_func: takes a state and an element, gives the next state and what comes out.

    >>> import tapeviz as tf
    >>> summed = tf.data.experimental.scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s + x))
    >>> list(tf.data.Dataset.range(3).apply(summed).as_numpy_iterator())
    [np.int64(0), np.int64(1), np.int64(3)]
    """
    return lambda dataset: dataset.scan(initial_state, scan_func)


def shuffle_and_repeat(buffer_size: int, count: int | None = None, seed: Any = None) -> _Change:
    """For ``apply``: shuffled, and repeated with another order each time.

    Args:
        buffer_size: how many elements the buffer holds.
        count: how often; without end unless given.
        seed: of the orders.

    >>> import tapeviz as tf
    >>> len(tf.data.Dataset.range(3).apply(tf.data.experimental.shuffle_and_repeat(3, 2)))
    6
    """
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def take_while(predicate: Callable[..., Any]) -> _Change:
    """For ``apply``: the same as ``take_while``. Args: predicate: takes an element, gives one truth value.

    >>> import tapeviz as tf
    >>> list(tf.data.Dataset.range(9).apply(tf.data.experimental.take_while(lambda x: x < 1)).as_numpy_iterator())
    [np.int64(0)]
    """
    return lambda dataset: dataset.take_while(predicate)


def unbatch() -> _Change:
    """For ``apply``: the same as ``unbatch``.

    >>> import tapeviz as tf
    >>> len(list(tf.data.Dataset.range(3).batch(2).apply(tf.data.experimental.unbatch())))
    3
    """
    return lambda dataset: dataset.unbatch()


def unique() -> _Change:
    """For ``apply``: the same as ``unique``.

    >>> import tapeviz as tf
    >>> len(list(tf.data.Dataset.from_tensor_slices([1, 1]).apply(tf.data.experimental.unique())))
    1
    """
    return lambda dataset: dataset.unique()
