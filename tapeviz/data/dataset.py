"""``tf.data.Dataset``: a pipeline of elements, to be gone through as often as one likes."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from tapeviz.data.arranging import Arranging
from tapeviz.data.changing import Changing
from tapeviz.data.graph_iteration import GraphIterator, opened
from tapeviz.data.handles import handle_of
from tapeviz.data.iterators import Iterator, NumpyIterator
from tapeviz.data.making import Making
from tapeviz.data.nodes import INFINITE, UNKNOWN, Node, Run
from tapeviz.data.options import Options
from tapeviz.data.sources import Bound, Given
from tapeviz.engine.convert import convert_to_tensor
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.state import local
from tapeviz.engine.tensor import wrap

__all__ = ["Dataset"]


class Dataset(Making, Changing, Arranging):
    """A pipeline: where elements come from, and what is done with them, one step after the other.

    Elements are tensors, or tuples and dicts of tensors. Each method gives a new dataset and runs nothing; going
    through it does. In a traced function a ``for`` over a dataset becomes a loop of the graph.

    >>> import numpy as np, tapeviz as tf
    >>> images, digits = np.zeros([5, 8, 8], np.float32), np.arange(5)
    >>> dataset = tf.data.Dataset.from_tensor_slices((images, digits)).shuffle(5).batch(2)
    >>> for x, y in dataset:
    ...     print(x.shape, y.shape)
    (2, 8, 8) (2,)
    (2, 8, 8) (2,)
    (1, 8, 8) (1,)
    """

    _step: Node
    _options: Options | None = None

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        raise TypeError(
            f"Can't instantiate abstract class {type(self).__name__}: make datasets with "
            "tf.data.Dataset.from_tensor_slices, from_generator, range and the like"
        )

    @property
    def element_spec(self) -> Any:
        """What is known of the elements: their structure, with a TensorSpec in each tensor's place.

        >>> import tapeviz as tf
        >>> tf.data.Dataset.range(3).batch(2).element_spec
        TensorSpec(shape=(None,), dtype=tf.int64, name=None)
        """
        return self._step.spec

    def cardinality(self, name: str | None = None) -> Any:
        """How many elements there are: INFINITE_CARDINALITY, or UNKNOWN_CARDINALITY where only a pass would tell.

        Args:
            name: accepted as TensorFlow does.

        >>> import tapeviz as tf
        >>> tf.data.Dataset.range(5).batch(2).cardinality().numpy()
        np.int64(3)
        """
        return convert_to_tensor(np.int64(self._step.cardinality()))

    def __len__(self) -> int:
        size = self._step.cardinality()
        if size == INFINITE:
            raise TypeError("The dataset is infinite.")
        if size == UNKNOWN:
            raise TypeError("The dataset length is unknown.")
        return size

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Any:
        return Iterator(self) if local.state.graph is None else self._graph_steps()

    def as_numpy_iterator(self) -> NumpyIterator:
        """The elements as arrays, which cannot be written to, and NumPy scalars.

        Raises:
            RuntimeError: while a function is traced.

        >>> import tapeviz as tf
        >>> list(tf.data.Dataset.from_tensor_slices({"a": [1, 2]}).as_numpy_iterator())
        [{'a': np.int32(1)}, {'a': np.int32(2)}]
        """
        if local.state.graph is not None:
            raise RuntimeError("as_numpy_iterator() is not supported while tracing functions")
        return NumpyIterator(self)

    def get_single_element(self, name: str | None = None) -> Any:
        """The element of a dataset that has one.

        Args:
            name: accepted as TensorFlow does.

        Raises:
            InvalidArgumentError: it has none, or several.

        >>> import tapeviz as tf
        >>> tf.data.Dataset.from_tensors(3).get_single_element().numpy()
        np.int32(3)
        """
        found = list(self.take(2))
        if len(found) != 1:
            raise InvalidArgumentError(
                "Dataset was empty." if not found else "Dataset had more than one element.", "DatasetToSingleElement"
            )
        return found[0]

    def options(self) -> Options:
        """The options that it was given.

        >>> import tapeviz as tf
        >>> tf.data.Dataset.range(1).options().deterministic
        """
        return self._options or Options()

    def with_options(self, options: Options, name: str | None = None) -> Dataset:
        """The same dataset with options.

        Args:
            options: them.
            name: accepted as TensorFlow does.

        >>> import tapeviz as tf
        >>> len(tf.data.Dataset.range(3).with_options(tf.data.Options()))
        3
        """
        made = self._of(self._step)
        made._options = options
        return made

    def __repr__(self) -> str:
        return f"<_{self._step.name}Dataset element_spec={self.element_spec}>"

    # In graphs.

    def _begun(self, run: Any) -> Iterator:
        return Iterator(self, run)

    def _graph_steps(self) -> GraphIterator:
        """A pass at each run of the graph that is being built, from here on."""
        return GraphIterator(opened(self._step, self._begun, handle_of), self.element_spec)

    def _graph_enumerate(self, start: Any) -> Dataset:
        return self.enumerate(start)

    @classmethod
    def _graph_zip(cls, datasets: tuple[Any, ...]) -> Dataset:
        return cls.zip(*datasets) if len(datasets) > 1 else cls.zip(datasets)

    # As an argument of a traced function, whose graph is for all datasets of such elements.

    def _traced_as(self) -> Any:
        return ("dataset", repr(self.element_spec)), f"dataset of {self.element_spec}"

    def _argument(self) -> Any:
        node = self._step
        if isinstance(node, Given):
            return node.symbol
        if local.state.graph is not None:  # made while tracing: at each run it is a dataset of its own
            return opened(node, partial(_bound, node), handle_of)
        return wrap(handle_of(node))

    def _inside(self, symbol: Any) -> Dataset:
        return self._of(Given(symbol, self._step.spec))


def _bound(node: Node, run: Run) -> Node:
    """The dataset with the values that are known at a run."""
    return Bound(node, run.given)
